//! Growth view: one row per change, the largest first.

use super::largest::path_below;
use super::table::{
    Needs, SUMS, TableAnswer, TableContext, TableData, TableSpec, TableSummary, Target, ViewSpec,
};
use crate::analysis::compare::diff::ChangeKind;
use crate::analysis::compare::{self, Comparison, amount};
use crate::base::format::Measure;
use crate::base::kind::Kind;
use crate::base::text::escape;
use crate::source::baseline::Baseline;
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::EntryId;
use crate::ui::loader::Load;
use crate::ui::remark::remark_of;

/// Maximum number of changes in the table.
const MOST: usize = 100_000;

/// Description of the view.
pub static VIEW: ViewSpec = ViewSpec {
    name: "growth",
    key: '8',
    tab: ["Growth"; 2],
    help: "growth",
    title: "growth",
    needs: Needs::Baseline,
    table: Some(&TABLE),
};

/// Table of the changes since the baseline.
pub static TABLE: TableSpec = TableSpec {
    rows: "Changes",
    sortable: &[(C::Size, "size"), (C::Growth, "size"), (C::Name, "path")],
    columns: ColumnSet::of(&[]),
    fixed: ColumnSet::of(&[C::Size, C::Growth, C::Name]),
    first: C::Growth,
    has_entries: true,
    is_list: true,
    has_scale: false,
    counted: Some(["change", "changes"]),
    empty: ["No changes", "No changes so far"],
    start: |sources, request| {
        if !sources.may_compare() {
            return Ok(None);
        }
        let job =
            compare::growth(sources.pool, Baseline::finder(sources.basis), sources.request(request), MOST)?;
        Ok(Some(Load::of_comparison(job, TableAnswer::shared)))
    },
    ..SUMS
};

impl TableData for Comparison {
    fn summary(&self) -> TableSummary {
        let whole =
            |measure| self.whole.map(|(before, after)| (amount(before, measure), amount(after, measure)));
        TableSummary {
            growth: whole(Measure::Disk)
                .zip(whole(Measure::Apparent))
                .map(|(disk, apparent)| [disk, apparent]),
            matched: self.matched,
            searched: self.matched,
            is_complete: true,
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
        let mut label = path_below(tree, from, row.place, record.name);
        if is_directory && !label.ends_with('/') {
            label.push('/');
        }
        let (before, after) = (amount(row.before, measure), amount(row.after, measure));
        let was = self.former_path(row).map(|path| format!("was {}", escape(&path)));
        let style = match row.difference {
            ChangeKind::Gone => RowStyle::Faint,
            _ => RowStyle::of(row.kind),
        };
        let note = was.or_else(|| remark_of(&record)).map(RowNote::plain);
        let (size, change) = match row.difference {
            ChangeKind::Gone => (CellValue::Words(["gone"; 2]), CellValue::Change(Some(before), None)),
            ChangeKind::New => (CellValue::Bytes(after), CellValue::Change(None, Some(after))),
            ChangeKind::Kept | ChangeKind::Renamed(_) => {
                (CellValue::Bytes(after), CellValue::Change(Some(before), Some(after)))
            }
        };
        let row = Row { note, ..Row::of_words(label, style) };
        Some(row.with(C::Size, size).with(C::Growth, change))
    }

    fn target(&self, index: usize) -> Option<Target> {
        self.rows.get(index).copied().map(Target::Change)
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        let row = self.rows.get(index).filter(|row| row.difference != ChangeKind::Gone);
        row.map(|row| row.entry).into_iter().collect()
    }
}
