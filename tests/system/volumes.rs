//! Tests that scan file systems of several types, most of them in image files, and compare the results with du(1) and
//! the naive walker.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::support::fixtures;
use crate::support::image::{Image, clone, in_namespace, mount, succeeds};
use crate::support::{naive, skip};
use duke::scan::{Mounts, Options, Outcome};
use duke::tree::{DirId, EntryState, Exclusion, Totals};
use nix::fcntl::AT_FDCWD;
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;

const MIB: u64 = 1 << 20;

/// Creates directories, links, a sparse file, and enough plain files for several batches.
fn fill(root: &Path) {
    for number in 0..700 {
        let folder = root.join(format!("{}/{}", number % 5, number % 3));
        fs::create_dir_all(&folder).unwrap();
        fixtures::file(folder.join(format!("a name of some length, number {number}")), number * 40).unwrap();
    }
    fs::hard_link(root.join("0/0/a name of some length, number 0"), root.join("1/again")).unwrap();
    fs::hard_link(root.join("0/0/a name of some length, number 600"), root.join("2/again")).unwrap();
    symlink("/usr", root.join("3/away")).unwrap();
    fixtures::hole(root.join("hole"), 1 << 40).unwrap();
    assert!(succeeds(Command::new("sync").arg("-f").arg(root)));
}

/// Checks that scans with several thread counts agree with du and the naive walker.
fn agrees(root: &Path, mounts: Mounts) -> Totals {
    let mut totals = Totals::default();
    for threads in [1, 2, 8] {
        let scan =
            crate::support::scan_with(root, Options { threads: Some(threads), mounts, ..Options::default() });
        assert_eq!(scan.outcome(), Some(Outcome::Complete));
        assert_eq!(crate::support::failures(scan.tree()), []);
        crate::support::assert_sums_agree(scan.tree());
        totals = scan.tree().totals(DirId::TOP);
        if mounts == Mounts::Real {
            assert_eq!(totals, naive::totals(root));
            assert_eq!(totals.disk, naive::du(root));
        }
    }
    totals
}

/// On ext4 without `filetype` and on XFS without `ftype`, directory listings contain no file types, and only stat(2)
/// reports them.
#[test]
fn a_file_system_without_types_is_read_completely() {
    const NAME: &str = "a_file_system_without_types_is_read_completely";
    if !in_namespace(NAME) {
        return;
    }
    if let Some(image) = Image::new(NAME, "ext4", 64 * MIB, &["-q", "-O", "^filetype"]) {
        fill(&image.path());
        agrees(&image.path(), Mounts::Real);
    }
    if let Some(image) = Image::new(NAME, "xfs", 400 * MIB, &["-q", "-m", "crc=0", "-n", "ftype=0"]) {
        fill(&image.path());
        agrees(&image.path(), Mounts::Real);
    }
}

#[test]
fn xfs_with_reflinks_equals_du() {
    const NAME: &str = "xfs_with_reflinks_equals_du";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "xfs", 400 * MIB, &["-q", "-m", "reflink=1"]) else { return };
    fill(&image.path());
    let before = agrees(&image.path(), Mounts::Real);
    fixtures::file(image.join("original"), 4 << 20).unwrap();
    clone(&image.join("original"), &image.join("copy"));
    assert!(succeeds(Command::new("sync").arg("-f").arg(image.path())));
    // The file and its clone both count, as in du. Only the df view shows that their data is stored once.
    assert!(agrees(&image.path(), Mounts::Real).disk >= before.disk + (8 << 20));
}

/// Each subvolume has its own device, and the same inode numbers occur in several subvolumes.
#[test]
fn btrfs_subvolumes_are_directories_that_one_file_system_excludes() {
    const NAME: &str = "btrfs_subvolumes_are_directories_that_one_file_system_excludes";
    if !in_namespace(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "btrfs", 200 * MIB, &["-q"]) else { return };
    let btrfs = |words: &[&str], paths: &[&Path]| {
        let mut command = Command::new("btrfs");
        assert!(succeeds(command.arg("subvolume").args(words).args(paths)), "{words:?}");
    };
    fs::create_dir(image.join("plain")).unwrap();
    fill(&image.join("plain"));
    let outside = agrees(&image.join("plain"), Mounts::Real);
    btrfs(&["create"], &[&image.join("sub")]);
    fill(&image.join("sub"));
    btrfs(&["snapshot"], &[&image.join("sub"), &image.join("plain/snap")]);
    let inodes = ["sub", "plain/snap"].map(|name| fs::metadata(image.join(name)).unwrap());
    assert_eq!(inodes[0].ino(), inodes[1].ino(), "the same number on two devices");
    assert_ne!(inodes[0].dev(), inodes[1].dev());
    assert!(succeeds(Command::new("sync").arg("-f").arg(image.path())));
    let all = agrees(&image.path(), Mounts::Real);
    assert!(all.items > 3 * outside.items && all.disk >= 3 * outside.disk - MIB, "{all:?}, {outside:?}");

    let one = crate::support::scan_with(
        &image.join("plain"),
        Options { mounts: Mounts::None, ..Options::default() },
    );
    let output = Command::new("du").args(["-sx", "-B1"]).arg(image.join("plain")).output().unwrap();
    let du = String::from_utf8(output.stdout).unwrap();
    let totals = one.tree().totals(DirId::TOP);
    assert_eq!(du.split('\t').next(), Some(totals.disk.to_string().as_str()));
    let plain = crate::support::id_of(one.tree(), &image.join("plain"));
    let listing = one.tree().listing(plain);
    let snap = listing.entries().find(|(_, record)| record.name == b"snap").unwrap().1;
    assert_eq!(snap.state, EntryState::Excluded(Exclusion::OtherFileSystem));
    // A snapshot is scanned if it is itself a root.
    agrees(&image.join("plain/snap"), Mounts::Real);
}

/// In an overlay, the device number of a file can differ from that of its directory. `du -x` excludes such files.
#[test]
fn an_overlay_is_one_file_system_with_all_its_files() {
    const NAME: &str = "an_overlay_is_one_file_system_with_all_its_files";
    if !in_namespace(NAME) {
        return;
    }
    let layers = fixtures::empty();
    let base = layers.join("layers");
    fs::create_dir(&base).unwrap();
    // Uses a tmpfs, so that the layers share a file system, regardless of the location of the temporary directory.
    mount(&["-t", "tmpfs", "none"], &base);
    for name in ["lower", "upper", "work", "merged"] {
        fs::create_dir(base.join(name)).unwrap();
    }
    fill(&base.join("lower"));
    let merged = base.join("merged");
    let path = |name: &str| base.join(name).to_str().unwrap().to_owned();
    let words = format!("lowerdir={},upperdir={},workdir={}", path("lower"), path("upper"), path("work"));
    if !succeeds(Command::new("mount").args(["-t", "overlay", "-o", &words, "none"]).arg(&merged)) {
        return skip(&format!("{NAME}: no overlay here"));
    }
    fs::remove_dir_all(merged.join("4")).unwrap();
    fixtures::file(merged.join("0/new"), 50_000).unwrap();
    fs::write(merged.join("3/0/a name of some length, number 3"), vec![1; 70_000]).unwrap();
    let all = agrees(&merged, Mounts::Real);
    let one = agrees(&merged, Mounts::None);
    assert_eq!(all, one, "no file is lost for its device");
    assert!(all.items > 500);
    assert!(succeeds(Command::new("umount").arg(&merged)));
}

/// The total length of three files of the maximum length does not fit into 64 bits.
#[test]
fn sums_of_the_largest_files_saturate() {
    const NAME: &str = "sums_of_the_largest_files_saturate";
    if !in_namespace(NAME) {
        return;
    }
    let fixture = fixtures::empty();
    mount(&["-t", "tmpfs", "none"], fixture.path());
    let largest = u64::try_from(i64::MAX).unwrap();
    for number in 0..3 {
        let path = fixture.join(format!("{number}/file"));
        fs::create_dir(path.parent().unwrap()).unwrap();
        let made = File::create(&path).and_then(|file| file.set_len(largest));
        if made.is_err() {
            return skip(&format!("{NAME}: no file of 8 EiB here"));
        }
    }
    for threads in [1, 8] {
        let scan = crate::support::scan(fixture.path(), threads);
        assert_eq!(scan.tree().totals(DirId::TOP).apparent, u64::MAX, "at least that much");
        let of =
            |name: &str| scan.tree().totals(crate::support::id_of(scan.tree(), &fixture.join(name))).apparent;
        assert!(of("0") > largest && of("0") < u64::MAX);
    }
}

/// Times before 1970, and the earliest and latest times that the file system can store, are read back unchanged.
#[test]
fn extreme_dates_are_kept() {
    const NAME: &str = "extreme_dates_are_kept";
    if !in_namespace(NAME) {
        return;
    }
    let fixture = fixtures::empty();
    mount(&["-t", "tmpfs", "none"], fixture.path());
    let times = [i64::MIN / 4, -1, 0, 1 << 31, 1 << 32, 253_402_300_800, i64::MAX / 4];
    for (number, time) in times.into_iter().enumerate() {
        let path = fixture.join(number.to_string());
        File::create(&path).unwrap();
        let time = TimeSpec::new(time, 0);
        let _ = utimensat(AT_FDCWD, &path, &time, &time, UtimensatFlags::NoFollowSymlink);
    }
    let scan = crate::support::scan(fixture.path(), 2);
    let root = crate::support::id_of(scan.tree(), fixture.path());
    for (_, record) in scan.tree().listing(root).entries() {
        let EntryState::Known(metadata) = record.state else { panic!("{record:?}") };
        let path = fixture.join(crate::support::path(record.name.to_vec()));
        assert_eq!(metadata.mtime, fs::symlink_metadata(&path).unwrap().mtime(), "{}", path.display());
    }
    for words in [["--json", "."], ["-n", "."], ["--csv", "."], ["--by", "age"]] {
        let run = Command::new(env!("CARGO_BIN_EXE_duke"))
            .args(words)
            .current_dir(fixture.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{words:?}: {}", String::from_utf8_lossy(&run.stderr));
    }
}
