//! Totals of a scan per file system, with each inode counted once, and the number of entries that could not be counted.
//!
//! The module does no I/O. Invariant: if there is only one file system below the root, the disk usage of this file
//! system equals the total of the tree.

use std::collections::HashSet;

use super::mount_map::MountMap;
use crate::base::kind::Kind;
use crate::platform::{Errno, FileId};
use crate::tree::{DirId, Entry, EntryState, Metadata, Tree, Walk};

/// Totals of a scan for one file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Disk usage in bytes, with each inode counted once.
    pub disk: u64,
    /// Number of names. A file with hard links is counted once per name.
    pub entries: u64,
    /// Number of directories that could not be read, plus the number of entries without metadata.
    pub unreadable: u64,
    /// Number of excluded entries (see `MountMap::is_excluded`).
    pub excluded: u64,
    /// `true` if something may be missing, because the scan was stopped or is still running.
    pub is_partial: bool,
}

/// Counted inodes that might be found again. Shared by the main scan and the scans of covered files.
#[derive(Debug, Default)]
pub struct CountedInodes {
    /// Counted files that may have several names.
    files: HashSet<FileId>,
    /// Directories that have been counted and might be reached again: directories covered by a mount, and directories
    /// on file systems that were scanned through several mounts.
    directories: HashSet<FileId>,
}

impl CountedInodes {
    /// Returns `true` if the file has not been counted before. Records the file if it may have several names.
    pub fn is_new_file(&mut self, tree: &Tree, directory: DirId, metadata: &Metadata) -> bool {
        let device = metadata
            .links
            .map_or_else(|| tree.device(directory), |links| tree.devices().number(links.device));
        metadata.links.is_none() || self.files.insert(FileId { device, inode: metadata.inode })
    }

    /// Returns `true` if the directory has not been counted before, and records it.
    pub fn is_new_directory(&mut self, device: u64, inode: u64) -> bool {
        self.directories.insert(FileId { device, inode })
    }
}

/// Totals of each file system, and the file system of each directory.
pub struct ScannedSizes {
    pub scanned: Vec<Scanned>,
    /// File system of each directory, by [`DirId`]: the index of the file system plus one, or 0 if there is none.
    of: Vec<u32>,
}

impl ScannedSizes {
    /// Returns the index of the directory's file system; `None` for the list of roots, and for a directory that was
    /// already counted under another path.
    pub fn system(&self, id: DirId) -> Option<usize> {
        self.of.get(id.0 as usize)?.checked_sub(1).map(|system| system as usize)
    }

    fn set(&mut self, id: DirId, system: Option<usize>) {
        let at = id.0 as usize;
        if self.of.len() <= at {
            self.of.resize(at + 1, 0);
        }
        self.of[at] = system.and_then(|system| u32::try_from(system + 1).ok()).unwrap_or(0);
    }
}

/// Adds up the entries of a tree per file system. An unknown device inside a file system with subvolumes is assigned to
/// that file system. Any other unknown device counts as a file system that is missing from the mount table.
pub fn add_up(tree: &Tree, map: &mut MountMap, counted: &mut CountedInodes) -> ScannedSizes {
    let mut sums = ScannedSizes { scanned: vec![Scanned::default(); map.systems.len()], of: Vec::new() };
    let with_files: HashSet<DirId> = map.files.keys().map(|(id, _)| *id).collect();
    let aliases = tree.alias_positions();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let here = sums.system(id);
        if let Some(here) = here {
            let status = tree.status(id);
            sums.scanned[here].unreadable += u64::from(status.errno.is_some());
            sums.scanned[here].is_partial |= status.partial || !status.is_complete();
        }
        for (position, record) in listing.entries() {
            if id == DirId::TOP && aliases.contains(&position) {
                continue;
            }
            let child = record.directory();
            let system = match child {
                Some(child) => {
                    let system = system_of(tree, map, counted, (child, &record), here);
                    sums.set(child, system);
                    sums.scanned.resize(map.systems.len(), Scanned::default());
                    system
                }
                None if with_files.contains(&id) => {
                    map.files.get(&(id, record.name.to_vec())).copied().or(here)
                }
                None => here,
            };
            if let Some(system) = system {
                let scanned = &mut sums.scanned[system];
                add(tree, scanned, counted, id, &record);
                if let EntryState::Excluded(why) = record.state {
                    scanned.excluded += u64::from(map.is_excluded(system, id, record.name, why));
                }
            }
        }
    }
    sums
}

/// Returns the index of the child's file system, or `None` if the child was counted before. `above` is the index of the
/// parent's file system.
fn system_of(
    tree: &Tree,
    map: &mut MountMap,
    counted: &mut CountedInodes,
    (child, record): (DirId, &Entry<'_>),
    above: Option<usize>,
) -> Option<usize> {
    let device = tree.device(child);
    let system = match (map.starts.get(&child).copied(), above) {
        (Some(start), _) => start,
        (None, Some(above)) if map.systems[above].devices.contains(&device) => above,
        (None, Some(above)) if map.systems[above].has_subvolumes() => above,
        (None, None) if tree.parent(child).is_some_and(|parent| tree.device(parent) == device) => {
            return None;
        }
        (None, _) => {
            let path = crate::scan::path(tree.path(child));
            let system = map.system(None, device, &path);
            map.systems[system].is_whole |= above.is_some();
            system
        }
    };
    map.systems[system].devices.insert(device);
    let EntryState::Known(Metadata { inode, .. }) = record.state else { return Some(system) };
    let visited = &map.systems[system];
    let is_new = visited.times <= visited.mounts.len().max(1) || counted.is_new_directory(device, inode);
    is_new.then_some(system)
}

fn add(
    tree: &Tree,
    scanned: &mut Scanned,
    counted: &mut CountedInodes,
    directory: DirId,
    record: &Entry<'_>,
) {
    scanned.entries += u64::from(directory != DirId::TOP);
    match record.state {
        EntryState::Known(metadata) => {
            let is_new = record.kind == Kind::Directory || counted.is_new_file(tree, directory, &metadata);
            scanned.disk = scanned.disk.saturating_add(if is_new { metadata.disk() } else { 0 });
        }
        EntryState::Failed(errno) if errno == Errno::ELOOP as i32 => {}
        EntryState::Failed(_) => scanned.unreadable += 1,
        EntryState::Excluded(_) => {}
    }
}
