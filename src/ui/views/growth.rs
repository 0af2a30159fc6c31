//! Growth view: the changes since a baseline. They form a tree, because the change of a directory includes all changes
//! inside it.
//!
//! ```text
//!      Disk    Growth▾ Trend      Path
//!   4.1 GiB  +1.2 GiB  ▃▃▄▄▅▆▆▇   ▾ db/
//!   1.2 GiB       new         ▇       wal/000123
//!      gone -80.0 MiB ▇▇▇▇▇▇▇       old.iso
//! ```
//!
//! If there are enough snapshots, the trend shows the sizes in the newest snapshots and the current size. When the
//! view opens, the largest change is unfolded if it is more than half of the shown directory's change. The same rule
//! then applies to the largest change inside it, and so on.

use std::io;

use super::largest::path_below;
use super::table::{
    Branch, Needs, RowMarks, SUMS, TableAnswer, TableContext, TableData, TableLayout, TableSpec,
    TableSummary, Target, ViewSpec,
};
use crate::analysis::compare::diff::ChangeKind;
use crate::analysis::compare::{self, Comparison, amount, trend};
use crate::base::format::Measure;
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::source::baseline::Baseline;
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::{EntryId, Totals};
use crate::ui::list_texts::note_of;
use crate::ui::loader::{Load, Sources, TableRequest};

/// Maximum number of changes in the table.
const MOST: usize = 100_000;

pub static VIEW: ViewSpec = ViewSpec {
    name: "growth",
    key: '8',
    tab: ["Growth", "Growth", "Grow"],
    help: "growth",
    title: "growth",
    needs: Needs::Baseline,
    table: Some(&TABLE),
};

pub static TABLE: TableSpec = TableSpec {
    rows: "Changes",
    sortable: &[(C::Size, "size"), (C::Growth, "size"), (C::Name, "path")],
    columns: ColumnSet::of(&[C::Bar]),
    fixed: ColumnSet::of(&[C::Size, C::Growth, C::Trend, C::Name]),
    first: C::Growth,
    marks: RowMarks::Entries,
    layout: TableLayout::List,
    has_scale: false,
    counted: Some(["change", "changes"]),
    empty: ["No changes", "No changes so far"],
    start: |sources, request| {
        if !sources.can_compare() {
            return Ok(None);
        }
        let basis = Baseline::finder(sources.basis);
        let history = Baseline::history(sources.basis, trend::POINTS - 1);
        let job = compare::growth(sources.pool, basis, history, sources.request(request), MOST)?;
        Ok(Some(Load::of_comparison(job, |growth| TableAnswer::new(GrowthRows(growth)))))
    },
    ..SUMS
};

/// Text shown instead of the size of a deleted entry. The second element, for narrow columns, is the same.
const GONE: [&str; 2] = ["gone"; 2];

/// Returns the note about an entry that was renamed or moved.
fn former_path_note(path: &[u8]) -> String {
    format!("was {}", escape(path))
}

/// Starts the search for the changes that the overview shows: a tree of at most `most` changes, without trends. Returns
/// `None` if no comparison is possible.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn largest_changes(
    sources: &Sources<'_>,
    request: &TableRequest,
    most: usize,
) -> io::Result<Option<Load<TableAnswer>>> {
    if !sources.can_compare() {
        return Ok(None);
    }
    let earlier = Baseline::finder(sources.basis);
    let job = compare::growth(sources.pool, earlier, Vec::new, sources.request(request), most)?;
    Ok(Some(Load::of_comparison(job, |growth| TableAnswer::new(GrowthRows(growth)))))
}

/// Rows of the growth view, which form a tree.
#[derive(Debug)]
struct GrowthRows(Arc<Comparison>);

impl TableData for GrowthRows {
    fn summary(&self) -> TableSummary {
        self.0.summary()
    }

    fn rows(&self, _columns: usize) -> usize {
        self.0.outline.len()
    }

    fn is_tree(&self) -> bool {
        true
    }

    fn branch(&self, index: usize) -> Branch {
        let Some(node) = self.0.outline.get(index) else { return Branch::default() };
        Branch { depth: node.depth, key: node.key, follows: node.is_main }
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let node = self.0.outline.get(index)?;
        self.0.row(node.row, &TableContext { from: node.above, ..*context })
    }

    fn target(&self, index: usize) -> Option<Target> {
        self.0.target(self.0.outline.get(index)?.row)
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        self.0.outline.get(index).map_or_else(Vec::new, |node| self.0.entries(node.row))
    }

    fn find(&self, entry: EntryId) -> Option<usize> {
        let is_it = |row: usize| self.0.rows.get(row).and_then(compare::Row::present) == Some(entry);
        self.0.outline.iter().position(|node| is_it(node.row))
    }
}

impl TableData for Comparison {
    fn summary(&self) -> TableSummary {
        let whole =
            |measure| self.whole.map(|(before, after)| (amount(before, measure), amount(after, measure)));
        let most = |measure| {
            let change =
                |row: &compare::Row| amount(row.before, measure).abs_diff(amount(row.after, measure));
            self.rows.iter().map(change).max().unwrap_or(0)
        };
        TableSummary {
            largest: Totals {
                disk: most(Measure::Disk),
                apparent: most(Measure::Apparent),
                ..Totals::default()
            },
            growth: whole(Measure::Disk)
                .zip(whole(Measure::Apparent))
                .map(|(disk, apparent)| [disk, apparent]),
            matched: self.matched,
            searched: self.matched,
            is_complete: true,
            has_trend: !self.trends.is_empty(),
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TableContext { tree, from, measure } = *context;
        let row = self.rows.get(index)?;
        let record = self.record(tree, row)?;
        let is_directory = row.kind == Kind::Directory;
        let mut label = path_below(tree, from, row.new_parent, record.name);
        if is_directory && !label.ends_with('/') {
            label.push('/');
        }
        let (before, after) = (amount(row.before, measure), amount(row.after, measure));
        let was = self.former_path(row).map(|path| former_path_note(&path));
        let style = match row.difference {
            ChangeKind::Deleted => RowStyle::Faint,
            _ => RowStyle::of(row.kind),
        };
        let note = was.or_else(|| note_of(&record)).map(RowNote::plain);
        let (size, change) = match row.difference {
            ChangeKind::Deleted => (CellValue::Words(GONE), CellValue::Change(Some(before), None)),
            ChangeKind::New => (CellValue::Bytes(after), CellValue::Change(None, Some(after))),
            ChangeKind::Kept | ChangeKind::Renamed(_) => {
                (CellValue::Bytes(after), CellValue::Change(Some(before), Some(after)))
            }
        };
        let row = Row { note, ..Row::of_words(label, style) };
        let trend = self.trends.get(index).map_or(CellValue::None, |trend| CellValue::Trend(*trend));
        let bar = CellValue::Bytes(before.abs_diff(after));
        Some(row.with(C::Size, size).with(C::Growth, change).with(C::Trend, trend).with(C::Bar, bar))
    }

    fn target(&self, index: usize) -> Option<Target> {
        self.rows.get(index).copied().map(Target::Change)
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        self.rows.get(index).and_then(compare::Row::present).into_iter().collect()
    }
}
