//! Merges the parts of a plan (`duke plan`) into one snapshot.
//!
//! The tree of the first part has an entry for each root of the other parts. The writer walks the merged tree level by
//! level, and continues in another part's file at each of these entries.
//!
//! Memory holds only the directory tables and the names of hard-linked inodes, never the whole merged tree.

mod joined;
mod totals;

use std::collections::HashSet;
use std::io::Write;

use crate::base::kind::Kind;
use crate::formats::snapshot::control::{WriteControl, WriteError};
use crate::formats::snapshot::info::SnapshotInfo;
use crate::formats::snapshot::opened::Snapshot;
use crate::formats::snapshot::write::write;
use crate::formats::snapshot::written::WrittenTree;
use crate::tree::stored::rows::Row;
use crate::tree::{DirId, Entry, EntryState, Exclusion, Listing, Totals};
use joined::{Joined, MergedDevice};
use totals::TotalChanges;

/// Tree merged from the snapshots of the parts.
pub struct Merge<'p> {
    joined: Joined<'p>,
    changes: TotalChanges,
}

impl<'p> Merge<'p> {
    /// Creates the tree merged from `parts`. The first element must be part 0 of the plan. Returns `None` if the parts
    /// have 2^32 or more directories.
    pub fn new(parts: &'p [Snapshot]) -> Option<Self> {
        let joined = Joined::new(parts)?;
        let changes = TotalChanges::of(&joined);
        Some(Self { joined, changes })
    }

    /// Returns the paths of the roots missing from the merged tree because the first part does not list them.
    pub fn unlisted(&self) -> &[Vec<u8>] {
        &self.joined.unlisted
    }

    /// Returns the number of errors in the merged tree.
    pub fn errors(&self) -> u32 {
        self.totals(DirId::TOP).errors
    }

    /// Writes the merged snapshot to `out` and returns its length. The file systems in `about` are replaced by those of
    /// the parts.
    ///
    /// # Errors
    /// Returns an error if the snapshot cannot be written. The output is then incomplete.
    pub fn save(
        &self,
        about: SnapshotInfo,
        control: &WriteControl<'_>,
        out: &mut dyn Write,
    ) -> Result<u64, WriteError> {
        let system = |device: &MergedDevice| {
            let mut system = device.system.clone();
            if system.host == about.host {
                system.host.clear();
            }
            system
        };
        let file_systems = self.joined.devices.iter().map(system).collect();
        let check = || {
            let is_damaged = self.joined.parts.iter().any(|part| part.tree.damage().is_some());
            if is_damaged { Err(WriteError::UnusableTree) } else { Ok(()) }
        };
        write(self, &SnapshotInfo { file_systems, ..about }, control, out, check)
    }
}

impl WrittenTree for Merge<'_> {
    fn devices(&self) -> Vec<u64> {
        self.joined.devices.iter().map(|device| device.number).collect()
    }

    fn storage_classes(&self) -> Vec<Vec<u8>> {
        // The parts of a plan are scans, which record no storage classes.
        Vec::new()
    }

    fn listing(&self, id: DirId) -> Listing<'_> {
        let (part, id) = self.joined.inner(id);
        part.tree.listing(id)
    }

    fn entry<'e>(&self, id: DirId, record: Entry<'e>) -> Entry<'e> {
        if record.state != EntryState::Excluded(Exclusion::OtherPart) {
            return Entry { state: self.joined.part_of(id).state(record.state), ..record };
        }
        match self.joined.root(id, record.name) {
            Some(state) => Entry { kind: Kind::Directory, state, ..record },
            None => record,
        }
    }

    fn parent(&self, id: DirId) -> Option<DirId> {
        self.joined.parent(id)
    }

    fn totals(&self, id: DirId) -> Totals {
        self.changes.applied(id, self.joined.totals(id)).0
    }

    fn row(&self, id: DirId, parent: u32) -> Row {
        let (part, inner) = self.joined.inner(id);
        let row = part.tree.row(inner, parent);
        let (totals, shared) = self.changes.applied(id, row.totals);
        Row { totals, shared, device: part.device(row.device), ..row }
    }

    fn is_unreadable(&self, id: DirId) -> bool {
        let (part, id) = self.joined.inner(id);
        part.tree.is_unreadable(id)
    }

    fn named_by_roots(&self) -> HashSet<DirId> {
        // A plan has only one root, so no root is given twice or lies inside another root.
        HashSet::new()
    }
}
