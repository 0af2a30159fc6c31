//! Lists of entries from a whole subtree: the largest files, and search results.
//!
//! ```text
//!      Disk  Share Modified          Path
//!   1.0 GiB  84.3% 2026-11-21 08:15  music/albums/symphony.flac
//! ```
//!
//! The Path column shows paths relative to the shown directory. Enter opens the directory that contains the entry.

use super::table::{
    Needs, RowMarks, SUMS, TableContext, TableData, TableLayout, TableSpec, TableSummary, Target, ViewSpec,
    rows,
};
use crate::analysis::search::SearchResult;
use crate::analysis::survey;
use crate::base::kind::Kind;
use crate::base::text::escape;
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Precision, Row, RowNote, RowStyle};
use crate::tree::{DirId, EntryId, EntryState, Tree, join};
use crate::ui::list_texts::note_of;
use crate::ui::window::totals_size;

/// Maximum number of rows in a table of entries.
pub const MOST: usize = 100_000;

pub static VIEW: ViewSpec = ViewSpec {
    name: "largest",
    key: '2',
    tab: ["Largest files", "Files", "Files"],
    help: "largest files",
    title: "largest files",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

/// Table of the largest files.
pub static TABLE: TableSpec = TableSpec {
    empty: ["No files", "No files so far"],
    start: |sources, request| rows(survey::largest(sources.pool, sources.request(request), MOST)),
    ..ENTRIES
};

/// Common settings of all tables whose rows are entries.
pub const ENTRIES: TableSpec = TableSpec {
    rows: "Entries",
    sortable: &[(C::Size, "size"), (C::Name, "path"), (C::Items, "items"), (C::Modified, "last change")],
    columns: ColumnSet::of(&[C::Percent, C::Bar, C::Frees, C::Shared, C::Modified]),
    marks: RowMarks::Entries,
    layout: TableLayout::List,
    has_scale: false,
    ..SUMS
};

impl Target {
    /// Returns `true` if the row with this target stands for a group of files. Marking such a row marks its files. A
    /// group of directories cannot be marked, because marking a directory also marks everything in it.
    pub fn is_of_files(&self) -> bool {
        matches!(self, Self::Files { table, .. } if **table == TABLE)
    }

    /// Returns text that identifies the row with this target, even in newer results; `None` if the row does not stand
    /// for a group of files. The label alone is not enough, because several rows can have the same label.
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Files { label, query, .. } if self.is_of_files() => Some(format!("{label} {query:?}")),
            _ => None,
        }
    }
}

impl TableData for SearchResult {
    fn summary(&self) -> TableSummary {
        TableSummary {
            sum: Some(self.sum),
            largest: self.largest,
            matched: self.matched,
            searched: self.searched,
            is_complete: self.complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TableContext { tree, from, measure } = *context;
        let row = self.rows.get(index)?;
        let record = row.entry.record(tree)?;
        let is_directory = record.kind == Kind::Directory;
        let mut label = path_below(tree, from, row.entry.directory, record.name);
        if is_directory && !label.ends_with('/') {
            label.push('/');
        }
        let words = Row {
            note: note_of(&record).map(RowNote::plain),
            ..Row::of_words(label, RowStyle::of(record.kind))
        };
        let EntryState::Known(facts) = record.state else { return Some(words) };
        let exclusive = tree.exclusive().and_then(|sizes| sizes.of(row.entry.directory, &facts));
        let words =
            words.with_exclusive(tree, &facts, exclusive).with(C::Modified, CellValue::Time(facts.mtime));
        let Some(id) = facts.directory.filter(|_| self.with_contents) else {
            return Some(words.with(C::Size, CellValue::Bytes(measure.of(facts.disk(), facts.apparent))));
        };
        let totals = tree.totals(id);
        let size = totals_size(&totals, measure);
        let words =
            words.with(C::Size, CellValue::Bytes(size)).with(C::Items, CellValue::Count(totals.items));
        Some(Row { precision: Precision::of(tree, id, &totals, size), ..words })
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

/// Returns the path of the entry `name` in `directory`. The path is relative to `from` and escaped for the terminal.
pub fn path_below(tree: &Tree, from: DirId, directory: DirId, name: &[u8]) -> String {
    let above = tree.ancestry(directory).take_while(|id| *id != from);
    let mut names: Vec<&[u8]> = above.map(|id| tree.name(id)).collect();
    names.reverse();
    names.push(name);
    escape(&join(names)).into_owned()
}
