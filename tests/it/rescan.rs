//! Tests of rescans. After a rescan, the tree must equal the tree of a new full scan.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::id_of;
use duke::scan::{Options, Outcome, Scan};
use duke::testing::platform::Errno;
use duke::tree::{DirId, EntryState, Relocation, Totals, Tree, Walk};

type Picture = BTreeMap<Vec<u8>, (Totals, u64, Vec<Vec<u8>>)>;

/// Maps the path of each directory to its totals, its shared bytes and the sorted names of its entries.
fn picture(tree: &Tree) -> Picture {
    Walk::new(tree, DirId::TOP)
        .map(|(id, listing)| {
            let mut names: Vec<_> = listing.entries().map(|(_, record)| record.name.to_vec()).collect();
            names.sort();
            (tree.path(id), (tree.totals(id), tree.shared(id), names))
        })
        .collect()
}

fn scan(root: &Path) -> Scan {
    Scan::run(vec![root.to_owned()], Options { threads: Some(2), ..Options::default() })
}

fn rescan(scan: &Scan, path: &Path) {
    let again = scan.rescan(id_of(scan.tree(), path)).unwrap();
    assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
}

fn fixture() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for dir in ["a/deep/deeper", "b", "c"] {
        fs::create_dir_all(root.path().join(dir)).unwrap();
    }
    for (index, file) in ["a/one", "a/deep/two", "a/deep/deeper/three", "b/four", "five"].iter().enumerate() {
        fs::write(root.path().join(file), vec![b'x'; 5000 * (index + 1)]).unwrap();
    }
    fs::hard_link(root.path().join("a/deep/two"), root.path().join("b/two again")).unwrap();
    fs::hard_link(root.path().join("a/one"), root.path().join("a/deep/one again")).unwrap();
    root
}

#[test]
fn a_rescan_shows_changes_and_nothing_twice() {
    let root = fixture();
    let scan = scan(root.path());
    let path = |name: &str| root.path().join(name);
    rescan(&scan, &path("a"));
    assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()), "nothing changed");

    fs::write(path("a/deep/new"), vec![b'x'; 100_000]).unwrap();
    fs::create_dir_all(path("a/more/of/it")).unwrap();
    fs::remove_dir_all(path("a/deep/deeper")).unwrap();
    fs::hard_link(path("five"), path("a/more/five again")).unwrap();
    fs::remove_file(path("a/deep/one again")).unwrap();
    rescan(&scan, &path("a"));
    // The scan read `five` while the file had one link. The second link was created later, in the rescanned `a`.
    assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()));

    for round in 0..20 {
        fs::create_dir_all(path("c").join(format!("d{round}"))).unwrap();
        rescan(&scan, root.path());
        rescan(&scan, &path("c"));
        assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()), "round {round}");
    }
}

#[test]
fn a_deleted_or_replaced_directory_is_updated() {
    let root = fixture();
    let scan = scan(root.path());
    fs::remove_dir_all(root.path().join("a/deep")).unwrap();
    rescan(&scan, &root.path().join("a/deep"));
    assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()));
    fs::remove_dir_all(root.path().join("b")).unwrap();
    std::os::unix::fs::symlink("/", root.path().join("b")).unwrap();
    rescan(&scan, &root.path().join("b"));
    let now = picture(scan.tree());
    let fresh = self::scan(root.path());
    let root_name = root.path().as_os_str().as_encoded_bytes();
    assert_eq!(now[root_name].2, picture(fresh.tree())[root_name].2, "the link is not followed");
    assert_eq!(scan.tree().totals(DirId::TOP).items, fresh.tree().totals(DirId::TOP).items);
}

#[test]
fn a_file_that_became_a_directory_is_updated() {
    let root = fixture();
    let scan = scan(root.path());
    let path = |name: &str| root.path().join(name);
    for file in ["a/deep/two", "b/four"] {
        fs::remove_file(path(file)).unwrap();
    }
    fs::create_dir(path("b/four")).unwrap();
    fs::write(path("b/four/inside"), vec![b'x'; 20_000]).unwrap();
    let entry = |directory: &str, name: &str| (id_of(scan.tree(), &path(directory)), vec![name.into()]);
    let again = scan.recheck(vec![entry("a/deep", "two"), entry("b", "four"), entry("", "b")]).unwrap();
    assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()));
}

#[test]
fn a_stopped_rescan_leaves_no_trace() {
    let root = fixture();
    let scan = scan(root.path());
    let before = picture(scan.tree());
    fs::write(root.path().join("a/deep/new"), "new").unwrap();
    let again = scan.rescan(id_of(scan.tree(), root.path())).unwrap();
    again.stop();
    if again.wait(Duration::from_secs(60)) == Some(Outcome::Stopped) {
        assert_eq!(picture(scan.tree()), before);
        assert_eq!(scan.tree().failures(), []);
    }
    rescan(&scan, root.path());
    assert_ne!(picture(scan.tree()), before);
}

#[test]
fn a_rescan_finds_other_names_of_an_inode_elsewhere() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("a")).unwrap();
    fs::write(root.path().join("single"), vec![0; 50_000]).unwrap();
    let scan = scan(root.path());
    fs::hard_link(root.path().join("single"), root.path().join("a/second")).unwrap();
    rescan(&scan, &root.path().join("a"));
    let fresh = self::scan(root.path());
    assert_eq!(scan.tree().totals(DirId::TOP).disk, fresh.tree().totals(DirId::TOP).disk);
    let seen_once = Walk::new(scan.tree(), DirId::TOP)
        .flat_map(|(_, listing)| listing.entries().map(|(_, record)| record.state).collect::<Vec<_>>())
        .filter(|state| matches!(state, EntryState::Known(metadata) if metadata.links.is_none() && metadata.directory.is_none()))
        .count();
    assert_eq!(seen_once, 1, "the first name was read when it was the only one");
}

fn recheck(scan: &Scan, path: &Path) {
    let again = scan.recheck(vec![(DirId::TOP, vec![path.as_os_str().as_encoded_bytes().to_vec()])]).unwrap();
    assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
}

fn scan_all(roots: &[PathBuf]) -> Scan {
    Scan::run(roots.to_vec(), Options { threads: Some(2), ..Options::default() })
}

#[test]
fn entries_that_do_not_answer_are_kept_and_reported() {
    if !crate::support::child::alone("entries_that_do_not_answer_are_kept_and_reported") {
        return;
    }
    crate::support::child::become_nobody();
    let root = fixture();
    let scan = scan(root.path());
    let before = picture(scan.tree());
    let mode = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(root.path().join("a"), mode(0)).unwrap();
    let again = scan.rescan(id_of(scan.tree(), &root.path().join("a/deep"))).unwrap();
    let outcome = again.wait(Duration::from_secs(60));
    fs::set_permissions(root.path().join("a"), mode(0o755)).unwrap();
    assert_eq!(outcome, Some(Outcome::Broken(vec!["permission denied".to_owned()])));
    assert_eq!(picture(scan.tree()), before);
    rescan(&scan, &root.path().join("a/deep"));
    assert_eq!(picture(scan.tree()), before);
}

#[test]
fn entries_of_a_deleted_directory_are_deleted() {
    let root = fixture();
    let scan = scan(root.path());
    let deeper = id_of(scan.tree(), &root.path().join("a/deep/deeper"));
    fs::remove_dir_all(root.path().join("a")).unwrap();
    let again = scan.rescan(deeper).unwrap();
    assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    assert_eq!(
        picture(scan.tree()),
        picture(self::scan(root.path()).tree()),
        "the directories above it, too"
    );
    let mut relocation = Relocation::new(scan.tree(), [deeper]);
    assert_eq!(relocation.find(deeper), None);
    assert_eq!(relocation.nearest(deeper), id_of(scan.tree(), root.path()));
}

#[test]
fn replaced_directories_above_are_read_again() {
    for replaced in ["a/deep", "a", ""] {
        let (root, temp) = (fixture(), tempfile::tempdir().unwrap());
        fs::rename(root.path(), temp.path().join("root")).unwrap();
        let root = temp.path().join("root");
        let scan = scan(&root);
        let deeper = id_of(scan.tree(), &root.join("a/deep/deeper"));
        fs::rename(root.join(replaced), temp.path().join("old")).unwrap();
        fs::create_dir_all(root.join("a/deep/deeper")).unwrap();
        fs::write(root.join("a/deep/new"), "new").unwrap();
        let again = scan.rescan(deeper).unwrap();
        assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
        assert_eq!(picture(scan.tree()), picture(self::scan(&root).tree()), "{replaced:?}");
        let found = Relocation::new(scan.tree(), [deeper]).find(deeper);
        assert_eq!(found, Some(id_of(scan.tree(), &root.join("a/deep/deeper"))));
    }
}

#[test]
fn a_root_under_two_names_is_rescanned_under_both_and_counts_once() {
    let root = fixture();
    let one = root.path().join("a");
    let roots = [one.clone(), one.join("")];
    for looked_at in [&roots[..1], &roots[1..], &roots[..]] {
        let scan = scan_all(&roots);
        fs::write(one.join("deep/new"), vec![b'x'; 100_000]).unwrap();
        let names = looked_at.iter().map(|root| root.as_os_str().as_encoded_bytes().to_vec()).collect();
        let again = scan.recheck(vec![(DirId::TOP, names)]).unwrap();
        assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
        let fresh = scan_all(&roots);
        assert_eq!(picture(scan.tree()), picture(fresh.tree()), "{looked_at:?}");
        let ids: Vec<DirId> = scan.tree().listing(DirId::TOP).directories().collect();
        assert!(ids.len() == 2 && ids[0] == ids[1], "{looked_at:?}: {ids:?}");
        fs::remove_file(one.join("deep/new")).unwrap();
    }
    let scan = scan_all(&roots);
    fs::remove_dir_all(&one).unwrap();
    recheck(&scan, &roots[1]);
    // Both roots refer to the missing directory, whose error counts once. Once the directory exists again,
    // rescanning one root updates both.
    let lost: Vec<DirId> = scan.tree().listing(DirId::TOP).directories().collect();
    assert!(lost.len() == 2 && lost[0] == lost[1], "{lost:?}");
    assert_eq!(scan.tree().status(lost[0]).errno, Some(Errno::ENOENT as i32));
    assert_eq!(scan.tree().totals(DirId::TOP), Totals { errors: 1, ..Totals::default() });
    fs::create_dir(&one).unwrap();
    fs::write(one.join("back"), vec![b'x'; 100_000]).unwrap();
    recheck(&scan, &roots[0]);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
}

#[test]
fn a_root_file_inside_another_root_changes_with_it() {
    let root = fixture();
    let (outer, file) = (root.path().join("a"), root.path().join("a/file"));
    fs::write(&file, vec![b'x'; 100_000]).unwrap();
    let roots = [outer.clone(), file.clone(), file.clone()];
    let scan = scan_all(&roots);
    let aliases = |scan: &Scan| -> Vec<_> {
        let name = outer.as_os_str().as_encoded_bytes();
        scan.tree().aliases().iter().map(|it| (it.root == name, it.is_root, it.directory)).collect()
    };
    assert_eq!(aliases(&scan), [(true, false, None); 2]);
    fs::write(&file, vec![b'x'; 300_000]).unwrap();
    rescan(&scan, &outer);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
    let sizes: Vec<u64> = scan
        .tree()
        .listing(DirId::TOP)
        .entries()
        .filter_map(|(_, record)| match record.state {
            EntryState::Known(metadata) => metadata.directory.is_none().then_some(metadata.apparent),
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        })
        .collect();
    assert_eq!(sizes, [300_000; 2]);
    // Rescans the file through its own root, which must also update the file in the outer root.
    fs::write(&file, vec![b'x'; 400_000]).unwrap();
    recheck(&scan, &file);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
    fs::remove_file(&file).unwrap();
    rescan(&scan, &outer);
    assert_eq!(aliases(&scan), []);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
    fs::write(&file, vec![b'x'; 200_000]).unwrap();
    rescan(&scan, &outer);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
    assert_eq!(aliases(&scan), [(true, false, None); 2]);
    fs::remove_file(&file).unwrap();
    recheck(&scan, &file);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
}

#[test]
fn a_root_inside_another_returns_with_its_directory() {
    let root = fixture();
    let (outer, inner, away) = (root.path().join("a"), root.path().join("a/deep"), root.path().join("away"));
    let roots = [outer.clone(), inner.clone()];
    let scan = scan_all(&roots);
    for lost in [&inner, &outer] {
        fs::rename(lost, &away).unwrap();
        rescan(&scan, &outer);
        assert_eq!(scan.tree().totals(DirId::TOP), scan_all(&roots).tree().totals(DirId::TOP));
        fs::rename(&away, lost).unwrap();
        rescan(&scan, &outer);
        assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()), "{lost:?}");
        assert_eq!(scan.tree().aliases().len(), 1);
    }
}

#[test]
fn a_root_inside_another_is_rechecked_there() {
    let root = fixture();
    let inner = root.path().join("a/deep");
    let roots = [root.path().to_owned(), inner.clone()];
    let scan = scan_all(&roots);
    fs::write(inner.join("new"), vec![b'x'; 100_000]).unwrap();
    recheck(&scan, &inner);
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
    fs::write(inner.join("newer"), vec![b'x'; 100_000]).unwrap();
    let names = roots.iter().map(|root| root.as_os_str().as_encoded_bytes().to_vec()).collect();
    let again = scan.recheck(vec![(DirId::TOP, names)]).unwrap();
    assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
}

#[test]
fn a_root_that_became_a_file_is_no_item_and_shares_its_names() {
    let root = fixture();
    let roots = [root.path().join("a"), root.path().join("b")];
    let scan = scan_all(&roots);
    fs::remove_dir_all(&roots[0]).unwrap();
    fs::hard_link(root.path().join("b/four"), &roots[0]).unwrap();
    let again = scan.rescan(scan.tree().listing(DirId::TOP).directories().next().unwrap()).unwrap();
    assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
    assert_eq!(picture(scan.tree()), picture(scan_all(&roots).tree()));
}

#[test]
fn remaining_names_get_the_new_link_count() {
    let root = fixture();
    let scan = scan(root.path());
    fs::remove_file(root.path().join("a/deep/two")).unwrap();
    rescan(&scan, &root.path().join("a/deep"));
    let b = id_of(scan.tree(), &root.path().join("b"));
    let entry = scan.tree().entry(b, b"two again").unwrap();
    assert!(matches!(entry.state, EntryState::Known(metadata) if metadata.links.is_none()), "{entry:?}");
    assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()));
}

#[test]
fn names_deleted_elsewhere_count_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for directory in ["a/b", "docs"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    fs::write(root.join("a/b/first"), vec![1; 500_000]).unwrap();
    fs::hard_link(root.join("a/b/first"), root.join("a/second")).unwrap();
    fs::hard_link(root.join("a/b/first"), root.join("docs/third")).unwrap();
    let scan = scan(root);
    let before = scan.tree().totals(DirId::TOP).disk;
    fs::remove_file(root.join("docs/third")).unwrap();
    fs::remove_file(root.join("a/b/first")).unwrap();
    rescan(&scan, &root.join("a"));
    // Until `docs` is rescanned, the total may still include the file deleted there, but must not grow.
    assert!(scan.tree().totals(DirId::TOP).disk <= before);
    rescan(&scan, &root.join("docs"));
    rescan(&scan, root);
    assert_eq!(picture(scan.tree()), picture(self::scan(root).tree()));
}

#[test]
fn names_read_with_different_sizes_count_with_their_own() {
    let root = tempfile::tempdir().unwrap();
    let [directory, first] = ["above/names", "above/names/a"].map(|name| root.path().join(name));
    fs::create_dir_all(&directory).unwrap();
    fs::write(&first, vec![b'x'; 10_000]).unwrap();
    for name in ["b", "c"] {
        fs::hard_link(&first, directory.join(name)).unwrap();
    }
    let scan = scan(root.path());
    let id = id_of(scan.tree(), &directory);
    let totals =
        || [id, scan.tree().parent(id).unwrap(), DirId::TOP].map(|id| scan.tree().totals(id).apparent);
    let before = totals();
    for size in [2_000_000, 2_000_000, 3_000_000, 10_000] {
        fs::write(&first, vec![b'x'; usize::try_from(size).unwrap()]).unwrap();
        let again = scan.recheck(vec![(id, vec![b"a".to_vec()])]).unwrap();
        assert_eq!(again.wait(Duration::from_secs(60)), Some(Outcome::Complete));
        assert_eq!(totals(), before.map(|before| before - 10_000 + size), "{size}");
    }
    assert_eq!(picture(scan.tree()), picture(self::scan(root.path()).tree()));
}

#[test]
fn links_to_files_count_like_the_files_after_a_rescan_too() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    fs::create_dir_all(path("links")).unwrap();
    fs::create_dir(path("files")).unwrap();
    fs::write(path("files/one"), vec![b'x'; 50_000]).unwrap();
    for (target, link) in
        [("../files/one", "file"), ("../files", "directory"), ("../missing", "dangling"), ("file", "second")]
    {
        std::os::unix::fs::symlink(target, path("links").join(link)).unwrap();
    }
    let options = Options { follow_symlinks: true, ..Options::default() };
    let scan = Scan::run(vec![root.path().to_owned()], options);
    let sizes = || {
        let listing = scan.tree().listing(id_of(scan.tree(), &path("links")));
        let entry = |record: &duke::tree::Entry<'_>| match record.state {
            EntryState::Known(metadata) => {
                (record.name.to_vec(), (record.kind == duke::base::kind::Kind::Symlink, metadata.apparent))
            }
            _ => panic!("everything can be read"),
        };
        listing.entries().map(|(_, record)| entry(&record)).collect::<BTreeMap<_, _>>()
    };
    let expected: [(&[u8], u64); 4] =
        [(b"dangling", 10), (b"directory", 8), (b"file", 50_000), (b"second", 50_000)];
    let expected: BTreeMap<_, _> =
        expected.iter().map(|(name, size)| (name.to_vec(), (true, *size))).collect();
    assert_eq!(sizes(), expected);
    rescan(&scan, &path("links"));
    assert_eq!(sizes(), expected);
    let without = Scan::run(vec![root.path().to_owned()], Options::default());
    let total = |scan: &Scan| scan.tree().totals(id_of(scan.tree(), root.path())).apparent;
    assert_eq!(total(&scan) - total(&without), 2 * 50_000 - 12 - 4);
}
