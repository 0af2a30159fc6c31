//! Description of a view and its table: key, texts, columns, sort orders, and the job that finds the rows.
//!
//! Invariant: the sort notice lists exactly the columns that the table can be sorted by.

use std::fmt::Debug;
use std::io;

use crate::analysis::compare;
use crate::analysis::search::{Query, SortBy};
use crate::base::format::Measure;
use crate::base::job::Job;
use crate::base::sync::Arc;
use crate::df::rows as ledger;
use crate::duplicates::{EqualEntry, KeptCopy};
use crate::table::column::{Column, ColumnSet};
use crate::table::recorded::RecordedTree;
use crate::table::row::Row;
use crate::tree::{DirId, EntryId, Totals, Tree};
use crate::ui::loader::{Load, Sources, TableRequest};
use crate::ui::theme::Role;
use crate::ui::window::totals_size;

use Column as C;

#[derive(Debug)]
pub struct ViewSpec {
    /// Name used in the configuration to bind a key to the view.
    pub name: &'static str,
    pub key: char,
    /// Names of the view in its tab: full, abbreviated, and shortest.
    pub tab: [&'static str; 3],
    pub help: &'static str,
    /// Title in the header, after the path.
    pub title: &'static str,
    pub needs: Needs,
    /// Table of the view; `None` for the list, the treemap and the overview.
    pub table: Option<&'static TableSpec>,
}

/// Prerequisite for opening a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    /// The tree must come from a scan on this machine, because the view queries the file systems.
    LiveScan,
    Baseline,
    /// The tree must come from a finished scan on this machine, because the view reads the scanned files. No rescan
    /// may be running.
    CompleteScan,
}

impl PartialEq for ViewSpec {
    /// Compares addresses, because each view exists only once, as a static.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ViewSpec {}

/// Function that starts the job for the rows of a table. Returns `None` if the job needs system calls, and system calls
/// are not allowed, as in unit tests.
pub type StartRows = fn(&Sources<'_>, &TableRequest) -> io::Result<Option<Load<TableAnswer>>>;

/// Kind of the rows in a table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TableLayout {
    /// One row per entry found, up to a limit.
    List,
    /// Rows are totals. Each total may be followed by rows for the entries that it includes.
    Groups,
    /// Rows are groups of copies. Each group is followed by rows for its copies.
    Copies,
}

/// Marks that the rows of a table can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowMarks {
    /// Rows are totals, which cannot be marked.
    None,
    /// Rows are entries, which have the same marks in every view.
    Entries,
    /// Rows are totals of files. Marking a row marks its files.
    Files,
    /// Rows have marks of their own, which no other view shows; see [`TableData::toggle_mark`].
    Own,
}

#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// Name for the rows, suitable as the start of a sentence.
    pub rows: &'static str,
    /// Columns that the table can be sorted by, each with its name in messages.
    pub sortable: &'static [(Column, &'static str)],
    /// Columns that the user can show and hide.
    pub columns: ColumnSet,
    /// Columns that the user cannot hide.
    pub fixed: ColumnSet,
    /// Main column, which disappears last when the window gets narrower.
    pub first: Column,
    pub name_room: usize,
    /// Titles that replace the usual titles of some columns.
    pub titles: &'static [(Column, &'static str)],
    pub marks: RowMarks,
    /// `true` if the user can switch the sizes from disk usage to apparent sizes.
    pub has_measure: bool,
    pub layout: TableLayout,
    /// `true` if the user can choose whether bars are relative to the largest row or to the total. If `false`,
    /// bars are relative to the largest row, or to the total if the size of the largest row is unknown.
    pub has_scale: bool,
    /// `true` if the rows depend only on the tree and its baseline. Such rows can also be computed from the tree of the
    /// previous scan.
    pub is_of_tree: bool,
    /// Column whose title shows the sort arrow when rows are sorted by time.
    pub time: Column,
    /// Initial sort order, if it is not by size.
    pub first_order: Option<SortBy>,
    /// Word that the header uses for matches, in the singular and the plural; `None` if matches are not counted.
    pub counted: Option<[&'static str; 2]>,
    /// Texts for an empty table: after the scan, and during the scan.
    pub empty: [&'static str; 2],
    pub start: StartRows,
}

impl PartialEq for TableSpec {
    /// Compares addresses, because each table exists only once, as a static.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for TableSpec {}

/// Minimum width of a table, in columns, at which there is room for a bar beside long paths.
const WIDE: usize = 90;

impl TableSpec {
    pub fn can_sort(&self, column: Column) -> bool {
        self.sortable.iter().any(|(sorted, _)| *sorted == column)
    }

    pub fn is_of_changes(&self) -> bool {
        self.first == C::Growth
    }

    /// Returns `true` if the rows show paths, which need more room than names.
    pub fn has_paths(&self) -> bool {
        self.is_of_changes() || self.columns.has(C::Modified)
    }

    /// Returns the measure of the sizes in the table: `wanted`, or disk usage if the table has no apparent sizes.
    pub fn measure(&self, wanted: Measure) -> Measure {
        if self.has_measure { wanted } else { Measure::Disk }
    }

    pub fn title(&self, column: Column) -> Option<&'static str> {
        self.titles.iter().find(|(of, _)| *of == column).map(|(_, title)| *title)
    }

    /// Returns the columns to show: the fixed columns, and the `wanted` columns that the table has. `width` is the
    /// width of the table in terminal columns.
    pub fn shown(&self, wanted: ColumnSet, width: usize) -> ColumnSet {
        // In narrow tables of paths, a bar that only repeats a number is dropped to leave room for the paths.
        let is_twice = self.is_of_changes() || wanted.has(C::Percent);
        // Rows for totals and groups have long notes, so their tables need more room.
        let least = if self.layout == TableLayout::List { WIDE } else { WIDE + 30 };
        let is_narrow = self.has_paths() && width < least;
        let wanted = if is_twice && is_narrow { wanted.with(C::Bar, false) } else { wanted };
        wanted.and(self.columns).or(self.fixed)
    }
}

/// Target that the user opens by pressing Enter on a row.
#[derive(Clone, Debug)]
pub enum Target {
    /// Entry to show in the list of its directory.
    Entry(EntryId),
    /// Directory in the tree of the previous scan or, if there is a name, the entry with this name in the directory.
    Recorded(DirId, Option<Vec<u8>>),
    /// Changed entry to show. If the entry was deleted, its former directory is shown.
    Change(compare::Row),
    Files {
        label: String,
        table: &'static TableSpec,
        query: Query,
    },
    Words {
        label: String,
        words: Vec<String>,
    },
}

#[derive(Clone, Copy)]
pub struct TableContext<'a> {
    pub tree: &'a Tree,
    /// Directory that paths are relative to.
    pub from: DirId,
    pub measure: Measure,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct TableSummary {
    /// Total of all matches, even those without rows; `None` if a total makes no sense.
    pub sum: Option<Totals>,
    /// Sizes of the view's directory for each measure, if known: the size in the baseline, and the current size.
    pub growth: Option<[(u64, u64); 2]>,
    /// Number of matching entries, which may exceed the number of rows.
    pub matched: u64,
    pub searched: u64,
    /// Largest disk usage and largest apparent size among the rows, for bars relative to the largest row.
    pub largest: Totals,
    pub is_complete: bool,
    /// `true` if rows have charts that show their size over time.
    pub has_trend: bool,
}

/// Position of a row in a tree. The children of the row come after it and have a greater depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Number of ancestors of the row in the tree.
    pub depth: usize,
    /// Key that identifies the row in this [`TableAnswer`] and in later ones; `None` if the row has no children.
    pub key: Option<u64>,
    /// For the first child of a row: `true` if unfolding the parent also unfolds this child. For the first row of the
    /// table: `true` if the row is unfolded at the start. Not used for other rows.
    pub follows: bool,
}

pub trait TableData: Debug + Send + Sync {
    fn summary(&self) -> TableSummary;

    /// Returns the number of rows. `columns` is the width of the screen, to which text is wrapped.
    fn rows(&self, columns: usize) -> usize;

    /// Returns the row with this index, or `None` if the rows of the view come from [`Self::ledger`].
    fn row(&self, _index: usize, _context: &TableContext<'_>) -> Option<Row> {
        None
    }

    /// Returns the color role of a row's bar.
    fn bar_role(&self, _index: usize) -> Role {
        Role::Bar
    }

    /// Returns the progress of the search, as text and in thousandths. Returns `None` if the search is complete, or if
    /// the rows already show partial results.
    fn progress(&self) -> Option<(String, u16)> {
        None
    }

    /// Returns `true` if the rows form a tree, in which the children of a folded row are hidden.
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

    /// Returns the entries of a row. A total or a group of copies has none. Some rows have several, such as an inode
    /// with several names.
    fn entries(&self, _index: usize) -> Vec<EntryId> {
        Vec::new()
    }

    /// Returns the index of an entry's row. Used to keep the cursor on the same entry when the rows change.
    fn find(&self, _entry: EntryId) -> Option<usize> {
        None
    }

    /// Marks or unmarks a row with the table's own marks ([`RowMarks::Own`]). Returns `false` if the row cannot have
    /// such a mark.
    fn toggle_mark(&self, _index: usize) -> bool {
        false
    }

    /// Returns the entries of a row's group of copies, or `None` if the row belongs to no group. `_kept` selects the
    /// copy to keep.
    fn copies(&self, _index: usize, _kept: KeptCopy) -> Option<Copies> {
        None
    }

    /// Returns `true` if a row belongs to a group of copies.
    fn is_copy(&self, _index: usize) -> bool {
        false
    }

    /// Returns sets of entries with the same contents. A deletion must keep at least one entry of each set.
    fn sets(&self) -> &[Vec<EqualEntry>] {
        &[]
    }

    /// Finds the groups that contain a copy at or below `directory`. Returns the copies at or below `directory` in
    /// [`Copies::kept`], and the other copies of these groups in [`Copies::others`].
    fn copies_elsewhere(&self, _tree: &Tree, _directory: DirId) -> Copies {
        Copies::default()
    }

    /// Returns `true` if files were found on a file system that lets files share data.
    fn can_share(&self) -> bool {
        false
    }

    /// Returns `true` if the rows come from the previous scan and the running scan has not confirmed them yet.
    fn is_recorded(&self) -> bool {
        false
    }

    /// Returns the tree of the previous scan, and the entries of this tree that a row shows; `None` if it shows none.
    fn recorded(&self, _index: usize) -> Option<(&RecordedTree, Vec<EntryId>)> {
        None
    }

    /// Returns the rows of the df view, or of a page that explains one of these rows. `_columns` is the width of the
    /// screen. All other views are drawn as tables and have no such rows.
    fn ledger(&self, _columns: usize) -> Vec<ledger::Row> {
        Vec::new()
    }
}

#[derive(Clone, Debug)]
pub struct TableAnswer {
    pub data: Arc<dyn TableData>,
    pub summary: TableSummary,
}

impl TableAnswer {
    pub fn new(data: impl TableData + 'static) -> Self {
        Self::shared(Arc::new(data))
    }

    /// Creates an answer from rows published by a job.
    pub fn shared(data: Arc<impl TableData + 'static>) -> Self {
        Self { summary: data.summary(), data }
    }
}

/// Creates the [`Load`] that delivers the rows published by `job`.
pub fn rows<T: TableData + 'static>(job: io::Result<Job<T>>) -> io::Result<Option<Load<TableAnswer>>> {
    Ok(Some(Load::of(job?, |data| Ok(TableAnswer::shared(data)))))
}

/// Returns a row that represents several entries.
pub fn row_of_sum(label: String, totals: &Totals, measure: Measure) -> Row {
    Row::of_sum(label, totals_size(totals, measure), totals.items)
}

/// Common settings of the tables whose rows are totals.
pub const SUMS: TableSpec = TableSpec {
    rows: "These rows",
    sortable: &[],
    columns: ColumnSet::of(&[C::Percent, C::Bar, C::Items]),
    fixed: ColumnSet::of(&[C::Size, C::Name]),
    first: C::Size,
    name_room: 12,
    titles: &[(C::Name, "Path")],
    marks: RowMarks::None,
    has_measure: true,
    layout: TableLayout::Groups,
    has_scale: true,
    is_of_tree: true,
    time: C::Modified,
    first_order: None,
    counted: Some(["entry", "entries"]),
    empty: ["No entries", "No entries so far"],
    start: |_, _| Err(io::ErrorKind::Unsupported.into()),
};

/// Entries of the copies in one or more groups.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// Entries of the copies to keep. A copy with several hard links has an entry for each of them.
    pub kept: Vec<EntryId>,
    /// Entries of all other copies, with one entry for each hard link.
    pub others: Vec<EntryId>,
}
