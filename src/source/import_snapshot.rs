//! Import of snapshots together with other inputs. Each snapshot is read into a tree that all inputs share. In this
//! tree, the name of each root begins with its host, if known, as in `HOST:/PATH`.
//!
//! Snapshots in files are usually opened (`source::snapshot`) instead of imported. Several snapshots can be
//! opened together only if no two of them contain the same file system.

use std::cell::RefCell;

use crate::formats::builder::{Builder, DirectoryStart, Sizes};
use crate::formats::flat::Provenance;
use crate::formats::snapshot::{FileSystemInfo, Snapshot};
use crate::platform::memory::block_file::Damage;
use crate::tree::{DirId, Entries, Entry, EntryState, Links, Metadata, StorageClass, Tree};

/// File systems of the snapshots read so far, with their indexes in the common tree.
pub type KnownFileSystems = Vec<(FileSystemInfo, u32)>;

/// Snapshot that is being read into the common tree of all inputs.
pub struct SnapshotInput<'t> {
    tree: &'t Tree,
    file: Snapshot,
    /// Indexes of the snapshot's devices in the common tree.
    devices: Vec<u32>,
    /// Storage classes in the common tree, indexed by the ID of the corresponding class in the snapshot.
    classes: Vec<StorageClass>,
}

impl<'t> SnapshotInput<'t> {
    /// Checks a snapshot, and adds its devices to `tree`. A device is not added if its file system is already in
    /// `known`. New file systems are added to `known`.
    ///
    /// # Errors
    /// Returns an error that describes the first damaged place in the file.
    pub fn new(file: Snapshot, tree: &'t Tree, known: &mut KnownFileSystems) -> Result<Self, Damage> {
        file.tree.verify()?;
        let numbers = file.tree.devices().numbers().into_iter().enumerate();
        let index = |(index, number)| {
            let system = file.about.file_systems.get(index).cloned().unwrap_or_default();
            let same = known.iter().find(|(known, _)| known.is_same(&system)).map(|(_, index)| *index);
            same.unwrap_or_else(|| {
                let index = tree.devices().add(number);
                known.push((system, index));
                index
            })
        };
        let devices = numbers.map(index).collect();
        let classes = tree.storage_classes().add_all(file.tree.storage_classes());
        Ok(Self { tree, file, devices, classes })
    }

    /// Returns the host and scan time of each root.
    pub fn provenance(&self) -> Vec<Provenance> {
        let roots = self.file.tree.listing(DirId::TOP).entries().count();
        (0..roots).map(|index| self.file.about.origin(index).provenance()).collect()
    }

    /// Adds all entries of the snapshot to the tree of `builder`. Puts `label`, which may be empty, in front of
    /// the name of a root whose host is not known. If `goes_on` returns `false`, closes all directories and ends early.
    pub fn read(&self, builder: &RefCell<Builder<'_>>, label: &[u8], goes_on: impl Fn() -> bool) {
        let mut open = vec![(DirId::TOP, self.file.tree.listing(DirId::TOP).into_iter())];
        let mut root = 0;
        while let Some((id, entries)) = open.last_mut() {
            let id = *id;
            let Some(record) = entries.next() else {
                open.pop();
                if !goes_on() {
                    return builder.borrow_mut().break_off();
                }
                if !open.is_empty() {
                    builder.borrow_mut().leave();
                }
                continue;
            };
            if id != DirId::TOP {
                open.extend(self.entry(&mut builder.borrow_mut(), id, &record));
                continue;
            }
            let name = self.file.about.name_beside_others(root, label, record.name);
            root += 1;
            open.extend(self.entry(&mut builder.borrow_mut(), id, &Entry { name: &name, ..record }));
        }
    }

    /// Adds an entry of the snapshot's directory `id`. If the entry is a directory and the builder has entered it,
    /// returns its ID in the snapshot, and its entries.
    fn entry(
        &self,
        builder: &mut Builder<'_>,
        id: DirId,
        record: &Entry<'_>,
    ) -> Option<(DirId, Entries<'_>)> {
        let EntryState::Known(metadata) = record.state else {
            builder.push(record);
            return None;
        };
        let storage_class = metadata.storage_class.and_then(|class| class.mapped(&self.classes));
        let Some(child) = metadata.directory else {
            let links = metadata.links.map(|links| Links { device: self.device(links.device), ..links });
            let state = EntryState::Known(Metadata { links, storage_class, ..metadata });
            builder.push(&Entry { state, ..*record });
            return None;
        };
        // A root inside another root is not imported as a root of its own, because it is part of the outer root.
        if self.file.tree.parent(child) != Some(id) {
            return None;
        }
        let device = self.device(self.file.tree.device_index(child));
        let metadata = Metadata { directory: None, storage_class, ..metadata };
        builder.enter(&DirectoryStart {
            name: record.name,
            metadata,
            sizes: Sizes::Own,
            device,
            is_read: true,
        });
        let status = self.file.tree.status(child);
        if let Some(errno) = status.errno {
            self.tree.fail(builder.current(), errno);
        }
        if status.partial {
            self.tree.stop(builder.current());
        }
        Some((child, self.file.tree.listing(child).into_iter()))
    }

    fn device(&self, index: u32) -> u32 {
        self.devices.get(index as usize).copied().unwrap_or(index)
    }
}
