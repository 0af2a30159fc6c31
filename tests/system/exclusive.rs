//! Exclusive sizes on file systems filled by `clones.sh`, compared with the change in used space after deletions.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::subvolumes::{data_used, filled};
use crate::support::image::{in_namespace, succeeds};
use duke::base::job::{JobEnd, Pool};
use duke::testing::exclusive::find;
use duke::tree::{DirId, EntryState, Exclusive, Tree, Walk};

const LONG: Duration = Duration::from_secs(60);
/// Number of random deletions on each file system.
const DELETIONS: usize = 100;

/// Entry with its path and exclusive size.
struct Sized {
    path: PathBuf,
    size: Exclusive,
}

/// Scans `root` and returns the sizes of all entries below it that `chosen` accepts.
fn sizes(root: &Path, chosen: impl Fn(&Path) -> bool) -> Vec<Sized> {
    let scan = crate::support::scan(root, 2);
    let tree = Arc::clone(scan.tree());
    let job = find(&Pool::new(2).unwrap(), Arc::clone(&tree)).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    let found = tree.exclusive().unwrap();
    assert_eq!(found.coverage.unread, 0);
    let below = |directory: &DirId| *directory != DirId::TOP;
    let directories: Vec<DirId> = Walk::new(&tree, DirId::TOP).map(|(id, _)| id).filter(below).collect();
    let of = |tree: &Tree, directory: DirId| -> Vec<Sized> {
        let listing = tree.listing(directory);
        let known = listing.entries().filter_map(|(_, entry)| {
            let EntryState::Known(metadata) = entry.state else { return None };
            let path =
                crate::support::path(tree.path(directory)).join(crate::support::path(entry.name.to_vec()));
            let size = found.of(directory, &metadata)?;
            chosen(&path).then_some(Sized { path, size })
        });
        known.collect()
    };
    directories.into_iter().flat_map(|directory| of(&tree, directory)).collect()
}

/// Returns the next random number below `limit`, the same in each run (xorshift64 by George Marsaglia).
fn next(state: &mut u64, limit: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state % limit as u64).unwrap()
}

fn delete(path: &Path) {
    assert!(succeeds(Command::new("rm").arg("-rf").arg(path)));
}

#[test]
fn exclusive_sizes_on_btrfs_are_exact_for_root() {
    const NAME: &str = "exclusive_sizes_on_btrfs_are_exact_for_root";
    if !in_namespace(NAME) {
        return;
    }
    let (mut deletions, mut state) = (0, 1);
    for seed in 1.. {
        let Some(image) = filled(NAME, "btrfs", &["-q"], seed) else { return };
        let root = image.path();
        // The snapshots `one` and `two` are read-only. Subvolumes are not deleted whole.
        let may_be_deleted = |path: &Path| {
            let below = path.strip_prefix(&root).unwrap();
            let names = ["data", "snapshots/three", "snapshots/four", "other", "top"];
            names.iter().any(|name| below.starts_with(name) && (*name == "top" || below != Path::new(name)))
        };
        let mut used = data_used(&root);
        // The last deletions of an image are of large directories.
        for _ in 0..60 {
            let mut found = sizes(&root, may_be_deleted);
            if found.is_empty() || deletions == DELETIONS {
                break;
            }
            let chosen = found.swap_remove(next(&mut state, found.len()));
            assert!(chosen.size.is_exact(), "{}: {:?}", chosen.path.display(), chosen.size);
            delete(&chosen.path);
            let left = data_used(&root);
            assert_eq!(used - left, chosen.size.at_least, "seed {seed}: {}", chosen.path.display());
            used = left;
            deletions += 1;
        }
        if deletions == DELETIONS {
            return;
        }
    }
}
