//! Counter of the entries that a writer has processed so far, for a progress bar.

use crate::base::sync::{AtomicU64, Ordering};

/// Number of entries written or skipped so far, without the contents of skipped directories. The writing threads
/// increase it while another thread reads it.
#[derive(Debug, Default)]
pub struct WrittenEntries(AtomicU64);

impl WrittenEntries {
    // `Relaxed` ordering is enough, because no other data depends on this number.
    pub(crate) fn add(&self, entries: u64) {
        self.0.fetch_add(entries, Ordering::Relaxed);
    }

    /// Returns the number of entries written or skipped so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::AtomicBool;
    use crate::formats::flat::{Flat, Form};
    use crate::formats::ncdu_write::Export;
    use crate::formats::snapshot::{SnapshotInfo, WriteControl};
    use crate::formats::tests::{document, good};
    use crate::formats::{ncdu_binary, snapshot};
    use crate::tree::DirId;

    #[test]
    fn every_writer_counts_its_entries() {
        let tree = good(&document(r#",{"name":"a"},[{"name":"b"},{"name":"c"},{"name":"d"}]"#));
        let (root, _) = Export::root(&tree).unwrap();
        let counted = |write: &dyn Fn(&WrittenEntries, &mut Vec<u8>)| {
            let (count, mut out) = (WrittenEntries::default(), Vec::new());
            write(&count, &mut out);
            assert_ne!(out, b"");
            count.count()
        };
        let json = counted(&|written, out| {
            Export { tree: &tree, name: root.name, scanned_at: 1, written }.write(out).unwrap();
        });
        let binary = counted(&|written, out| {
            let size = ncdu_binary::BlockSize::Growing;
            ncdu_binary::write(&tree, &root, root.name, size, written, out).unwrap();
        });
        let lines = counted(&|written, out| {
            Flat { tree: &tree, form: Form::Csv, provenance: &[], exclusive: None, written }
                .write(out)
                .unwrap();
        });
        let snapshot = counted(&|written, out| {
            let stop = AtomicBool::new(false);
            let control = WriteControl { written: Some(written), ..WriteControl::new(&stop) };
            snapshot::save(&tree, &SnapshotInfo::default(), &control, out).unwrap();
        });
        // A snapshot also counts the root, because the root is an entry in the list of roots.
        assert_eq!((json, binary, lines, snapshot), (4, 4, 4, 5));
        assert_eq!(tree.totals(DirId::TOP).items, 4);
    }
}
