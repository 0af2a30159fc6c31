//! What a subtree consists of: bytes and counts by extension and by class.
//!
//! Regular files go by extension; everything else goes by its kind, so that nothing is missing from the sum. Knows no
//! file's contents.
//!
//! Invariant: every entry is in exactly one row.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use crate::job::{Job, Pool};
use crate::kind::Kind;
use crate::search::{
    Account, By, Class, Entry, Extension, Mode, Order, Progress, Query, Request, Tally, Test, Types, sweep,
};
use crate::tree::Totals;

/// What a row of the view stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Regular files with this extension.
    Extension(Extension),
    /// Regular files without an extension.
    NoExtension,
    /// Anything that is no regular file.
    Kind(Kind),
}

impl Type {
    /// The class its files belong to; none for what are no files.
    pub fn class(self) -> Option<Class> {
        match self {
            Self::Extension(extension) => Some(Class::of_extension(extension)),
            Self::NoExtension => Some(Class::Other),
            Self::Kind(_) => None,
        }
    }

    /// What finds the entries behind the row.
    pub fn query(self) -> Query {
        Query::of(match self {
            Self::Extension(extension) => Test::Extension(vec![extension]),
            Self::NoExtension => Test::NoExtension,
            Self::Kind(kind) => Test::Type(Types::default().with_kind(kind)),
        })
    }

    fn of(entry: &Entry<'_>) -> Self {
        match entry.record.kind {
            Kind::File => Extension::of(entry.record.name).map_or(Self::NoExtension, Self::Extension),
            other => Self::Kind(other),
        }
    }
}

/// What a subtree consists of.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    /// Each type with its sums, in the order asked for: by size, items or name. Items are names.
    pub types: Vec<(Type, Totals)>,
    /// Each class of regular files with its sums, in the same order.
    pub classes: Vec<(Class, Totals)>,
    /// The sum of everything.
    pub total: Totals,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether those are all.
    pub complete: bool,
}

/// What finds the files of a class.
pub fn class_query(class: Class) -> Query {
    Query::of(Test::Type(Types::default().with_class(class)))
}

/// Adds up what the query keeps, by type.
///
/// # Errors
/// When the system gives no thread.
pub fn types(pool: &Pool, request: Request) -> io::Result<Job<Typed>> {
    pool.start(move |task| {
        sweep(&request, Mode::Filter, task, Counts::default(), |counts, progress| {
            Some(counts.typed(request.order, progress))
        });
    })
}

#[derive(Default)]
struct Counts {
    types: HashMap<Type, Account>,
}

impl Tally for Counts {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn meet(&mut self, entry: &Entry<'_>) {
        self.types.entry(Type::of(entry)).or_default().add(entry);
    }

    fn absorb(&mut self, other: Self) {
        for (of, account) in other.types {
            self.types.entry(of).or_default().absorb(account);
        }
    }
}

impl Counts {
    fn typed(&self, order: Order, progress: Progress) -> Typed {
        let mut classes: HashMap<Class, Account> = HashMap::new();
        let mut total = Account::default();
        for (of, account) in &self.types {
            total.absorb(account.clone());
            if let Some(class) = of.class() {
                classes.entry(class).or_default().absorb(account.clone());
            }
        }
        Typed {
            types: sorted(order, self.types.iter().map(|(of, account)| (*of, account.sum())), |of| *of),
            classes: sorted(order, classes.iter().map(|(of, account)| (*of, account.sum())), |of| of.name()),
            total: total.sum(),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}

/// Sums in an order; what is as large by what it is, and those by name by what `name` gives.
pub(super) fn sorted<T: Copy + Ord, N: Ord>(
    order: Order,
    rows: impl Iterator<Item = (T, Totals)>,
    name: impl Fn(&T) -> N,
) -> Vec<(T, Totals)> {
    let number = |totals: &Totals| match order.by {
        By::Apparent => totals.apparent,
        By::Items => totals.items,
        By::Disk | By::Modified | By::Path => totals.disk,
    };
    let mut rows: Vec<_> = rows.collect();
    if order.by == By::Path {
        rows.sort_unstable_by_key(|(of, _)| name(of));
        if order.reversed {
            rows.reverse();
        }
    } else {
        rows.sort_unstable_by_key(|(of, totals)| (Reverse(order.turned(number(totals))), *of));
    }
    rows
}
