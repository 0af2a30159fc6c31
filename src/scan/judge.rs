//! Which directories a scan enters, and what is kept of an entry.
//!
//! An entry is judged by its attributes and by the file system its directory is on. Of a directory that is entered is remembered what
//! later questions need: its file system, and its inode where directories may loop.
//!
//! Invariant: nothing here opens what is then not entered, but for the tag of a cache where that was asked for.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;

use super::networks::Networks;
use super::{Mounts, Shared};
use crate::platform::{self, Attributes, Border, Directory, Entry, Errno, FileSystem, mounts};
use crate::sync::{Mutex, OnceLock, lock};
use crate::tree::{Content, DirId, Exclusion, Facts, Links, Owner};

/// What a scan judges by.
pub(super) struct Judge<'s> {
    shared: &'s Shared,
    /// What is mounted, by device: asked for when the first mount point is met.
    mounted: OnceLock<HashMap<u64, FileSystem>>,
    /// The file system of each device met so far, by its index.
    file_systems: Mutex<HashMap<u32, FileSystem>>,
    /// Inode numbers of directories on file systems that may loop.
    foreign: Mutex<HashMap<DirId, u64>>,
    /// Roots that lie inside another one and wait to be met there: by device and inode. Empty unless there are several roots.
    pub(super) awaited: Mutex<HashMap<(u64, u64), Option<DirId>>>,
    awaits: bool,
    /// See [`platform::second_way`].
    second_way: Option<(u64, u64)>,
    /// File systems of other machines, if they are left out.
    networks: Option<Networks>,
}

/// What every entry of a directory is judged by.
pub(super) struct Place<'v> {
    /// The path, if the filter needs it.
    pub(super) path: Vec<u8>,
    /// Names of entries that are mount points of other machines and not to be entered, if there are any.
    pub(super) left_out: Option<&'v HashSet<Vec<u8>>>,
    pub(super) mount: Mount,
}

/// The file system a directory is on.
#[derive(Clone, Copy)]
pub(super) struct Mount {
    device: u64,
    device_index: u32,
    pub(super) file_system: FileSystem,
}

/// Whether a directory is entered.
pub(super) enum Verdict {
    /// It is, and is on this device, by its index, with this file system.
    Enter {
        /// The index.
        device: u32,
        /// The file system.
        file_system: FileSystem,
    },
    /// It is not.
    Leave(Content),
}

impl<'s> Judge<'s> {
    /// `awaits`: whether roots may lie inside one another.
    pub(super) fn new(shared: &'s Shared, awaits: bool) -> Self {
        let networks = shared.options.skip_network.then(|| Networks::below(shared.roots().into_iter()));
        Self {
            shared,
            mounted: OnceLock::new(),
            file_systems: Mutex::default(),
            foreign: Mutex::default(),
            awaited: Mutex::default(),
            awaits,
            second_way: platform::second_way(),
            networks,
        }
    }

    /// What is kept of an entry of a directory at `place`.
    pub(super) fn facts(&self, attributes: &Attributes, place: &Place<'_>) -> Facts {
        let linked = attributes.links > 1 && !attributes.is_directory();
        let links = linked.then(|| {
            let same = attributes.device == place.mount.device;
            let device = if same {
                place.mount.device_index
            } else {
                self.shared.tree.devices().index(attributes.device)
            };
            Links { count: attributes.links, device }
        });
        facts(attributes, links, self.shared.options.owners)
    }

    /// Whether a child directory is entered.
    pub(super) fn verdict(
        &self,
        id: DirId,
        directory: &Directory,
        place: &Place<'_>,
        entry: &Entry<'_>,
        attributes: &Attributes,
    ) -> Verdict {
        let options = &self.shared.options;
        let leave = |why| Verdict::Leave(Content::Excluded(why));
        match attributes.border {
            Border::Trigger => return leave(Exclusion::KernelFileSystem),
            Border::Dataless => return leave(Exclusion::Dataless),
            _ if self.second_way == Some((attributes.device, attributes.inode)) => {
                return leave(Exclusion::OtherFileSystem);
            }
            Border::None | Border::Mount | Border::Firmlink => {}
        }
        let Mount { device_index: mut device, mut file_system, .. } = place.mount;
        let mounted = attributes.device != place.mount.device;
        if mounted && attributes.border == Border::Firmlink {
            // Another volume, and yet the same system for everyone who uses it.
            device = self.shared.tree.devices().index(attributes.device);
        } else if mounted {
            if options.mounts == Mounts::None {
                return leave(Exclusion::OtherFileSystem);
            }
            if self.networks.as_ref().is_some_and(|networks| networks.has_device(attributes.device)) {
                return leave(Exclusion::OtherFileSystem);
            }
            file_system = self.mounted(directory, entry, attributes.device);
            if file_system == FileSystem::Network && self.networks.is_some() {
                return leave(Exclusion::OtherFileSystem);
            }
            if file_system == FileSystem::Kernel && options.mounts != Mounts::All {
                return leave(Exclusion::KernelFileSystem);
            }
            device = self.shared.tree.devices().index(attributes.device);
            lock(&self.file_systems).insert(device, file_system);
        }
        let is_mount = mounted || attributes.border == Border::Mount;
        let may_loop = is_mount || place.mount.file_system.is_foreign();
        if may_loop && self.is_above(id, device, attributes.inode) {
            // A mount of a directory above is no error; a file system that loops by itself is.
            let loops = Verdict::Leave(Content::Failed(Errno::ELOOP as i32));
            return if is_mount { leave(Exclusion::OtherFileSystem) } else { loops };
        }
        if options.skip_caches && is_cache(directory, entry.name) {
            return leave(Exclusion::Caches);
        }
        Verdict::Enter { device, file_system }
    }

    /// The kind of the file system mounted on `entry`. It is itself asked only where the table of mounts does not know: one
    /// whose server is gone would keep the other entries waiting.
    fn mounted(&self, directory: &Directory, entry: &Entry<'_>, device: u64) -> FileSystem {
        let known = self.mounted.get_or_init(mounts::file_systems).get(&device).copied();
        known.unwrap_or_else(|| directory.file_system_of(entry.name).unwrap_or(FileSystem::Ordinary))
    }

    /// Whether `id` or a directory above it is the one with this device index and inode.
    fn is_above(&self, id: DirId, device: u32, inode: u64) -> bool {
        let tree = &self.shared.tree;
        tree.ancestry(id).any(|above| tree.device_index(above) == device && self.inode(above) == Some(inode))
    }

    /// The inode of a directory on the way down.
    fn inode(&self, id: DirId) -> Option<u64> {
        let known = lock(&self.foreign).get(&id).copied();
        known.or_else(|| Some(self.shared.tree.own_facts(id)?.inode))
    }

    /// Remembers what later questions about a directory need: whether it is a root that was waited for, and its inode
    /// where the file system may loop.
    pub(super) fn note(&self, id: DirId, file_system: FileSystem, attributes: &Attributes) {
        if self.awaits
            && let Some(found) = lock(&self.awaited).get_mut(&(attributes.device, attributes.inode))
        {
            found.get_or_insert(id);
        }
        if file_system.is_foreign() {
            lock(&self.foreign).insert(id, attributes.inode);
        }
    }

    /// What the entries of `id` are judged by; `last` is what the worker judged by before.
    pub(super) fn place(&self, id: DirId, directory: &Directory, last: &mut Option<Mount>) -> Place<'_> {
        let shared = self.shared;
        let device_index = shared.tree.device_index(id);
        let mount = last.filter(|mount| mount.device_index == device_index).unwrap_or_else(|| {
            let known = lock(&self.file_systems).get(&device_index).copied();
            // Not with the lock held: it may take its time to answer.
            let ask = || directory.file_system().unwrap_or(FileSystem::Ordinary);
            let file_system = known.unwrap_or_else(ask);
            lock(&self.file_systems).insert(device_index, file_system);
            Mount { device: shared.tree.device(id), device_index, file_system }
        });
        *last = Some(mount);
        let networks = self.networks.as_ref().filter(|networks| !networks.is_empty());
        let needs_path = networks.is_some() || shared.options.filter.needs_paths();
        let path = if needs_path { shared.tree.path(id) } else { Vec::new() };
        let left_out = networks.and_then(|networks| networks.points_in(&path));
        Place { path, left_out, mount }
    }
}

/// What is kept of an entry.
pub(super) fn facts(attributes: &Attributes, links: Option<Links>, owners: bool) -> Facts {
    let &Attributes { uid, gid, mode, .. } = attributes;
    Facts {
        apparent: attributes.apparent,
        blocks: attributes.blocks,
        mtime: attributes.mtime,
        inode: attributes.inode,
        directory: None,
        links,
        owner: owners.then_some(Owner { uid, gid, mode }),
    }
}

/// Whether the directory `name` holds a CACHEDIR.TAG with the signature of the Cache Directory Tagging Specification.
fn is_cache(directory: &Directory, name: &CStr) -> bool {
    const SIGNATURE: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";
    let mut start = [0; SIGNATURE.len()];
    let read = directory.open_child(name).and_then(|inner| inner.read_start(c"CACHEDIR.TAG", &mut start));
    read.is_ok_and(|length| &start[..length] == SIGNATURE)
}
