//! What could be cleaned up: a row for each directory that is known to be made or fetched again.
//!
//! ```text
//!      Disk  Share               Modified          Name
//!   1.6 GiB  84.3% ████████▍     2026-11-21 08:15  duke/target/  Rust build output; cargo build makes it again
//! ```
//!
//! Enter goes to the directory. Nothing is marked by itself.

use super::files::path_below;
use crate::hints::Hints;
use crate::search::Row;
use crate::tree::{DirId, Totals, Tree};
use crate::ui::sheet::{SheetLine, Target};
use crate::ui::theme::Role;

/// A row.
pub fn line(tree: &Tree, from: DirId, hints: &Hints, index: usize) -> Option<SheetLine> {
    let hint = hints.rows.get(index)?;
    let (directory, position) = hint.place;
    let row = Row { directory, position, disk: hint.totals.disk };
    Some(SheetLine {
        size: Some(hint.totals.disk),
        items: Some(hint.totals.items),
        modified: hint.used,
        label: path_below(tree, from, &row, tree.name(hint.directory)) + "/",
        role: Role::Strong,
        note: hints.rules.get(hint.rule).map(|rule| rule.reason.to_owned()),
    })
}

/// Where a row leads.
pub fn target(hints: &Hints, index: usize) -> Option<Target> {
    let (directory, position) = hints.rows.get(index)?.place;
    Some(Target::Entry(directory, position))
}

/// What all of it takes up, and how many directories it is.
pub fn sum(hints: &Hints) -> (Option<Totals>, u64) {
    (Some(hints.sum()), hints.rows.len() as u64)
}
