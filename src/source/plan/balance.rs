//! Plan balancing: divides a tree into parts with about the same number of entries, because that number determines how
//! long a scan takes.
//!
//! Part 0 of a plan is called the rest. A directory with more than 1/(4 N) of all entries, where N is the number of
//! parts, is divided: the rest reads the directory's own entries, and its child directories are assigned one by one.
//! A directory that contains most of its entries directly is not divided. The rest also takes the smallest
//! directories until it has 1/N of all entries, so that a plan names few paths. All other directories are assigned to
//! the other parts, largest first, each to the part with the fewest entries so far.
//!
//! Invariant: every directory goes to one part. A mount point itself stays in the rest, whose scan decides whether to
//! enter it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{ScanFlags, ScanPart};
use crate::base::sort::sort_by;
use crate::scan::{BadPattern, Exclude, ExcludePatterns};
use crate::tree::{DirId, Tree, join};

/// Directory that is assigned to a single part, with everything below it.
struct DealtDirectory {
    entries: u64,
    path: Vec<u8>,
}

/// Divides the directories below `root`, whose path is `path`, among `count` parts.
///
/// # Errors
/// Returns an error if a pattern in `flags` is invalid.
pub fn parts(
    tree: &Tree,
    root: DirId,
    path: &[u8],
    count: usize,
    flags: &ScanFlags,
) -> Result<Vec<ScanPart>, BadPattern> {
    let filter = ExcludePatterns::new(flags.exclude.iter().map(String::as_str))?;
    let total = entries(tree, root);
    let (units, total) = units(tree, (root, path), total / (4 * count as u64), flags, &filter, total);
    Ok(deal(units, total, count))
}

/// Returns the number of entries in and below a directory, including the directory itself.
fn entries(tree: &Tree, id: DirId) -> u64 {
    tree.totals(id).items.saturating_add(1)
}

/// Divides the root, and each directory with more than `limit` entries, into its child directories. Below the root,
/// directories that directly contain most of their entries are not divided ([`is_flat`]). Skips directories that
/// `flags` or `filter` exclude. Returns all undivided directories except mount points. Also returns `total`, the number
/// of entries in and below the root, without the skipped directories and the entries below them.
fn units(
    tree: &Tree,
    (root, path): (DirId, &[u8]),
    limit: u64,
    flags: &ScanFlags,
    filter: &ExcludePatterns,
    mut total: u64,
) -> (Vec<DealtDirectory>, u64) {
    let mut units = Vec::new();
    let mut waiting = vec![(root, path.to_vec())];
    while let Some((id, path)) = waiting.pop() {
        for (_, record) in tree.listing(id).entries() {
            let Some(child) = record.directory().filter(|child| tree.parent(*child) == Some(id)) else {
                continue;
            };
            let entries = entries(tree, child);
            let is_mount_point = tree.device_index(child) != tree.device_index(id);
            if flags.one_file_system && is_mount_point || filter.excludes_directory(&path, record.name) {
                total = total.saturating_sub(entries);
                continue;
            }
            let path = join([path.as_slice(), record.name]);
            if entries > limit && !is_flat(tree, child) {
                waiting.push((child, path));
            } else if !is_mount_point {
                units.push(DealtDirectory { entries, path });
            }
        }
    }
    (units, total)
}

/// Returns `true` if most of the entries below a directory are directly in it and are not directories. Dividing such a
/// directory is of little use: all these entries would go to part 0, which contains the rest of the tree.
fn is_flat(tree: &Tree, id: DirId) -> bool {
    let below: u64 = tree.listing(id).directories().map(|child| entries(tree, child)).sum();
    below < entries(tree, id) / 2
}

fn deal(mut units: Vec<DealtDirectory>, total: u64, count: usize) -> Vec<ScanPart> {
    let mut parts = vec![ScanPart::default(); count];
    let rest = &mut parts[0];
    rest.entries = total.saturating_sub(units.iter().map(|unit| unit.entries).sum());
    sort_by(&mut units, |one, other| (other.entries, &other.path).cmp(&(one.entries, &one.path)));
    let share = total / count as u64;
    while let Some(last) = units.last()
        && (count == 1 || rest.entries + last.entries <= share)
    {
        rest.entries += last.entries;
        units.pop();
    }
    let mut lightest: BinaryHeap<Reverse<(u64, usize)>> = (1..count).map(|part| Reverse((0, part))).collect();
    for unit in units {
        let Some(Reverse((entries, part))) = lightest.pop() else { break };
        lightest.push(Reverse((entries + unit.entries, part)));
        parts[part].entries = entries + unit.entries;
        parts[part].paths.push(unit.path);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{build, dir, file};

    fn crowd(name: &str, files: usize) -> crate::fixture::Plan {
        dir(name, (0..files).map(|number| file(&number.to_string(), 1, 0)).collect())
    }

    #[test]
    fn parts_have_about_the_same_number_of_entries() {
        let deep = dir("deep", vec![dir("er", (0..50).map(|n| crowd(&n.to_string(), 20)).collect())]);
        let small = (0..200).map(|number| crowd(&format!("small{number}"), 3));
        let (tree, root) = build([deep, crowd("flat", 500)].into_iter().chain(small).collect());
        let whole = entries(&tree, root);
        for count in [1, 2, 3, 4, 8] {
            let parts = parts(&tree, root, b"/r", count, &ScanFlags::default()).unwrap();
            assert_eq!(parts.len(), count);
            assert_eq!(parts.iter().map(|part| part.entries).sum::<u64>(), whole);
            assert!(parts[0].paths.is_empty());
            let most = parts.iter().map(|part| part.entries).max().unwrap();
            // The flat directory cannot be divided among parts. It has 501 entries, including itself.
            assert!(most <= (whole / count as u64 * 5 / 4 + 1).max(501), "{count}: {parts:?}");
        }
    }

    #[test]
    fn excluded_directories_are_in_no_part() {
        let (tree, root) = build(vec![crowd("a", 40), crowd("b", 40), crowd("c", 40)]);
        let flags = ScanFlags { exclude: vec!["b".to_owned()], ..ScanFlags::default() };
        let parts = parts(&tree, root, b"/r", 3, &flags).unwrap();
        let paths: Vec<&[u8]> = parts.iter().flat_map(|part| &part.paths).map(Vec::as_slice).collect();
        assert_eq!(paths, [b"/r/c", b"/r/a"]);
        assert_eq!(parts.iter().map(|part| part.entries).sum::<u64>(), 1 + 2 * 41);
    }
}
