//! Fuzz target that opens any bytes as a snapshot. The result must be an error or a finite tree, but never a crash. A
//! tree that was read completely must be unchanged after it has been saved and read back.
//!
//! The first byte is not part of the snapshot. If this byte is even, all checksums are corrected before the snapshot is
//! opened, because nothing is read after a wrong checksum.

#![no_main]

#[path = "../../tests/support/reseal.rs"]
mod reseal;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use duke::testing::formats::snapshot::{Snapshot, SnapshotInfo, WriteControl, open_by, save};
use duke::testing::platform::Access;
use duke::tree::{DirId, Tree, Walk};
use libfuzzer_sys::fuzz_target;
use reseal::reseal;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if first % 2 == 0 {
        reseal(&mut bytes);
    }
    let file = PathBuf::from(format!("/dev/shm/duke-fuzz-snapshot-{}", std::process::id()));
    std::fs::write(&file, &bytes).expect("there is memory");
    let [read, mapped] = [Access::Read, Access::Mapped].map(|access| look(&file, access, bytes.len()));
    assert_eq!(read, mapped);
    if let Some(saved) = read {
        std::fs::write(&file, &saved).expect("there is memory");
        assert_eq!(look(&file, Access::Read, saved.len()).as_ref(), Some(&saved));
    }
});

/// Reads a whole snapshot, saves its tree as a new snapshot, and returns the bytes of the new snapshot. Returns `None`
/// if the snapshot in `file` is damaged, or if its tree cannot be saved.
fn look(file: &Path, access: Access, length: usize) -> Option<Vec<u8>> {
    let Snapshot { tree, about } = open_by(file, Some(access)).ok()?;
    let mut met = 0;
    for (id, listing) in Walk::new(&tree, DirId::TOP) {
        met += 1;
        let (_, _, _) = (tree.path(id), tree.own_metadata(id), tree.shared(id));
        for (position, record) in listing.entries() {
            assert_eq!(listing.name(position), Some(record.name));
        }
    }
    assert!(met <= length);
    tree.failures().iter().for_each(|failure| drop(tree.failure_path(failure)));
    tree.linked();
    tree.verify().ok()?;
    saved(&tree, &about)
}

fn saved(tree: &Tree, about: &SnapshotInfo) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let stop = AtomicBool::new(false);
    save(tree, about, &WriteControl { bytes: 1 << 24, ..WriteControl::new(&stop) }, &mut out).ok()?;
    Some(out)
}
