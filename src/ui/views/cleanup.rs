//! Cleanup view: one row per directory that can be rebuilt or downloaded again.
//!
//! ```text
//!       Disk▾  Share                Items Modified           Path
//!     1.6 GiB  84.3% ████████▍      8,121 2026-11-21 08:15   duke/target/  Rust build output; cargo build makes it again
//! ```
//!
//! The `Modified` column shows the newest change below a directory, as an indication of when the directory was
//! last used. The time is known once the search is complete. Enter opens the parent directory with the cursor
//! on the directory. Nothing is marked automatically.

use super::largest::{ENTRIES, path_below};
use super::table::{
    Needs, SUMS, TableContext, TableData, TableSpec, TableSummary, Target, ViewSpec, larger, row_of_sum, rows,
};
use crate::analysis::cleanup::{self, Hints};
use crate::table::column::Column as C;
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::{EntryId, Totals};

/// Description of the view.
pub static VIEW: ViewSpec = ViewSpec {
    name: "hints",
    key: '9',
    tab: ["Clean-up", "Clean"],
    help: "clean-up",
    title: "clean-up",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

/// Table of the directories that can be rebuilt or downloaded again.
pub static TABLE: TableSpec = TableSpec {
    rows: SUMS.rows,
    sortable: &[],
    is_list: false,
    has_scale: true,
    start: |sources, request| rows(cleanup::hints(sources.pool, sources.request(request))),
    ..ENTRIES
};

impl TableData for Hints {
    fn summary(&self) -> TableSummary {
        TableSummary {
            sum: Some(self.sum()),
            matched: self.rows.len() as u64,
            searched: self.searched,
            largest: self.rows.iter().fold(Totals::default(), |most, hint| larger(most, &hint.totals)),
            is_complete: self.complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TableContext { tree, from, measure } = *context;
        let hint = self.rows.get(index)?;
        let label = path_below(tree, from, hint.entry.directory, tree.name(hint.directory)) + "/";
        let note = self.rules.get(hint.rule).map(|rule| RowNote::plain(rule.reason.to_owned()));
        let row = Row { style: RowStyle::Directory, note, ..row_of_sum(label, &hint.totals, measure) };
        Some(row.with(C::Modified, hint.used.map_or(CellValue::None, CellValue::Time)))
    }

    fn target(&self, index: usize) -> Option<Target> {
        self.rows.get(index).map(|hint| Target::Entry(hint.entry))
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        self.rows.get(index).map(|hint| hint.entry).into_iter().collect()
    }
}
