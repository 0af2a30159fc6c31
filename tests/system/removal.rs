//! Tests of the deletion of a selection: nothing outside the selection is deleted, even if other processes change
//! directories at the same time.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::support::fixtures::{self, Fixture};
use crate::support::{child, sandbox};
use duke::base::job::Pool;
use duke::scan::{Outcome, Scan};
use duke::testing::delete::{self, DeleteScope, Reason, Removal, Selection};
use duke::tree::{DirId, EntryState, Totals, Tree, Walk};
use nix::sys::resource::{Resource, setrlimit};

const LONG: Duration = Duration::from_secs(60);

fn pool() -> Pool {
    Pool::new(4).unwrap()
}

/// Selects the entries at these paths.
fn select(tree: &Tree, paths: &[PathBuf], scope: DeleteScope) -> Selection {
    let mut known = BTreeMap::new();
    let mut parent = |path: &Path| {
        let parent = path.parent().unwrap().to_owned();
        *known.entry(parent).or_insert_with_key(|parent| crate::support::id_of(tree, parent))
    };
    let parents: Vec<(DirId, &[u8])> =
        paths.iter().map(|path| (parent(path), path.file_name().unwrap().as_bytes())).collect();
    Selection::new(tree, parents, scope)
}

fn remove(selection: Selection) -> Removal {
    let job = delete::remove(&pool(), Arc::new(selection)).unwrap();
    assert_eq!(job.wait(LONG), Some(duke::base::job::JobEnd::Complete));
    Removal::clone(&job.latest().unwrap())
}

fn whole(scan: &Scan, paths: &[PathBuf]) -> Selection {
    select(scan.tree(), paths, DeleteScope::Whole)
}

/// Rescans the selection.
fn recheck(scan: &Scan, selection: &Selection) {
    let again = scan.recheck(selection.names()).unwrap();
    assert_eq!(again.wait(LONG), Some(Outcome::Complete));
}

type Picture = BTreeMap<Vec<u8>, (Totals, u64, Vec<(Vec<u8>, EntryState)>)>;

/// Returns the totals, the shared bytes and the entries of every directory, by path.
fn picture(tree: &Tree) -> Picture {
    let entry = |record: duke::tree::Entry<'_>| {
        let mut state = record.state;
        if let EntryState::Known(metadata) = &mut state {
            metadata.directory = metadata.directory.map(|_| DirId::TOP);
        }
        (record.name.to_vec(), state)
    };
    Walk::new(tree, DirId::TOP)
        .map(|(id, listing)| {
            let mut entries: Vec<_> = listing.entries().map(|(_, record)| entry(record)).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            (tree.path(id), (tree.totals(id), tree.shared(id), entries))
        })
        .collect()
}

/// Rescans the selected entries, then checks that the tree equals the tree of a fresh scan.
fn assert_tree_is_current(scan: &Scan, selection: &Selection, root: &Path) {
    recheck(scan, selection);
    let fresh = crate::support::scan(root, 2);
    let (now, fresh) = (picture(scan.tree()), picture(fresh.tree()));
    for (path, expected) in &fresh {
        assert_eq!(now.get(path), Some(expected), "{}", String::from_utf8_lossy(path));
    }
    assert_eq!(now.len(), fresh.len());
    crate::support::assert_sums_agree(scan.tree());
}

fn reasons(removal: &Removal) -> Vec<(PathBuf, Reason)> {
    let mut failures: Vec<_> = removal
        .failures
        .first
        .iter()
        .map(|failure| (crate::support::path(failure.path.clone()), failure.reason))
        .collect();
    failures.sort_by(|a, b| a.0.cmp(&b.0));
    failures
}

fn exists(path: impl AsRef<Path>) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[test]
fn only_selected_entries_are_deleted() {
    if !sandbox::enter("only_selected_entries_are_deleted") {
        return;
    }
    for fixture in [fixtures::plain(), fixtures::symlinks(), fixtures::weird_names(), fixtures::wide(300)] {
        let outside = fixtures::plain();
        symlink(outside.path(), fixture.join("outside")).unwrap();
        fs::create_dir(fixture.join("kept")).unwrap();
        fixtures::file(fixture.join("kept/file"), 5_000).unwrap();
        let before = crate::support::naive::totals(outside.path());
        let scan = crate::support::scan(fixture.path(), 2);
        let mut paths: Vec<PathBuf> =
            fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| !path.ends_with("kept"));
        let selection = whole(&scan, &paths);
        let entries = scan.tree().totals(DirId::TOP).items - 2;
        let removal = remove(selection.clone());
        assert_eq!((removal.entries, removal.failures.count), (entries, 0));
        assert_eq!(removal.items.iter().map(|item| item.entries).sum::<u64>(), entries);
        let left: Vec<_> = fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [fixture.join("kept")]);
        assert_eq!(crate::support::naive::totals(outside.path()), before);
        assert_tree_is_current(&scan, &selection, fixture.path());
    }
}

#[test]
fn deleting_contents_keeps_the_directory() {
    if !sandbox::enter("deleting_contents_keeps_the_directory") {
        return;
    }
    let fixture = fixtures::plain();
    let scan = crate::support::scan(fixture.path(), 2);
    let selection = select(scan.tree(), &[fixture.join("a")], DeleteScope::Content);
    let removal = remove(selection.clone());
    assert!(removal.is_complete());
    assert_eq!(fs::read_dir(fixture.join("a")).unwrap().count(), 0);
    assert_tree_is_current(&scan, &selection, fixture.path());
    // The contents of a root can be deleted, but not the root itself.
    let top = scan.tree().listing(DirId::TOP);
    let name = top.entries().next().unwrap().1.name;
    assert_eq!(Selection::new(scan.tree(), [(DirId::TOP, name)], DeleteScope::Whole).count(), 0);
    let selection = Selection::new(scan.tree(), [(DirId::TOP, name)], DeleteScope::Content);
    assert!(remove(selection.clone()).is_complete());
    assert_eq!(fs::read_dir(fixture.path()).unwrap().count(), 0);
    assert_tree_is_current(&scan, &selection, fixture.path());
}

#[test]
fn an_entry_in_a_selected_directory_is_selected_once() {
    let fixture = fixtures::plain();
    let scan = crate::support::scan(fixture.path(), 2);
    let selection =
        whole(&scan, &[fixture.join("a"), fixture.join("a/b"), fixture.join("a/b/c"), fixture.join("a")]);
    assert_eq!(selection.count(), 1);
}

#[test]
fn hard_links_partly_removed_are_counted_where_they_are_left() {
    if !sandbox::enter("hard_links_partly_removed_are_counted_where_they_are_left") {
        return;
    }
    for chosen in [
        &["a"][..],
        &["b"],
        &["c"],
        &["a/deep", "b/other"],
        &["three"],
        &["a/one", "b/two"],
        // `c/alone` and `c/twin` are names of the same inode.
        &["c/alone"],
        &["b/other/three"],
        &["a", "b", "c"],
        &["a", "b", "c", "three"],
    ] {
        let fixture = fixtures::hard_links();
        let scan = crate::support::scan(fixture.path(), 2);
        let paths: Vec<_> = chosen.iter().map(|name| fixture.join(name)).collect();
        let selection = whole(&scan, &paths);
        let before = crate::support::naive::totals(fixture.path());
        let preview = preview(&selection);
        let removal = remove(selection.clone());
        assert!(removal.is_complete(), "{chosen:?}: {:?}", removal.failures);
        let after = crate::support::naive::totals(fixture.path());
        // `before` and `after` include the root directory, so its own size must be the same in both.
        let freed = before.disk - after.disk;
        assert_eq!((removal.freed, preview.least, preview.most), (freed, freed, freed), "{chosen:?}");
        assert_eq!(preview.entries(), removal.entries);
        assert_tree_is_current(&scan, &selection, fixture.path());
    }
}

#[test]
fn names_deleted_at_the_same_time_free_their_inode() {
    const INODES: u64 = 2_000;
    if !sandbox::enter("names_deleted_at_the_same_time_free_their_inode") {
        return;
    }
    let fixture = Fixture::build(|root| {
        fs::create_dir(root.join("a"))?;
        fs::create_dir(root.join("b"))?;
        for number in 0..INODES {
            let name = root.join(format!("a/{number}"));
            fixtures::file(&name, 1)?;
            fs::hard_link(name, root.join(format!("b/{number}")))?;
        }
        Ok(())
    });
    let scan = crate::support::scan(fixture.path(), 2);
    let before = crate::support::naive::totals(fixture.path());
    let removal = remove(whole(&scan, &[fixture.join("a"), fixture.join("b")]));
    assert_eq!(removal.entries, 2 * INODES + 2);
    assert_eq!(removal.freed, before.disk - crate::support::naive::totals(fixture.path()).disk);
}

fn preview(selection: &Selection) -> delete::Preview {
    let job = delete::preview(&pool(), Arc::new(selection.clone()), 0).unwrap();
    assert_eq!(job.wait(LONG), Some(duke::base::job::JobEnd::Complete));
    delete::Preview::clone(&job.latest().unwrap())
}

#[test]
fn replaced_entries_are_kept() {
    if !sandbox::enter("replaced_entries_are_kept") {
        return;
    }
    let fixture = fixtures::plain();
    let outside = fixtures::plain();
    let before = crate::support::naive::totals(outside.path());
    let scan = crate::support::scan(fixture.path(), 2);
    let paths = [fixture.join("a/b/c"), fixture.join("a/b/file-2-1"), fixture.join("empty")];
    let selection = whole(&scan, &paths);
    // `a` becomes a link to a directory with the same names, so the paths below it refer to different files. `empty`
    // is replaced by another directory.
    fs::rename(fixture.join("a"), fixture.join("moved")).unwrap();
    symlink(outside.join("a"), fixture.join("a")).unwrap();
    fs::rename(fixture.join("empty"), fixture.join("other")).unwrap();
    fs::create_dir(fixture.join("empty")).unwrap();
    let removal = remove(selection.clone());
    let changed: Vec<_> = paths.iter().map(|path| (path.clone(), Reason::Changed)).collect();
    assert_eq!(reasons(&removal), changed);
    assert_eq!(removal.entries, 0);

    fs::remove_file(fixture.join("a")).unwrap();
    fs::rename(fixture.join("moved"), fixture.join("a")).unwrap();
    fs::rename(fixture.join("a/b/file-2-1"), fixture.join("a/file")).unwrap();
    fs::write(fixture.join("a/b/file-2-1"), "another").unwrap();
    fs::rename(fixture.join("a/b/c"), fixture.join("c")).unwrap();
    symlink(outside.path(), fixture.join("a/b/c")).unwrap();
    let removal = remove(selection);
    assert_eq!(reasons(&removal), changed);
    assert_eq!(crate::support::naive::totals(outside.path()), before);
    assert_eq!(fs::read(fixture.join("a/b/file-2-1")).unwrap(), b"another");
}

/// Exchanges two names, which may be in different directories.
#[cfg(target_os = "linux")]
fn swap(a: (&fs::File, &str), b: (&fs::File, &str)) {
    use nix::fcntl::{RenameFlags, renameat2};
    let _ = renameat2(a.0, a.1, b.0, b.1, RenameFlags::RENAME_EXCHANGE);
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outside_is_touched_while_others_swap_directories_for_links() {
    if !sandbox::enter("nothing_outside_is_touched_while_others_swap_directories_for_links") {
        return;
    }
    let outside = fixtures::plain();
    let before = crate::support::naive::totals(outside.path());
    let mut survived = 0;
    for round in 0..150 {
        let fixture = Fixture::build(|root| {
            for number in 0..12 {
                let directory = root.join(format!("victim/d{number}"));
                fs::create_dir_all(directory.join("a/b/c"))?;
                for inner in ["", "a", "a/b", "a/b/c"] {
                    fixtures::file(directory.join(inner).join("file"), 10)?;
                }
                // The threads started below repeatedly swap these links with directories.
                symlink(outside.path(), root.join(format!("link{number}")))?;
                symlink(outside.join("a"), root.join(format!("inner{number}")))?;
            }
            Ok(())
        });
        let scan = crate::support::scan(fixture.path(), 2);
        let selection = whole(&scan, &[fixture.join("victim")]);
        let stop = std::sync::atomic::AtomicBool::new(false);
        let open = |name: &str| fs::File::open(fixture.join(name)).unwrap();
        let (top, victim) = (open("."), open("victim"));
        // The threads use open directories instead of paths. A path could lead through a symbolic link, and then the
        // threads themselves would exchange entries in `outside`.
        let inner: Vec<fs::File> = (0..12).map(|number| open(&format!("victim/d{number}"))).collect();
        let removal = std::thread::scope(|scope| {
            for part in 0..2 {
                let (top, victim, inner, stop) = (&top, &victim, &inner, &stop);
                scope.spawn(move || {
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        for number in (part..12).step_by(2) {
                            swap((victim, &format!("d{number}")), (top, &format!("link{number}")));
                            swap((&inner[number], "a"), (top, &format!("inner{number}")));
                        }
                    }
                });
            }
            if round % 3 == 0 {
                std::thread::sleep(Duration::from_micros(50 * round));
            }
            let removal = remove(selection);
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            removal
        });
        survived += u64::from(!removal.is_complete());
        assert_eq!(crate::support::naive::totals(outside.path()), before, "round {round}");
    }
    eprintln!("{survived} of 150 rounds left something");
}

#[cfg(target_os = "linux")]
#[test]
fn mounts_inside_and_their_directories_are_kept() {
    if !sandbox::enter("mounts_inside_and_their_directories_are_kept") {
        return;
    }
    let mount = |arguments: &[&str], at: &Path| {
        let status = std::process::Command::new("mount").args(arguments).arg(at).status().unwrap();
        assert!(status.success(), "mount {arguments:?}");
    };
    let outside = fixtures::plain();
    let before = crate::support::naive::totals(outside.path());
    let fixture = fixtures::plain();
    for name in ["a/tmpfs", "a/b/bind"] {
        fs::create_dir(fixture.join(name)).unwrap();
    }
    fs::write(fixture.join("a/b/c/file-bind"), "").unwrap();
    mount(&["-t", "tmpfs", "none"], &fixture.join("a/tmpfs"));
    fs::write(fixture.join("a/tmpfs/file"), "precious").unwrap();
    mount(&["--bind", outside.path().to_str().unwrap()], &fixture.join("a/b/bind"));
    mount(&["--bind", outside.join("a/b/file-2-1").to_str().unwrap()], &fixture.join("a/b/c/file-bind"));
    let scan = crate::support::scan(fixture.path(), 2);
    let selection = whole(&scan, &[fixture.join("a"), fixture.join("empty")]);
    let preview = preview(&selection);
    let mounts = [(fixture.join("a/b/bind"), Reason::Mount), (fixture.join("a/tmpfs"), Reason::Mount)];
    let seen: Vec<_> =
        preview.failures.first.iter().map(|failure| crate::support::path(failure.path.clone())).collect();
    assert_eq!(seen.len(), 2, "{seen:?}");
    let removal = remove(selection.clone());
    let busy = (fixture.join("a/b/c/file-bind"), Reason::System(nix::errno::Errno::EBUSY as i32));
    let expected = [mounts[0].clone(), busy, mounts[1].clone()];
    assert_eq!(reasons(&removal), expected);
    assert_eq!(crate::support::naive::totals(outside.path()), before);
    assert_eq!(fs::read(fixture.join("a/tmpfs/file")).unwrap(), b"precious");
    assert!(!exists(fixture.join("empty")) && !exists(fixture.join("a/file-1-1")));
    assert!(!exists(fixture.join("a/b/c/file-3-1")));
    assert_tree_is_current(&scan, &selection, fixture.path());

    // Both the preview and the deletion refuse a selected mount point.
    let selection = whole(&scan, &[fixture.join("a/tmpfs"), fixture.join("a/b/bind")]);
    let refused: Vec<_> = self::preview(&selection).blocked;
    assert_eq!(refused, [(0, delete::Blocked::Mount), (1, delete::Blocked::Mount)]);
    let reasons: Vec<_> = reasons(&remove(selection)).into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, [Reason::Mount, Reason::Mount]);
    // A root that is a mount point is also refused, even if only its contents are to be deleted.
    let roots = [fixture.join("a/tmpfs"), fixture.join("a/b/bind"), fixture.join("a")];
    let scan = Scan::run(roots.to_vec(), duke::scan::Options::default());
    let names = roots.iter().map(|root| (DirId::TOP, root.as_os_str().as_bytes()));
    let selection = Selection::new(scan.tree(), names, DeleteScope::Content);
    assert_eq!(self::preview(&selection).blocked.len(), 2);
}

#[test]
fn both_ways_to_stay_on_a_mount_agree() {
    if !cfg!(target_os = "linux") || !sandbox::enter("both_ways_to_stay_on_a_mount_agree") {
        return;
    }
    let fixture = fixtures::plain();
    fs::create_dir(fixture.join("bind")).unwrap();
    let bind = ["--bind", fixture.path().to_str().unwrap(), fixture.join("bind").to_str().unwrap()]
        .map(str::to_owned);
    assert!(std::process::Command::new("mount").args(bind).status().unwrap().success());
    symlink("a", fixture.join("link")).unwrap();
    let directory = duke::testing::platform::Directory::open(fixture.path()).unwrap();
    for name in ["a", "bind", "link", "file-0-1", "missing"] {
        let (one, other) = (directory.open_inside(name), directory.open_compared(name));
        assert_eq!(one.is_ok(), other.is_ok(), "{name}");
        assert_eq!(one.is_ok(), name == "a");
        if name == "bind" {
            assert_eq!(one.unwrap_err(), nix::errno::Errno::EXDEV);
            assert_eq!(other.unwrap_err(), nix::errno::Errno::EXDEV);
        }
    }
    let above = directory.open_inside("a").unwrap().open_above().unwrap();
    assert_eq!(above.attributes().unwrap().inode, directory.attributes().unwrap().inode);
}

#[test]
fn undeletable_entries_are_named_and_the_rest_is_deleted() {
    // The test changes the mode of /tmp. Only on Linux does the sandbox have its own /tmp.
    if !cfg!(target_os = "linux") || !sandbox::enter("undeletable_entries_are_named_and_the_rest_is_deleted")
    {
        return;
    }
    let fixture = fixtures::plain();
    fs::create_dir_all(fixture.join("a/b/closed")).unwrap();
    fixtures::file(fixture.join("a/b/closed/file"), 3_000).unwrap();
    fs::create_dir_all(fixture.join("a/hidden/inner")).unwrap();
    let _ = std::process::Command::new("chown").args(["-R", "65534:65534"]).arg(fixture.path()).status();
    let mode = |name: &str, mode| {
        fs::set_permissions(fixture.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("a/b/closed", 0o555);
    mode("a/hidden", 0o000);
    fs::set_permissions("/tmp", fs::Permissions::from_mode(0o1777)).unwrap();
    if nix::unistd::geteuid().is_root() {
        // A user namespace may contain no other user to switch to.
        if std::panic::catch_unwind(child::become_nobody).is_err() {
            return crate::support::skip("nobody else to be");
        }
    }
    let scan = crate::support::scan(fixture.path(), 2);
    let selection = whole(&scan, &[fixture.join("a"), fixture.join("empty")]);
    let preview = preview(&selection);
    assert_eq!(preview.kept.denied, 2, "what is in the closed directory, and the hidden one: {preview:?}");
    let removal = remove(selection.clone());
    let denied = Reason::System(nix::errno::Errno::EACCES as i32);
    assert_eq!(
        reasons(&removal),
        [(fixture.join("a/b/closed/file"), denied), (fixture.join("a/hidden"), denied)]
    );
    assert!(!exists(fixture.join("empty")) && !exists(fixture.join("a/b/c")) && exists(fixture.join("a/b")));
    recheck(&scan, &selection);
    crate::support::assert_sums_agree(scan.tree());
    let left = scan.tree().totals(crate::support::id_of(scan.tree(), &fixture.join("a")));
    assert_eq!((left.items, left.errors), (4, 1));

    mode("a/b/closed", 0o755);
    mode("a/hidden", 0o755);
    let again = remove(whole(&scan, &[fixture.join("a")]));
    assert!(again.is_complete(), "a retry: {:?}", again.failures);
    assert!(!exists(fixture.join("a")));
}

#[test]
fn vanished_entries_are_no_failures_and_new_ones_are_deleted_too() {
    if !sandbox::enter("vanished_entries_are_no_failures_and_new_ones_are_deleted_too") {
        return;
    }
    for _ in 0..20 {
        let fixture = fixtures::wide(200);
        let scan = crate::support::scan(fixture.path(), 2);
        let paths: Vec<PathBuf> =
            fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let selection = whole(&scan, &paths);
        let removal = std::thread::scope(|scope| {
            let paths = &paths;
            scope.spawn(move || {
                for path in paths.iter().rev() {
                    let _ = fs::remove_dir_all(path);
                }
            });
            scope.spawn(move || {
                for path in paths {
                    let _ = fs::write(path.join("inner/new"), "new");
                    let _ = fs::create_dir(path.join("inner/newer"));
                }
            });
            remove(selection.clone())
        });
        assert!(removal.is_complete(), "{:?}", removal.failures);
        assert_tree_is_current(&scan, &selection, fixture.path());
    }
}

#[test]
fn any_depth_is_deleted_with_few_descriptors() {
    if !sandbox::enter("any_depth_is_deleted_with_few_descriptors") {
        return;
    }
    for (limit, depth) in [(None, 50_000), (Some(64), 50_000)] {
        if let Some(limit) = limit {
            setrlimit(Resource::RLIMIT_NOFILE, limit, limit).unwrap();
        }
        let fixture = fixtures::chain(depth, "d");
        let scan = crate::support::scan(fixture.path(), 2);
        let selection = whole(&scan, &[fixture.join("d"), fixture.join("file")]);
        let removal = remove(selection.clone());
        assert!(removal.is_complete(), "{:?}", removal.failures.first.first());
        assert_eq!(removal.entries, 2 * depth as u64 + 1);
        assert_tree_is_current(&scan, &selection, fixture.path());
    }
}

/// The fixture has four directories at each of 400 levels.
#[test]
fn wide_directories_at_any_depth_are_deleted_with_few_descriptors() {
    if !sandbox::enter("wide_directories_at_any_depth_are_deleted_with_few_descriptors") {
        return;
    }
    setrlimit(Resource::RLIMIT_NOFILE, 64, 64).unwrap();
    let fixture = Fixture::build(|root| {
        let mut at = root.join("comb");
        for _ in 0..400 {
            for side in ["a", "b/c", "d", "e"] {
                fs::create_dir_all(at.join(side))?;
                fixtures::file(at.join(side).join("file"), 1)?;
            }
            at = at.join("d");
        }
        Ok(())
    });
    let scan = crate::support::scan(fixture.path(), 2);
    let selection = whole(&scan, &[fixture.join("comb")]);
    let removal = remove(selection.clone());
    assert!(removal.is_complete(), "{:?}", removal.failures.first.first());
    assert_tree_is_current(&scan, &selection, fixture.path());
}

#[test]
fn a_large_directory_is_deleted_and_a_cancelled_deletion_leaves_a_correct_tree() {
    if !sandbox::enter("a_large_directory_is_deleted_and_a_cancelled_deletion_leaves_a_correct_tree") {
        return;
    }
    let fixture = fixtures::wide(20_000);
    let scan = crate::support::scan(fixture.path(), 2);
    let paths: Vec<PathBuf> =
        fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let selection = whole(&scan, &paths);
    let mut job = delete::remove(&pool(), Arc::new(selection.clone())).unwrap();
    while job.poll().is_none_or(|removal| removal.entries == 0) && job.outcome().is_none() {
        std::thread::yield_now();
    }
    job.cancel();
    let begun = std::time::Instant::now();
    assert_eq!(job.wait(LONG), Some(duke::base::job::JobEnd::Stopped));
    assert!(begun.elapsed() < Duration::from_secs(1), "at once");
    let removal = job.latest().unwrap();
    assert!(removal.is_over && removal.failures.count == 0);
    let left = crate::support::naive::totals(fixture.path());
    assert!(removal.entries > 0 && left.items > 0, "in the middle of it");
    assert_eq!(removal.entries + left.items, 60_000);
    for ((group, item), how) in selection.items().zip(&removal.items) {
        let path = PathBuf::from(OsStr::from_bytes(&group.path_of(item)));
        assert_eq!(how.is_done, !path.exists(), "{}", path.display());
    }
    assert_tree_is_current(&scan, &selection, fixture.path());
    let rest: Vec<PathBuf> =
        fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(remove(whole(&scan, &rest)).is_complete());

    // With `DUKE_SOAK`, the directory has a million entries, like a large mail folder.
    let names = if std::env::var_os("DUKE_SOAK").is_some() { 1_000_000 } else { 100_000 };
    let fixture = fixtures::crowd(names);
    let scan = crate::support::scan(fixture.path(), 2);
    let selection = select(scan.tree(), &[fixture.path().join("directory")], DeleteScope::Whole);
    let everything: Vec<(DirId, Vec<u8>)> = scan
        .tree()
        .listing(selection.groups[0].directory)
        .entries()
        .map(|(_, record)| (selection.groups[0].directory, record.name.to_vec()))
        .collect();
    let selection = Selection::new(
        scan.tree(),
        everything.iter().map(|(directory, name)| (*directory, name.as_slice())),
        DeleteScope::Whole,
    );
    let removal = remove(selection.clone());
    assert_eq!((removal.entries, removal.failures.count), (names as u64 + 2, 0));
    assert_tree_is_current(&scan, &selection, fixture.path());
}
