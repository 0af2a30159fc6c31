//! Description of a view and its table: key, texts, columns, sort orders, and the job that finds the rows.
//!
//! Invariant: the notice about sorting lists exactly the columns by which a table can be sorted.

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

#[derive(Debug)]
pub struct ViewSpec {
    /// Name of the view's key in the configuration.
    pub name: &'static str,
    pub key: char,
    /// Name in the view's tab, and a shorter name.
    pub tab: [&'static str; 2],
    /// Description on the help page.
    pub help: &'static str,
    /// Title in the header, after the path.
    pub title: &'static str,
    pub needs: Needs,
    /// Table; `None` for the list, the treemap and the overview, which have no table.
    pub table: Option<&'static TableSpec>,
}

/// Prerequisite for opening a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// A source whose file systems can be accessed.
    FileSystem,
    /// A baseline to compare with.
    Baseline,
}

impl PartialEq for ViewSpec {
    /// Compares addresses, because each view exists only once, as a static.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ViewSpec {}

/// Function that starts the job for the rows of a table; it returns `None` if the rows are unavailable, for
/// example because system calls are not allowed.
pub type StartRows = fn(&Sources<'_>, &TableRequest) -> io::Result<Option<Load<TableAnswer>>>;

#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// Name of the rows, for the beginning of a sentence.
    pub rows: &'static str,
    /// Columns by which the table can be sorted, each with its name in messages.
    pub sortable: &'static [(Column, &'static str)],
    /// Columns that the user can show or hide.
    pub columns: ColumnSet,
    /// Columns that are always shown.
    pub fixed: ColumnSet,
    /// Main column, which is the last one to disappear in a narrow window.
    pub first: Column,
    pub name_room: usize,
    /// Titles of columns that differ from the usual ones.
    pub titles: &'static [(Column, &'static str)],
    /// `true` if rows are entries and not totals.
    pub has_entries: bool,
    /// `true` if each match has a row, up to a limit.
    pub is_list: bool,
    /// `true` if bars can be relative to the largest row.
    pub has_scale: bool,
    /// Column that is marked as sorted if the rows are sorted by time.
    pub time: Column,
    /// Initial sort order; `None` for the order by size.
    pub first_order: Option<By>,
    /// Words for one match and for several in the header; `None` if matches are not counted.
    pub counted: Option<[&'static str; 2]>,
    /// Texts for an empty table: one for when the scan has ended, and one for while it is running.
    pub empty: [&'static str; 2],
    /// Starts the job that finds the rows.
    pub start: StartRows,
}

impl PartialEq for TableSpec {
    /// Compares addresses, because each table exists only once, as a static.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for TableSpec {}

impl TableSpec {
    pub fn may_sort(&self, column: Column) -> bool {
        self.sortable.iter().any(|(sorted, _)| *sorted == column)
    }

    pub fn is_of_changes(&self) -> bool {
        self.first == C::Growth
    }

    /// Returns the title of a column, if it differs from the usual one.
    pub fn title(&self, column: Column) -> Option<&'static str> {
        self.titles.iter().find(|(of, _)| *of == column).map(|(_, title)| *title)
    }

    /// Returns the columns to show: those of `wanted` that the table has, and those that are always shown.
    pub fn shown(&self, wanted: ColumnSet) -> ColumnSet {
        // In tables with times, the bar is dropped in favor of longer paths, because it only repeats the
        // percentage.
        let is_twice = self.columns.has(C::Modified) && wanted.has(C::Bar) && wanted.has(C::Percent);
        let wanted = if is_twice { wanted.with(C::Bar, false) } else { wanted };
        wanted.and(self.columns).or(self.fixed)
    }
}

/// Target of a row, opened with Enter.
#[derive(Clone, Debug)]
pub enum Target {
    /// Entry to show in its directory.
    Entry(EntryId),
    /// Changed entry to show. If the entry was deleted, its former directory is shown.
    Change(compare::Row),
    /// Entries that match a query.
    Files {
        label: String,
        /// Table that shows the entries.
        table: &'static TableSpec,
        /// Query that finds the entries.
        query: Query,
    },
    Words {
        label: String,
        /// Paragraphs of the text.
        words: Vec<String>,
    },
}

/// Data needed to create a row.
#[derive(Clone, Copy)]
pub struct TableContext<'a> {
    pub tree: &'a Tree,
    /// Directory to which paths are relative.
    pub from: DirId,
    pub measure: Measure,
}

/// Sums over all rows of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableSummary {
    /// Total of the rows; `None` if a sum is meaningless.
    pub sum: Option<Totals>,
    /// Sizes of the directory before and after, by measure; `None` if unknown.
    pub growth: Option<[(u64, u64); 2]>,
    /// Number of entries that match, even if there are fewer rows.
    pub matched: u64,
    /// Number of entries searched.
    pub searched: u64,
    /// Largest value of each size among the rows, for bars relative to the largest row.
    pub largest: Totals,
    /// `true` if the answer is complete.
    pub is_complete: bool,
    /// `true` if rows have charts of their sizes over time.
    pub has_trend: bool,
}

/// Position of a row in a tree of rows. A row is followed by the rows below it, which have a larger depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Number of rows above this row in the tree.
    pub depth: usize,
    /// Key that identifies the row in every answer; `None` if there are no rows below it in the tree.
    pub key: Option<u64>,
    /// `true` if the row is unfolded together with the row above it.
    pub follows: bool,
}

/// Rows of an answer.
pub trait TableData: Debug + Send + Sync {
    fn summary(&self) -> TableSummary;

    /// Returns the number of rows on a screen with `columns` columns.
    fn rows(&self, columns: usize) -> usize;

    /// Returns the row with this index; `None` in the df view and in explanations, which implement [`Self::ledger`]
    /// instead.
    fn row(&self, _index: usize, _context: &TableContext<'_>) -> Option<Row> {
        None
    }

    /// Returns `true` if the rows form a tree, in which rows below a folded row are not shown.
    fn is_tree(&self) -> bool {
        false
    }

    fn branch(&self, _index: usize) -> Branch {
        Branch::default()
    }

    /// Returns the target of a row; `None` if Enter does nothing.
    fn target(&self, _index: usize) -> Option<Target> {
        None
    }

    /// Returns the entries of a row: several for the names of an inode, and none for a total.
    fn entries(&self, _index: usize) -> Vec<EntryId> {
        Vec::new()
    }

    /// Returns the index of an entry's row. A table that implements this method keeps the cursor on its entry when the
    /// answer changes.
    fn find(&self, _entry: EntryId) -> Option<usize> {
        None
    }

    /// Returns the rows of the df view or of an explanation, for a screen with this number of columns. These rows have
    /// their own format.
    fn ledger(&self, _columns: usize) -> Vec<ledger::Row> {
        Vec::new()
    }
}

/// Rows of an answer, with precomputed sums.
#[derive(Clone, Debug)]
pub struct TableAnswer {
    pub data: Arc<dyn TableData>,
    pub summary: TableSummary,
}

impl TableAnswer {
    pub fn new(data: impl TableData + 'static) -> Self {
        Self::shared(Arc::new(data))
    }

    /// Creates an answer from rows that a job has published.
    pub fn shared(data: Arc<impl TableData + 'static>) -> Self {
        Self { summary: data.summary(), data }
    }
}

/// Wraps a job that publishes rows in a [`Load`].
pub fn rows<T: TableData + 'static>(job: io::Result<Job<T>>) -> io::Result<Option<Load<TableAnswer>>> {
    Ok(Some(Load::of(job?, |data| Ok(TableAnswer::shared(data)))))
}

/// Returns totals with the larger of both disk usages and the larger of both apparent sizes.
pub fn larger(one: Totals, other: &Totals) -> Totals {
    Totals { disk: one.disk.max(other.disk), apparent: one.apparent.max(other.apparent), ..one }
}

/// Returns a row that stands for several entries.
pub fn row_of_sum(label: String, totals: &Totals, measure: Measure) -> Row {
    Row::of_sum(label, totals_size(totals, measure), totals.items)
}

/// Common part of the tables whose rows are totals.
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
