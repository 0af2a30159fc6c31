//! Combination of the trees of several snapshots in one common tree. Each listing is loaded when it is shown.
//!
//! Each snapshot has its own tree, which loads listings from the file of the snapshot. The common tree loads its
//! listings from these trees. The position of a listing in the common tree identifies the snapshot and the directory:
//!
//! ```text
//! position of a listing = index of the snapshot << 32 | ID of the directory in the snapshot
//! ```
//!
//! Invariant: no two snapshots contain the same file system. Otherwise, a file with names in both would count twice.

use crate::base::sync::Arc;
use crate::formats::snapshot::{FileSystemInfo, RootOrigin, SnapshotInfo};
use crate::platform::memory::block_file::Damage;
use crate::tree::stored::chains::{ChainItem, Chains, Inside, ItemDevice};
use crate::tree::{Devices, DirId, Entry, EntryState, Metadata, StorageClass, StorageClasses, Tree};

/// Common tree of several snapshots, with the origins of its roots.
pub struct SideBySide {
    pub tree: Tree,
    pub about: SnapshotInfo,
}

/// Snapshot whose tree is part of the common tree.
struct Part {
    tree: Arc<Tree>,
    about: SnapshotInfo,
    /// Prefix for the names of roots whose host is not known.
    label: Vec<u8>,
    /// Device indexes in the common tree, in the order of the snapshot's devices.
    devices: Vec<u32>,
    /// Storage classes in the common tree, in the order of the snapshot's classes.
    classes: Vec<StorageClass>,
}

struct Parts(Vec<Part>);

impl SideBySide {
    /// Combines `snapshots` into one tree. The last element of each tuple is the prefix for the names of roots whose
    /// host is not known. Returns `None` if two snapshots contain the same file system.
    pub fn new(snapshots: Vec<(Arc<Tree>, SnapshotInfo, Vec<u8>)>) -> Option<Self> {
        let (devices, classes) = (Devices::default(), StorageClasses::default());
        let (mut parts, mut known): (Vec<Part>, Vec<FileSystemInfo>) = (Vec::new(), Vec::new());
        for (tree, about, label) in snapshots {
            let before = known.len();
            let numbers = tree.devices().numbers();
            for index in 0..numbers.len() {
                let system = about.file_systems.get(index).cloned().unwrap_or_default();
                if known[..before].iter().any(|other| other.is_same(&system)) {
                    return None;
                }
                let host = if system.host.is_empty() { about.host.clone() } else { system.host };
                known.push(FileSystemInfo { host, ..system });
            }
            let devices = numbers.into_iter().map(|number| devices.add(number)).collect();
            let classes = classes.add_all(tree.storage_classes());
            parts.push(Part { tree, about, label, devices, classes });
        }
        let mut origins =
            parts.iter().flat_map(|part| part.roots().map(|(index, _)| part.about.origin(index)));
        let first = origins.next().unwrap_or_default();
        let others: Vec<RootOrigin> = origins.collect();
        let about = SnapshotInfo { others, file_systems: known, ..SnapshotInfo::of_origin(first) };
        let top = (parts.len() as u64) << 32;
        let tree = Tree::from_chains(Box::new(Parts(parts)), devices, classes, top);
        tree.listing(DirId::TOP);
        Some(Self { tree, about })
    }
}

impl Part {
    /// Returns the roots that are not inside other roots, each with its index in the list of roots.
    fn roots(&self) -> impl Iterator<Item = (usize, Entry<'_>)> {
        let roots = self.tree.listing(DirId::TOP).into_iter().enumerate();
        roots.filter(|(_, root)| self.is_own(DirId::TOP, root))
    }

    /// Returns `false` for a root inside another root, because the outer root already counts its contents.
    fn is_own(&self, directory: DirId, entry: &Entry<'_>) -> bool {
        entry.directory().is_none_or(|id| self.tree.parent(id) == Some(directory))
    }

    fn root_name(&self, index: usize, name: &[u8]) -> Vec<u8> {
        self.about.name_beside_others(index, &self.label, name)
    }

    /// Converts an entry of this snapshot to an item of the common tree. `number` is the index of this snapshot.
    fn item<'a>(&self, number: usize, entry: Entry<'a>) -> ChainItem<'a> {
        let EntryState::Known(metadata) = entry.state else {
            return ChainItem { entry, inside: None, links_on: None };
        };
        let device = |index: u32| self.devices.get(index as usize).copied();
        let inside = metadata.directory.map(|id| {
            let status = self.tree.status(id);
            Inside {
                totals: self.tree.totals(id),
                device: device(self.tree.device_index(id)).map(ItemDevice::Index),
                errno: status.errno.unwrap_or(0),
                is_partial: status.partial,
                last: Some((number as u64) << 32 | u64::from(id.0)),
            }
        });
        let links_on = metadata.links.and_then(|links| device(links.device));
        let storage_class = metadata.storage_class.and_then(|class| class.mapped(&self.classes));
        let state = EntryState::Known(Metadata { directory: None, storage_class, ..metadata });
        ChainItem { entry: Entry { state, ..entry }, inside, links_on }
    }
}

impl Chains for Parts {
    fn chain(&self, last: u64, give: &mut dyn FnMut(&ChainItem<'_>)) -> Result<(), Damage> {
        let number = usize::try_from(last >> 32).unwrap_or(usize::MAX);
        let Some(part) = self.0.get(number) else {
            for (number, part) in self.0.iter().enumerate() {
                for (index, root) in part.roots() {
                    let name = part.root_name(index, root.name);
                    give(&part.item(number, Entry { name: &name, ..root }));
                }
            }
            return Ok(());
        };
        let id = DirId(u32::try_from(last & u64::from(u32::MAX)).unwrap_or_default());
        for entry in part.tree.listing(id).into_iter().filter(|entry| part.is_own(id, entry)) {
            give(&part.item(number, entry));
        }
        // A damaged listing is not an error here. The snapshot's own tree records the damage, and
        // `SnapshotSource::outcome` reports it with the path of the file.
        Ok(())
    }
}
