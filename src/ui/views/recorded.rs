//! Views of the previous scan, shown until the running scan has ended.
//!
//! The rows come from the tree of the previous scan. Enter and Right go to the entry of a row. If the running scan has
//! not found the entry yet, these keys go to the closest ancestor directory found so far, and the scan reads this
//! directory first. All other keys act on the entries of a row only after the running scan has found them
//! ([`super::super::table_view::TableView::entries`]).
//!
//! Invariant: [`TableData::entries`] returns nothing for these rows, because it may return only entries of the tree of
//! the running scan.

use std::io;

use super::table::{Branch, TableAnswer, TableContext, TableData, TableSummary, Target};
use crate::base::sync::Arc;
use crate::table::recorded::RecordedTree;
use crate::table::row::{Precision, Row};
use crate::tree::{DirId, EntryId};
use crate::ui::loader::{Load, Sources, TableRequest};
use crate::ui::theme::Role;

/// Rows found in the tree of the previous scan.
#[derive(Debug)]
struct RecordedRows {
    data: Arc<dyn TableData>,
    record: RecordedTree,
    /// Directory in the tree of the previous scan. The displayed paths are relative to this directory.
    from: DirId,
}

/// Calls `start` to start the job that loads the rows of a table. `record` is the tree of the previous scan. If it
/// contains the requested directory, the rows come from it. Otherwise, the rows come from the current tree.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn start(
    start: impl Fn(&Sources<'_>, &TableRequest) -> io::Result<Option<Load<TableAnswer>>>,
    sources: &Sources<'_>,
    request: &TableRequest,
    record: Option<&RecordedTree>,
) -> io::Result<Option<Load<TableAnswer>>> {
    let found = record.and_then(|record| Some((record, record.find(sources.tree, request.from)?)));
    let Some((record, from)) = found else { return start(sources, request) };
    let sources = Sources { tree: &record.tree, ..*sources };
    let query = request.query.clone().below(from);
    let load = start(&sources, &TableRequest { from, query, ..request.clone() })?;
    let record = record.clone();
    Ok(load.map(|load| {
        load.map(move |TableAnswer { data, summary }| {
            let data = Arc::new(RecordedRows { data, record: record.clone(), from });
            TableAnswer { data, summary }
        })
    }))
}

impl TableData for RecordedRows {
    fn summary(&self) -> TableSummary {
        self.data.summary()
    }

    fn rows(&self, columns: usize) -> usize {
        self.data.rows(columns)
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let context = TableContext { tree: &self.record.tree, from: self.from, ..*context };
        let row = self.data.row(index, &context)?;
        Some(Row { precision: Precision::Recorded, directory: None, ..row })
    }

    fn bar_role(&self, index: usize) -> Role {
        self.data.bar_role(index)
    }

    fn progress(&self) -> Option<(String, u16)> {
        self.data.progress()
    }

    fn is_tree(&self) -> bool {
        self.data.is_tree()
    }

    fn branch(&self, index: usize) -> Branch {
        self.data.branch(index)
    }

    fn target(&self, index: usize) -> Option<Target> {
        let recorded = |entry: EntryId| {
            let name = entry.name(&self.record.tree)?.to_vec();
            Some(Target::Recorded(entry.directory, Some(name)))
        };
        match self.data.target(index)? {
            Target::Entry(entry) => recorded(entry),
            Target::Change(row) => match row.present() {
                Some(entry) => recorded(entry),
                None => Some(Target::Recorded(row.new_parent, None)),
            },
            // Enter goes to the first name of the inode instead of listing all names. A query for all names contains a
            // device index, which may be different in the new tree.
            target @ Target::Files { .. } => {
                let first = self.data.entries(index).first().copied();
                Some(first.and_then(recorded).unwrap_or(target))
            }
            target => Some(target),
        }
    }

    /// Returns the index of the row for `entry`, which is in the tree of the previous scan.
    fn find(&self, entry: EntryId) -> Option<usize> {
        self.data.find(entry)
    }

    fn is_recorded(&self) -> bool {
        true
    }

    fn recorded(&self, index: usize) -> Option<(&RecordedTree, Vec<EntryId>)> {
        let entries = self.data.entries(index);
        (!entries.is_empty()).then_some((&self.record, entries))
    }
}
