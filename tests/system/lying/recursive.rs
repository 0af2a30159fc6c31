//! Tests with a simulated `CephFS`, where the length of a directory is the total length of everything below it.

use super::server::Server;
use crate::program::json::parse;
use crate::program::schema::violations;
use crate::program::{program, run};
use duke::tree::Totals;
use nix::errno::Errno;

/// Mounts the file system of `recursive.c` with this FUSE subtype, or reports why this failed and returns `None`.
fn mount(subtype: &str) -> Option<Server> {
    let server = Server::mount("recursive.c", &["-o", &format!("subtype={subtype}")], "read");
    server.map_err(crate::support::skip).ok()
}

#[test]
fn lengths_of_directories_count_nothing_on_cephfs() {
    let Some(server) = mount("ceph-fuse") else { return };
    let root = server.path();
    for (path, apparent, items) in [(root.clone(), 1_001_000, 4), (root.join("read"), 1_000_000, 1)] {
        for threads in [1, 2] {
            let scan = crate::support::scan(&path, threads);
            let tree = scan.tree();
            let found = tree.totals(crate::support::id_of(tree, &path));
            assert_eq!((found.apparent, found.items), (apparent, items), "{}", path.display());
        }
    }
    // A scan of the directory above the mount point finds the same totals, and so does a rescan.
    let above = root.parent().unwrap();
    let scan = crate::support::scan(above, 2);
    let tree = scan.tree();
    let totals = |name: &std::path::Path| tree.totals(crate::support::id_of(tree, name));
    let before = totals(&root);
    assert_eq!(before, Totals { disk: 1_959 * 512, apparent: 1_001_000, items: 4, errors: 1 });
    scan.rescan(crate::support::id_of(tree, &root)).unwrap().wait(super::PATIENCE).unwrap();
    assert_eq!(totals(&root), before);

    let Some(other) = mount("other") else { return };
    let scan = crate::support::scan(&other.path(), 2);
    let found = scan.tree().totals(crate::support::id_of(scan.tree(), &other.path()));
    assert_eq!(
        found.apparent,
        1_001_000 + 1_501_000 + 1_000_000 + 500_000,
        "other file systems are believed"
    );
}

#[test]
fn the_size_of_an_unreadable_directory_on_cephfs_is_recorded() {
    let Some(server) = mount("ceph-fuse") else { return };
    let run = run(program().args(["--json", "-q"]).arg(server.path()));
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let document = run.json();
    let root = document.root().get("roots").elements()[0];
    let locked = root.child("locked");
    assert_eq!(locked.get("recorded").number(), 500_000);
    assert_eq!(locked.get("apparent").number(), 0);
    assert_eq!(locked.get("errno").number(), Errno::EACCES as i128);
    assert_eq!(root.get("apparent").number(), 1_001_000, "it is no part of the totals");
    let schema = parse(include_bytes!("../../../docs/schema.json")).unwrap();
    assert_eq!(violations(schema.root(), schema.root(), document.root()), [""; 0]);
}
