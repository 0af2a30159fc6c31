//! How long ago things were changed: bytes and counts by age.
//!
//! Directories are left out: their time says when a name was added or removed, not how old anything is. Knows no clock: the
//! present is told.
//!
//! Invariant: every entry with a time is in exactly one row.

use std::cmp::Reverse;
use std::io;
use std::ops::Range;

use crate::job::{Job, Pool};
use crate::search::{Account, By, Entry, Mode, Order, Progress, Query, Request, Tally, Test, sweep};
use crate::tree::Totals;

const DAY: i64 = 24 * 3600;

/// How long ago an entry was last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Age {
    /// Less than 30 days.
    Month,
    /// 30 to 90 days.
    Quarter,
    /// 90 days to a year.
    Year,
    /// One to three years.
    ThreeYears,
    /// More than three years.
    Older,
    /// More than a day in the future, or never: clocks were wrong, or a program wrote no time.
    Unknown,
}

impl Age {
    /// Every age, the youngest first.
    pub const ALL: [Self; 6] =
        [Self::Month, Self::Quarter, Self::Year, Self::ThreeYears, Self::Older, Self::Unknown];

    /// It in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Month => "less than 30 days ago",
            Self::Quarter => "30 to 90 days ago",
            Self::Year => "90 days to a year ago",
            Self::ThreeYears => "one to three years ago",
            Self::Older => "more than three years ago",
            Self::Unknown => "in the future, or no time",
        }
    }

    /// The age of what was changed at `mtime`, both times in seconds since 1970.
    pub fn of(mtime: i64, now: i64) -> Self {
        Self::ALL.into_iter().find(|age| age.range(now).contains(&mtime)).unwrap_or(Self::Unknown)
    }

    /// What finds the entries behind the row.
    pub fn query(self, now: i64) -> Query {
        let query = match self {
            Self::Unknown => Query::not(Test::Modified(Self::known(now))),
            known => Query::of(Test::Modified(known.range(now))),
        };
        query.without_directories()
    }

    /// The times of this age; none are unknown.
    fn range(self, now: i64) -> Range<i64> {
        let known = Self::known(now);
        let ago = |days: i64| now.saturating_sub(days * DAY).max(known.start);
        match self {
            Self::Month => ago(30)..known.end,
            Self::Quarter => ago(90)..ago(30),
            Self::Year => ago(365)..ago(90),
            Self::ThreeYears => ago(3 * 365)..ago(365),
            Self::Older => known.start..ago(3 * 365),
            Self::Unknown => 0..0,
        }
    }

    /// The times that are believed. Zero is what programs write that know no time.
    fn known(now: i64) -> Range<i64> {
        1..now.saturating_add(DAY)
    }
}

/// What was changed how long ago.
#[derive(Clone, Debug)]
pub struct Ages {
    /// The sums of each age, in the order of [`Age::ALL`]. Items are names.
    pub rows: [Totals; Age::ALL.len()],
    /// The ages in the order asked for: by size, by items, or else the youngest first.
    pub order: [Age; Age::ALL.len()],
    /// The sum of everything.
    pub total: Totals,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether those are all.
    pub complete: bool,
}

/// Adds up what the query keeps, by age, `now` being seconds since 1970.
///
/// # Errors
/// When the system gives no thread.
pub fn ages(pool: &Pool, request: Request, now: i64) -> io::Result<Job<Ages>> {
    pool.start(move |task| {
        let counts = Counts { now, rows: Default::default() };
        sweep(&request, Mode::Filter, task, counts, |counts, progress| {
            Some(counts.ages(request.order, progress))
        });
    })
}

struct Counts {
    now: i64,
    rows: [Account; Age::ALL.len()],
}

impl Tally for Counts {
    fn fresh(&self) -> Self {
        Self { now: self.now, rows: Default::default() }
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        if let Some(facts) = entry.facts().filter(|facts| facts.directory.is_none()) {
            self.rows[Age::of(facts.mtime, self.now) as usize].add(entry);
        }
    }

    fn absorb(&mut self, other: Self) {
        for (row, other) in self.rows.iter_mut().zip(other.rows) {
            row.absorb(other);
        }
    }
}

impl Counts {
    fn ages(&self, order: Order, progress: Progress) -> Ages {
        let mut total = Account::default();
        for row in &self.rows {
            total.absorb(row.clone());
        }
        let rows = self.rows.each_ref().map(Account::sum);
        Ages {
            rows,
            order: in_order(order, &rows),
            total: total.sum(),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}

fn in_order(order: Order, rows: &[Totals; Age::ALL.len()]) -> [Age; Age::ALL.len()] {
    let number = |age: &Age| match order.by {
        By::Disk => rows[*age as usize].disk,
        By::Apparent => rows[*age as usize].apparent,
        By::Items => rows[*age as usize].items,
        By::Modified | By::Path => (Age::ALL.len() - *age as usize) as u64,
    };
    let mut ages = Age::ALL;
    ages.sort_by_key(|age| Reverse(order.turned(number(age).saturating_add(1))));
    ages
}
