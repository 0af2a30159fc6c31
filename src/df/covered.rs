//! Files covered by mount points. They use space, but an ordinary scan cannot reach them.
//!
//! Each covered directory is scanned through a clone of the mount to which the directory belongs. The clone does not
//! contain the mounts that cover files. Invariant: inodes that the main scan has already counted are not counted again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::mount_map::Cover;
use super::scanned::CountedInodes;
use crate::base::kind::Kind;
use crate::platform::Errno;
use crate::platform::fs::covered::Uncovered;
use crate::scan::{Mounts, Options, Scan};
use crate::tree::{DirId, Entry, EntryState, Metadata, Tree, Walk};

/// Files covered by one mount point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredFiles {
    /// Path of the mount point.
    pub path: PathBuf,
    /// Totals of the covered files, or the error that prevented reading them.
    pub hidden: Result<Hidden, Errno>,
}

/// Totals of covered files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Disk usage in bytes, including the covered directory itself. Each inode is counted once.
    pub disk: u64,
    /// Number of entries below the covered directory. Each hard link counts as one entry.
    pub entries: u64,
    /// Number of entries that could not be read.
    pub unreadable: u64,
}

/// Interval between checks for cancellation during a scan.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Scans each covered directory and returns the totals.
pub fn scan(
    covers: &[Cover],
    counted: &mut CountedInodes,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<CoveredFiles> {
    let mut covered: Vec<CoveredFiles> = Vec::new();
    let mut clones: Vec<(&Path, Result<Uncovered, Errno>)> = Vec::new();
    for cover in covers {
        if !clones.iter().any(|(under, _)| *under == cover.under) {
            clones.push((&cover.under, Uncovered::at(&cover.under)));
        }
        let clone = clones.iter().find(|(under, _)| *under == cover.under).map(|(_, clone)| clone);
        let hidden = match clone {
            Some(Ok(clone)) => below(clone.path(&cover.below), counted, is_cancelled),
            Some(Err(error)) => Err(*error),
            None => Err(Errno::ENOENT),
        };
        covered.push(CoveredFiles { path: cover.under.join(&cover.below), hidden });
    }
    covered
}

/// Scans the covered directory at `path` in the clone (see [`Uncovered`]), and returns its totals.
fn below(
    path: PathBuf,
    counted: &mut CountedInodes,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Hidden, Errno> {
    let options = Options { mounts: Mounts::All, ..Options::default() };
    let scan = Scan::start(vec![path], options).map_err(|_| Errno::EAGAIN)?;
    while scan.wait(CANCEL_CHECK_INTERVAL).is_none() {
        if is_cancelled() {
            scan.stop();
        }
    }
    if is_cancelled() {
        return Err(Errno::ECANCELED);
    }
    let tree = scan.tree();
    let failed = tree.listing(DirId::TOP).entries().find_map(|(_, root)| match root.state {
        EntryState::Failed(errno) => Some(Errno::from_raw(errno)),
        _ => None,
    });
    failed.map_or_else(|| Ok(add_up(tree, counted)), Err)
}

fn add_up(tree: &Tree, counted: &mut CountedInodes) -> Hidden {
    let mut hidden = Hidden::default();
    let mut elsewhere: HashSet<DirId> = HashSet::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let is_elsewhere = elsewhere.contains(&id);
        hidden.unreadable += u64::from(!is_elsewhere && tree.status(id).errno.is_some());
        for (_, record) in listing.entries() {
            if let EntryState::Known(Metadata { directory: Some(child), inode, .. }) = record.state
                && (is_elsewhere || !counted.is_new_directory(tree.device(child), inode))
            {
                elsewhere.insert(child);
            } else if !is_elsewhere {
                hidden.entries += u64::from(id != DirId::TOP);
                hidden.add(tree, counted, id, &record);
            }
        }
    }
    hidden
}

impl Hidden {
    fn add(&mut self, tree: &Tree, counted: &mut CountedInodes, directory: DirId, record: &Entry<'_>) {
        match record.state {
            EntryState::Known(metadata)
                if record.kind == Kind::Directory || counted.is_new_file(tree, directory, &metadata) =>
            {
                self.disk = self.disk.saturating_add(metadata.disk());
            }
            EntryState::Failed(_) => self.unreadable += 1,
            EntryState::Known(_) | EntryState::Excluded(_) => {}
        }
    }
}
