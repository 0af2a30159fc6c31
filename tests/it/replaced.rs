//! If an entry is replaced after the user has confirmed its deletion, the new entry is never deleted, even on file
//! systems that reuse the inode number of the old entry for the next file.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::support::image::Image;
use crate::support::operations::{asked, carried_out};
use crate::support::sandbox;
use duke::base::job::{JobEnd, Pool};
use duke::scan::Scan;
use duke::testing::delete::{self, DeleteScope, Operation, Owner, Reason, Report, Selection};
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;

const LONG: Duration = Duration::from_secs(60);
const RUNS: usize = 20;

fn whole(scan: &Scan, path: &Path) -> Selection {
    let above = crate::support::id_of(scan.tree(), path.parent().unwrap());
    Selection::new(scan.tree(), [(above, path.file_name().unwrap().as_bytes())], DeleteScope::Whole)
}

fn reasons(report: &Report) -> Vec<Reason> {
    report.failures.first.iter().map(|failure| failure.reason).collect()
}

/// Sets the times of an entry back by an hour, as if the test had not just created it.
fn age(path: &Path) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let then = TimeSpec::from_duration(now.checked_sub(Duration::from_secs(3600)).unwrap());
    utimensat(nix::fcntl::AT_FDCWD, path, &then, &then, UtimensatFlags::NoFollowSymlink).unwrap();
}

/// Waits for a second if the file system stores times in whole seconds. Without this pause, a change shortly before the
/// start of the scan would look like a change shortly after the start.
fn let_a_second_pass(changed: &Path) {
    if fs::metadata(changed).unwrap().ctime_nsec() == 0 {
        std::thread::sleep(Duration::from_millis(1100));
    }
}

/// Sets the access time and the modification time of `to` to the modification time of `from`.
fn copy_times(from: &Path, to: &Path) {
    let found = fs::metadata(from).unwrap();
    let time = TimeSpec::new(found.mtime(), found.mtime_nsec());
    utimensat(nix::fcntl::AT_FDCWD, to, &time, &time, UtimensatFlags::NoFollowSymlink).unwrap();
}

/// Creates a file, or a directory that contains a file, and sets the times of the entry at `path` back by an hour.
fn make(path: &Path, is_directory: bool) {
    if is_directory {
        fs::create_dir(path).unwrap();
        fs::write(path.join("old"), "old").unwrap();
    } else {
        fs::write(path, "old").unwrap();
    }
    age(path);
}

/// Change by another process.
#[derive(Clone, Copy, Debug)]
enum Change {
    DirectoryMadeAnew,
    FileMadeAnew,
    FileRewritten,
    /// New directory in place of the old one. The old modification time is restored.
    DirectoryRestored,
    /// File with new contents of the same length. The old modification time is restored.
    FileRestored,
}

const CHANGES: [Change; 5] = [
    Change::DirectoryMadeAnew,
    Change::FileMadeAnew,
    Change::FileRewritten,
    Change::DirectoryRestored,
    Change::FileRestored,
];

impl Change {
    fn is_of_directory(self) -> bool {
        matches!(self, Self::DirectoryMadeAnew | Self::DirectoryRestored)
    }

    fn happen(self, path: &Path) {
        // File systems take timestamps from a clock that ticks only every few milliseconds. The pause ensures that
        // the change gets a later timestamp than everything before it.
        std::thread::sleep(Duration::from_millis(20));
        let (kept, old) = (path.with_extension("time"), path);
        match self {
            Self::DirectoryRestored | Self::FileRestored => {
                fs::write(&kept, "").unwrap();
                copy_times(old, &kept);
                let made = if self.is_of_directory() { Self::DirectoryMadeAnew } else { Self::FileRewritten };
                made.happen(path);
                copy_times(&kept, path);
                fs::remove_file(&kept).unwrap();
            }
            Self::DirectoryMadeAnew => {
                fs::remove_dir_all(path).unwrap();
                fs::create_dir(path).unwrap();
                fs::write(path.join("new"), "new").unwrap();
            }
            Self::FileMadeAnew => {
                fs::remove_file(path).unwrap();
                fs::write(path, "new").unwrap();
            }
            // The new contents have the same length as the old contents.
            Self::FileRewritten => {
                fs::OpenOptions::new().write(true).open(path).unwrap().write_all(b"new").unwrap();
            }
        }
    }

    fn assert_new(self, path: &Path) {
        let file = if self.is_of_directory() { path.join("new") } else { path.to_owned() };
        assert_eq!(fs::read(file).ok().as_deref(), Some(&b"new"[..]), "{self:?}");
    }
}

fn remove(path: &Path) {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.unwrap();
}

/// Runs `body` on a file system that records birth times, and on a file system that does not.
fn in_images(test: &str, body: impl Fn(&Image)) {
    if !sandbox::enter(test) {
        return;
    }
    for options in [&["-q"][..], &["-q", "-I", "128"]] {
        if let Some(image) = Image::new(test, "ext4", 32 << 20, options) {
            body(&image);
        }
    }
}

#[test]
fn entries_replaced_while_the_dialog_is_open_are_not_deleted() {
    in_images("entries_replaced_while_the_dialog_is_open_are_not_deleted", |image| {
        let mut reused = 0;
        for change in CHANGES {
            let paths: Vec<_> = (0..RUNS).map(|run| image.join(&format!("entry{run}"))).collect();
            for path in &paths {
                make(path, change.is_of_directory());
            }
            let_a_second_pass(&paths[0]);
            for path in paths {
                let scan = crate::support::scan(&image.path(), 2);
                let preview = asked(whole(&scan, &path));
                assert_eq!(preview.changed, [], "{change:?}");
                let before = fs::metadata(&path).unwrap().ino();
                change.happen(&path);
                reused += usize::from(fs::metadata(&path).unwrap().ino() == before);
                let report = carried_out(Operation::Remove(preview.unchanged.unwrap()));
                assert_eq!((report.entries, reasons(&report)), (0, vec![Reason::Changed]), "{change:?}");
                change.assert_new(&path);
                remove(&path);
            }
        }
        // On a busy machine, not every change reuses the inode number, so a single reuse is enough.
        assert!(reused > 0, "no inode number was used again, so this proves nothing");
    });
}

#[test]
fn entries_replaced_while_the_dialog_is_open_are_not_trashed() {
    in_images("entries_replaced_while_the_dialog_is_open_are_not_trashed", |image| {
        let owner = Owner { home_trash: None, uid: nix::unistd::geteuid().as_raw() };
        for change in CHANGES {
            let path = image.join("entry");
            make(&path, change.is_of_directory());
            let_a_second_pass(&path);
            let scan = crate::support::scan(&image.path(), 2);
            let trash = |selection: &Arc<Selection>| {
                let job =
                    delete::trash(&Pool::new(1).unwrap(), Arc::clone(selection), owner.clone()).unwrap();
                assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
                job.latest().unwrap()
            };
            let going = asked(whole(&scan, &path)).unchanged.unwrap();
            change.happen(&path);
            let kept = trash(&going);
            assert_eq!((kept.moved.len(), kept.failures.first[0].reason), (0, Reason::Changed), "{change:?}");
            change.assert_new(&path);

            // A trashed entry can be restored.
            let_a_second_pass(&path);
            let scan = crate::support::scan(&image.path(), 2);
            let moved = trash(&asked(whole(&scan, &path)).unchanged.unwrap());
            assert_eq!((moved.moved.len(), moved.failures.count), (1, 0), "{change:?}");
            let restored = |moved: &delete::Trashing| {
                let job = delete::restore(&Pool::new(1).unwrap(), Arc::new(moved.moved.clone())).unwrap();
                assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
                job.latest().unwrap()
            };
            assert_eq!(restored(&moved).failures.count, 0, "{change:?}");
            change.assert_new(&path);
            remove(&path);
        }
    });
}

#[test]
fn entries_replaced_before_the_dialog_opened_are_kept_and_not_counted() {
    in_images("entries_replaced_before_the_dialog_opened_are_kept_and_not_counted", |image| {
        for change in CHANGES {
            let path = image.join("entry");
            make(&path, change.is_of_directory());
            let_a_second_pass(&path);
            let scan = crate::support::scan(&image.path(), 2);
            let selection = whole(&scan, &path);
            // A deletion without a dialog must still compare the entry with the scanned data.
            let unasked = Arc::new(selection.clone());
            change.happen(&path);
            let is_born_known = fs::metadata(&path).unwrap().created().is_ok();
            if matches!(change, Change::DirectoryMadeAnew) && !is_born_known {
                // A new directory without a birth time cannot be distinguished from the old one with changed contents.
                remove(&path);
                continue;
            }
            let preview = asked(selection);
            assert_eq!((preview.changed.as_slice(), preview.entries()), (&[0][..], 0), "{change:?}");
            assert_eq!(preview.unchanged.unwrap().count(), 0, "{change:?}");
            assert_eq!(reasons(&carried_out(Operation::Remove(unasked))), [Reason::Changed], "{change:?}");
            change.assert_new(&path);
            // After a rescan, the entry can be deleted.
            let_a_second_pass(&path);
            let again = scan.recheck(whole(&scan, &path).names()).unwrap();
            assert_eq!(again.wait(LONG), Some(duke::scan::Outcome::Complete));
            let preview = asked(whole(&scan, &path));
            assert_eq!(preview.changed, [], "{change:?}");
            assert_eq!(
                carried_out(Operation::Remove(preview.unchanged.unwrap())).failures.count,
                0,
                "{change:?}"
            );
            assert!(!path.exists(), "{change:?}");
        }
    });
}

#[test]
fn entries_added_while_the_dialog_is_open_are_deleted_with_their_directory() {
    const NAME: &str = "entries_added_while_the_dialog_is_open_are_deleted_with_their_directory";
    if !sandbox::enter(NAME) {
        return;
    }
    let Some(image) = Image::new(NAME, "ext4", 32 << 20, &["-q"]) else { return };
    let path = image.join("entry");
    make(&path, true);
    let scan = crate::support::scan(&image.path(), 2);
    // The entry `newer` is added before the dialog opens. It is deleted with its directory, even though the
    // modification time of the directory is set back to the value that the scan read.
    let read = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(path.join("newer"), "newer").unwrap();
    fs::File::open(&path).unwrap().set_modified(read).unwrap();
    let preview = asked(whole(&scan, &path));
    assert_eq!((preview.changed.len(), preview.files), (0, 2));
    fs::write(path.join("newest"), "newest").unwrap();
    fs::write(path.join("old"), "rewritten").unwrap();
    let report = carried_out(Operation::Remove(preview.unchanged.unwrap()));
    assert_eq!((report.entries, report.failures.count), (4, 0));
    assert!(!path.exists());
}

/// Deleting one name of an inode changes the inode's ctime. The other names must still be deleted.
#[test]
fn all_names_of_an_inode_go_together() {
    in_images("all_names_of_an_inode_go_together", |image| {
        fs::create_dir(image.join("d")).unwrap();
        let names: Vec<_> = (0..20).map(|number| image.join(&format!("d/{number}"))).collect();
        fs::write(&names[0], "content").unwrap();
        names[1..].iter().for_each(|name| fs::hard_link(&names[0], name).unwrap());
        let scan = crate::support::scan(&image.path(), 2);
        let above = crate::support::id_of(scan.tree(), &image.join("d"));
        let names: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let places = names.iter().map(|name| (above, name.as_bytes()));
        let preview = asked(Selection::new(scan.tree(), places, DeleteScope::Whole));
        let report = carried_out(Operation::Remove(preview.unchanged.unwrap()));
        assert_eq!((report.entries, report.failures.count), (20, 0), "{:?}", report.failures);
        fs::remove_dir(image.join("d")).unwrap();
    });
}
