//! Policy of a scan: the directories it enters, and the metadata it stores.
//!
//! A decision depends on the attributes of the entry and on the file system of its directory. The scan records the
//! file system of each directory that it enters. If this file system may contain loops, the scan also records the
//! inode number of the directory.
//!
//! Invariant: a directory that the scan does not enter is opened only to determine its mount or file system, or to
//! check for a cache tag.

use std::collections::{HashMap, HashSet};
use std::ffi::CStr;

use super::mount_points::Points;
use super::network_mounts::Networks;
use super::options::Mounts;
use super::second_mounts::SecondMounts;
use super::shared::Shared;
use super::workers::Mount;
use crate::base::sync::{Mutex, OnceLock, lock};
use crate::platform;
use crate::platform::fs::mounts;
use crate::platform::fs::mounts::HAS_VOLUMES;
use crate::platform::{Attributes, Boundary, DirEntry, Directory, Errno, FileId, FileSystem};
use crate::tree::{DirId, EntryState, Exclusion, Links, Metadata};

/// Policy of a scan, and the state on which its decisions depend.
pub(crate) struct Policy<'s> {
    shared: &'s Shared,
    /// Kinds of the mounted file systems, by device number. Read from the mount table when first needed.
    mounted: OnceLock<HashMap<u64, FileSystem>>,
    /// Mounted file-system snapshots and repeated mounts, which are not entered. Determined when the scan reaches the
    /// first mount point.
    second_mounts: OnceLock<SecondMounts>,
    /// Kinds of the file systems found so far, by device index.
    file_systems: Mutex<HashMap<u32, FileSystem>>,
    /// Entered directories that have several hard links; see [`Boundary::Linked`].
    linked: Mutex<HashSet<FileId>>,
    /// Inode number of each directory whose file system may contain loops.
    foreign: Mutex<HashMap<DirId, u64>>,
    /// Roots that may repeat another root or lie inside another root, keyed by file ID. The value is the directory with
    /// this file ID, or `None` until the scan has found the directory. The map is empty if there is only one root.
    pub(crate) awaited: Mutex<HashMap<FileId, Option<DirId>>>,
    finds_nested_roots: bool,
    /// Data volume of macOS, to which firmlinks point; see [`platform::firmlink_target`].
    firmlink_target: Option<FileId>,
    /// Network file systems below the roots; `None` unless the scan excludes them.
    networks: Option<Networks>,
    /// Mount points of file systems that do not respond; empty unless the scan skips them.
    silent: Points,
}

/// Context shared by all entries of a directory.
pub(crate) struct DirContext<'v> {
    /// Path of the directory; empty if no exclusion needs it.
    pub(crate) path: Vec<u8>,
    /// Names of excluded network mounts in the directory, if there are any.
    pub(crate) excluded: Option<&'v HashSet<Vec<u8>>>,
    /// Names of the directory's mount points whose file systems do not respond, if there are any.
    pub(crate) silent: Option<&'v HashSet<Vec<u8>>>,
    pub(crate) mount: Mount,
}

/// Decision on whether the scan enters a directory.
pub(crate) enum Decision {
    /// The directory is entered. The fields describe the file system that contains it.
    Enter {
        /// Index of the device in the tree's table of devices.
        device: u32,
        file_system: FileSystem,
    },
    /// The directory is not entered, and its entry gets this state.
    Leave(EntryState),
}

impl<'s> Policy<'s> {
    /// Creates the policy. `finds_nested_roots` is `true` if the scan must recognize roots that lie inside other roots.
    pub(crate) fn new(shared: &'s Shared, finds_nested_roots: bool) -> Self {
        let networks = shared.options.skip_network.then(|| Networks::below(shared.roots().into_iter()));
        let options = &shared.options;
        let is_asked = options.skip_silent && options.mounts != Mounts::None;
        let silent = is_asked.then(|| Points::silent(shared.roots().into_iter(), options.skip_network));
        Self {
            shared,
            silent: silent.unwrap_or_default(),
            mounted: OnceLock::new(),
            second_mounts: OnceLock::new(),
            file_systems: Mutex::default(),
            linked: Mutex::default(),
            foreign: Mutex::default(),
            awaited: Mutex::default(),
            finds_nested_roots,
            firmlink_target: platform::firmlink_target(),
            networks,
        }
    }

    /// Returns the metadata to store for an entry of the directory described by `context`.
    pub(crate) fn metadata(&self, attributes: &Attributes, context: &DirContext<'_>) -> Metadata {
        let linked = attributes.links > 1 && !attributes.is_directory();
        let links = linked.then(|| {
            let same = attributes.device == context.mount.device;
            let device = if same {
                context.mount.device_index
            } else {
                self.shared.tree.devices().index(attributes.device)
            };
            Links { count: attributes.links, device }
        });
        self.shared.metadata(attributes, links)
    }

    /// Decides whether the scan enters a child directory.
    pub(crate) fn decide(
        &self,
        id: DirId,
        directory: &Directory,
        context: &DirContext<'_>,
        entry: &DirEntry<'_>,
        attributes: &Attributes,
    ) -> Decision {
        let options = &self.shared.options;
        let leave = |why| Decision::Leave(EntryState::Excluded(why));
        match attributes.border {
            Boundary::Trigger => return leave(Exclusion::KernelFileSystem),
            Boundary::Dataless => return leave(Exclusion::Dataless),
            _ if self.firmlink_target == Some(attributes.file_id()) => {
                return leave(Exclusion::OtherFileSystem);
            }
            Boundary::Linked if !lock(&self.linked).insert(attributes.file_id()) => {
                return leave(Exclusion::SecondLink);
            }
            Boundary::None | Boundary::Mount | Boundary::Firmlink | Boundary::Linked => {}
        }
        let Mount { device_index: mut device, mut file_system, .. } = context.mount;
        // The volumes of a volume group can share a device number, so a mount may be on the same device as its parent
        // directory.
        let is_volume = HAS_VOLUMES && attributes.border == Boundary::Mount;
        let mounted = is_volume || attributes.device != context.mount.device;
        if mounted && attributes.border == Boundary::Firmlink {
            // The directory is on a separate macOS volume that users see as part of the same file system.
            device = self.shared.tree.devices().index(attributes.device);
        } else if mounted {
            if options.mounts == Mounts::None {
                return leave(Exclusion::OtherFileSystem);
            }
            if self.networks.as_ref().is_some_and(|networks| networks.has_device(attributes.device)) {
                return leave(Exclusion::OtherFileSystem);
            }
            if let Some(why) = self.counted_elsewhere(directory, entry) {
                return leave(why);
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
        let is_mount = mounted || attributes.border == Boundary::Mount;
        let may_loop = is_mount || context.mount.file_system.is_foreign();
        if may_loop && self.is_above(id, device, attributes.inode) {
            // A bind mount of an ancestor is excluded. A loop within a file system is an error.
            let loops = Decision::Leave(EntryState::Failed(Errno::ELOOP as i32));
            return if is_mount { leave(Exclusion::OtherFileSystem) } else { loops };
        }
        if options.skip_caches && is_cache(directory, entry.name) {
            return leave(Exclusion::Caches);
        }
        // Checked last, so that any other reason for an exclusion takes precedence, as in a scan of the whole tree.
        if options.other_parts.has(&self.shared.tree, id, &context.path, entry.name.to_bytes()) {
            return leave(Exclusion::OtherPart);
        }
        Decision::Enter { device, file_system }
    }

    /// Returns the reason for excluding the mount at `entry`, if its files would count twice.
    fn counted_elsewhere(&self, directory: &Directory, entry: &DirEntry<'_>) -> Option<Exclusion> {
        let second = self.second_mounts.get_or_init(|| SecondMounts::below(&self.shared.roots()));
        if second.is_empty() {
            return None;
        }
        let inside = directory.step_into(entry.name).ok()?;
        second.reason(&mounts::mount_at(&inside).ok()?.point)
    }

    /// Returns the kind of the file system mounted on `entry`, from the mount table if possible. A query of the file
    /// system could block on an unreachable server and delay the other entries of `directory`.
    fn mounted(&self, directory: &Directory, entry: &DirEntry<'_>, device: u64) -> FileSystem {
        let known = self.mounted.get_or_init(mounts::file_systems).get(&device).copied();
        known.unwrap_or_else(|| directory.file_system_of(entry.name).unwrap_or(FileSystem::Ordinary))
    }

    /// Returns `true` if `id` or one of its ancestors has this device index and inode.
    fn is_above(&self, id: DirId, device: u32, inode: u64) -> bool {
        let tree = &self.shared.tree;
        tree.ancestry(id).any(|above| tree.device_index(above) == device && self.inode(above) == Some(inode))
    }

    /// Returns the inode number of a directory that the scan entered, if it is known.
    fn inode(&self, id: DirId) -> Option<u64> {
        let known = lock(&self.foreign).get(&id).copied();
        known.or_else(|| Some(self.shared.tree.own_metadata(id)?.inode))
    }

    /// Records data about a directory for later decisions: its ID if the directory is one of the roots in `awaited`,
    /// and its inode number if its file system may contain loops.
    pub(crate) fn note(&self, id: DirId, file_system: FileSystem, attributes: &Attributes) {
        if self.finds_nested_roots
            && let Some(found) = lock(&self.awaited).get_mut(&attributes.file_id())
        {
            found.get_or_insert(id);
        }
        if file_system.is_foreign() {
            lock(&self.foreign).insert(id, attributes.inode);
        }
    }

    /// Returns the context for the entries of `id`. `last` caches the mount of the previous directory.
    pub(crate) fn context(
        &self,
        id: DirId,
        directory: &Directory,
        last: &mut Option<Mount>,
    ) -> DirContext<'_> {
        let shared = self.shared;
        let device_index = shared.tree.device_index(id);
        let mount = last.filter(|mount| mount.device_index == device_index).unwrap_or_else(|| {
            let known = lock(&self.file_systems).get(&device_index).copied();
            // The lock is not held during the query, because the file system may take a long time to respond.
            let ask = || directory.file_system().unwrap_or(FileSystem::Ordinary);
            let file_system = known.unwrap_or_else(ask);
            lock(&self.file_systems).insert(device_index, file_system);
            Mount { device: shared.tree.device(id), device_index, file_system }
        });
        *last = Some(mount);
        let networks = self.networks.as_ref().filter(|networks| !networks.is_empty());
        let needs_path = networks.is_some()
            || !self.silent.is_empty()
            || shared.options.filter.as_ref().is_some_and(|filter| filter.needs_paths())
            || shared.options.other_parts.needs_paths();
        let path = if needs_path { shared.tree.path(id) } else { Vec::new() };
        let excluded = networks.and_then(|networks| networks.points_in(&path));
        let silent = self.silent.names_in(&path);
        DirContext { path, excluded, silent, mount }
    }
}

/// Returns `true` if the directory `name` contains a CACHEDIR.TAG file with the signature of the Cache Directory
/// Tagging Specification.
fn is_cache(directory: &Directory, name: &CStr) -> bool {
    const SIGNATURE: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";
    let mut start = [0; SIGNATURE.len()];
    let read = directory.open_child(name).and_then(|inner| inner.read_start(c"CACHEDIR.TAG", &mut start));
    read.is_ok_and(|length| &start[..length] == SIGNATURE)
}
