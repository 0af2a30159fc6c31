//! What lies below mount points: files that were there before something was mounted on them take space that no scan from above can
//! see.
//!
//! Each covered place is scanned through a clone of the mount that has nothing mounted on it. Invariant: what the scan
//! from above has met does not count again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::regions::Cover;
use super::scanned::Met;
use crate::kind::Kind;
use crate::platform::Errno;
use crate::platform::uncover::Uncovered;
use crate::scan::{Mounts, Options, Scan};
use crate::tree::{Content, DirId, Facts, Record, Tree, Walk};

/// What a mount point hides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The mount point.
    pub path: PathBuf,
    /// What is hidden, or why that cannot be known.
    pub hidden: Result<Hidden, Errno>,
}

/// How much lies below a mount point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Disk bytes, each inode once, the covered directory's own included.
    pub disk: u64,
    /// Names.
    pub entries: u64,
    /// What could not be read of it.
    pub unreadable: u64,
}

/// How often a scan is looked at for whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(50);

/// Looks below every cover.
pub(super) fn look(covers: &[Cover], met: &mut Met, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Vec<Shadow> {
    let mut shadows: Vec<Shadow> = Vec::new();
    let mut clones: Vec<(&Path, Result<Uncovered, Errno>)> = Vec::new();
    for cover in covers {
        if !clones.iter().any(|(under, _)| *under == cover.under) {
            clones.push((&cover.under, Uncovered::at(&cover.under)));
        }
        let clone = clones.iter().find(|(under, _)| *under == cover.under).map(|(_, clone)| clone);
        let hidden = match clone {
            Some(Ok(clone)) => below(clone.path(&cover.below), met, is_cancelled),
            Some(Err(error)) => Err(*error),
            None => Err(Errno::ENOENT),
        };
        shadows.push(Shadow { path: cover.under.join(&cover.below), hidden });
    }
    shadows
}

/// Adds up what lies at `path`, which has nothing mounted on it.
fn below(path: PathBuf, met: &mut Met, is_cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Hidden, Errno> {
    let options = Options { mounts: Mounts::All, ..Options::default() };
    let scan = Scan::start(vec![path], options).map_err(|_| Errno::EAGAIN)?;
    while scan.wait(GLANCE).is_none() {
        if is_cancelled() {
            scan.stop();
        }
    }
    if is_cancelled() {
        return Err(Errno::ECANCELED);
    }
    let tree = scan.tree();
    let failed = tree.listing(DirId::TOP).entries().find_map(|(_, root)| match root.content {
        Content::Failed(errno) => Some(Errno::from_raw(errno)),
        _ => None,
    });
    failed.map_or_else(|| Ok(add_up(tree, met)), Err)
}

fn add_up(tree: &Tree, met: &mut Met) -> Hidden {
    let mut hidden = Hidden::default();
    let mut elsewhere: HashSet<DirId> = HashSet::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let is_elsewhere = elsewhere.contains(&id);
        hidden.unreadable += u64::from(!is_elsewhere && tree.status(id).errno.is_some());
        for (_, record) in listing.entries() {
            if let Content::Known(Facts { directory: Some(child), inode, .. }) = record.content
                && (is_elsewhere || !met.is_new_directory(tree.device(child), inode))
            {
                elsewhere.insert(child);
            } else if !is_elsewhere {
                hidden.entries += u64::from(id != DirId::TOP);
                hidden.add(tree, met, id, &record);
            }
        }
    }
    hidden
}

impl Hidden {
    fn add(&mut self, tree: &Tree, met: &mut Met, directory: DirId, record: &Record<'_>) {
        match record.content {
            Content::Known(facts)
                if record.kind == Kind::Directory || met.is_new_file(tree, directory, &facts) =>
            {
                self.disk = self.disk.saturating_add(facts.disk());
            }
            Content::Failed(_) => self.unreadable += 1,
            Content::Known(_) | Content::Excluded(_) => {}
        }
    }
}
