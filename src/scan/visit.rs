//! Reading one directory: the heart of a scan.
//!
//! ```text
//! visit(brood, n): spawn visit(brood, n + 1)          the siblings, for whoever is idle
//!                  open child n                       relative to the parent, which closes with the last of them
//!                  read child n                       names by the batch, attributes by the entry
//!                  each batch: seal, publish, spawn visit(its directories, 0)
//!                  release
//! ```
//!
//! Jobs are taken last in, first out, so a worker goes depth first and few directories are open at a time; idle workers
//! steal the oldest job, the largest piece of work. A directory so wide that it fills buffers hands full ones to the
//! pool, and its batches are published in the kernel's order whoever finishes first.
//!
//! Invariant: every claim on a directory is released exactly once, on every path through here.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{CStr, CString};

use rayon::Scope;

use super::networks::Networks;
use super::{Mounts, Shared};
use crate::kind::Kind;
use crate::platform::descriptors::wait_for_descriptors;
use crate::platform::{
    self, Attributes, Border, Buffer, Directory, Entry, Errno, FileSystem, Filled, Reader, mounts,
};
use crate::sync::{Arc, AtomicUsize, Mutex, OnceLock, Ordering, lock};
use crate::tree::{Batch, Content, DirId, Exclusion, Facts, Links, Owner, Record, Sealed};

/// The jobs of one scan and what they share beyond [`Shared`].
pub(super) struct Visitor<'s> {
    pub(super) shared: &'s Shared,
    /// Full buffers handed out and not yet done.
    handed_out: AtomicUsize,
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

/// The directories of one batch, waiting to be visited one after another.
struct Brood<'v> {
    /// Their parent, if it was left open for them.
    parent: Option<Arc<Opened<'v>>>,
    children: Box<[DirId]>,
}

/// An open directory, counted.
struct Opened<'v> {
    directory: Directory,
    shared: &'v Shared,
}

impl<'v> Opened<'v> {
    fn new(directory: Directory, shared: &'v Shared) -> Arc<Self> {
        shared.descriptors.opened();
        Arc::new(Self { directory, shared })
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.shared.descriptors.closed();
    }
}

/// A directory whose batches are read by several workers.
struct Wide<'v> {
    id: DirId,
    opened: Arc<Opened<'v>>,
    place: Place<'v>,
    order: Mutex<Order>,
}

/// Batches that are ready, in the kernel's order.
#[derive(Default)]
struct Order {
    next: usize,
    ready: BTreeMap<usize, Option<Sealed>>,
}

/// What every entry of a directory is judged by.
struct Place<'v> {
    /// The path, if the filter needs it.
    path: Vec<u8>,
    /// Names of entries that are mount points of other machines and not to be entered, if there are any.
    left_out: Option<&'v HashSet<Vec<u8>>>,
    mount: Mount,
}

/// The file system a directory is on.
#[derive(Clone, Copy)]
pub(super) struct Mount {
    device: u64,
    device_index: u32,
    file_system: FileSystem,
}

impl<'v> Visitor<'v> {
    /// `awaits`: whether roots may lie inside one another.
    pub(super) fn new(shared: &'v Shared, awaits: bool) -> Self {
        let networks = shared.options.skip_network.then(|| Networks::below(shared.roots().into_iter()));
        Self {
            shared,
            handed_out: AtomicUsize::new(0),
            mounted: OnceLock::new(),
            file_systems: Mutex::default(),
            foreign: Mutex::default(),
            awaited: Mutex::default(),
            awaits,
            second_way: platform::second_way(),
            networks,
        }
    }

    /// Reads the root `id`.
    pub(super) fn visit_root<'s>(&'v self, scope: &Scope<'s>, id: DirId)
    where
        'v: 's,
    {
        scope.spawn(move |scope| match self.shared.open_from_root(id) {
            Ok(directory) => self.read(scope, id, &Opened::new(directory, self.shared)),
            Err(errno) => {
                self.fail(id, errno);
                self.shared.tree.release(id);
            }
        });
    }

    fn visit<'s>(&'v self, scope: &Scope<'s>, brood: Arc<Brood<'v>>, index: usize)
    where
        'v: 's,
    {
        let shared = self.shared;
        if shared.is_stopped() {
            for id in &brood.children[index..] {
                shared.tree.stop(*id);
                shared.tree.release(*id);
            }
            return;
        }
        let id = brood.children[index];
        if index + 1 < brood.children.len() {
            // Before anything is opened: a mount whose server is gone would keep its sisters waiting.
            let brood = Arc::clone(&brood);
            scope.spawn(move |scope| self.visit(scope, brood, index + 1));
        }
        shared.workers.reads(id);
        let opened = self.open(&brood, id);
        drop(brood);
        match opened {
            Ok(directory) => self.read(scope, id, &Opened::new(directory, shared)),
            Err(errno) => {
                if !is_gone(errno) {
                    self.fail(id, errno);
                }
                shared.tree.release(id);
            }
        }
    }

    fn open(&self, brood: &Brood<'_>, id: DirId) -> Result<Directory, Errno> {
        let Some(parent) = &brood.parent else { return self.shared.open_from_root(id) };
        match parent.directory.open_child(self.shared.tree.name(id)) {
            // Somebody else of this process or system uses descriptors: those open now will be closed again.
            Err(Errno::EMFILE | Errno::ENFILE) => wait_for_descriptors(|| self.shared.open_from_root(id)),
            result => result,
        }
    }

    fn read<'s>(&'v self, scope: &Scope<'s>, id: DirId, opened: &Arc<Opened<'v>>)
    where
        'v: 's,
    {
        let shared = self.shared;
        let mut tools = shared.workers.tools();
        let tools = &mut *tools;
        shared.tree.begin(id);
        shared.workers.reads(id);
        let mut place = Some(self.place(id, &opened.directory, &mut tools.mount));
        let mut names = HashSet::new();
        let mut wide: Option<Arc<Wide<'v>>> = None;
        let mut reader = Reader::new(&opened.directory);
        for number in 0.. {
            if shared.is_stopped() {
                shared.tree.stop(id);
                break;
            }
            match reader.fill(&mut tools.buffer) {
                Ok(Filled::Some) => {}
                Ok(Filled::End) => break,
                Err(errno) => {
                    // A directory may be removed while it is read; a root is expected to be there.
                    if !is_gone(errno) || shared.tree.parent(id) == Some(DirId::TOP) {
                        self.fail(id, errno);
                    }
                    break;
                }
            }
            if let Some(here) = &place {
                let foreign = here.mount.file_system.is_foreign();
                if foreign || number > 0 || !tools.buffer.is_full() || shared.workers.count() == 1 {
                    let names = foreign.then_some(&mut names);
                    let sealed =
                        self.seal(&mut tools.batch, &tools.buffer, id, &opened.directory, here, names);
                    self.publish(scope, &mut tools.batch, id, opened, sealed);
                    continue;
                }
            }
            let wide = wide.get_or_insert_with(|| {
                let place = place.take().expect("taken only here, once");
                Arc::new(Wide { id, opened: Arc::clone(opened), place, order: Mutex::default() })
            });
            if self.handed_out.load(Ordering::Relaxed) < 2 * shared.workers.count() {
                let full = std::mem::replace(&mut tools.buffer, shared.workers.take_buffer());
                self.hand_out(scope, Arc::clone(wide), number, full);
            } else {
                let sealed =
                    self.seal(&mut tools.batch, &tools.buffer, id, &opened.directory, &wide.place, None);
                self.publish_in_order(scope, &mut tools.batch, wide, number, sealed);
            }
        }
        shared.tree.release(id);
    }

    /// Lets the pool read the attributes of a full buffer.
    fn hand_out<'s>(&'v self, scope: &Scope<'s>, wide: Arc<Wide<'v>>, number: usize, buffer: Buffer)
    where
        'v: 's,
    {
        let shared = self.shared;
        shared.tree.claim(wide.id, 1);
        self.handed_out.fetch_add(1, Ordering::Relaxed);
        scope.spawn(move |scope| {
            let mut tools = shared.workers.tools();
            shared.workers.reads(wide.id);
            let directory = &wide.opened.directory;
            let sealed = self.seal(&mut tools.batch, &buffer, wide.id, directory, &wide.place, None);
            shared.workers.give_buffer(buffer);
            self.handed_out.fetch_sub(1, Ordering::Relaxed);
            self.publish_in_order(scope, &mut tools.batch, &wide, number, sealed);
            shared.tree.release(wide.id);
        });
    }

    fn publish_in_order<'s>(
        &'v self,
        scope: &Scope<'s>,
        batch: &mut Batch,
        wide: &Wide<'v>,
        number: usize,
        sealed: Option<Sealed>,
    ) where
        'v: 's,
    {
        let mut order = lock(&wide.order);
        order.ready.insert(number, sealed);
        loop {
            let next = order.next;
            let Some(sealed) = order.ready.remove(&next) else { break };
            self.publish(scope, batch, wide.id, &wide.opened, sealed);
            order.next += 1;
        }
    }

    fn publish<'s>(
        &'v self,
        scope: &Scope<'s>,
        batch: &mut Batch,
        id: DirId,
        opened: &Arc<Opened<'v>>,
        sealed: Option<Sealed>,
    ) where
        'v: 's,
    {
        let Some(sealed) = sealed else { return };
        self.shared.tree.publish(batch, id, &sealed);
        self.shared.workers.has_read(&sealed);
        if !sealed.children.is_empty() {
            let parent = self.shared.descriptors.suffice().then(|| Arc::clone(opened));
            let brood = Arc::new(Brood { parent, children: sealed.children });
            scope.spawn(move |scope| self.visit(scope, brood, 0));
        }
    }

    /// Asks for the attributes of a batch of names and writes them down.
    fn seal(
        &self,
        batch: &mut Batch,
        buffer: &Buffer,
        id: DirId,
        directory: &Directory,
        place: &Place<'_>,
        mut names: Option<&mut HashSet<CString>>,
    ) -> Option<Sealed> {
        for entry in buffer.entries() {
            if self.shared.is_stopped() {
                self.shared.tree.stop(id);
                break;
            }
            // A network or user-space file system may list a name twice.
            if names.as_mut().is_none_or(|names| names.insert(entry.name.to_owned())) {
                self.push(batch, buffer, id, directory, place, &entry);
            }
        }
        batch.seal(&self.shared.tree, id)
    }

    fn push(
        &self,
        batch: &mut Batch,
        buffer: &Buffer,
        id: DirId,
        directory: &Directory,
        place: &Place<'_>,
        entry: &Entry<'_>,
    ) {
        let options = &self.shared.options;
        let name = entry.name.to_bytes();
        if options.filter.excludes(&place.path, name) {
            let content = Content::Excluded(Exclusion::Pattern);
            return batch.push(id, &Record { name, kind: entry.hint, content });
        }
        if place.left_out.is_some_and(|names| names.contains(name)) {
            let content = Content::Excluded(Exclusion::OtherFileSystem);
            return batch.push(id, &Record { name, kind: Kind::Directory, content });
        }
        let attributes = match buffer.attributes(directory, entry) {
            Ok(attributes) => attributes,
            // Gone since the directory was read: it is not there, then.
            Err(Errno::ENOENT | Errno::ESTALE) => return,
            Err(errno) => {
                let content = Content::Failed(errno as i32);
                return batch.push(id, &Record { name, kind: entry.hint, content });
            }
        };
        let facts = self.facts(&attributes, place);
        if !attributes.is_directory() {
            return batch.push(id, &Record { name, kind: attributes.kind, content: Content::Known(facts) });
        }
        if options.filter.excludes_directory(&place.path, name) {
            let content = Content::Excluded(Exclusion::Pattern);
            return batch.push(id, &Record { name, kind: Kind::Directory, content });
        }
        match self.judge(id, directory, place, entry, &attributes) {
            Verdict::Enter { device, file_system } => {
                let child = batch.push_directory(&self.shared.tree, id, name, facts, device);
                self.note(child, file_system, &attributes);
            }
            Verdict::Leave(content) => batch.push(id, &Record { name, kind: Kind::Directory, content }),
        }
    }

    /// What is kept of an entry of a directory at `place`.
    fn facts(&self, attributes: &Attributes, place: &Place<'_>) -> Facts {
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

    /// Decides whether a child directory is entered.
    fn judge(
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
    fn note(&self, id: DirId, file_system: FileSystem, attributes: &Attributes) {
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
    fn place(&'v self, id: DirId, directory: &Directory, last: &mut Option<Mount>) -> Place<'v> {
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

    fn fail(&self, id: DirId, errno: Errno) {
        self.shared.tree.fail(id, errno as i32);
        self.shared.workers.has_failed();
    }
}

enum Verdict {
    Enter { device: u32, file_system: FileSystem },
    Leave(Content),
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

/// Whether a directory is gone, or something else now: its parent changed since it was read, which is no error.
fn is_gone(errno: Errno) -> bool {
    matches!(errno, Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP | Errno::ESTALE)
}
