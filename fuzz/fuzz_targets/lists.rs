//! Fuzz target that reads any bytes as a list. Reading must never crash. If the whole list was read, the tree must be
//! the same after it has been written as flat lines and read again.
//!
//! The first byte selects the program that wrote the list.

#![no_main]

use std::path::PathBuf;
use std::time::Duration;

use duke::scan::Outcome;
use duke::testing::formats::WrittenEntries;
use duke::testing::formats::flat::{Flat, Form};
use duke::testing::formats::lists::{ListOptions, ListPreset};
use duke::testing::source::import::{Import, Input};
use duke::tree::{DirId, Walk};
use libfuzzer_sys::fuzz_target;

const PRESETS: [Option<ListPreset>; 6] = [
    None,
    Some(ListPreset::Du),
    Some(ListPreset::Find),
    Some(ListPreset::Rclone),
    Some(ListPreset::S3Inventory),
    None,
];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let choice = usize::from(*first) % PRESETS.len();
    let root = (choice == PRESETS.len() - 1).then(|| b"/a".to_vec());
    let options = ListOptions { preset: PRESETS[choice], root, ..ListOptions::default() };
    let (import, outcome) = read(bytes, options);
    let tree = import.tree();
    assert!(tree.status(DirId::TOP).is_complete());
    let entries: usize = Walk::new(tree, DirId::TOP).map(|(_, listing)| listing.entries().count()).sum();
    assert!(entries <= bytes.len().saturating_mul(300));
    if outcome == Outcome::Complete
        && let Some(first) = lines(&import)
        && !first.is_empty()
    {
        let (again, outcome) = read(&first, ListOptions::default());
        assert_eq!(outcome, Outcome::Complete);
        assert_eq!(lines(&again), Some(first));
        assert_eq!(again.tree().totals(DirId::TOP), tree.totals(DirId::TOP));
    }
});

fn read(bytes: &[u8], options: ListOptions) -> (Import, Outcome) {
    let file = PathBuf::from(format!("/dev/shm/duke-fuzz-lists-{}", std::process::id()));
    std::fs::write(&file, bytes).expect("there is memory");
    let import = Import::start_with(vec![Input::File(file)], options).expect("there are threads");
    loop {
        if let Some(outcome) = import.wait(Duration::from_secs(60)) {
            assert!(!matches!(outcome, Outcome::Panicked(_)), "{outcome:?}");
            return (import, outcome);
        }
    }
}

/// Returns the flat lines of a tree, or `None` if a path is too long for a line.
fn lines(import: &Import) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (provenance, written) = (&import.provenance(), &WrittenEntries::default());
    Flat { tree: import.tree(), form: Form::Json, provenance, exclusive: None, written }
        .write(&mut out)
        .ok()?;
    Some(out)
}
