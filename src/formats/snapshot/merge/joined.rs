//! Parts of a plan, with the IDs of their directories and the indexes of their devices in the merged tree.
//!
//! ```text
//! 0 .. n            directories of the first part
//! n                 `DirId::TOP` of the next part, which is not in the merged tree
//! n + 1 .. n + m    other directories of the next part
//! ```
//!
//! Invariant: a root of a later part is in the merged tree only if the first part lists this root.

use std::collections::{HashMap, HashSet};

use crate::base::absolute::split;
use crate::base::os_error::ENOTDIR;
use crate::formats::snapshot::info::FileSystemInfo;
use crate::formats::snapshot::opened::Snapshot;
use crate::tree::{DirId, Entry, EntryState, Exclusion, Links, Metadata, Totals, Tree};

/// Parts of a plan, joined into one tree.
pub struct Joined<'p> {
    /// Parts of the merged tree. The first part lists all roots of the other parts except the roots in `unlisted`.
    pub parts: Vec<JoinedPart<'p>>,
    pub devices: Vec<MergedDevice>,
    /// States of the roots of the later parts, without the roots in `unlisted`. The outer key is the ID of the root's
    /// parent directory in the first part. The inner key is the root's name in this directory.
    roots: HashMap<DirId, HashMap<Vec<u8>, EntryState>>,
    /// Parent of each root in `roots` that is a directory. Keys and values are directory IDs in the merged tree.
    parents: HashMap<DirId, DirId>,
    /// Paths of the roots missing from the merged tree because the first part does not list them.
    pub unlisted: Vec<Vec<u8>>,
}

/// Part of a plan. Maps the part's own directory IDs and device indexes to those of the merged tree.
pub struct JoinedPart<'p> {
    pub tree: &'p Tree,
    first: u32,
    devices: Vec<u32>,
}

/// Device in the merged tree.
pub struct MergedDevice {
    pub number: u64,
    pub system: FileSystemInfo,
}

impl MergedDevice {
    /// Returns `true` if `self` and `other` are the same device: they have the same number on the same host, or the
    /// same file system. If both file systems have a name, only the names count.
    fn is(&self, other: &Self) -> bool {
        let is_named = !self.system.name.is_empty() && !other.system.name.is_empty();
        let is_number = self.number == other.number && self.system.host == other.system.host && !is_named;
        is_number || self.system.is_same(&other.system)
    }
}

impl JoinedPart<'_> {
    /// Returns the ID that directory `id` of the part has in the merged tree.
    pub fn outer(&self, id: DirId) -> DirId {
        DirId(self.first + id.0)
    }

    /// Returns the index that a device of the part has in the merged tree.
    pub fn device(&self, index: u32) -> u32 {
        self.devices.get(index as usize).copied().unwrap_or(index)
    }

    /// Returns the state that an entry of the part has in the merged tree.
    pub fn state(&self, state: EntryState) -> EntryState {
        let EntryState::Known(metadata) = state else { return state };
        let links = metadata.links.map(|links| Links { device: self.device(links.device), ..links });
        let directory = metadata.directory.map(|id| self.outer(id));
        EntryState::Known(Metadata { directory, links, storage_class: None, ..metadata })
    }
}

impl<'p> Joined<'p> {
    /// Joins parts. The first must be part 0 of the plan. Returns `None` if there are 2^32 or more directories.
    pub fn new(parts: &'p [Snapshot]) -> Option<Self> {
        let mut joined = Self {
            parts: Vec::new(),
            devices: Vec::new(),
            roots: HashMap::new(),
            parents: HashMap::new(),
            unlisted: Vec::new(),
        };
        let mut first: u32 = 0;
        for part in parts {
            let devices = joined.join_devices(part);
            joined.parts.push(JoinedPart { tree: &part.tree, first, devices });
            first = first.checked_add(part.tree.stored_directories())?;
        }
        for part in 1..joined.parts.len() {
            joined.find_replaced(part);
        }
        Some(joined)
    }

    /// Adds the devices of a part, and returns their indexes in the merged tree.
    fn join_devices(&mut self, part: &Snapshot) -> Vec<u32> {
        let numbers = part.tree.devices().numbers();
        let system_of = |index: usize| part.about.file_systems.get(index).cloned().unwrap_or_default();
        let host_of = |index| match system_of(index).host {
            host if host.is_empty() => part.about.host.clone(),
            host => host,
        };
        let devices = numbers.into_iter().enumerate().map(|(index, number)| MergedDevice {
            number,
            system: FileSystemInfo { host: host_of(index), ..system_of(index) },
        });
        let index = |device: MergedDevice| {
            let known = self.devices.iter().position(|known| known.is(&device));
            let index = known.unwrap_or_else(|| {
                self.devices.push(device);
                self.devices.len() - 1
            });
            u32::try_from(index).expect("memory holds fewer than 2^32 devices")
        };
        devices.map(index).collect()
    }

    /// Finds the entries of the first part that are replaced by the roots of the part at `index`.
    fn find_replaced(&mut self, index: usize) {
        let rest = &self.parts[0];
        let part = &self.parts[index];
        let mut by_parent: HashMap<&[u8], Vec<Entry<'p>>> = HashMap::new();
        for (_, root) in part.tree.listing(DirId::TOP).entries() {
            let parent = split(root.name).map_or(&b""[..], |(parent, _)| parent);
            by_parent.entry(parent).or_default().push(root);
        }
        for (path, roots) in by_parent {
            let parent = rest.tree.directory_at(path);
            let listed: HashSet<&[u8]> = parent.map(|parent| cut_in(rest.tree, parent)).unwrap_or_default();
            for root in roots {
                let name = split(root.name).map(|(_, name)| name);
                let Some((parent, name)) = parent.zip(name.filter(|name| listed.contains(name))) else {
                    self.unlisted.push(root.name.to_vec());
                    continue;
                };
                let state = match root.state {
                    // A file has replaced the directory since the plan was made.
                    EntryState::Known(Metadata { directory: None, .. }) => EntryState::Failed(ENOTDIR),
                    state => part.state(state),
                };
                if let EntryState::Known(Metadata { directory: Some(child), .. }) = state {
                    self.parents.insert(child, parent);
                }
                self.roots.entry(parent).or_default().insert(name.to_vec(), state);
            }
        }
    }

    /// Returns the parent directory and the state of each root of the later parts, except the roots in `unlisted`.
    pub fn roots(&self) -> impl Iterator<Item = (DirId, EntryState)> + '_ {
        self.roots.iter().flat_map(|(parent, roots)| roots.values().map(|state| (*parent, *state)))
    }

    /// Returns the state of the entry `name` in directory `id` if this entry is the root of another part.
    pub fn root(&self, id: DirId, name: &[u8]) -> Option<EntryState> {
        self.roots.get(&id)?.get(name).copied()
    }

    /// Returns the parent of a directory in the merged tree; `None` for [`DirId::TOP`].
    pub fn parent(&self, id: DirId) -> Option<DirId> {
        let (part, inner) = self.inner(id);
        self.parents.get(&id).copied().or_else(|| part.tree.parent(inner).map(|parent| part.outer(parent)))
    }

    /// Returns the totals of a directory as counted in its part.
    pub fn totals(&self, id: DirId) -> Totals {
        let (part, id) = self.inner(id);
        part.tree.totals(id)
    }

    /// Returns the part that contains a directory.
    pub fn part_of(&self, id: DirId) -> &JoinedPart<'p> {
        &self.parts[self.parts.partition_point(|part| part.first <= id.0).saturating_sub(1)]
    }

    /// Returns the part that contains a directory, and the directory's ID in that part.
    pub fn inner(&self, id: DirId) -> (&JoinedPart<'p>, DirId) {
        let part = self.part_of(id);
        (part, DirId(id.0 - part.first))
    }
}

/// Returns the names of the subdirectories of `id` that the scan excluded because they belong to another part.
fn cut_in(tree: &Tree, id: DirId) -> HashSet<&[u8]> {
    let listing = tree.listing(id);
    let cut = |entry: &Entry<'_>| entry.state == EntryState::Excluded(Exclusion::OtherPart);
    listing.entries().map(|(_, entry)| entry).filter(cut).map(|entry| entry.name).collect()
}
