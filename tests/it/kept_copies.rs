//! Tests that a deletion keeps the last copy of a file. Immediately before the deletion, duke checks that at least one
//! copy outside the selection has not been changed or deleted.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::support::operations::{asked, carried_out};
use duke::base::job::{JobEnd, Pool};
use duke::scan::Scan;
use duke::testing::analysis::search::{Order, Query, Request};
use duke::testing::delete::{Blocked, CopyName, DeleteScope, Operation, Reason, Selection};
use duke::testing::duplicates;
use duke::tree::DirId;

const LONG: Duration = Duration::from_secs(60);

/// Directory with copies of a file, and the result of a search for them.
struct Copies {
    temp: tempfile::TempDir,
    scan: Scan,
    found: Arc<duplicates::Duplicates>,
}

impl Copies {
    /// Writes the same contents to each of the files, and searches for duplicates.
    fn of(names: &[&str]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        for name in names {
            let path = temp.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "the same contents").unwrap();
        }
        Self::in_place(temp)
    }

    fn in_place(temp: tempfile::TempDir) -> Self {
        let scan = crate::support::scan(temp.path(), 2);
        let tree = Arc::clone(scan.tree());
        let request = Request { tree, from: DirId::TOP, query: Query::default(), order: Order::default() };
        let job = duplicates::find(&Pool::new(2).unwrap(), request).unwrap();
        assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
        let found = job.latest().unwrap();
        Self { temp, scan, found }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn select(&self, names: &[&str]) -> Result<Selection, usize> {
        let tree = self.scan.tree();
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        let places = paths.iter().map(|path| {
            (crate::support::id_of(tree, path.parent().unwrap()), path.file_name().unwrap().as_bytes())
        });
        let selection = Selection::new(tree, places, DeleteScope::Whole);
        let copies = |set: &Vec<duplicates::EqualEntry>| -> Vec<CopyName<'_>> {
            set.iter().filter_map(|equal| CopyName::of(tree, equal.entry, equal.state)).collect()
        };
        selection.leaving_copies(tree, self.found.sets.iter().map(copies))
    }
}

fn rewrite(path: &Path) {
    fs::write(path, "the same c0ntents").unwrap();
}

/// Replaces a file with a new copy of itself that has the same modification time.
fn replace(path: &Path) {
    let other = path.with_extension("other");
    fs::copy(path, &other).unwrap();
    let times = fs::metadata(path).unwrap();
    let times = fs::FileTimes::new().set_modified(times.modified().unwrap());
    fs::File::options().write(true).open(&other).unwrap().set_times(times).unwrap();
    fs::rename(other, path).unwrap();
}

fn replace_directory(path: &Path) {
    let above = path.parent().unwrap();
    fs::rename(above, above.with_extension("moved")).unwrap();
    fs::create_dir(above).unwrap();
}

#[test]
fn without_an_unchanged_copy_the_deletion_is_refused() {
    type Tamper = (&'static str, fn(&Path));
    let tampers: [Tamper; 5] = [
        ("deleted", |path| fs::remove_file(path).unwrap()),
        ("rewritten", rewrite),
        ("longer", |path| fs::write(path, "the same contents and more").unwrap()),
        ("replaced", replace),
        ("directory replaced", replace_directory),
    ];
    for (what, tamper) in tampers {
        let copies = Copies::of(&["old/a", "new/a"]);
        let selection = copies.select(&["old/a"]).unwrap();
        let preview = asked(selection.clone());
        assert_eq!(preview.blocked, [], "{what}: nothing has changed yet");
        tamper(&copies.path("new/a"));
        assert_eq!(asked(selection).blocked, [(0, Blocked::LastCopy)], "{what}: the dialog says why");
        // The deletion uses the preview from before the change, as if the user had confirmed it before duke noticed the
        // change.
        let report = carried_out(Operation::Remove(preview.unchanged.unwrap()));
        assert_eq!(report.failures.first[0].reason, Reason::Refused(Blocked::LastCopy), "{what}");
        assert_eq!(report.failures.first[0].path, copies.path("old/a").as_os_str().as_bytes());
        assert_eq!((report.entries, report.failures.count), (0, 1), "{what}");
        assert!(copies.path("old/a").exists(), "{what}");
    }
}

#[test]
fn one_unchanged_copy_of_several_is_enough() {
    let copies = Copies::of(&["a", "b", "c"]);
    let selection = copies.select(&["a"]).unwrap();
    fs::remove_file(copies.path("b")).unwrap();
    let preview = asked(selection.clone());
    assert_eq!(preview.blocked, []);
    assert_eq!(carried_out(Operation::Remove(preview.unchanged.unwrap())).entries, 1);
    assert!(!copies.path("a").exists() && copies.path("c").exists());
}

#[test]
fn another_name_of_the_kept_copy_may_go() {
    let copies = Copies::of(&["a", "b"]);
    fs::hard_link(copies.path("b"), copies.path("c")).unwrap();
    let copies = Copies::in_place(copies.temp);
    let selection = copies.select(&["a"]).unwrap();
    fs::remove_file(copies.path("c")).unwrap();
    assert_eq!(asked(selection).blocked, []);
}

#[test]
fn the_trash_and_whole_directories_are_refused_as_well() {
    let copies = Copies::of(&["old/deep/a", "old/deep/b", "new"]);
    let selection = copies.select(&["old"]).unwrap();
    rewrite(&copies.path("new"));
    assert_eq!(asked(selection.clone()).blocked, [(0, Blocked::LastCopy)]);
    let report = carried_out(Operation::Trash(Arc::new(selection)));
    assert_eq!(report.failures.first[0].reason, Reason::Refused(Blocked::LastCopy));
    assert!(copies.path("old/deep/a").exists());
}

#[test]
fn all_copies_cannot_be_selected() {
    let copies = Copies::of(&["old/a", "new/a", "new/b"]);
    assert_eq!(copies.select(&["old/a", "new"]), Err(1));
    assert!(copies.select(&["new"]).is_ok());
}
