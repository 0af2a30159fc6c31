//! Volumes on which the extents of all files can be read together. On btrfs, they are read from the trees of the
//! subvolumes; on XFS, from the space map. Only the superuser can read the trees and the map.
//!
//! The trees and the map also contain the extents of files outside the scan. A query for each scanned file would not
//! find these extents.
//!
//! Invariant: an extent of a file outside the scan is assigned to the node that represents everything outside the
//! tree. On XFS, such an extent is skipped if no other file shares it.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::extents::{PartOfVolume, VolumeSource, mark_as_lower_bound};
use super::map::FileEnds;
use super::plan::{ExtentPlan, NamedInode};
use super::references::{ChangedFiles, KnownName, References};
use super::sums::ExclusiveSums;
use super::{map, trees};
use crate::platform::fs::overhead::btrfs::readable;
use crate::platform::{Directory, Errno};
use crate::scan::{reach, reach_entry};
use crate::tree::{Accuracy, DeviceIndex, DirId, Node};

/// Volume, with the names of the scanned files on it.
pub(super) struct WholeVolume {
    /// Identity of the volume, common to all of its subvolumes.
    pub(super) id: u64,
    directory: Result<Directory, Errno>,
    /// Names of scanned files, grouped by the ID of their subvolume. Each group is sorted by inode number.
    names: HashMap<u64, Vec<KnownName>>,
    /// Disk usage of the scanned files in bytes, indexed by [`Node`]; 0 for all other nodes.
    sizes: Vec<u64>,
    /// End of each scanned file on XFS; `None` on btrfs. Blocks after the end do not count as part of the file.
    ends: Option<FileEnds>,
}

impl WholeVolume {
    /// Returns the volumes to which the devices in `parts` belong. Each volume lists its scanned files.
    pub(super) fn of(
        plan: &ExtentPlan,
        parts: &[(DeviceIndex, PartOfVolume)],
        changed: &ChangedFiles,
    ) -> Vec<Self> {
        let mut volumes: Vec<Self> = Vec::new();
        let part_on =
            |device: DeviceIndex| parts.iter().find(|(index, _)| *index == device).map(|(_, part)| *part);
        for piece in &plan.pieces {
            let part = plan.part(*piece);
            for file in plan.files(piece.directory, &part) {
                let links = file.metadata.links;
                let device = match piece.directory {
                    DirId::TOP => links.map(|links| links.device),
                    directory => Some(plan.tree.device_index(directory)),
                };
                let found = device.and_then(part_on);
                let Some(PartOfVolume { source, volume, subvolume, block, .. }) = found else { continue };
                let index = volumes.iter().position(|known| known.id == volume).unwrap_or_else(|| {
                    let directory = match piece.directory {
                        DirId::TOP => reach_entry(&plan.tree, DirId::TOP, file.entry.name).map(|(it, _)| it),
                        directory => reach(&plan.tree, directory),
                    };
                    let directory = directory.and_then(|directory| readable(&directory));
                    let count = plan.numbers.count();
                    let (names, sizes) = (HashMap::new(), vec![0; count]);
                    let ends = (source == VolumeSource::Map).then(|| FileEnds::new(block, count));
                    volumes.push(Self { id: volume, directory, names, sizes, ends });
                    volumes.len() - 1
                });
                let volume = &mut volumes[index];
                let now = changed.since_scan(file.node);
                if file.metadata.several_names().is_none() {
                    let links = now.map_or(1, |now| now.links);
                    let name = KnownName { inode: file.metadata.inode, node: file.node, links };
                    volume.names.entry(subvolume).or_default().push(name);
                }
                volume.sizes[file.node as usize] = now.map_or(file.metadata.disk(), |now| now.disk);
                if let Some(ends) = &mut volume.ends {
                    ends.set(file.node, file.metadata.apparent);
                }
            }
        }
        for NamedInode { inode, node, count } in &plan.named {
            let Some(part) = part_on(inode.device) else { continue };
            let Some(volume) = volumes.iter_mut().find(|it| it.id == part.volume) else { continue };
            let scanned = u32::try_from(*count).unwrap_or(u32::MAX);
            let links = changed.since_scan(*node).map_or(scanned, |now| now.links);
            let name = KnownName { inode: inode.inode, node: *node, links };
            volume.names.entry(part.subvolume).or_default().push(name);
        }
        for names in volumes.iter_mut().flat_map(|volume| volume.names.values_mut()) {
            names.sort_unstable();
        }
        volumes
    }

    /// Adds to `sums` the references from the files on the volume to their extents. `number` is the volume's index in
    /// `sums`. Calls `after_extent` after each reference, and ends when `after_extent` returns `Break`.
    pub(super) fn add(
        self,
        sums: &mut ExclusiveSums,
        number: usize,
        changed: &ChangedFiles,
        after_extent: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Accuracy {
        let mut references = References::new(sums, number, self.sizes, changed);
        let found = self.directory.and_then(|directory| match self.ends {
            None => trees::add(&self.names, &directory, &mut references, after_extent),
            Some(ends) => {
                let names = self.names.get(&0).map_or(&[][..], Vec::as_slice);
                map::add(names, &ends, &directory, &mut references, after_extent).map(|()| Accuracy::Exact)
            }
        });
        let accuracy = found.unwrap_or_else(|errno| {
            // Files that were not read may share any of the extents.
            sums.doubt(number);
            Accuracy::Failed(errno as i32)
        });
        if accuracy != Accuracy::Exact {
            // Any file may have some of the missing extents, so deleting it may free more bytes than `sums` shows.
            let nodes: Vec<Node> = self.names.values().flatten().map(|name| name.node).collect();
            mark_as_lower_bound(sums, &nodes);
        }
        accuracy
    }
}
