//! Source of references used on btrfs when duke runs as root: the trees of all subvolumes, which list the extents of
//! all files.
//!
//! Unlike the extents that the file system reports for a single file, these are whole extents with their sizes on disk,
//! and include those of files outside the scan. The sums are therefore exact if the trees contain all used data.
//!
//! Invariant: an extent of a file that is not in the scan belongs to a node outside the tree.

use std::collections::HashMap;

use super::extents::{SubvolumeTree, unbound};
use super::plan::ExtentPlan;
use super::sums::{ExclusiveSums, Known, VolumeRange};
use crate::platform::fs::overhead::btrfs::{
    FileExtent, TOP_LEVEL, block_groups, extents, readable, subvolumes, used_data,
};
use crate::platform::{Directory, Errno};
use crate::scan::{reach, reach_entry};
use crate::tree::{DeviceIndex, DirId, Node, NodeNumbers};

/// Minimum number of references at which repeated ones are dropped.
const LIMIT: usize = 1 << 16;

/// Name of a scanned file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KnownName {
    inode: u64,
    node: Node,
    /// Link count of the file.
    links: u32,
}

const _: () = assert!(size_of::<KnownName>() == 16);

/// btrfs volume, with the names of the scanned files in its subvolumes.
pub(crate) struct VolumeTrees {
    /// Identity of the volume.
    pub(crate) id: u64,
    directory: Result<Directory, Errno>,
    /// Sorted names of scanned files, by subvolume ID.
    names: HashMap<u64, Vec<KnownName>>,
}

impl VolumeTrees {
    /// Returns the btrfs volumes to which the devices in `trees` belong, with their scanned files.
    pub(crate) fn of(plan: &ExtentPlan, trees: &[(DeviceIndex, SubvolumeTree)]) -> Vec<Self> {
        let mut volumes: Vec<Self> = Vec::new();
        for piece in &plan.pieces {
            let part = plan.part(*piece);
            for file in plan.files(piece.directory, &part) {
                let links = file.metadata.links;
                let device = match piece.directory {
                    DirId::TOP => links.map(|links| links.device),
                    directory => Some(plan.tree.device_index(directory)),
                };
                let tree = trees.iter().find(|(index, _)| Some(*index) == device).map(|(_, tree)| *tree);
                let Some(SubvolumeTree { volume, subvolume }) = tree else { continue };
                let index = volumes.iter().position(|known| known.id == volume).unwrap_or_else(|| {
                    let directory = match piece.directory {
                        DirId::TOP => reach_entry(&plan.tree, DirId::TOP, file.entry.name).map(|(it, _)| it),
                        directory => reach(&plan.tree, directory),
                    };
                    let directory = directory.and_then(|directory| readable(&directory));
                    volumes.push(Self { id: volume, directory, names: HashMap::new() });
                    volumes.len() - 1
                });
                let count = file.metadata.several_names().map_or(1, |links| links.count);
                volumes[index].names.entry(subvolume).or_default().push(KnownName {
                    inode: file.metadata.inode,
                    node: file.node,
                    links: u32::try_from(count).unwrap_or(u32::MAX),
                });
            }
        }
        for names in volumes.iter_mut().flat_map(|volume| volume.names.values_mut()) {
            names.sort_unstable();
        }
        volumes
    }

    /// Adds the references of all subvolumes to `sums`. `number` is the volume's number in `sums`.
    pub(crate) fn add(&self, sums: &mut ExclusiveSums, number: usize, is_cancelled: &dyn Fn() -> bool) {
        let mut references = References { sums, number, limit: LIMIT, names: Vec::new() };
        let is_whole = self.directory.as_ref().is_ok_and(|directory| {
            self.read(directory, &mut references, is_cancelled).is_ok()
                && block_groups(directory).is_ok_and(|groups| used_data(&groups) == Some(references.data()))
        });
        if !is_whole {
            // Deleting a file may also free extents that were not found.
            let nodes: Vec<Node> = self.names.values().flatten().map(|name| name.node).collect();
            unbound(references.sums, &nodes);
        }
    }

    fn read(
        &self,
        directory: &Directory,
        references: &mut References<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Errno> {
        let ids: Vec<u64> = subvolumes(directory)?.iter().map(|subvolume| subvolume.id).collect();
        for id in std::iter::once(TOP_LEVEL).chain(ids) {
            if is_cancelled() {
                return Ok(());
            }
            let names = self.names.get(&id).map_or(&[][..], Vec::as_slice);
            extents(directory, id, |extent| references.add(names, extent))?;
        }
        Ok(())
    }
}

/// State while the references of one volume are being added to the sums.
struct References<'s> {
    sums: &'s mut ExclusiveSums,
    number: usize,
    /// Number of references at which repeated ones are dropped. Files in snapshots are outside the scan, so snapshots
    /// of the same extent give equal references.
    limit: usize,
    names: Vec<Node>,
}

impl References<'_> {
    /// Adds a reference from a file to `extent`. `known` contains the sorted names of the scanned files in its
    /// subvolume.
    fn add(&mut self, known: &[KnownName], extent: FileExtent) {
        let first = known.partition_point(|name| name.inode < extent.inode);
        let found = known[first..].iter().take_while(|name| name.inode == extent.inode);
        self.names.clear();
        self.names.extend(found.clone().map(|name| name.node));
        let count = found.map(|name| name.links).max().unwrap_or(1);
        if self.names.len() < count as usize {
            self.names.push(NodeNumbers::OUTSIDE);
        }
        let range = VolumeRange { volume: self.number, start: extent.start, length: extent.length };
        self.sums.refer(&self.names, range, Known::All);
        if self.sums.references(self.number) >= self.limit {
            self.limit = (self.sums.compact(self.number) * 3 / 2).max(LIMIT);
        }
    }

    /// Returns the total size of all extents, each counted once.
    fn data(&mut self) -> u64 {
        self.sums.compact(self.number);
        self.sums.covered(self.number)
    }
}
