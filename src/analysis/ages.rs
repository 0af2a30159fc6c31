//! Age view: bytes and counts, grouped by time since the last change.
//!
//! Directories are omitted, because a directory's modification time shows when a name in it was added or deleted, not
//! how old its contents are.
//!
//! Invariant: every entry with metadata, except directories, is in exactly one row.

use std::cmp::Reverse;
use std::io;
use std::ops::Range;

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{Collector, Mode, Order, Progress, Query, Request, SortBy, Test, WalkEntry};
use crate::base::job::{Job, Pool};
use crate::base::sort::sort_by_key;
use crate::tree::{Totals, UniqueSizes};

const DAY: i64 = 24 * 3600;

/// Age of an entry: the time since its last change.
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
    /// No time was recorded, or the time is a day or more in the future, for example because a clock was wrong.
    Unknown,
}

impl Age {
    /// All ages, youngest first.
    pub const ALL: [Self; 6] =
        [Self::Month, Self::Quarter, Self::Year, Self::ThreeYears, Self::Older, Self::Unknown];

    /// Returns the age as a phrase, such as `30 to 90 days ago`.
    pub fn text(self) -> &'static str {
        match self {
            Self::Month => "less than 30 days ago",
            Self::Quarter => "30 to 90 days ago",
            Self::Year => "90 days to a year ago",
            Self::ThreeYears => "one to three years ago",
            Self::Older => "more than three years ago",
            Self::Unknown => "at a future or unknown time",
        }
    }

    /// Returns the age of an entry that was last changed at `mtime`. Both times are in seconds since 1970.
    pub fn of(mtime: i64, now: i64) -> Self {
        if Test::is_undated(mtime, Self::future(now)) {
            return Self::Unknown;
        }
        Self::ALL.into_iter().find(|age| age.range(now).contains(&mtime)).unwrap_or(Self::Unknown)
    }

    /// Returns a query that finds the entries of this age, except directories.
    pub fn query(self, now: i64) -> Query {
        let undated = Test::Undated { future: Self::future(now) };
        let query = match self {
            Self::Unknown => Query::of(undated),
            known => Query::of(Test::Modified(known.range(now))).narrowed_by(&Query::of_negated(undated)),
        };
        query.without_directories()
    }

    /// Returns the range of modification times of this age, in seconds since 1970; empty for [`Age::Unknown`].
    fn range(self, now: i64) -> Range<i64> {
        let ago = |days: i64| now.saturating_sub(days * DAY);
        match self {
            Self::Month => ago(30)..Self::future(now),
            Self::Quarter => ago(90)..ago(30),
            Self::Year => ago(365)..ago(90),
            Self::ThreeYears => ago(3 * 365)..ago(365),
            Self::Older => i64::MIN..ago(3 * 365),
            Self::Unknown => 0..0,
        }
    }

    /// Returns the first time that counts as the future: a day after `now`, because clocks may differ by several hours.
    fn future(now: i64) -> i64 {
        now.saturating_add(DAY)
    }
}

/// Totals of a subtree, grouped by age.
#[derive(Clone, Debug)]
pub struct Ages {
    /// Totals for each age, in the order of [`Age::ALL`]. Each name of an inode counts as one item.
    pub rows: [Totals; Age::ALL.len()],
    /// Ages in the requested order: by size, by number of items, or youngest first.
    pub order: [Age; Age::ALL.len()],
    /// Total over all ages.
    pub total: Totals,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

/// Starts a job that adds up the sizes of the entries selected by `request`, grouped by age. `now` is in seconds since
/// 1970.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn ages(pool: &Pool, request: Request, now: i64) -> io::Result<Job<Ages>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, AgeCounts::new(now), |counts, progress| {
            Some(counts.ages(request.order, progress))
        });
    })
}

/// Collector that groups the sizes of entries by age.
pub(super) struct AgeCounts {
    now: i64,
    rows: [UniqueSizes; Age::ALL.len()],
}

impl Collector for AgeCounts {
    fn fresh(&self) -> Self {
        Self { now: self.now, rows: Default::default() }
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        if let Some(metadata) = entry.metadata().filter(|metadata| metadata.directory.is_none()) {
            entry.add_to(&mut self.rows[Age::of(metadata.mtime, self.now) as usize]);
        }
    }

    fn merge(&mut self, other: Self) {
        for (row, other) in self.rows.iter_mut().zip(other.rows) {
            row.merge(other);
        }
    }
}

impl AgeCounts {
    pub(super) fn new(now: i64) -> Self {
        Self { now, rows: Default::default() }
    }

    pub(super) fn ages(&self, order: Order, progress: Progress) -> Ages {
        let mut total = UniqueSizes::default();
        for row in &self.rows {
            total.merge(row.clone());
        }
        let rows = self.rows.each_ref().map(UniqueSizes::total);
        Ages {
            rows,
            order: in_order(order, &rows),
            total: total.total(),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}

fn in_order(order: Order, rows: &[Totals; Age::ALL.len()]) -> [Age; Age::ALL.len()] {
    let number = |age: &Age| match order.by {
        SortBy::Disk => rows[*age as usize].disk,
        SortBy::Apparent => rows[*age as usize].apparent,
        SortBy::Items => rows[*age as usize].items,
        SortBy::Modified | SortBy::Path => (Age::ALL.len() - *age as usize) as u64,
    };
    let mut ages = Age::ALL;
    sort_by_key(&mut ages, |age| Reverse(order.directed(number(age))));
    ages
}
