//! Fuzz target that opens any bytes as ncdu's binary export. The result must be an error or a finite tree, but never a
//! crash. A tree that was read completely must be unchanged after it has been written and read back.
//!
//! If the first byte is odd, the rest is a whole file. If it is even, the next two bytes are the position of the root
//! item, and the rest is the content of the only block. The second form is needed because a random change of a whole
//! file would usually damage the file so that no item is read.

#![no_main]

#[path = "../../tests/support/binary_export.rs"]
#[allow(dead_code)]
mod binary_export;

use std::path::{Path, PathBuf};

use duke::testing::formats::WrittenEntries;
use duke::testing::formats::ncdu_binary::{BlockSize, open_by, write};
use duke::testing::formats::ncdu_write::Export;
use duke::testing::platform::Access;
use duke::tree::{DirId, Tree, Walk};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let bytes = match (first % 2, bytes.split_first_chunk::<2>()) {
        (0, Some((root, content))) => binary_export::file(&[content], u64::from(u16::from_be_bytes(*root))),
        _ => bytes.to_vec(),
    };
    let file = PathBuf::from(format!("/dev/shm/duke-fuzz-binary-{}", std::process::id()));
    std::fs::write(&file, &bytes).expect("there is memory");
    let [read, mapped] = [Access::Read, Access::Mapped].map(|access| look(&file, access));
    assert_eq!(read, mapped);
    if let Some((json, written)) = read {
        std::fs::write(&file, &written).expect("there is memory");
        assert_eq!(look(&file, Access::Read).map(|(json, _)| json), Some(json));
    }
});

/// Reads a whole file, and returns its tree as JSON and as a new binary export. Returns `None` if the file is damaged.
fn look(file: &Path, access: Access) -> Option<(Vec<u8>, Vec<u8>)> {
    let tree = open_by(file, Some(access)).ok()?;
    for (id, listing) in Walk::new(&tree, DirId::TOP) {
        let (_, _, _) = (tree.path(id), tree.own_metadata(id), tree.shared(id));
        for (position, record) in listing.entries() {
            assert_eq!(listing.name(position), Some(record.name));
        }
    }
    tree.failures().iter().for_each(|failure| drop(tree.failure_path(failure)));
    tree.linked();
    tree.verify().ok()?;
    Some((json(&tree), binary(&tree)))
}

fn json(tree: &Tree) -> Vec<u8> {
    let (root, _) = Export::root(tree).expect("a binary export has one root");
    let mut out = Vec::new();
    let written = &WrittenEntries::default();
    Export { tree, name: root.name, scanned_at: 0, written }.write(&mut out).expect("there is memory");
    out
}

fn binary(tree: &Tree) -> Vec<u8> {
    let (root, _) = Export::root(tree).expect("a binary export has one root");
    let mut out = Vec::new();
    let written = WrittenEntries::default();
    write(tree, &root, root.name, BlockSize::Growing, &written, &mut out).expect("there is memory");
    out
}
