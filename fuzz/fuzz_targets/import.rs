//! Fuzz target for a file given to `-f`. Any bytes must give a tree or an error, but never a crash. If the file was
//! read without errors, the tree can be exported and read back unchanged.

#![no_main]

use std::path::PathBuf;
use std::time::Duration;

use duke::scan::Outcome;
use duke::testing::formats::WrittenEntries;
use duke::testing::formats::ncdu_write::Export;
use duke::testing::source::import::{Import, Input};
use duke::tree::{DirId, Tree, Walk};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (import, outcome) = read(bytes);
    let tree = import.tree();
    assert!(tree.status(DirId::TOP).is_complete());
    let entries: usize = Walk::new(tree, DirId::TOP).map(|(_, listing)| listing.entries().count()).sum();
    assert!(entries <= bytes.len().saturating_mul(300));
    if outcome == Outcome::Complete {
        let first = export(tree);
        let (again, outcome) = read(&first);
        assert_eq!(outcome, Outcome::Complete);
        assert_eq!(export(again.tree()), first);
    }
});

fn read(bytes: &[u8]) -> (Import, Outcome) {
    let file = PathBuf::from(format!("/dev/shm/duke-fuzz-{}", std::process::id()));
    std::fs::write(&file, bytes).expect("there is memory");
    let import = Import::start(vec![Input::File(file)]).expect("there are threads");
    loop {
        if let Some(outcome) = import.wait(Duration::from_secs(60)) {
            assert!(!matches!(outcome, Outcome::Panicked(_)), "{outcome:?}");
            return (import, outcome);
        }
    }
}

fn export(tree: &Tree) -> Vec<u8> {
    let (root, _) = Export::root(tree).expect("a complete import has a root");
    let mut out = Vec::new();
    let written = &WrittenEntries::default();
    Export { tree, name: root.name, scanned_at: 0, written }.write(&mut out).expect("memory takes all");
    out
}
