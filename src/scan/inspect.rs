//! Inspection of one entry: details that the list does not show, read step by step from the system and the tree.
//!
//! ```text
//! attributes  ->  mount  ->  layout on the disk  ->  other names, from the tree  ->  names of owner and group
//! ```
//!
//! The result of each step is published immediately, and the slowest step comes last. The inspection runs in the
//! background, so a file system that does not respond blocks only the inspection's own thread.
//!
//! Invariant: apart from directories, only regular files are opened. A file is not opened if its contents are only in
//! the cloud, or if its file system is a kernel or network file system or is provided by a program or by the host of
//! a virtual machine.

use std::ffi::CStr;
use std::io;

use crate::base::job::{Job, Pool, Task};
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::platform::entry::extents;
use crate::platform::entry::extents::ExtentLayout;
use crate::platform::entry::probe::{Probe, Trait, probe};
use crate::platform::fs::mounts::{Mount, mount_of};
use crate::platform::process::{io_policy, users};
use crate::platform::{Directory, Errno, FileSystem};
use crate::scan::reach_entry;
use crate::tree::{DirId, EntryId, EntryState, InodeIndex, Tree, join};

/// Maximum number of paths in [`Inspection::names`].
const MOST_NAMES: usize = 1_000;

/// Result of an inspection so far.
#[derive(Clone, Debug, Default)]
pub struct Inspection {
    /// Current attributes of the entry as reported by the system, or the error number.
    pub probe: Option<Result<Probe, i32>>,
    /// Mount of the entry's file system, if the system reports one.
    pub mount: Option<Mount>,
    /// Layout of the file on disk, or the error number. `None` if there is no layout to report, as for directories.
    pub layout: Option<Result<ExtentLayout, i32>>,
    /// Paths of the inode's other names in the tree.
    pub names: Vec<Vec<u8>>,
    /// Number of the inode's names in the tree, including the inspected name. `None` until the names are counted. Names
    /// are not counted while a scan is running, nor for directories and entries with a link count of 1.
    pub names_in_tree: Option<u64>,
    /// Name of the owner; `None` until looked up, or if the user ID has no name.
    pub owner: Option<String>,
    /// Name of the group; `None` until looked up, or if the group ID has no name.
    pub group: Option<String>,
    /// `true` once the inspection has ended.
    pub is_complete: bool,
}

/// Starts inspecting an entry.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn inspect(pool: &Pool, tree: Arc<Tree>, entry: EntryId) -> io::Result<Job<Inspection>> {
    pool.start(move |task| {
        // Disable downloads from the cloud. This affects only the current thread, which ends with the job.
        io_policy::refuse();
        let Some(record) = entry.record(&tree) else {
            task.publish(Inspection {
                probe: Some(Err(Errno::ENOENT as i32)),
                is_complete: true,
                ..Inspection::default()
            });
            return;
        };
        let of = Inspected { tree: &tree, entry, name: record.name };
        of.inspect(task);
    })
}

struct Inspected<'t> {
    tree: &'t Tree,
    entry: EntryId,
    name: &'t [u8],
}

impl Inspected<'_> {
    fn inspect(&self, task: &Task<Inspection>) {
        let mut found = Inspection::default();
        let directory = reach_entry(self.tree, self.entry.directory, self.name);
        let probed = directory.and_then(|(directory, name)| Ok((probe(&directory, &name)?, directory, name)));
        match probed {
            Err(error) => found.probe = Some(Err(error as i32)),
            Ok((probe, directory, name)) => {
                found.probe = Some(Ok(probe.clone()));
                task.publish(found.clone());
                found.mount = mount_of(&directory, &name, &probe).ok();
                task.publish(found.clone());
                found.layout = layout(&directory, &name, &probe);
                task.publish(found.clone());
                if probe.attributes.links > 1 && probe.attributes.kind != Kind::Directory {
                    self.find_names(&mut found);
                    task.publish(found.clone());
                }
                found.owner = users::user(probe.attributes.uid);
                found.group = users::group(probe.attributes.gid);
            }
        }
        found.is_complete = true;
        task.publish(found);
    }

    /// Finds the other names of the entry's inode in the tree.
    fn find_names(&self, found: &mut Inspection) {
        let own = self.entry.record(self.tree).map(|record| record.state);
        let Some(EntryState::Known(metadata)) = own else { return };
        let Some(inode) = metadata.linked_inode() else { return };
        // All names are known only after the scan.
        if !self.tree.status(DirId::TOP).is_complete() {
            return;
        }
        let index = InodeIndex::new(self.tree);
        let mut directories: Vec<DirId> = index.names(inode).iter().map(|name| name.directory).collect();
        found.names_in_tree = Some(directories.len() as u64);
        directories.sort_unstable();
        directories.dedup();
        for directory in directories {
            let listing = self.tree.listing(directory);
            for (position, record) in listing.entries() {
                let is_same = matches!(record.state, EntryState::Known(other)
                    if other.linked_inode() == Some(inode));
                let is_itself = EntryId { directory, position } == self.entry;
                if is_same && !is_itself && found.names.len() < MOST_NAMES {
                    found.names.push(join([self.tree.path(directory).as_slice(), record.name]));
                }
            }
        }
        found.names.sort_unstable();
    }
}

/// Returns the layout of a file on disk. Returns `None` if the entry is not a regular file with allocated blocks, if
/// reading the layout could have side effects, or if the system does not report it.
fn layout(directory: &Directory, name: &CStr, probe: &Probe) -> Option<Result<ExtentLayout, i32>> {
    /// Errors of file systems that do not report a layout. They are in a list rather than in a pattern,
    /// because two of them have the same number on some systems.
    const LAYOUT_UNKNOWN: [Errno; 5] =
        [Errno::EOPNOTSUPP, Errno::ENOTSUP, Errno::ENOTTY, Errno::EINVAL, Errno::ENOSYS];
    let is_local = directory.file_system().is_ok_and(|it| it == FileSystem::Ordinary);
    let is_here = !probe.traits.contains(&Trait::Dataless);
    if probe.attributes.kind != Kind::File || probe.attributes.blocks == 0 || !is_local || !is_here {
        return None;
    }
    match extents::layout(directory, name) {
        Err(error) if LAYOUT_UNKNOWN.contains(&error) => None,
        result => Some(result.map_err(|error| error as i32)),
    }
}
