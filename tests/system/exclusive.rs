//! Exclusive sizes on file systems filled by `clones.sh`, compared with the change in used space after deletions.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::subvolumes::{data_used, filled};
use crate::support::image::{self, Image, free, free_immediately, in_namespace, succeeds, sync};
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
    // On a busy machine, reading the extents of a file that was just written can take longer than duke waits.
    let search = || {
        let job = find(&Pool::new(2).unwrap(), Arc::clone(&tree)).unwrap();
        assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
        Some(tree.exclusive().unwrap()).filter(|found| found.coverage.unread == 0)
    };
    let found = (0..10).find_map(|_| search()).expect("every file can be read");
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

/// Returns the next pseudorandom number below `limit` (xorshift64 by George Marsaglia). The sequence is the same in
/// each run.
fn next(state: &mut u64, limit: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    usize::try_from(*state % limit as u64).unwrap()
}

const NOBODY: u32 = 65534;

/// Sets the effective user of the whole process, which runs only this test.
fn set_user(user: u32) {
    nix::unistd::seteuid(nix::unistd::Uid::from_raw(user)).unwrap();
}

/// Test that deletes random entries from several images. The contents of each image depend on its seed.
struct Deletions {
    /// File-system type, and options for mkfs.
    made: (&'static str, &'static [&'static str]),
    /// Effective user ID while the exclusive sizes are determined. The entries are deleted as root.
    user: u32,
    /// Returns the directory to scan. The argument is the root directory of the image.
    scanned: fn(&Path) -> PathBuf,
    /// Returns `true` if the test may delete an entry, given the scanned directory and the path of the entry.
    may_be_deleted: fn(&Path, &Path) -> bool,
    /// Returns the number of bytes occupied by the contents of files and, on XFS, of directories. Other metadata is
    /// not included.
    occupied: fn(&Path) -> u64,
}

impl Deletions {
    /// Compares the exclusive size of each deleted entry with the space that its deletion frees. Returns the number of
    /// exact sizes, or `None` if no file system for the test can be created.
    fn run(&self, name: &str) -> Option<usize> {
        let (mut deletions, mut exact, mut state) = (0, 0, 1);
        for seed in 1.. {
            let image = filled(name, self.made.0, self.made.1, seed)?;
            let root = image.path();
            let scanned = (self.scanned)(&root);
            let mut held = (self.occupied)(&root);
            assert!(held > 0, "nothing is on the image");
            // After more deletions, mostly large directories would be left, but the test needs entries of all sizes.
            for _ in 0..60 {
                set_user(self.user);
                let mut found = sizes(&scanned, |path| (self.may_be_deleted)(&scanned, path));
                set_user(0);
                if found.is_empty() || deletions == DELETIONS {
                    break;
                }
                let Sized { path, size } = found.swap_remove(next(&mut state, found.len()));
                // On XFS, the parent directory may also shrink. The bytes that it loses do not count as freed.
                let parent = || 512 * fs::metadata(path.parent().unwrap()).unwrap().blocks();
                let parent_before = parent();
                assert!(succeeds(Command::new("rm").arg("-rf").arg(&path)));
                let left = (self.occupied)(&root);
                let freed = held - left - (parent_before - parent());
                let is_bounded = size.at_least <= freed && size.at_most.is_none_or(|most| freed <= most);
                assert!(is_bounded, "seed {seed}: {}: {size:?}, freed {freed}", path.display());
                held = left;
                deletions += 1;
                exact += usize::from(size.is_exact());
            }
            if deletions == DELETIONS {
                return Some(exact);
            }
        }
        None
    }
}

#[test]
fn exclusive_sizes_on_btrfs_are_exact_for_root() {
    const NAME: &str = "exclusive_sizes_on_btrfs_are_exact_for_root";
    if !in_namespace(NAME) {
        return;
    }
    // The snapshots `one` and `two` are read-only. The test never deletes a whole subvolume.
    let may_be_deleted = |root: &Path, path: &Path| {
        let below = path.strip_prefix(root).unwrap();
        let names = ["data", "snapshots/three", "snapshots/four", "other", "top"];
        names.iter().any(|name| below.starts_with(name) && (*name == "top" || below != Path::new(name)))
    };
    let made = ("btrfs", &["-q"][..]);
    let test = Deletions { made, user: 0, scanned: Path::to_owned, may_be_deleted, occupied: data_used };
    assert!(test.run(NAME).is_none_or(|exact| exact == DELETIONS));
}

#[test]
fn exclusive_sizes_on_btrfs_are_minimums_for_other_users() {
    const NAME: &str = "exclusive_sizes_on_btrfs_are_minimums_for_other_users";
    if !in_namespace(NAME) {
        return;
    }
    let (made, scanned) = (("btrfs", &["-q"][..]), |root: &Path| root.join("data"));
    let may_be_deleted = |data: &Path, path: &Path| path != data;
    Deletions { made, user: NOBODY, scanned, may_be_deleted, occupied: data_used }.run(NAME);
}

#[test]
fn only_the_changes_of_later_snapshots_are_read_with_the_same_result() {
    const NAME: &str = "only_the_changes_of_later_snapshots_are_read_with_the_same_result";
    if !in_namespace(NAME) {
        return;
    }
    for seed in 1..4 {
        let Some(image) = filled(NAME, "btrfs", &["-q"], seed) else { return };
        let data = image.join("data");
        for number in 0..3 {
            let snapshot = image.join(&format!("later{number}"));
            let mut command = Command::new("btrfs");
            assert!(succeeds(command.args(["-q", "subvolume", "snapshot", "-r"]).args([&data, &snapshot])));
            let files = sizes(&data, Path::is_file);
            let changed = fs::File::options().write(true).open(&files[number].path).unwrap();
            changed.write_all_at(&[7; 4096], 0).unwrap();
            fs::remove_file(&files[number + 9].path).unwrap();
        }
        // Without this call, the last changes would only be in memory, and the sizes would not be exact.
        sync(&image.path());
        let all = || {
            let found = sizes(&data, |_| true);
            found.into_iter().map(|it| (it.path, it.size)).collect::<Vec<_>>()
        };
        let of_changes = all();
        assert!(of_changes.iter().all(|(_, size)| size.is_exact()));
        // duke reads only the changes of a read-only snapshot, but all of a writable one. The sizes must be the same.
        for name in ["snapshots/one", "snapshots/two", "later0", "later1", "later2"] {
            let mut command = Command::new("btrfs");
            assert!(succeeds(command.args(["property", "set"]).arg(image.join(name)).args(["ro", "false"])));
        }
        assert_eq!(all(), of_changes, "seed {seed}");
    }
}

/// Options of mkfs.xfs for a volume with a reverse-mapping tree. XFS has a space map only on such volumes.
const MAPPED: &[&str] = &["-q", "-m", "reflink=1,rmapbt=1"];
const UNMAPPED: &[&str] = &["-q", "-m", "reflink=1,rmapbt=0"];

#[test]
fn sizes_on_xfs_are_bounds_of_the_freed_bytes() {
    // Only root may read the space map. This test runs as another user, so duke must find the sizes without the map.
    test_bounds_on_xfs("sizes_on_xfs_are_bounds_of_the_freed_bytes", NOBODY);
}

#[test]
fn sizes_from_the_space_map_of_xfs_are_bounds_of_the_freed_bytes() {
    test_bounds_on_xfs("sizes_from_the_space_map_of_xfs_are_bounds_of_the_freed_bytes", 0);
}

#[test]
fn only_the_space_map_of_xfs_finds_that_all_clones_are_below_a_directory() {
    const NAME: &str = "only_the_space_map_of_xfs_finds_that_all_clones_are_below_a_directory";
    if !in_namespace(NAME) {
        return;
    }
    for (options, at_least) in [(MAPPED, 64 << 10), (UNMAPPED, 0)] {
        let Some(image) = filled(NAME, "xfs", options, 1) else { return };
        let clones = image.join("clones");
        fs::create_dir(&clones).unwrap();
        fs::write(clones.join("one"), vec![1; 64 << 10]).unwrap();
        image::clone(&clones.join("one"), &clones.join("two"));
        assert!(succeeds(Command::new("sync").arg("-f").arg(&clones)));
        let found = sizes(&image.path(), |path| path == clones);
        assert_eq!(
            (found[0].size.at_least, found[0].size.at_most),
            (at_least, Some(64 << 10)),
            "{options:?}"
        );
    }
}

/// Overwrites parts of clones without flushing the new data to the disk. Then compares the exclusive size of an
/// original with the space that its deletion frees.
fn test_originals_of_overwritten_clones(
    name: &str,
    made: (&str, &[&str]),
    user: u32,
    occupied: fn(&Path) -> u64,
) {
    const FILES: usize = 6;
    let Some(image) = Image::new(name, made.0, 400 << 20, made.1) else { return };
    let (root, mut state) = (image.path(), 1);
    for round in 0..8 {
        let directory = root.join(round.to_string());
        fs::create_dir(&directory).unwrap();
        let original = |number: usize| directory.join(format!("original{number}"));
        let copy = |number: usize| directory.join(format!("copy{number}"));
        for number in 0..FILES {
            fs::write(original(number), vec![1; 4096 * (20 + next(&mut state, 100))]).unwrap();
        }
        sync(&root);
        (0..FILES).for_each(|number| image::clone(&original(number), &copy(number)));
        sync(&root);
        for number in (0..FILES).filter(|_| next(&mut state, 3) > 0).collect::<Vec<_>>() {
            let file = fs::File::options().write(true).open(copy(number)).unwrap();
            let bytes = vec![2; 4096 * (1 + next(&mut state, 60))];
            file.write_all_at(&bytes, 4096 * next(&mut state, 10) as u64).unwrap();
        }
        let deleted = original(next(&mut state, FILES));
        set_user(user);
        let size = sizes(&root, |path| path == deleted).remove(0).size;
        set_user(0);
        let held = occupied(&root);
        fs::remove_file(&deleted).unwrap();
        let freed = held.saturating_sub(occupied(&root));
        let is_bounded = size.at_least <= freed && size.at_most.is_none_or(|most| freed <= most);
        assert!(is_bounded, "round {round}: {size:?}, freed {freed}");
    }
}

#[test]
fn an_original_may_be_freed_when_new_data_of_its_clone_is_written() {
    const NAME: &str = "an_original_may_be_freed_when_new_data_of_its_clone_is_written";
    if !in_namespace(NAME) {
        return;
    }
    test_originals_of_overwritten_clones(NAME, ("btrfs", &["-q"]), 0, data_used);
    for user in [0, NOBODY] {
        test_originals_of_overwritten_clones(NAME, ("xfs", MAPPED), user, blocks_of_contents);
    }
}

/// Returns the total size of all blocks that hold contents of files or directories, according to `xfs_io`. The used
/// space is larger, because it also includes other blocks, such as those that hold inodes.
fn blocks_of_contents(root: &Path) -> u64 {
    free_immediately(root);
    let found = Command::new("xfs_io").args(["-r", "-c", "fsmap -m"]).arg(root).output().unwrap();
    let text = String::from_utf8(found.stdout).unwrap();
    let (mut sectors, mut counted) = (0, 0);
    // The lines are sorted by the first sector. A block that several files share has one line for each of them.
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[5].starts_with("inode_") && fields[5].ends_with("_data") {
            let [first, last]: [u64; 2] = [fields[3].parse().unwrap(), fields[4].parse().unwrap()];
            sectors += (last + 1).saturating_sub(first.max(counted));
            counted = counted.max(last + 1);
        }
    }
    512 * sectors
}

fn test_bounds_on_xfs(name: &str, user: u32) {
    if !in_namespace(name) {
        return;
    }
    let (scanned, may_be_deleted) = (Path::to_owned, |root: &Path, path: &Path| path != root);
    let occupied = blocks_of_contents;
    let test = Deletions { made: ("xfs", MAPPED), user, scanned, may_be_deleted, occupied };
    assert!(test.run(name).is_none_or(|exact| exact > DELETIONS / 4));
}

#[test]
fn blocks_in_reserve_of_an_overwritten_clone_may_be_freed() {
    const NAME: &str = "blocks_in_reserve_of_an_overwritten_clone_may_be_freed";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = filled(NAME, "xfs", UNMAPPED, 1) else { return };
    let (top, clone) = (image.join("top"), image.join("clone"));
    image::clone(&top, &clone);
    let file = fs::File::options().write(true).open(&clone).unwrap();
    file.write_all_at(&[7; 4096], 8192).unwrap();
    let before = free(&image.path());
    let found = sizes(&image.path(), |path| path == clone);
    assert_eq!(found[0].size.at_least, 4096);
    drop(file);
    fs::remove_file(&clone).unwrap();
    free_immediately(&image.path());
    let freed = free(&image.path()) - before;
    assert!(freed > 4096, "XFS kept no reserve");
    assert!(freed <= found[0].size.at_most.unwrap(), "{:?}, freed {freed}", found[0].size);
}
