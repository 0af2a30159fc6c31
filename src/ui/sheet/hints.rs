//! What could be cleaned up: a row for each directory that is known to be made or fetched again.
//!
//! ```text
//!       Disk▾  Share                Items Modified           Path
//!     1.6 GiB  84.3% ████████▍      8,121 2026-11-21 08:15   duke/target/  Rust build output; cargo build makes it again
//! ```
//!
//! The newest change in a directory says when it was last made. It is known once everything was looked at, and shown with the
//! column of times. Enter goes to the directory. Nothing is marked by itself.

use super::files::path_below;
use super::{SheetLine, Target};
use crate::hints::Hints;
use crate::search::Row;
use crate::size::Measure;
use crate::tree::{DirId, Position, Totals, Tree};
use crate::ui::theme::Role;

/// A row.
pub(super) fn line(
    tree: &Tree,
    from: DirId,
    hints: &Hints,
    index: usize,
    measure: Measure,
) -> Option<SheetLine> {
    let hint = hints.rows.get(index)?;
    let (directory, position) = hint.place;
    let row = Row { directory, position, key: hint.totals.disk };
    let label = path_below(tree, from, &row, tree.name(hint.directory)) + "/";
    Some(SheetLine {
        modified: hint.used,
        role: Role::Strong,
        note: hints.rules.get(hint.rule).map(|rule| rule.reason.to_owned()),
        ..SheetLine::of_sum(label, &hint.totals, measure)
    })
}

/// The directory of a row.
pub(super) fn entries(hints: &Hints, index: usize) -> Vec<(DirId, Position)> {
    hints.rows.get(index).map(|hint| hint.place).into_iter().collect()
}

/// Where a row leads.
pub(super) fn target(hints: &Hints, index: usize) -> Option<Target> {
    let (directory, position) = hints.rows.get(index)?.place;
    Some(Target::Entry(directory, position))
}

/// What all of it takes up, and how many directories it is.
pub(super) fn sum(hints: &Hints) -> (Option<Totals>, u64) {
    (Some(hints.sum()), hints.rows.len() as u64)
}
