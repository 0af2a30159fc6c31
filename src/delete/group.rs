//! Entries in one directory that are to be deleted or moved, and the directories on the path to them.
//!
//! Invariant: a directory is opened only if every directory on its path still has the inode that was scanned.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::Reason;
use crate::base::clock::Time;
use crate::base::kind::Kind;
use crate::base::sort::sort_by;
use crate::platform::process::descriptors::wait_for_descriptors;
use crate::platform::{Directory, Errno, Identity};
use crate::tree::{DirId, Entry, EntryState, Metadata, Tree, join};

/// Part of an entry to which an operation applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteScope {
    Whole,
    /// Only the contents, so that an empty directory remains.
    Content,
}

/// Entries of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Directory that contains the entries.
    pub directory: DirId,
    /// Directories from the root down to `directory`, both included. Empty if the items are roots.
    pub steps: Vec<Step>,
    /// Selected entries of the directory.
    pub items: Vec<Item>,
}

/// Directory on the path to selected entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the directory; for a root, the path as given by the user.
    pub name: Vec<u8>,
    pub device: u64,
    pub inode: u64,
}

/// Entry to delete or move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name of the entry; for a root, the path as given by the user.
    pub name: Vec<u8>,
    pub kind: Kind,
    pub inode: u64,
    /// Device number; `None` for a file with only one name, because the tree does not store the device of such a file.
    /// On overlay file systems, the device of a file may differ from the device of its directory.
    pub device: Option<u64>,
    /// `true` if the inode had no other name when the entry was read.
    pub is_single: bool,
    /// ID of the directory in the tree, if the entry is a directory that the scan entered.
    pub directory: Option<DirId>,
    /// Disk usage in bytes according to the tree, including everything below the entry.
    pub disk: u64,
    /// Apparent size in bytes of the entry itself, according to the tree.
    pub apparent: u64,
    /// Modification time of the entry itself according to the tree, in seconds since 1970.
    pub mtime: i64,
    /// Start time of the last scan or rescan that read the entry; `None` if this time cannot be compared with the times
    /// that the file system reports.
    pub read_at: Option<Time>,
    /// Identity of the entry when the confirmation dialog opened; `None` if not recorded yet or not readable.
    pub identity: Option<Identity>,
}

impl Group {
    pub(super) fn new(
        tree: &Tree,
        directory: DirId,
        names: &HashSet<&[u8]>,
        scope: DeleteScope,
    ) -> Option<Self> {
        let group = Self::at(tree, directory)?;
        let listing = tree.listing(directory);
        let chosen = listing.entries().filter(|(_, record)| names.contains(record.name));
        let mut items: Vec<Item> =
            chosen.filter_map(|(_, record)| Item::new(tree, directory, &record)).collect();
        sort_by(&mut items, |a, b| a.name.cmp(&b.name));
        items.dedup_by(|a, b| a.name == b.name);
        if scope == DeleteScope::Content {
            items.retain(|item| item.directory.is_some());
        }
        (!items.is_empty()).then_some(Self { items, ..group })
    }

    /// Returns a group for `directory`, without items. Returns `None` if a directory on the path has no metadata.
    pub(super) fn at(tree: &Tree, directory: DirId) -> Option<Self> {
        let mut ids: Vec<DirId> = tree.ancestry(directory).collect();
        ids.reverse();
        let step = |id: &DirId| {
            let inode = tree.own_metadata(*id)?.inode;
            Some(Step { name: tree.name(*id).to_vec(), device: tree.device(*id), inode })
        };
        let steps = ids.iter().map(step).collect::<Option<Vec<Step>>>()?;
        Some(Self { directory, steps, items: Vec::new() })
    }

    /// Finds the group's directory in a changed tree by its path. Returns `None` if the directory no longer exists.
    pub fn find(&self, tree: &Tree) -> Option<DirId> {
        let mut at = DirId::TOP;
        for step in &self.steps {
            at = tree.entry(at, &step.name)?.directory()?;
        }
        Some(at)
    }

    /// Returns the path of the directory. The path is empty if the items are roots, whose names are paths.
    pub fn path(&self) -> Vec<u8> {
        join(self.steps.iter().map(|step| step.name.as_slice()))
    }

    /// Returns the path of `item`, which must be an item of this group.
    pub fn path_of(&self, item: &Item) -> Vec<u8> {
        join(self.steps.iter().map(|step| step.name.as_slice()).chain([item.name.as_slice()]))
    }

    /// Opens the directory of the group. Symbolic links are followed only in the path of the root.
    ///
    /// # Errors
    /// Returns [`Reason::Changed`] if a directory on the path has been deleted or replaced since the scan. Otherwise,
    /// returns the error that the system reports.
    pub fn open(&self) -> Result<Directory, Reason> {
        let mut open: Option<Directory> = None;
        for step in &self.steps {
            let next = wait_for_descriptors(|| match &open {
                None => Directory::open_for_lookup(&PathBuf::from(OsString::from_vec(step.name.clone()))),
                Some(above) => above.step_into(step.name.as_slice()),
            });
            let next = match next {
                Err(Errno::ENOTDIR | Errno::ELOOP | Errno::ENOENT) => return Err(Reason::Changed),
                other => other?,
            };
            let found = next.attributes()?;
            if (found.device, found.inode) != (step.device, step.inode) {
                return Err(Reason::Changed);
            }
            open = Some(next);
        }
        // The items of a group without steps are roots, whose names may be relative to the current directory.
        open.map_or_else(|| Ok(Directory::open(std::path::Path::new("."))?), Ok)
    }
}

impl Item {
    fn new(tree: &Tree, parent: DirId, record: &Entry<'_>) -> Option<Self> {
        let EntryState::Known(facts) = record.state else { return None };
        let Metadata { inode, directory, links, .. } = facts;
        let device = match (directory, links) {
            (Some(id), _) => Some(tree.device(id)),
            (None, Some(links)) => Some(tree.devices().number(links.device)),
            (None, None) => None,
        };
        let disk = directory.map_or(facts.disk(), |id| tree.totals(id).disk);
        let Metadata { apparent, mtime, .. } = facts;
        let (name, kind, identity) = (record.name.to_vec(), record.kind, None);
        let read_at = tree.read_at(parent, record.name);
        let is_single = links.is_none_or(|links| links.count <= 1);
        Some(Self {
            name,
            kind,
            inode,
            device,
            is_single,
            directory,
            disk,
            apparent,
            mtime,
            read_at,
            identity,
        })
    }
}
