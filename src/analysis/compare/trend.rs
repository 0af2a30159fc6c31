//! Small charts of the sizes that changed entries had in earlier trees.

use std::collections::HashMap;

use crate::analysis::compare::diff::{ChangeKind, Sizes, roots};
use crate::analysis::compare::row::{Row, size, sizes_of_file};
use crate::analysis::search::SortBy;
use crate::base::sync::Arc;
use crate::tree::{DirId, Tree};

/// Number of points in a chart. The last point is the current size.
pub const POINTS: usize = 8;

/// Minimum number of earlier trees for a chart.
pub const MIN_HISTORY: usize = 3;

/// Chart of an entry's size over time. Each height is from 1 to 8, or 0 if the entry did not exist or its size is
/// unknown. Exception: if all earlier sizes are known and the size never changed, all heights are 0.
pub type Trend = [u8; POINTS];

/// Reason why a name is looked up in an earlier tree.
#[derive(Clone, Copy)]
enum Wanted {
    /// The name belongs to a row's entry, whose size is needed for the chart. Contains the index of the row.
    Row(usize),
    /// The name belongs to a directory in which further names are looked up. Contains the ID of this directory in the
    /// new tree.
    Directory(DirId),
}

/// Returns a chart for each row. `rows` are the changes from `old` to `new`, and `history` contains earlier trees,
/// newest first. Entries are found by path, so sizes from before a rename are missing.
pub fn trends(rows: &[Row], (old, new): (&Tree, &Tree), history: &[Arc<Tree>], by: SortBy) -> Vec<Trend> {
    let names = wanted(rows, old, new);
    let mut sizes = vec![[None; POINTS]; rows.len()];
    for (row, sizes) in rows.iter().zip(&mut sizes) {
        let is_there = row.difference != ChangeKind::Deleted;
        sizes[POINTS - 1] = is_there.then(|| size(row.after, by));
    }
    for (tree, point) in history.iter().zip((0..POINTS - 1).rev()) {
        look_up(tree, new, &names, |row, found| sizes[row][point] = Some(size(found, by)));
    }
    sizes.iter().map(chart).collect()
}

/// Returns the heights of the chart for these sizes. All heights are 0 if every size before the last is known and all
/// known sizes are equal.
fn chart(sizes: &[Option<u64>; POINTS]) -> Trend {
    let known = || sizes.iter().flatten();
    let most = known().max().copied().unwrap_or(0);
    let is_flat = known().min() == Some(&most) && sizes[..POINTS - 1].iter().all(Option::is_some);
    if is_flat {
        return Trend::default();
    }
    let height = |size: u64| {
        let eighths = (u128::from(size) * 8).div_ceil(u128::from(most.max(1)));
        u8::try_from(eighths).map_or(8, |eighths| eighths.max(1))
    };
    sizes.map(|size| size.map_or(0, height))
}

/// Returns the names of the entries to look up and of the directories above them, grouped by the parent directory in
/// the new tree.
fn wanted<'t>(rows: &[Row], old: &'t Tree, new: &'t Tree) -> HashMap<DirId, HashMap<&'t [u8], Vec<Wanted>>> {
    let mut names: HashMap<DirId, HashMap<&[u8], Vec<Wanted>>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        let holder = if row.difference == ChangeKind::Deleted { old } else { new };
        let name = row.entry.name(holder).unwrap_or_default();
        let mut inner = names.entry(row.new_parent).or_default();
        let is_new = inner.is_empty();
        inner.entry(name).or_default().push(Wanted::Row(index));
        // If `names` already contained `row.new_parent`, the ancestors of `row.new_parent` are also in `names` already.
        let mut ancestors = new.ancestry(row.new_parent).take_while(|_| is_new);
        let mut below = ancestors.next();
        for (above, id) in ancestors.map_while(|above| Some((above, below.replace(above)?))) {
            inner = names.entry(above).or_default();
            let is_known = !inner.is_empty();
            inner.entry(new.name(id)).or_default().push(Wanted::Directory(id));
            if is_known {
                break;
            }
        }
    }
    names
}

/// Looks up `names`, the result of [`wanted`] for `new`, in the earlier tree `tree`. For each entry that a row needs,
/// calls `note` with the index of the row and the sizes of the entry in `tree`. Reads each listing at most once.
fn look_up(
    tree: &Tree,
    new: &Tree,
    names: &HashMap<DirId, HashMap<&[u8], Vec<Wanted>>>,
    mut note: impl FnMut(usize, Sizes),
) {
    let mut pairs = roots(tree, new);
    while let Some((id, present)) = pairs.pop() {
        let Some(names) = names.get(&present) else { continue };
        for (_, entry) in tree.listing(id).entries() {
            let Some(wanted) = names.get(entry.name) else { continue };
            let directory = entry.directory();
            for wanted in wanted {
                match (wanted, directory) {
                    (Wanted::Row(row), Some(id)) => {
                        let totals = tree.totals(id);
                        note(*row, Sizes { disk: totals.disk, apparent: totals.apparent });
                    }
                    (Wanted::Row(row), None) => {
                        if let Some(sizes) = sizes_of_file(&entry.state) {
                            note(*row, sizes);
                        }
                    }
                    (Wanted::Directory(present), Some(id)) => pairs.push((id, *present)),
                    (Wanted::Directory(_), None) => {}
                }
            }
        }
    }
}
