//! Error view: one row for each reason, followed by the entries that could not be read for this reason.
//!
//! ```text
//!  Items▾  Reason
//!       2  permission denied
//!            home/other
//!            var/lib/private
//! ```
//!
//! Enter opens the directory that contains the entry.

use super::largest::path_below;
use super::table::{
    Needs, RowMarks, SUMS, TableContext, TableData, TableSpec, TableSummary, Target, ViewSpec, rows,
};
use crate::analysis::errors::ErrorGroup;
use crate::analysis::search::{self, SortBy};
use crate::analysis::survey::{self, Errors};
use crate::base::os_error::OsError;
use crate::platform::remedy;
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::EntryId;

pub static VIEW: ViewSpec = ViewSpec {
    name: "errors",
    key: '7',
    tab: ["Errors", "Errors", "Err"],
    help: "errors, by reason",
    title: "errors",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

/// Table of the errors, the most frequent reason first.
pub static TABLE: TableSpec = TableSpec {
    rows: "Errors",
    sortable: &[(C::Items, "items"), (C::Name, "path")],
    columns: ColumnSet::of(&[]),
    fixed: ColumnSet::of(&[C::Items, C::Name]),
    name_room: 21,
    titles: &[(C::Name, "Reason")],
    marks: RowMarks::Entries,
    has_measure: false,
    has_scale: false,
    first_order: Some(SortBy::Items),
    counted: Some(["error", "errors"]),
    empty: ["No errors", "No errors so far"],
    start: |sources, request| rows(survey::errors(sources.pool, sources.request(request))),
    ..SUMS
};

/// Returns the label of the row for the directory that the view was opened for.
fn own_label(errno: i32) -> String {
    format!("this directory: {}", OsError(errno))
}

/// Returns a note that says what is required to read entries with this error, if known.
fn remedy_note(errno: i32) -> Option<String> {
    remedy(errno).map(|needed| format!("requires {needed}"))
}

enum ErrorRow<'e> {
    /// The directory that the view was opened for could not be read. Contains the error number.
    Itself(i32),
    Reason(&'e ErrorGroup),
    Entry(&'e search::Row),
}

impl TableData for Errors {
    fn summary(&self) -> TableSummary {
        let entries: usize = self.groups.iter().map(|group| group.rows.len()).sum();
        TableSummary {
            matched: u64::from(self.itself.is_some()) + entries as u64,
            searched: self.searched,
            is_complete: self.complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        let entries: usize = self.groups.iter().map(|group| 1 + group.rows.len()).sum();
        usize::from(self.itself.is_some()) + entries
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TableContext { tree, from, .. } = *context;
        let (items, label, errno) = match row(self, index)? {
            ErrorRow::Itself(errno) => (CellValue::None, own_label(errno), errno),
            ErrorRow::Reason(group) => {
                let items = CellValue::Count(group.rows.len() as u64);
                (items, OsError(group.errno).to_string(), group.errno)
            }
            ErrorRow::Entry(row) => {
                let path = path_below(tree, from, row.entry.directory, row.entry.record(tree)?.name);
                return Some(Row::of_words(format!("  {path}"), RowStyle::Plain));
            }
        };
        let note = remedy_note(errno).map(RowNote::plain);
        Some(Row { note, ..Row::of_words(label, RowStyle::Warning) }.with(C::Items, items))
    }

    /// Returns the entry of a row. For the row of a reason, this is the first entry with that reason. Returns `None`
    /// for the row of the directory that the view was opened for.
    fn target(&self, index: usize) -> Option<Target> {
        let row = match row(self, index)? {
            ErrorRow::Itself(_) => return None,
            ErrorRow::Reason(group) => group.rows.first()?,
            ErrorRow::Entry(row) => row,
        };
        Some(Target::Entry(row.entry))
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        match row(self, index) {
            Some(ErrorRow::Entry(row)) => vec![row.entry],
            _ => Vec::new(),
        }
    }
}

fn row(errors: &Errors, index: usize) -> Option<ErrorRow<'_>> {
    let mut index = index;
    if let Some(errno) = errors.itself {
        if index == 0 {
            return Some(ErrorRow::Itself(errno));
        }
        index -= 1;
    }
    for group in &errors.groups {
        if index == 0 {
            return Some(ErrorRow::Reason(group));
        }
        if let Some(row) = group.rows.get(index - 1) {
            return Some(ErrorRow::Entry(row));
        }
        index -= 1 + group.rows.len();
    }
    None
}
