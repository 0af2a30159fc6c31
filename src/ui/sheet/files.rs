//! Entries of a whole subtree in one list: the largest files, and what a search has found.
//!
//! ```text
//!      Disk  Share Modified          Path
//!   1.0 GiB  84.3% 2026-11-21 08:15  music/albums/symphony.flac
//! ```
//!
//! Names are paths from the directory one stands in. Enter goes to the entry in its directory.

use super::{SheetLine, Target};
use crate::kind::Kind;
use crate::search::{Found, Row};
use crate::size::Measure;
use crate::text::escape;
use crate::tree::{Content, DirId, Position, Totals, Tree, join};
use crate::ui::remark::remark_of;
use crate::ui::theme::Role;
use crate::ui::window::{bound, totals_size};

/// The row of an entry that is found anew, or the same row if it is gone.
pub(super) fn follow(old: &Found, new: &Found, index: usize) -> usize {
    let is_same = |row: &Row, other: &Row| (row.directory, row.position) == (other.directory, other.position);
    let found = old.rows.get(index).and_then(|row| new.rows.iter().position(|other| is_same(row, other)));
    found.unwrap_or(index)
}

/// Where a row leads.
pub(super) fn target(found: &Found, index: usize) -> Option<Target> {
    found.rows.get(index).map(|row| Target::Entry(row.directory, row.position))
}

/// The entry of a row.
pub(super) fn entries(found: &Found, index: usize) -> Vec<(DirId, Position)> {
    found.rows.get(index).map(|row| (row.directory, row.position)).into_iter().collect()
}

/// A row.
pub(super) fn line(tree: &Tree, from: DirId, row: &Row, measure: Measure) -> Option<SheetLine> {
    let record = row.record(tree)?;
    let is_directory = record.kind == Kind::Directory;
    let mut label = path_below(tree, from, row, record.name);
    if is_directory && !label.ends_with('/') {
        label.push('/');
    }
    let role = if is_directory { Role::Strong } else { Role::Plain };
    let words = SheetLine { note: remark_of(&record), ..SheetLine::of_words(label, role) };
    let Content::Known(facts) = record.content else { return Some(words) };
    let Some(id) = facts.directory else {
        let own = Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() };
        return Some(SheetLine {
            size: Some(totals_size(&own, measure)),
            modified: Some(facts.mtime),
            ..words
        });
    };
    let totals = tree.totals(id);
    let size = totals_size(&totals, measure);
    Some(SheetLine {
        size: Some(size),
        bound: bound(tree.status(id), &totals, size),
        items: Some(totals.items),
        modified: Some(facts.mtime),
        ..words
    })
}

/// The path of an entry from the directory `from` on, safe for a terminal.
pub(super) fn path_below(tree: &Tree, from: DirId, row: &Row, name: &[u8]) -> String {
    let above = tree.ancestry(row.directory).take_while(|id| *id != from);
    let mut names: Vec<&[u8]> = above.map(|id| tree.name(id)).collect();
    names.reverse();
    names.push(name);
    escape(&join(names)).into_owned()
}
