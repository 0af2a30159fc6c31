//! Hard links: a row for each inode with several names.
//!
//! ```text
//!       Disk▾  Share                Names   Path
//!     1.6 GiB  84.3% ████████▍          2   music/song.flac  2 of 3 names here: removing them frees nothing
//! ```
//!
//! Enter shows its names; a mark marks all of them.

use super::files::path_below;
use super::{SheetLine, Target};
use crate::size::Measure;
use crate::survey::Links;
use crate::survey::links::LinkedInode;
use crate::tree::{DirId, Position, Totals, Tree};
use crate::ui::work::Ask;

/// The names of the inode of a row.
pub(super) fn entries(links: &Links, index: usize) -> Vec<(DirId, Position)> {
    let names = links.inodes.get(index).map(|inode| links.names(inode)).unwrap_or_default();
    names.iter().map(|row| (row.directory, row.position)).collect()
}

/// A row.
pub(super) fn line(
    tree: &Tree,
    from: DirId,
    links: &Links,
    index: usize,
    measure: Measure,
) -> Option<SheetLine> {
    let inode = links.inodes.get(index)?;
    let LinkedInode { disk, apparent, inside: items, .. } = *inode;
    let label = first_name(tree, from, links, inode)?;
    let sum = SheetLine::of_sum(label, &Totals { disk, apparent, items, errors: 0 }, measure);
    Some(SheetLine { note: note(inode), ..sum })
}

/// Where a row leads.
pub(super) fn target(links: &Links, index: usize) -> Option<Target> {
    let inode = links.inodes.get(index)?;
    let label = "names of one file".to_owned();
    Some(Target::Files { label, ask: Ask::Largest, query: inode.query() })
}

/// What all of the inodes take up, and how many names of them there are.
pub(super) fn sum(links: &Links) -> (Option<Totals>, u64) {
    let mut sum = links.alone;
    sum.add(&links.shared);
    (Some(sum), links.inodes.iter().map(|inode| inode.inside).sum())
}

fn first_name(tree: &Tree, from: DirId, links: &Links, inode: &LinkedInode) -> Option<String> {
    let row = links.names(inode).first()?;
    Some(path_below(tree, from, row, row.record(tree)?.name))
}

/// What is to be known before removing it.
fn note(inode: &LinkedInode) -> Option<String> {
    let LinkedInode { inside, count, elsewhere, .. } = *inode;
    match (inode.is_shared(), elsewhere) {
        (false, _) => None,
        (true, 0) => Some(format!("{inside} of {count} names here; the others out of sight")),
        (true, _) => Some(format!("{inside} of {count} names here; {elsewhere} elsewhere in the scan")),
    }
}
