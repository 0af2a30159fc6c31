//! View and its table: key, words, columns, titles, orders and sentences, the job that finds its rows, and the rows.
//!
//! Invariant: sorting accepts the columns that its notice names.

use std::fmt::Debug;
use std::io;

use crate::analysis::compare;
use crate::analysis::search::{By, Query};
use crate::base::format::Measure;
use crate::base::job::Job;
use crate::base::sync::Arc;
use crate::df::rows as ledger;
use crate::table::column::{Column, ColumnSet};
use crate::table::row::Row;
use crate::tree::{DirId, EntryId, Totals, Tree};
use crate::ui::loader::{Load, Sources, TableRequest};
use crate::ui::window::totals_size;

use Column as C;

/// Description of a view.
#[derive(Debug)]
pub struct ViewSpec {
    /// Name of its key in the configuration.
    pub name: &'static str,
    /// Key.
    pub key: char,
    /// Line of the help page.
    pub help: &'static str,
    /// Word for the footer, with its rank if there is little room.
    pub hint: Option<(u8, &'static str)>,
    /// Title after the path, in the header.
    pub title: &'static str,
    /// Prerequisite.
    pub needs: Needs,
    /// Table; none if the view shows the directory itself.
    pub table: Option<&'static TableSpec>,
}

/// Prerequisite of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// None.
    Nothing,
    /// A source whose file systems can be asked.
    FileSystem,
    /// An earlier tree.
    Baseline,
}

impl PartialEq for ViewSpec {
    /// Returns `true` if it is the same view: each of them is a static.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ViewSpec {}

/// Start of the job that finds the rows of a table; `None` if it may not ask for them.
pub type StartRows = fn(&Sources<'_>, &TableRequest) -> io::Result<Option<Load<TableAnswer>>>;

/// Description of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// Name of its rows, at the beginning of a sentence.
    pub rows: &'static str,
    /// Columns that the table can be sorted by, each with its name in messages.
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
    pub start: StartRows,
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

/// Target of a row.
#[derive(Clone, Debug)]
pub enum Target {
    /// An entry in its directory.
    Entry(EntryId),
    /// A change, or its former directory.
    Change(compare::Row),
    /// Entries that meet a query.
    Files {
        /// Title.
        label: String,
        /// Table to show them in.
        table: &'static TableSpec,
        /// Query that they meet.
        query: Query,
    },
    /// A text.
    Words {
        /// Title.
        label: String,
        /// Paragraphs.
        words: Vec<String>,
    },
}

/// Circumstances under which rows are made.
#[derive(Clone, Copy)]
pub struct TableContext<'a> {
    /// Tree.
    pub tree: &'a Tree,
    /// Directory that paths begin at.
    pub from: DirId,
    /// Measure of sizes.
    pub measure: Measure,
}

/// Sums over all rows of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableSummary {
    /// Total, if there is one.
    pub sum: Option<Totals>,
    /// Sizes of the directory before and after, by measure.
    pub growth: Option<[(u64, u64); 2]>,
    /// Number of entries behind the rows.
    pub matched: u64,
    /// Number of entries searched.
    pub searched: u64,
    /// Largest value of each sum in a row, where bars can be relative to it.
    pub largest: Totals,
    /// `true` once the answer is complete.
    pub is_complete: bool,
}

/// Rows of an answer.
pub trait TableData: Debug + Send + Sync {
    /// Returns the sums over all rows.
    fn summary(&self) -> TableSummary;

    /// Returns the number of rows on a screen of so many columns.
    fn rows(&self, columns: usize) -> usize;

    /// Returns a row.
    fn row(&self, _index: usize, _context: &TableContext<'_>) -> Option<Row> {
        None
    }

    /// Returns the target of a row.
    fn target(&self, _index: usize) -> Option<Target> {
        None
    }

    /// Returns the entries of a row: several for the names of an inode, none for other sums.
    fn entries(&self, _index: usize) -> Vec<EntryId> {
        Vec::new()
    }

    /// Returns the row of an entry, if the cursor has to follow it to another answer.
    fn find(&self, _entry: EntryId) -> Option<usize> {
        None
    }

    /// Returns the rows of an accounting or a text on a screen of so many columns; they have other cells.
    fn ledger(&self, _columns: usize) -> Vec<ledger::Row> {
        Vec::new()
    }
}

/// An answer with the sums over its rows, which are added up once.
#[derive(Clone, Debug)]
pub struct TableAnswer {
    /// Rows.
    pub data: Arc<dyn TableData>,
    /// Sums over all rows.
    pub summary: TableSummary,
}

impl TableAnswer {
    /// Creates the answer of these rows.
    pub fn new(data: impl TableData + 'static) -> Self {
        Self::shared(Arc::new(data))
    }

    /// Creates the answer of rows that a job has published.
    pub fn shared(data: Arc<impl TableData + 'static>) -> Self {
        Self { summary: data.summary(), data }
    }
}

/// Returns the load of rows that a job publishes.
pub fn rows<T: TableData + 'static>(job: io::Result<Job<T>>) -> io::Result<Option<Load<TableAnswer>>> {
    Ok(Some(Load::of(job?, |data| Ok(TableAnswer::shared(data)))))
}

/// Returns the larger value of each sum.
pub fn larger(one: Totals, other: &Totals) -> Totals {
    Totals { disk: one.disk.max(other.disk), apparent: one.apparent.max(other.apparent), ..one }
}

/// Returns a row that stands for several entries.
pub fn row_of_sum(label: String, totals: &Totals, measure: Measure) -> Row {
    Row::of_sum(label, totals_size(totals, measure), totals.items)
}

/// Base of the tables whose rows are sums.
pub const SUMS: TableSpec = TableSpec {
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
