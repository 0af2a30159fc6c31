//! Behavior of a scan: roots, exclusions, stopping, and a file system that changes during the scan.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::fixtures::{self, Fixture};
use crate::support::{child, naive};
use duke::base::kind::Kind;
use duke::scan::{ExcludePatterns, Options, Outcome, Scan};
use duke::tree::{DirId, EntryState, Exclusion, LiveTotals, Metadata, Totals, Tree};

const PATIENCE: Duration = Duration::from_secs(60);

fn roots(paths: &[&Path], threads: usize) -> Scan {
    let options = Options { threads: Some(threads), ..Options::default() };
    let scan = Scan::run(paths.iter().map(|path| path.to_path_buf()).collect(), options);
    assert_eq!(scan.outcome(), Some(Outcome::Complete));
    crate::support::assert_sums_agree(scan.tree());
    scan
}

/// Returns the total of `du -c` for several paths.
fn du_together(paths: &[&Path]) -> u64 {
    let output = naive::blocks_of_du().args(["-cs", "--"]).args(paths).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    naive::bytes(text.lines().last().unwrap())
}

fn known(tree: &Tree, position: usize) -> (PathBuf, Kind, Metadata) {
    let listing = tree.listing(DirId::TOP);
    let (_, record) = listing.entries().nth(position).unwrap();
    let EntryState::Known(metadata) = record.state else { panic!("{record:?}") };
    (crate::support::path(record.name.to_vec()), record.kind, metadata)
}

#[test]
fn roots_together_count_every_inode_once() {
    let fixture = fixtures::hard_links();
    let (a, b, c) = (fixture.join("a"), fixture.join("b"), fixture.join("c"));
    let (deep, file) = (fixture.join("a/deep"), fixture.join("a/one"));
    let cases: [&[&Path]; 9] = [
        &[&a, &b, &c],
        &[fixture.path(), &a],
        &[&a, fixture.path()],
        &[&deep, &a, fixture.path(), &b],
        &[&a, &a],
        &[&deep, &a, &deep, &a],
        &[&file, &a],
        &[&a, &file, &file],
        &[fixture.path(), &fixture.join("a/../b/."), &fixture.join("three")],
    ];
    for paths in cases {
        for threads in [1, 2, 8] {
            let scan = roots(paths, threads);
            let tree = scan.tree();
            assert_eq!(tree.totals(DirId::TOP).disk, du_together(paths), "{paths:?}");
            for (position, path) in paths.iter().enumerate() {
                let (name, _, metadata) = known(tree, position);
                assert_eq!(name, *path, "as given");
                if let Some(id) = metadata.directory {
                    assert_eq!(tree.totals(id), naive::totals(path), "{} of {paths:?}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_root_inside_another_is_the_same_directory() {
    let fixture = fixtures::plain();
    let inner = fixture.join("a/b");
    for paths in [[fixture.path(), inner.as_path()], [inner.as_path(), fixture.path()]] {
        let scan = roots(&paths, 2);
        let whole = naive::totals(fixture.path());
        assert_eq!(scan.tree().totals(DirId::TOP), whole, "also the items");
        let id = crate::support::id_of(scan.tree(), &inner);
        let of_inner = paths.iter().position(|path| *path == inner).unwrap();
        assert_eq!(known(scan.tree(), of_inner).2.directory, Some(id));
    }
}

#[test]
fn a_root_excluded_from_another_is_read_on_its_own() {
    let fixture = fixtures::plain();
    let inner = fixture.join("a/b");
    let filter = ExcludePatterns::filter(&["a".to_owned()]).unwrap();
    let options = Options { filter, ..Options::default() };
    let scan = Scan::run(vec![fixture.path().to_owned(), inner.clone()], options);
    let tree = scan.tree();
    crate::support::assert_sums_agree(tree);
    let id = known(tree, 1).2.directory.unwrap();
    assert_eq!(tree.totals(id), naive::totals(&inner));
    let outer = known(tree, 0).2.directory.unwrap();
    assert_eq!(tree.totals(DirId::TOP).disk, tree.totals(outer).disk + tree.totals(id).disk);
}

#[test]
fn an_unreadable_root_inside_another_counts_once() {
    if !child::alone("an_unreadable_root_inside_another_counts_once") {
        return;
    }
    child::become_nobody();
    let fixture = fixtures::unreadable();
    let closed = fixture.join("closed");
    let scan = roots(&[fixture.path(), &closed], 2);
    assert_eq!(scan.tree().totals(DirId::TOP), naive::totals(fixture.path()));
    let scan = roots(&[&closed, fixture.path()], 2);
    assert_eq!(scan.tree().totals(DirId::TOP), naive::totals(fixture.path()));
}

#[test]
fn a_root_may_be_a_file_a_link_or_missing() {
    let fixture = fixtures::symlinks();
    let path = |name: &str| fixture.join(name);
    let given =
        ["real/file", "to-file", "dangling", "to-directory", "real/", "missing", "real/file/"].map(path);
    let scan = roots(&given.each_ref().map(PathBuf::as_path), 2);
    let tree = scan.tree();
    let kinds = [Kind::File, Kind::Symlink, Kind::Symlink, Kind::Directory, Kind::Directory];
    for (position, kind) in kinds.into_iter().enumerate() {
        let (name, found, metadata) = known(tree, position);
        assert_eq!((name, found), (given[position].clone(), kind));
        assert_eq!(metadata.directory.is_some(), kind == Kind::Directory);
    }
    assert_eq!(known(tree, 0).2.apparent, 50_000);
    assert_eq!(known(tree, 1).2.inode, fs::symlink_metadata(&given[1]).unwrap().ino());
    let real = known(tree, 3).2.directory.unwrap();
    assert_eq!(known(tree, 4).2.directory, Some(real), "the same directory by two names");
    assert_eq!(tree.totals(real), naive::totals(&path("real")));
    let missing = [(given[5].clone(), nix::libc::ENOENT), (given[6].clone(), nix::libc::ENOTDIR)];
    assert_eq!(crate::support::failures(tree), missing);
    let totals = tree.totals(DirId::TOP);
    let files = [0, 1, 2].map(|position| known(tree, position).2);
    // The first file is inside the root `real`, whose totals already include it.
    assert_eq!(totals.disk, tree.totals(real).disk + files[1].disk() + files[2].disk());
    assert_eq!((totals.items, totals.errors), (tree.totals(real).items, 2), "roots are no items");
}

#[test]
fn no_root_at_all_is_an_empty_tree() {
    let scan = roots(&[], 2);
    assert_eq!(scan.tree().totals(DirId::TOP), Totals::default());
}

#[test]
fn the_current_directory_is_a_root_however_deep_it_is() {
    if !child::alone("the_current_directory_is_a_root_however_deep_it_is") {
        return;
    }
    let fixture = fixtures::chain(60, &"n".repeat(200));
    std::env::set_current_dir(fixture.path()).unwrap();
    let whole = roots(&[Path::new(".")], 2).tree().totals(DirId::TOP);
    assert_eq!(whole.items, 121);
    assert_eq!(roots(&[Path::new("./")], 2).tree().totals(DirId::TOP), whole);
    for _ in 0..50 {
        std::env::set_current_dir("n".repeat(200)).unwrap();
    }
    let scan = roots(&[Path::new("."), Path::new("..")], 2);
    assert_eq!(known(scan.tree(), 0).2.directory.map(|id| scan.tree().totals(id).items), Some(21));
    assert_eq!(scan.tree().totals(DirId::TOP).items, 23);
}

#[test]
fn an_inaccessible_working_directory_does_not_matter() {
    if !child::alone("an_inaccessible_working_directory_does_not_matter") {
        return;
    }
    child::become_nobody();
    let (fixture, closed) = (fixtures::plain(), fixtures::empty());
    let expected = naive::totals(fixture.path());
    std::env::set_current_dir(closed.path()).unwrap();
    let mode = |mode| fs::set_permissions(closed.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0);
    assert_eq!(roots(&[fixture.path()], 2).tree().totals(DirId::TOP), expected);
    let here = roots(&[Path::new(".")], 2);
    assert_eq!(here.tree().totals(DirId::TOP).errors, u32::from(File::open(".").is_err()));
    mode(0o700);
}

#[test]
fn links_are_followed_only_before_a_slash_and_never_endlessly() {
    let fixture = Fixture::build(|root| {
        fs::create_dir(root.join("0"))?;
        fixtures::file(root.join("0/file"), 9_000)?;
        (0..60).try_for_each(|number: u32| symlink(number.to_string(), root.join((number + 1).to_string())))
    });
    let scan = roots(&[&fixture.join("60"), &fixture.join("20/"), &fixture.join("60/")], 2);
    assert_eq!(known(scan.tree(), 0).1, Kind::Symlink);
    assert_eq!(known(scan.tree(), 1).2.directory.map(|id| scan.tree().totals(id).items), Some(1));
    assert_eq!(crate::support::failures(scan.tree()), [(fixture.join("60/"), nix::libc::ELOOP)]);
}

#[test]
fn more_roots_than_descriptors() {
    let fixture = fixtures::wide(1_300);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let scan = roots(&paths, 2);
    assert_eq!(scan.tree().totals(DirId::TOP).disk, du_together(&paths));
    assert_eq!(scan.tree().totals(DirId::TOP).items, 2_600);
}

#[test]
fn excluded_entries_are_shown_and_not_counted() {
    let fixture = fixtures::plain();
    let filter = ExcludePatterns::filter(&["*-4097".to_owned(), "a/b".to_owned()]).unwrap();
    let scan = crate::support::scan_with(fixture.path(), Options { filter, ..Options::default() });
    let tree = scan.tree();
    crate::support::assert_sums_agree(tree);
    let listing = tree.listing(crate::support::id_of(tree, &fixture.join("a")));
    let excluded = |state: &EntryState| *state == EntryState::Excluded(Exclusion::Pattern);
    let mut names: Vec<_> = listing
        .entries()
        .filter(|(_, record)| excluded(&record.state))
        .map(|(_, record)| record.name)
        .collect();
    names.sort_unstable();
    assert_eq!(names, [b"b".as_slice(), b"file-1-4097"]);
    if cfg!(not(target_os = "linux")) {
        return crate::support::skip("only GNU's du excludes by pattern");
    }
    let output =
        Command::new("du").args(["-sB1", "--exclude=*-4097", "--exclude=a/b"]).arg(fixture.path()).output();
    let du = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(du.split('\t').next(), Some(tree.totals(DirId::TOP).disk.to_string().as_str()));
}

#[test]
fn directories_with_a_cache_tag_are_excluded_on_request() {
    let fixture = fixtures::plain();
    let tag = "Signature: 8a477f597d28d172789f06886806bc55\n# more";
    fs::write(fixture.join("a/b/CACHEDIR.TAG"), tag).unwrap();
    fs::write(fixture.join("empty/CACHEDIR.TAG"), &tag[..42]).unwrap();
    nix::unistd::mkfifo(&fixture.join("empty/inside/CACHEDIR.TAG"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let scan = crate::support::scan_with(fixture.path(), Options { skip_caches: true, ..Options::default() });
    crate::support::assert_sums_agree(scan.tree());
    let output =
        Command::new("find").arg(fixture.path()).args(["-mindepth", "1", "-not", "-path", "*/a/b*"]).output();
    let lines = output.unwrap().stdout.split(|byte| *byte == b'\n').count() as u64 - 1;
    assert_eq!(scan.tree().totals(DirId::TOP).items, lines);
    let all = crate::support::scan(fixture.path(), 1);
    assert_eq!(all.tree().totals(DirId::TOP), naive::totals(fixture.path()));
}

#[test]
fn owners_are_recorded_on_request() {
    let fixture = fixtures::plain();
    let scan = crate::support::scan_with(fixture.path(), Options { owners: true, ..Options::default() });
    let a = crate::support::id_of(scan.tree(), &fixture.join("a"));
    for (_, record) in scan.tree().listing(a).entries() {
        let metadata =
            fs::symlink_metadata(fixture.join("a").join(crate::support::path(record.name.to_vec()))).unwrap();
        let EntryState::Known(Metadata { owner: Some(owner), .. }) = record.state else {
            panic!("{record:?}")
        };
        assert_eq!((owner.uid, owner.gid, owner.mode), (metadata.uid(), metadata.gid(), metadata.mode()));
    }
}

#[test]
fn a_stopped_scan_keeps_partial_results_and_reports_it() {
    let fixture = fixtures::wide(4_000);
    let whole = naive::totals(fixture.path());
    let mut stopped = 0;
    for threads in [1, 2, 8] {
        for entries in [0, 1, 500, 5_000, 9_000] {
            let options = Options { threads: Some(threads), ..Options::default() };
            let scan = Scan::start(vec![fixture.path().to_owned()], options).unwrap();
            while scan.progress().entries < entries && scan.outcome().is_none() {
                std::hint::spin_loop();
            }
            scan.stop();
            let outcome = scan.wait(PATIENCE).expect("it ends");
            let tree = scan.tree();
            crate::support::assert_sums_agree(tree);
            let totals = tree.totals(DirId::TOP);
            assert_eq!(totals.errors, 0);
            assert!(totals.items >= entries.min(whole.items));
            if outcome == Outcome::Stopped {
                stopped += 1;
            }
            assert!(tree.status(DirId::TOP).partial || totals == whole, "what is missing is admitted");
            assert!(!tree.status(DirId::TOP).partial || outcome == Outcome::Stopped);
            // Every ancestor of a partial directory is partial.
            for (id, _) in duke::tree::Walk::new(tree, DirId::TOP) {
                let parent = tree.parent(id).unwrap_or(DirId::TOP);
                assert!(!tree.status(id).partial || tree.status(parent).partial);
            }
        }
    }
    assert!(stopped > 3, "{stopped} of 15 were stopped in time");
}

#[test]
fn workers_start_after_the_head_start() {
    let fixture = fixtures::wide(30);
    let options = Options { head_start: PATIENCE, ..Options::default() };
    let scan = Scan::start(vec![fixture.path().to_owned()], options).unwrap();
    while scan.tree().listing(DirId::TOP).is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(scan.wait(Duration::from_millis(50)), None);
    assert_eq!(scan.tree().totals(DirId::TOP).items, 0, "only the root has been read");
    scan.end_head_start();
    assert_eq!(scan.wait(PATIENCE), Some(Outcome::Complete));
    assert_eq!(scan.tree().totals(DirId::TOP), naive::totals(fixture.path()));
}

#[test]
fn live_totals_grow_to_the_final_ones() {
    let fixture = fixtures::wide(3_000);
    let whole = naive::totals(fixture.path());
    for threads in [1, 2, 8] {
        let options = Options { threads: Some(threads), ..Options::default() };
        let scan = Scan::start(vec![fixture.path().to_owned()], options).unwrap();
        let tree = scan.tree();
        while scan.outcome().is_none() {
            let live = LiveTotals::sample(tree).totals(tree, DirId::TOP);
            assert!(live.disk <= whole.disk && live.apparent <= whole.apparent && live.items <= whole.items);
            let progress = scan.progress();
            assert!(progress.entries <= whole.items && progress.disk <= whole.disk && progress.errors == 0);
            assert!(progress.current.is_none_or(|path| path.starts_with(fixture.path())));
        }
        assert_eq!(scan.wait(PATIENCE), Some(Outcome::Complete));
        assert_eq!(LiveTotals::sample(tree).totals(tree, DirId::TOP), whole);
        assert_eq!(tree.totals(DirId::TOP), whole);
        let progress = scan.progress();
        // The progress includes the size of each directory itself, even that of the root.
        assert_eq!((progress.entries, progress.disk), (whole.items, whole.disk));
    }
}

/// Repeatedly asks the running scan to read certain directories next. Some of them are already being read or have
/// been read.
#[test]
fn viewed_directories_count_once() {
    let fixture = fixtures::wide(3_000);
    let whole = naive::totals(fixture.path());
    for threads in [1, 2, 8] {
        let options = Options { threads: Some(threads), ..Options::default() };
        let scan = Scan::start(vec![fixture.path().to_owned()], options).unwrap();
        let tree = scan.tree();
        let mut known = vec![DirId::TOP];
        for round in 0.. {
            if scan.outcome().is_some() {
                break;
            }
            let id = known[round * 7919 % known.len()];
            known.extend(tree.listing(id).directories());
            scan.set_viewed(known.iter().rev().take(20).copied().collect());
        }
        assert_eq!(scan.wait(PATIENCE), Some(Outcome::Complete));
        assert_eq!(tree.totals(DirId::TOP), whole);
        crate::support::assert_sums_agree(tree);
    }
}

#[test]
fn a_viewed_root_is_read_first_unless_it_is_inside_another() {
    let fixture = Fixture::build(|at| {
        ["a/x", "b/y", "c/z/inner"].iter().try_for_each(|below| fs::create_dir_all(at.join(below)))
    });
    let roots = ["c/z", "a", "b", "c"].map(|name| fixture.join(name));
    let options = Options { threads: Some(1), head_start: PATIENCE, ..Options::default() };
    let scan = Scan::start(roots.to_vec(), options).unwrap();
    let tree = scan.tree();
    while tree.listing(DirId::TOP).is_empty() {
        std::thread::yield_now();
    }
    let ids: Vec<DirId> = tree.listing(DirId::TOP).directories().collect();
    scan.set_viewed(vec![ids[2], ids[0]]);
    scan.end_head_start();
    assert_eq!(scan.wait(PATIENCE), Some(Outcome::Complete));
    // Directories are numbered in the order in which the scan finds them.
    let found = |path: &str| crate::support::id_of(tree, &fixture.join(path)).0;
    assert!(found("b/y") < found("a/x"), "b is read first");
    let alias = tree.listing(DirId::TOP).directories().next().map(|id| id.0);
    assert_eq!(alias, Some(found("c/z")), "c/z is read as a part of c");
    assert_eq!(tree.totals(DirId::TOP).items, 4, "x, y, z and inner");
}

/// Creates, deletes and renames entries, and replaces directories with links and files, until `stop` is set.
fn stir(root: &Path, stop: &AtomicBool) {
    let churn = |round: u64| -> std::io::Result<()> {
        let temp = root.join(format!("churn-{}", round % 7));
        fs::create_dir_all(temp.join("x/y/z"))?;
        for number in 0..20 {
            fixtures::file(temp.join(format!("x/file-{number}")), 5_000)?;
            fs::hard_link(temp.join(format!("x/file-{number}")), temp.join(format!("x/y/link-{number}")))?;
        }
        match round % 5 {
            0 => fs::remove_dir_all(&temp)?,
            1 => fs::rename(temp.join("x/y"), root.join(format!("moved-{round}")))?,
            2 => {
                fs::remove_dir_all(temp.join("x"))?;
                symlink("/usr", temp.join("x"))?;
            }
            3 => {
                fs::remove_dir_all(temp.join("x"))?;
                fixtures::file(temp.join("x"), 10)?;
            }
            _ => {
                // Moves the directory up and out of its parent, perhaps while the scan is reading it.
                fs::rename(temp.join("x"), root.join(format!("up-{round}")))?;
                fs::remove_dir_all(root.join(format!("up-{round}")))?;
            }
        }
        if temp.join("x").symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            fs::remove_file(temp.join("x"))?;
        }
        let _ = fs::remove_dir_all(root.join(format!("moved-{}", round.saturating_sub(40))));
        Ok(())
    };
    for round in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        churn(round).unwrap();
    }
}

#[test]
fn a_tree_that_changes_is_scanned_without_errors() {
    let fixture = fixtures::plain();
    let stop = AtomicBool::new(false);
    // `DUKE_SOAK` multiplies the number of rounds.
    let soak = std::env::var("DUKE_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    std::thread::scope(|scope| {
        scope.spawn(|| stir(fixture.path(), &stop));
        let finished = std::panic::catch_unwind(|| {
            for round in 0..150 * soak {
                let scan = roots(&[fixture.path()], [1, 2, 8][round % 3]);
                assert_eq!(crate::support::failures(scan.tree()), [], "what changes is no error");
                let entries = scan.tree().totals(DirId::TOP).items;
                assert!((20..50_000).contains(&entries), "{entries}: no link was followed");
                let totals = scan.tree().totals(DirId::TOP);
                assert!(totals.disk < 1 << 30 && totals.apparent < 1 << 30, "{totals:?}: nothing wrapped");
            }
        });
        stop.store(true, Ordering::Relaxed);
        finished.unwrap();
    });
    assert_eq!(
        crate::support::scan(fixture.path(), 2).tree().totals(DirId::TOP),
        naive::totals(fixture.path())
    );
}

/// The scan may read one name of a file when its link count is 1, and the second name when the link count is 2.
#[test]
fn links_made_while_it_is_scanned_count_once() {
    let fixture = Fixture::build(|root| {
        for number in 0..200 {
            fs::create_dir(root.join(format!("{number}")))?;
            fixtures::file(root.join(format!("{number}/file")), 4_096)?;
        }
        Ok(())
    });
    let own = naive::totals(fixture.path());
    let link = |number: usize| fixture.join(format!("{}/link-{number}", (number + 71) % 200));
    for threads in [1, 2, 8].into_iter().cycle().take(30) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..200 {
                    fs::hard_link(fixture.join(format!("{number}/file")), link(number)).unwrap();
                }
            });
            let scan = roots(&[fixture.path()], threads);
            assert_eq!(scan.tree().totals(DirId::TOP).disk, own.disk);
        });
        (0..200).for_each(|number| fs::remove_file(link(number)).unwrap());
    }
}
