//! Any bytes opened as a snapshot: an error or a finite tree, never a crash; a tree that was read completely
//! can be saved and read back unchanged.
//!
//! The first byte selects if all checksums are corrected first, because otherwise nothing after a wrong one
//! would be read.

#![no_main]

#[path = "../../tests/support/reseal.rs"]
mod reseal;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use duke::testing::platform::Access;
use duke::testing::formats::snapshot::{SnapshotInfo, Limits, Snapshot, open_by, save};
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

/// Reads everything in a snapshot, and returns the bytes of saving it again, if it is not damaged.
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
    save(tree, about, &Limits { bytes: 1 << 24, stop: &stop }, &mut out).ok()?;
    Some(out)
}
