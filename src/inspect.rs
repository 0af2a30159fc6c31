//! What there is to know of one entry beyond its row: asked of the system and gathered from the tree, piece by piece.
//!
//! ```text
//! probe  ->  mount  ->  layout on the disk  ->  other names, from the tree  ->  names of owner and group
//! ```
//!
//! Each piece is published as it comes, the one that may take longest last. Runs beside the screen: a file system that does not
//! answer keeps the thread here waiting and nobody else.
//!
//! Knows no screen. Invariant: only regular files are opened, none on a file system that another program or machine serves, and
//! none in the cloud.

use std::ffi::CStr;
use std::io;

use crate::job::{Job, Pool, Task};
use crate::kind::Kind;
use crate::platform::extents::{self, Layout};
use crate::platform::mounts::{Mount, mount_of};
use crate::platform::probe::{Probe, Trait, probe};
use crate::platform::{Directory, Errno, FileSystem, cloud, people};
use crate::scan::reach_entry;
use crate::sync::Arc;
use crate::tree::{Content, DirId, Position, Tree, join};

/// So many other names of an inode are looked up.
const MOST_NAMES: usize = 1_000;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct Inspection {
    /// What the system says of the entry, or the number of its error.
    pub probe: Option<Result<Probe, i32>>,
    /// Where its file system is mounted, if the system tells.
    pub mount: Option<Mount>,
    /// How a regular file lies on the disk, or the number of the error.
    pub layout: Option<Result<Layout, i32>>,
    /// The paths of its other names in the tree.
    pub names: Vec<Vec<u8>>,
    /// How many names of the inode the tree has, this one included; none before it was looked through, or while a scan runs.
    pub names_in_tree: Option<u64>,
    /// The name of the owner.
    pub owner: Option<String>,
    /// The name of the group.
    pub group: Option<String>,
    /// Whether nothing more will come.
    pub is_complete: bool,
}

/// Begins to inspect the entry of `directory` at `position`.
///
/// # Errors
/// When the system gives no thread.
pub fn inspect(
    pool: &Pool,
    tree: Arc<Tree>,
    directory: DirId,
    position: Position,
) -> io::Result<Job<Inspection>> {
    pool.start(move |task| {
        // For this thread alone, which ends with the job.
        cloud::refuse();
        let listing = tree.listing(directory);
        let Some(record) = listing.record(position) else {
            task.publish(Inspection {
                probe: Some(Err(Errno::ENOENT as i32)),
                is_complete: true,
                ..Inspection::default()
            });
            return;
        };
        let of = Entry { tree: &tree, directory, name: record.name, position };
        of.inspect(task);
    })
}

struct Entry<'t> {
    tree: &'t Tree,
    directory: DirId,
    name: &'t [u8],
    position: Position,
}

impl Entry<'_> {
    fn inspect(&self, task: &Task<Inspection>) {
        let mut found = Inspection::default();
        let place = reach_entry(self.tree, self.directory, self.name);
        let probed = place.and_then(|(place, name)| Ok((probe(&place, &name)?, place, name)));
        match probed {
            Err(error) => found.probe = Some(Err(error as i32)),
            Ok((probe, place, name)) => {
                found.probe = Some(Ok(probe.clone()));
                task.publish(found.clone());
                found.mount = mount(&place, &name, &probe);
                task.publish(found.clone());
                found.layout = layout(&place, &name, &probe);
                task.publish(found.clone());
                if probe.attributes.links > 1 && probe.attributes.kind != Kind::Directory {
                    self.find_names(&mut found);
                    task.publish(found.clone());
                }
                found.owner = people::user(probe.attributes.uid);
                found.group = people::group(probe.attributes.gid);
            }
        }
        found.is_complete = true;
        task.publish(found);
    }

    /// Looks for other names of the inode that the scan met.
    fn find_names(&self, found: &mut Inspection) {
        let own = self.tree.listing(self.directory).record(self.position).map(|record| record.content);
        let Some(Content::Known(facts)) = own else { return };
        let Some(links) = facts.links else { return };
        // Names are known when the scan is over.
        if !self.tree.status(DirId::TOP).is_complete() {
            return;
        }
        let linked = self.tree.linked();
        let same = linked.iter().filter(|name| {
            // A root that is itself a file may be a name met below another root too.
            (name.device, name.inode) == (links.device, facts.inode) && name.directory != DirId::TOP
        });
        let mut directories: Vec<DirId> = same.map(|name| name.directory).collect();
        found.names_in_tree = Some(directories.len() as u64);
        directories.sort_unstable();
        directories.dedup();
        for directory in directories {
            let listing = self.tree.listing(directory);
            for (position, record) in listing.entries() {
                let is_same = matches!(record.content, Content::Known(other)
                    if other.inode == facts.inode
                        && other.links.is_some_and(|other| other.device == links.device));
                let is_itself = (directory, position) == (self.directory, self.position);
                if is_same && !is_itself && found.names.len() < MOST_NAMES {
                    found.names.push(join([self.tree.path(directory).as_slice(), record.name]));
                }
            }
        }
        found.names.sort_unstable();
    }
}

/// The mount an entry is on. What is mounted on a directory, or reached through it, is told by opening it.
fn mount(place: &Directory, name: &CStr, probe: &Probe) -> Option<Mount> {
    let attributes = &probe.attributes;
    let leads_elsewhere = cfg!(target_os = "macos")
        && attributes.is_directory()
        && !probe.traits.contains(&Trait::Dataless)
        && (probe.traits.contains(&Trait::Firmlink)
            || place.attributes().is_ok_and(|above| above.device != attributes.device));
    let inside = if leads_elsewhere { place.open_child(name).ok() } else { None };
    mount_of(inside.as_ref().unwrap_or(place), probe.mount, attributes.device).ok()
}

/// How a file lies on the disk; nothing where asking could set something in motion, or nobody tells.
fn layout(place: &Directory, name: &CStr, probe: &Probe) -> Option<Result<Layout, i32>> {
    /// Two of them are the same number on some systems.
    const NOBODY_TELLS: [Errno; 5] =
        [Errno::EOPNOTSUPP, Errno::ENOTSUP, Errno::ENOTTY, Errno::EINVAL, Errno::ENOSYS];
    let is_local = place.file_system().is_ok_and(|it| it == FileSystem::Ordinary);
    let is_here = !probe.traits.contains(&Trait::Dataless);
    if probe.attributes.kind != Kind::File || probe.attributes.blocks == 0 || !is_local || !is_here {
        return None;
    }
    match extents::layout(place, name) {
        Err(error) if NOBODY_TELLS.contains(&error) => None,
        result => Some(result.map_err(|error| error as i32)),
    }
}
