//! Views of a whole subtree: one file each, with its table, its rows, and where those lead.
//!
//! A view is a [`TableSpec`] (its columns, orders and sentences, and the job that answers it) and a [`TableData`] (the rows of the
//! answer). What all of them have in common, a cursor and marks, is in [`super::sheet`].

pub mod ages;
pub mod cleanup;
pub mod df;
pub mod errors;
pub mod growth;
pub mod largest;
pub mod links;
pub mod search;
pub mod table;
pub mod types;

use crate::analysis::compare;
use crate::analysis::search::Query;
use crate::base::format::Measure;
use crate::base::sync::Arc;
use crate::df::rows as ledger;
use crate::table::row::Row;
use crate::tree::{DirId, Position, Totals, Tree};
use crate::ui::window::totals_size;
use std::fmt::Debug;
pub use table::TableSpec;

/// Target of a row.
#[derive(Clone, Debug)]
pub enum Target {
    /// An entry in its directory.
    Entry(DirId, Position),
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
    fn entries(&self, _index: usize) -> Vec<(DirId, Position)> {
        Vec::new()
    }

    /// Returns the row of an entry, if the cursor has to follow it to another answer.
    fn find(&self, _entry: (DirId, Position)) -> Option<usize> {
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

/// Returns the larger value of each sum.
fn larger(one: Totals, other: &Totals) -> Totals {
    Totals { disk: one.disk.max(other.disk), apparent: one.apparent.max(other.apparent), ..one }
}

/// Returns a row that stands for several entries.
fn row_of_sum(label: String, totals: &Totals, measure: Measure) -> Row {
    Row::of_sum(label, totals_size(totals, measure), totals.items)
}
