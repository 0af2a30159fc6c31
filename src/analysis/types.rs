//! Type view: bytes and counts, grouped by extension and by category.
//!
//! Regular files are grouped by extension and all other entries by kind, so that the totals are complete. No file is
//! opened.
//!
//! Invariant: every entry has exactly one [`Type`].

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use crate::analysis::parallel_walk::parallel_walk;
use crate::analysis::search::{
    Category, Collector, Extension, Mode, Order, Progress, Query, Request, SortBy, Test, Types, WalkEntry,
};
use crate::base::job::{Job, Pool};
use crate::base::kind::Kind;
use crate::base::sort::sort_by_key;
use crate::tree::{Totals, UniqueSizes};

/// Type used to group entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Regular files with this extension and of this category.
    Extension(Extension, Category),
    /// Regular files of this category without an extension.
    NoExtension(Category),
    /// Entries of this kind, which is never [`Kind::File`].
    Kind(Kind),
}

impl Type {
    /// Returns the category of the files; `None` for entries other than regular files.
    pub fn class(self) -> Option<Category> {
        match self {
            Self::Extension(_, category) | Self::NoExtension(category) => Some(category),
            Self::Kind(_) => None,
        }
    }

    /// Returns a query that finds the entries of this type.
    pub fn query(self) -> Query {
        Query::of(match self {
            Self::Extension(extension, category) => {
                return Query::of(Test::Extension(vec![extension])).narrowed_by(&category_query(category));
            }
            Self::NoExtension(category) => {
                return Query::of(Test::NoExtension).narrowed_by(&category_query(category));
            }
            Self::Kind(kind) => Test::Type(Types::default().with_kind(kind)),
        })
    }

    fn of(entry: &WalkEntry<'_>) -> Self {
        match entry.record.kind {
            Kind::File => {
                let extension = Extension::of(entry.record.name);
                let category = Category::of_file(extension, entry.record);
                extension
                    .map_or(Self::NoExtension(category), |extension| Self::Extension(extension, category))
            }
            other => Self::Kind(other),
        }
    }
}

/// Totals of a subtree, grouped by type.
#[derive(Clone, Debug, Default)]
pub struct TypeTotals {
    /// Types with their totals, in the requested order: by size, items or name. Each name of an inode counts
    /// as one item.
    pub types: Vec<(Type, Totals)>,
    /// Categories of regular files, each with its totals, in the requested order.
    pub classes: Vec<(Category, Totals)>,
    /// Total over all types.
    pub total: Totals,
    /// Number of entries searched so far.
    pub searched: u64,
    /// `true` once all entries have been searched.
    pub complete: bool,
}

/// Returns a query that finds the files of a category.
pub fn category_query(class: Category) -> Query {
    Query::of(Test::Type(Types::default().with_category(class)))
}

/// Adds up the sizes of the entries selected by the query, grouped by type.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn types(pool: &Pool, request: Request) -> io::Result<Job<TypeTotals>> {
    pool.start(move |task| {
        parallel_walk(&request, Mode::Filter, task, TypeCounts::default(), |counts, progress| {
            Some(counts.typed(request.order, progress))
        });
    })
}

/// Collector that groups the sizes of entries by type.
#[derive(Default)]
pub(super) struct TypeCounts {
    types: HashMap<Type, UniqueSizes>,
}

impl Collector for TypeCounts {
    fn fresh(&self) -> Self {
        Self::default()
    }

    fn visit(&mut self, entry: &WalkEntry<'_>) {
        entry.add_to(self.types.entry(Type::of(entry)).or_default());
    }

    fn merge(&mut self, other: Self) {
        for (of, sizes) in other.types {
            self.types.entry(of).or_default().merge(sizes);
        }
    }
}

impl TypeCounts {
    pub(super) fn typed(&self, order: Order, progress: Progress) -> TypeTotals {
        let mut classes: HashMap<Category, UniqueSizes> = HashMap::new();
        let mut total = UniqueSizes::default();
        for (of, sizes) in &self.types {
            total.merge(sizes.clone());
            if let Some(class) = of.class() {
                classes.entry(class).or_default().merge(sizes.clone());
            }
        }
        TypeTotals {
            types: sorted(order, self.types.iter().map(|(of, sizes)| (*of, sizes.total())), |of| *of),
            classes: sorted(order, classes.iter().map(|(of, sizes)| (*of, sizes.total())), |of| of.name()),
            total: total.total(),
            searched: progress.searched,
            complete: progress.complete,
        }
    }
}

/// Sorts rows in the requested order. If the order is by path, sorts the rows by the result of `name`. Otherwise sorts
/// the rows by a size or by the number of items; rows with equal values are sorted by their first field.
pub(crate) fn sorted<T: Copy + Ord, N: Ord>(
    order: Order,
    rows: impl Iterator<Item = (T, Totals)>,
    name: impl Fn(&T) -> N,
) -> Vec<(T, Totals)> {
    let number = |totals: &Totals| match order.by {
        SortBy::Apparent => totals.apparent,
        SortBy::Items => totals.items,
        SortBy::Disk | SortBy::Modified | SortBy::Path => totals.disk,
    };
    let mut rows: Vec<_> = rows.collect();
    if order.by == SortBy::Path {
        sort_by_key(&mut rows, |(of, _)| name(of));
        if order.reversed {
            rows.reverse();
        }
    } else {
        sort_by_key(&mut rows, |(of, totals)| (Reverse(order.directed(number(totals))), *of));
    }
    rows
}
