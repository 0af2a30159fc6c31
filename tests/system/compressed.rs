//! On a file system with compression, a deletion frees at least what the preview promises.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::support::image::{Image, clone, free, succeeds, sync};
use crate::support::{sandbox, skip};
use duke::base::job::{JobEnd, Pool};
use duke::testing::delete::{self, DeleteScope, Operation, Preview, Selection};
use nix::fcntl::{FallocateFlags, fallocate};

const MIB: u64 = 1 << 20;
const LONG: Duration = Duration::from_secs(60);

/// Returns the preview of the deletion of the entry `name` in `root`.
pub fn asked(root: &Path, name: &str) -> Preview {
    let scan = crate::support::scan(root, 2);
    let above = crate::support::id_of(scan.tree(), root);
    let selection = Selection::new(scan.tree(), [(above, name.as_bytes())], DeleteScope::Whole);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let job = delete::preview(&Pool::new(2).unwrap(), Arc::new(selection), now.cast_signed()).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    Preview::clone(&job.latest().unwrap())
}

/// Creates a file system with compression. If that is not possible, reports the reason and returns `None`.
fn compressing(test: &str) -> Option<Image> {
    let image = Image::new(test, "btrfs", 200 * MIB, &["-q"])?;
    if succeeds(Command::new("mount").args(["-o", "remount,compress=zstd"]).arg(image.path())) {
        return Some(image);
    }
    skip(&format!("{test}: no compression here"));
    None
}

/// Deletes the entries in the preview, and returns the number of bytes freed.
fn freed(root: &Path, preview: &Preview) -> u64 {
    let before = free(root);
    let work = Operation::Remove(preview.unchanged.clone().unwrap());
    let job = delete::start(&Pool::new(2).unwrap(), work, None).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    free(root).saturating_sub(before)
}

#[test]
fn compressed_files_promise_a_block_for_each_extent() {
    const NAME: &str = "compressed_files_promise_a_block_for_each_extent";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = compressing(NAME) else { return };
    let root = image.path();
    let text = b"the same again and again\n".repeat(320_000);
    let mut noise = vec![0; 1 << 20];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut noise).unwrap();
    fs::write(root.join("text"), &text).unwrap();
    // The text is not on disk yet, so the file system may still compress it. Only a few bytes are certain to be freed.
    let preview = asked(&root, "text");
    assert!(preview.least < MIB, "{} bytes are promised", preview.least);
    fs::write(root.join("noise"), &noise).unwrap();
    sync(&root);
    assert_eq!(asked(&root, "noise").least, MIB, "what is not compressed is promised whole");

    let preview = asked(&root, "text");
    let extents = (text.len() as u64).div_ceil(128 << 10);
    assert_eq!(preview.least, extents * 4096);
    assert!(preview.most >= text.len() as u64 && preview.is_unbounded);
    let freed = freed(&root, &preview);
    assert!(
        freed >= preview.least && freed < MIB,
        "{freed} bytes came back, {} were promised",
        preview.least
    );
}

#[test]
fn an_overwritten_file_promises_nothing_until_its_new_data_is_on_the_disk() {
    const NAME: &str = "an_overwritten_file_promises_nothing_until_its_new_data_is_on_the_disk";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = compressing(NAME) else { return };
    let root = image.path();
    let mut noise = vec![0; 1 << 20];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut noise).unwrap();
    fs::write(root.join("file"), &noise).unwrap();
    sync(&root);
    assert_eq!(asked(&root, "file").least, MIB);
    let file = fs::File::options().write(true).open(root.join("file")).unwrap();
    file.write_all_at(&vec![0; 1 << 20], 0).unwrap();
    assert_eq!(asked(&root, "file").least, 0, "the old data may be replaced by compressed data");
    drop(file);
    sync(&root);
    let preview = asked(&root, "file");
    assert_eq!(preview.least, 8 * 4096);
    assert_eq!(freed(&root, &preview), 8 * 4096);
}

#[test]
fn links_and_directories_promise_nothing() {
    const NAME: &str = "links_and_directories_promise_nothing";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = compressing(NAME) else { return };
    let root = image.path();
    fs::create_dir(root.join("links")).unwrap();
    for number in 0..2000 {
        std::os::unix::fs::symlink("nowhere", root.join(format!("links/{number}"))).unwrap();
    }
    sync(&root);
    let preview = asked(&root, "links");
    assert_eq!((preview.files, preview.least, preview.most), (2000, 0, 0));
    assert!(preview.is_unbounded, "metadata is freed, too");
}

#[test]
fn a_truncated_file_may_free_more_than_its_size() {
    const NAME: &str = "a_truncated_file_may_free_more_than_its_size";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = compressing(NAME) else { return };
    let root = image.path();
    let mut noise = vec![0; 8 << 20];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut noise).unwrap();
    fs::write(root.join("file"), &noise).unwrap();
    sync(&root);
    fs::File::options().write(true).open(root.join("file")).unwrap().set_len(128 << 10).unwrap();
    sync(&root);
    let preview = asked(&root, "file");
    assert_eq!((preview.least, preview.most, preview.is_unbounded), (128 << 10, 128 << 10, true));
    assert!(freed(&root, &preview) >= 7 * MIB);
}

#[test]
fn parts_of_an_overwritten_compressed_extent_promise_one_block() {
    const NAME: &str = "parts_of_an_overwritten_compressed_extent_promise_one_block";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = compressing(NAME) else { return };
    let root = image.path();
    let path = root.join("text");
    fs::write(&path, "the same again\n".repeat(8738)).unwrap();
    sync(&root);
    let file = fs::File::options().write(true).open(&path).unwrap();
    let mut noise = [0; 4096];
    fs::File::open("/dev/urandom").unwrap().read_exact(&mut noise).unwrap();
    // Overwrites every second block. The other blocks remain parts of one compressed extent of 4 KiB.
    for block in (0..32).step_by(2) {
        file.write_all_at(&noise, block * 4096).unwrap();
        file.sync_all().unwrap();
    }
    drop(file);
    sync(&root);
    let preview = asked(&root, "text");
    assert_eq!(preview.least, 17 * 4096);
    let freed = freed(&root, &preview);
    assert!(freed >= preview.least, "{freed} bytes came back, {} were promised", preview.least);
}

/// Generator of random numbers that are the same in each run (xorshift64 by George Marsaglia).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Changes a file in one of several ways that leave parts of extents in use.
fn change(path: &Path, dice: &mut Dice) {
    let file = fs::File::options().write(true).create(true).truncate(false).open(path).unwrap();
    let (at, length) = (dice.below(200) * 4096, (1 + dice.below(60)) * 4096);
    let mut bytes = vec![b'x'; usize::try_from(length).unwrap()];
    match dice.below(8) {
        0 | 1 => file.write_all_at(&bytes, at).unwrap(),
        2 | 3 => {
            bytes.fill_with(|| dice.below(256).to_le_bytes()[0]);
            file.write_all_at(&bytes, at).unwrap();
        }
        4 => {
            let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
            fallocate(&file, flags, at.cast_signed(), length.cast_signed()).unwrap();
        }
        5 => fallocate(&file, FallocateFlags::empty(), at.cast_signed(), length.cast_signed()).unwrap(),
        6 => file.set_len(dice.below(800 << 10)).unwrap(),
        _ => file.sync_all().unwrap(),
    }
}

#[test]
fn random_files_free_at_least_the_promised_bytes() {
    const NAME: &str = "random_files_free_at_least_the_promised_bytes";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = compressing(NAME) else { return };
    let root = image.path();
    let mut dice = Dice(1);
    let names: Vec<String> = (0..40).map(|number| format!("file{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        let path = root.join(name);
        if number % 4 == 3 {
            clone(&root.join(&names[number - 1]), &path);
        }
        (0..12).for_each(|_| change(&path, &mut dice));
    }
    sync(&root);
    let (mut promised, mut most) = (0, 0);
    for name in &names {
        let preview = asked(&root, name);
        let freed = freed(&root, &preview);
        assert!(freed >= preview.least, "{name}: {freed} bytes came back, {} were promised", preview.least);
        promised += preview.least;
        most += freed;
    }
    assert!(promised * 2 > most, "{promised} of {most} bytes were promised, which is not much");
}
