//! Directory view: the directories whose own files take the most space, not counting subdirectories. Another column
//! shows the total including subdirectories.
//!
//! ```text
//!        Own▾  Share                Items      Total   Path
//!     1.6 GiB  84.3% ████████▍         12    1.9 GiB   music/albums/
//! ```
//!
//! Enter opens the parent of the selected directory, and puts the cursor on the selected directory.

use super::largest::{MOST, path_below};
use super::table::{
    Needs, RowMarks, SUMS, TableContext, TableData, TableLayout, TableSpec, TableSummary, Target, ViewSpec,
    row_of_sum, rows,
};
use crate::analysis::directories::{self, Directories, OwnSize};
use crate::analysis::rows::larger;
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Precision, Row, RowStyle};
use crate::tree::{DirId, EntryId, Totals, Tree};
use crate::ui::window::totals_size;

pub static VIEW: ViewSpec = ViewSpec {
    name: "directories",
    key: 'L',
    tab: ["Largest directories", "Dirs", "Dirs"],
    help: "largest directories",
    title: "largest directories",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

/// Table of the directories that directly contain files.
pub static TABLE: TableSpec = TableSpec {
    rows: "Directories",
    name_room: 36,
    sortable: &[(C::Size, "size"), (C::Items, "items"), (C::Name, "path")],
    columns: ColumnSet::of(&[C::Percent, C::Bar, C::Items]),
    fixed: ColumnSet::of(&[C::Size, C::Total, C::Name]),
    titles: &[(C::Name, "Path"), (C::Size, "Own")],
    marks: RowMarks::Entries,
    layout: TableLayout::List,
    counted: Some(["directory", "directories"]),
    empty: ["No directories with files", "No directories with files so far"],
    start: |sources, request| rows(directories::directories(sources.pool, sources.request(request), MOST)),
    ..SUMS
};

/// Returns the label of a row. `from` is the directory that the view was opened for.
fn label(tree: &Tree, from: DirId, id: DirId) -> Option<String> {
    if id == from {
        return Some("this directory".to_owned());
    }
    Some(path_below(tree, from, tree.parent(id)?, tree.name(id)) + "/")
}

impl TableData for Directories {
    fn summary(&self) -> TableSummary {
        TableSummary {
            sum: Some(self.sum),
            matched: self.matched,
            searched: self.matched,
            largest: self.rows.iter().fold(Totals::default(), |most, row| larger(most, &row.own)),
            is_complete: self.complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TableContext { tree, from, measure } = *context;
        let OwnSize { id, own, .. } = self.rows.get(index)?;
        let totals = tree.totals(*id);
        let total = totals_size(&totals, measure);
        let row = row_of_sum(label(tree, from, *id)?, own, measure).with(C::Total, CellValue::Bytes(total));
        Some(Row { style: RowStyle::Directory, precision: Precision::of(tree, *id, &totals, total), ..row })
    }

    fn target(&self, index: usize) -> Option<Target> {
        self.rows.get(index).map(|row| Target::Entry(row.entry))
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        self.rows.get(index).map(|row| row.entry).into_iter().collect()
    }

    fn find(&self, entry: EntryId) -> Option<usize> {
        self.rows.iter().position(|row| row.entry == entry)
    }
}
