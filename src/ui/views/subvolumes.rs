//! Subvolumes and snapshots of btrfs. The view shows how many bytes are freed by deleting each of them, or
//! all marked ones together.
//!
//! ```text
//!      Data     Frees Path
//!   2.0 GiB   4.0 MiB snapshots/monday  snapshot
//!   2.0 GiB   1.0 MiB snapshots/sunday  snapshot
//!   3.0 GiB           (top level)
//!             1.9 GiB 2 marked subvolumes  sizes are exact
//! ```
//!
//! This view is opened from the df view, and deletes nothing. It keeps its own marks and does not use the marks on
//! entries, because a subvolume need not be in the tree.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::table::{RowMarks, SUMS, TableAnswer, TableContext, TableData, TableSpec, TableSummary};
use crate::base::format::{Units, counted};
use crate::base::job::JobError;
use crate::base::sync::{Arc, Mutex, lock};
use crate::base::text::escape;
use crate::df::subvolumes::{self, SubvolumeSize, Subvolumes, error_message};
use crate::df::{Errno, Subvolume};
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::Accuracy;
use crate::ui::loader::Load;

/// Title in the header.
pub const TITLE: &str = "subvolumes";

pub static TABLE: TableSpec = TableSpec {
    columns: ColumnSet::of(&[]),
    fixed: ColumnSet::of(&[C::Size, C::Frees, C::Name]),
    first: C::Frees,
    titles: &[(C::Size, "Data"), (C::Name, "Path")],
    marks: RowMarks::Own,
    has_measure: false,
    is_of_tree: false,
    has_scale: false,
    counted: None,
    start: |sources, request| {
        if !sources.may_ask_system {
            return Ok(None);
        }
        let units = request.units;
        let job = subvolumes::find(sources.pool, Arc::clone(sources.tree), request.from)?;
        Ok(Some(Load::of(job, move |found| SubvolumeRows::answer(found, units))))
    },
    ..SUMS
};

/// Label of the row for the top level of a file system.
const TOP_LEVEL: &str = "(top level)";

fn note(subvolume: &Subvolume) -> Option<&'static str> {
    match (subvolume.is_deleted, subvolume.is_snapshot()) {
        (true, _) => Some("being deleted"),
        (false, true) => Some("snapshot"),
        (false, false) => None,
    }
}

/// Returns the label of the last row, which stands for all marked subvolumes.
fn all_marked_label(count: usize) -> String {
    counted(count as u64, "marked subvolume", "marked subvolumes")
}

#[derive(Debug)]
struct SubvolumeRows {
    found: Arc<Result<Subvolumes, Errno>>,
    units: Units,
    /// Indices of the subvolumes in the order of their rows: sorted by the number of bytes that a deletion frees,
    /// largest first, with the top level last.
    order: Vec<usize>,
    /// Indices of the marked subvolumes.
    marked: Mutex<BTreeSet<usize>>,
}

impl SubvolumeRows {
    fn answer(found: Arc<Result<Subvolumes, Errno>>, units: Units) -> Result<TableAnswer, JobError> {
        let rows = match &*found {
            Ok(found) => &found.rows,
            Err(error) => return Err(JobError::Failed(error_message(*error))),
        };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|index| (rows[*index].subvolume.is_top_level(), Reverse(rows[*index].exclusive)));
        Ok(TableAnswer::new(Self { found, units, order, marked: Mutex::default() }))
    }

    fn row_of_subvolume(size: &SubvolumeSize, accuracy: Accuracy) -> Row {
        let SubvolumeSize { subvolume, data, exclusive } = size;
        if subvolume.is_top_level() {
            let row = Row::of_words(TOP_LEVEL.to_owned(), RowStyle::Plain);
            return row.with(C::Size, CellValue::Bytes(*data));
        }
        let words = Row::of_words(escape(&subvolume.path).into_owned(), RowStyle::Directory);
        let note = note(subvolume).map(|note| RowNote::plain(note.to_owned()));
        let row = Row { note, ..words };
        row.with(C::Size, CellValue::Bytes(*data)).with(C::Frees, frees(*exclusive, accuracy))
    }
}

/// Returns the cell for bytes that a deletion frees.
fn frees(bytes: u64, accuracy: Accuracy) -> CellValue {
    match accuracy {
        Accuracy::Exact => CellValue::Frees(bytes, Some(bytes)),
        Accuracy::AtLeast { .. } | Accuracy::Mixed | Accuracy::Failed(_) => CellValue::Frees(bytes, None),
        Accuracy::Changing => CellValue::Frees(0, Some(bytes)),
    }
}

impl TableData for SubvolumeRows {
    fn summary(&self) -> TableSummary {
        TableSummary { is_complete: true, ..TableSummary::default() }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.order.len() + 1
    }

    fn row(&self, index: usize, _context: &TableContext<'_>) -> Option<Row> {
        let found = self.found.as_ref().as_ref().ok()?;
        let marked = lock(&self.marked);
        if let Some(index) = self.order.get(index) {
            let row = Self::row_of_subvolume(&found.rows[*index], found.accuracy);
            return Some(Row { is_marked: marked.contains(index), ..row });
        }
        let marked: Vec<usize> = marked.iter().copied().collect();
        let words = Row::of_words(all_marked_label(marked.len()), RowStyle::Strong);
        let row = Row { note: Some(RowNote::plain(found.accuracy.text(self.units))), ..words };
        Some(row.with(C::Frees, frees(found.freed(&marked), found.accuracy)))
    }

    fn toggle_mark(&self, index: usize) -> bool {
        let (Ok(found), Some(index)) = (self.found.as_ref(), self.order.get(index)) else { return false };
        if found.rows[*index].subvolume.is_top_level() {
            return false;
        }
        let mut marked = lock(&self.marked);
        if !marked.remove(index) {
            marked.insert(*index);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::format::Measure;
    use crate::fixture::build;
    use crate::tree::DirId;

    #[test]
    fn marked_snapshots_free_data_that_only_they_share() {
        let found = Arc::new(Ok(subvolumes::fixture()));
        let data = SubvolumeRows::answer(found, Units::default()).unwrap().data;
        let (tree, _) = build(Vec::new());
        let context = TableContext { tree: &tree, from: DirId::TOP, measure: Measure::Disk };
        let frees = |index: usize| data.row(index, &context).unwrap().cell(C::Frees);
        let exact = |bytes| CellValue::Frees(bytes, Some(bytes));
        assert_eq!(data.rows(80), 4);
        assert_eq!([frees(0), frees(1), frees(3)], [exact(4096), exact(0), exact(0)]);
        assert!(data.toggle_mark(0) && data.toggle_mark(1));
        assert!(!data.toggle_mark(2) && !data.toggle_mark(3), "neither the top level nor the sum");
        assert_eq!(frees(3), exact(6144));
        assert!(data.row(1, &context).unwrap().is_marked);
        assert!(data.toggle_mark(0));
        assert_eq!(frees(3), exact(0));
    }
}
