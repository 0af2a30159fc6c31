//! Tree of changes: each changed directory is followed by the changes below it.
//!
//! Exception: a directory and its only changed entry share one row if both have changed by the same amounts and the
//! directory was not renamed. This row shows the path of the entry, such as `a/b/c`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::analysis::compare::diff::ChangeKind;
use crate::analysis::compare::row::{Row, difference, size};
use crate::analysis::search::SortBy;
use crate::tree::{DirId, Tree};

/// Row in the tree of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    /// Index of the change in the comparison's `rows`.
    pub row: usize,
    /// Nesting depth of the row: the number of directories above its entry that have their own rows.
    pub depth: usize,
    /// Nearest ancestor directory that has its own row; if there is none, the requested directory.
    pub above: DirId,
    /// Hash of the path from the requested directory to the entry of this row; `None` if there are no changes below
    /// this row. The same path has the same hash in comparisons of other trees.
    pub key: Option<u64>,
    /// `true` if the change in this row is more than half of the change in the directory [`OutlineRow::above`].
    pub is_main: bool,
}

/// Arranges rows as a tree below the directory `from`. `whole` is the amount by which this directory has changed,
/// measured as `by` specifies.
pub fn outline(rows: &[Row], tree: &Tree, from: DirId, (whole, by): (u64, SortBy)) -> Vec<OutlineRow> {
    let directories: HashMap<DirId, usize> =
        rows.iter().enumerate().filter_map(|(index, row)| Some((row.itself?, index))).collect();
    let above = |row: &Row| {
        tree.ancestry(row.new_parent)
            .take_while(|id| *id != from)
            .find_map(|id| Some((*directories.get(&id)?, id)))
    };
    let mut below: HashMap<Option<usize>, Vec<(usize, DirId)>> = HashMap::new();
    for (index, row) in rows.iter().enumerate().rev() {
        let above = above(row);
        below
            .entry(above.map(|(index, _)| index))
            .or_default()
            .push((index, above.map_or(from, |(_, id)| id)));
    }
    let mut outline = Vec::with_capacity(rows.len());
    let top = below.remove(&None).unwrap_or_default();
    // Stack of rows that are not in `outline` yet. Each has its depth, and the change of the directory above it.
    let mut rest: Vec<_> = top.into_iter().map(|node| (node, 0, whole)).collect();
    while let Some(((row, above), depth, change_above)) = rest.pop() {
        let change = difference(rows[row].before, rows[row].after, by);
        let inner = below.remove(&Some(row)).unwrap_or_default();
        if let [(only, _)] = inner[..]
            && is_same_change(&rows[row], &rows[only])
        {
            rest.push(((only, above), depth, change_above));
            continue;
        }
        let is_main = change > change_above / 2;
        let key = rows[row].itself.filter(|_| !inner.is_empty()).map(|id| key(tree, id, from));
        outline.push(OutlineRow { row, depth, above, key, is_main });
        rest.extend(inner.into_iter().map(|node| (node, depth + 1, change)));
    }
    outline
}

/// Returns `true` if a directory is in both trees under the same path, and its sizes have changed by the same amounts
/// as those of `only`. `only` is the row of the directory's only changed entry.
fn is_same_change(directory: &Row, only: &Row) -> bool {
    let change = |row: &Row, by| i128::from(size(row.after, by)) - i128::from(size(row.before, by));
    directory.difference == ChangeKind::Kept
        && [SortBy::Disk, SortBy::Apparent].into_iter().all(|by| change(directory, by) == change(only, by))
}

fn key(tree: &Tree, directory: DirId, from: DirId) -> u64 {
    let mut hasher = DefaultHasher::new();
    for id in tree.ancestry(directory).take_while(|id| *id != from) {
        tree.name(id).hash(&mut hasher);
    }
    hasher.finish()
}
