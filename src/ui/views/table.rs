//! Table of a view: its columns, titles, orders and sentences, and the job that finds its rows.
//!
//! Invariant: sorting accepts the columns that its notice names.

use std::io;

use crate::analysis::search::By;
use crate::table::column::{Column, ColumnSet};
use crate::ui::work::{Poll, Sources, Wish};

use Column as C;

/// Description of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// Name of its rows, at the beginning of a sentence.
    pub rows: &'static str,
    /// Columns that it can be sorted by, with the words for them.
    pub sortable: &'static [(Column, &'static str)],
    /// Columns that are shown on request.
    pub columns: ColumnSet,
    /// Columns that are always shown.
    pub fixed: ColumnSet,
    /// Main column, which is dropped last.
    pub first: Column,
    /// Smallest width of the name.
    pub name_room: usize,
    /// Titles that replace the usual ones.
    pub titles: &'static [(Column, &'static str)],
    /// `true` if rows stand for entries, not for totals.
    pub has_entries: bool,
    /// `true` if there is a row for each match, up to a limit.
    pub is_list: bool,
    /// `true` if bars can be relative to the largest row.
    pub has_scale: bool,
    /// Column of the times it can be sorted by.
    pub time: Column,
    /// Order at first; by size if there is none.
    pub first_order: Option<By>,
    /// Words for one match and for several, in the header; none where matches are not counted.
    pub counted: Option<[&'static str; 2]>,
    /// Words in place of the rows where there are none, and where there are none so far.
    pub empty: [&'static str; 2],
    /// Starts the job that finds the rows.
    pub start: fn(&Sources<'_>, &Wish) -> io::Result<Poll>,
}

impl PartialEq for TableSpec {
    /// Returns `true` if it is the same table: each of them is a static.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for TableSpec {}

impl TableSpec {
    /// Returns `true` if it can be sorted by `column`.
    pub fn may_sort(&self, column: Column) -> bool {
        self.sortable.iter().any(|(sorted, _)| *sorted == column)
    }

    /// Returns `true` if its rows are changes.
    pub fn is_of_changes(&self) -> bool {
        self.first == C::Growth
    }

    /// Returns its own title of a column.
    pub fn title(&self, column: Column) -> Option<&'static str> {
        self.titles.iter().find(|(of, _)| *of == column).map(|(_, title)| *title)
    }

    /// Returns the requested columns that it shows.
    pub fn shown(&self, wanted: ColumnSet) -> ColumnSet {
        // Next to a time, paths need the room more than a bar that repeats the percentage.
        let is_twice = self.columns.has(C::Modified) && wanted.has(C::Bar) && wanted.has(C::Percent);
        let wanted = if is_twice { wanted.with(C::Bar, false) } else { wanted };
        wanted.and(self.columns).or(self.fixed)
    }
}

/// Base of the tables whose rows are sums.
pub(super) const SUMS: TableSpec = TableSpec {
    rows: "These rows",
    sortable: &[],
    columns: ColumnSet::of(&[C::Percent, C::Bar, C::Items]),
    fixed: ColumnSet::of(&[C::Size, C::Name]),
    first: C::Size,
    name_room: 12,
    titles: &[(C::Name, "Path")],
    has_entries: false,
    is_list: false,
    has_scale: true,
    time: C::Modified,
    first_order: None,
    counted: Some(["entry", "entries"]),
    empty: ["No entries"; 2],
    start: |_, _| Err(io::ErrorKind::Unsupported.into()),
};
