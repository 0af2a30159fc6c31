//! What could not be read: a row for each reason, and below it the entries.
//!
//! ```text
//!  Items▾  Reason
//!       2  permission denied
//!            home/other
//!            var/lib/private
//! ```
//!
//! Enter goes to the entry in its directory.

use super::files::path_below;
use super::{SheetLine, Target};
use crate::platform::{error_text, remedy};
use crate::search::Row;
use crate::survey::Errors;
use crate::survey::errors::Group;
use crate::tree::{DirId, Position, Tree};
use crate::ui::theme::Role;

enum ErrorRow<'e> {
    /// Why the directory itself was not read to its end.
    Itself(i32),
    Reason(&'e Group),
    Entry(&'e Row),
}

/// How many rows there are.
pub(super) fn rows(errors: &Errors) -> usize {
    let entries: usize = errors.groups.iter().map(|group| 1 + group.rows.len()).sum();
    usize::from(errors.itself.is_some()) + entries
}

/// How many entries could not be read.
pub(super) fn failed(errors: &Errors) -> u64 {
    let entries: usize = errors.groups.iter().map(|group| group.rows.len()).sum();
    u64::from(errors.itself.is_some()) + entries as u64
}

/// A row.
pub(super) fn line(tree: &Tree, from: DirId, errors: &Errors, index: usize) -> Option<SheetLine> {
    let (items, label, role) = match row(errors, index)? {
        ErrorRow::Itself(errno) => (None, format!("this directory: {}", error_text(errno)), Role::Warning),
        ErrorRow::Reason(group) => (Some(group.rows.len() as u64), error_text(group.errno), Role::Warning),
        ErrorRow::Entry(row) => {
            let path = path_below(tree, from, row, row.record(tree)?.name);
            (None, format!("  {path}"), Role::Plain)
        }
    };
    let note = match row(errors, index)? {
        ErrorRow::Itself(errno) => remedy(errno),
        ErrorRow::Reason(group) => remedy(group.errno),
        ErrorRow::Entry(_) => None,
    };
    let note = note.map(|needed| format!("they need {needed}"));
    Some(SheetLine { items, note, ..SheetLine::of_words(label, role) })
}

/// The entry of a row that is one.
pub(super) fn entries(errors: &Errors, index: usize) -> Vec<(DirId, Position)> {
    match row(errors, index) {
        Some(ErrorRow::Entry(row)) => vec![(row.directory, row.position)],
        _ => Vec::new(),
    }
}

/// Where a row leads; a reason to its first entry.
pub(super) fn target(errors: &Errors, index: usize) -> Option<Target> {
    let row = match row(errors, index)? {
        ErrorRow::Itself(_) => return None,
        ErrorRow::Reason(group) => group.rows.first()?,
        ErrorRow::Entry(row) => row,
    };
    Some(Target::Entry(row.directory, row.position))
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
