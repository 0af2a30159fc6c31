//! What a scan has met of each file system: bytes with each inode once, and what it has not met.
//!
//! Does no I/O. Invariant: with one file system below the root, its bytes are the tree's total.

use std::collections::HashSet;

use super::regions::Regions;
use crate::kind::Kind;
use crate::platform::Errno;
use crate::tree::{Content, DirId, Facts, Record, Tree, Walk};

/// What was met of a file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Disk bytes, each inode once.
    pub disk: u64,
    /// Names, those of linked files each.
    pub entries: u64,
    /// Directories that could not be read, and entries that could not be looked at.
    pub unreadable: u64,
    /// Entries that the scan was told to leave out.
    pub left_out: u64,
    /// Whether something may be missing because the scan was stopped, or still runs.
    pub is_partial: bool,
}

/// Inodes that were counted; kept from one tree to the next if both are of the same file systems.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// Files with several names: device and inode.
    files: HashSet<(u64, u64)>,
    /// Directories of file systems that are mounted more than once.
    directories: HashSet<(u64, u64)>,
}

impl Met {
    /// Whether an entry is met for the first time, as far as that is worth remembering.
    pub(super) fn is_new_file(&mut self, tree: &Tree, directory: DirId, facts: &Facts) -> bool {
        let device =
            facts.links.map_or_else(|| tree.device(directory), |links| tree.devices().number(links.device));
        facts.links.is_none() || self.files.insert((device, facts.inode))
    }

    /// Whether a directory is met for the first time.
    pub(super) fn is_new_directory(&mut self, device: u64, inode: u64) -> bool {
        self.directories.insert((device, inode))
    }
}

/// The sums of every file system, and the file system of every directory.
pub(super) struct Sums {
    pub(super) scanned: Vec<Scanned>,
    /// By number of the directory: one more than the number of its file system, zero where there is none.
    of: Vec<u32>,
}

impl Sums {
    /// The file system of a directory; none of one that is counted elsewhere.
    pub(super) fn system(&self, id: DirId) -> Option<usize> {
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

/// Adds up a tree. A device amid a file system that has subvolumes is noted as one more of its own; any other is a file
/// system that the table of mounts does not know.
pub(super) fn add_up(tree: &Tree, regions: &mut Regions, met: &mut Met) -> Sums {
    let mut sums = Sums { scanned: vec![Scanned::default(); regions.systems.len()], of: Vec::new() };
    let with_files: HashSet<DirId> = regions.files.keys().map(|(id, _)| *id).collect();
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
                    let system = system_of(tree, regions, met, (child, &record), here);
                    sums.set(child, system);
                    sums.scanned.resize(regions.systems.len(), Scanned::default());
                    system
                }
                None if with_files.contains(&id) => {
                    regions.files.get(&(id, record.name.to_vec())).copied().or(here)
                }
                None => here,
            };
            if let Some(system) = system {
                let scanned = &mut sums.scanned[system];
                add(tree, scanned, met, id, &record);
                if let Content::Excluded(why) = record.content {
                    scanned.left_out += u64::from(regions.is_left_out(system, id, record.name, why));
                }
            }
        }
    }
    sums
}

/// The file system of a directory below one of the file system `above`; none if it was met before.
fn system_of(
    tree: &Tree,
    regions: &mut Regions,
    met: &mut Met,
    (child, record): (DirId, &Record<'_>),
    above: Option<usize>,
) -> Option<usize> {
    let device = tree.device(child);
    let system = match (regions.starts.get(&child).copied(), above) {
        (Some(start), _) => start,
        (None, Some(above)) if regions.systems[above].devices.contains(&device) => above,
        (None, Some(above)) if regions.systems[above].has_subvolumes() => above,
        (None, None) if tree.parent(child).is_some_and(|parent| tree.device(parent) == device) => {
            return None;
        }
        (None, _) => {
            let path = crate::scan::path(tree.path(child));
            let system = regions.system(None, device, &path);
            regions.systems[system].is_whole |= above.is_some();
            system
        }
    };
    regions.systems[system].devices.insert(device);
    let Content::Known(Facts { inode, .. }) = record.content else { return Some(system) };
    let is_new = regions.systems[system].times < 2 || met.is_new_directory(device, inode);
    is_new.then_some(system)
}

fn add(tree: &Tree, scanned: &mut Scanned, met: &mut Met, directory: DirId, record: &Record<'_>) {
    scanned.entries += u64::from(directory != DirId::TOP);
    match record.content {
        Content::Known(facts) => {
            let is_new = record.kind == Kind::Directory || met.is_new_file(tree, directory, &facts);
            scanned.disk = scanned.disk.saturating_add(if is_new { facts.disk() } else { 0 });
        }
        Content::Failed(errno) if errno == Errno::ELOOP as i32 => {}
        Content::Failed(_) => scanned.unreadable += 1,
        Content::Excluded(_) => {}
    }
}
