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

use std::collections::{BTreeMap, HashSet};
use std::ffi::CString;

use rayon::Scope;

use super::Shared;
use super::judge::{Judge, Place, Verdict};
use super::workers::Tools;
use crate::kind::Kind;
use crate::platform::descriptors::{Counted, wait_for_descriptors};
use crate::platform::{Buffer, Directory, Entry, Errno, Filled, Reader};
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};
use crate::tree::{Batch, Content, DirId, Exclusion, Record, Sealed};

/// The jobs of one scan and what they share beyond [`Shared`].
pub(super) struct Visitor<'s> {
    pub(super) shared: &'s Shared,
    /// Full buffers handed out and not yet done.
    handed_out: AtomicUsize,
    /// What is entered.
    pub(super) judge: Judge<'s>,
}

/// The directories of one batch, waiting to be visited one after another.
struct Brood<'v> {
    /// Their parent, if it was left open for them.
    parent: Option<Arc<Opened<'v>>>,
    children: Box<[DirId]>,
}

/// An open directory.
type Opened<'v> = Counted<'v, Directory>;

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

impl<'v> Visitor<'v> {
    /// `awaits`: whether roots may lie inside one another.
    pub(super) fn new(shared: &'v Shared, awaits: bool) -> Self {
        Self { shared, handed_out: AtomicUsize::new(0), judge: Judge::new(shared, awaits) }
    }

    fn hold(&self, directory: Directory) -> Arc<Opened<'v>> {
        Arc::new(self.shared.descriptors.hold(directory))
    }

    /// Reads the root `id`.
    pub(super) fn visit_root<'s>(&'v self, scope: &Scope<'s>, id: DirId)
    where
        'v: 's,
    {
        scope.spawn(move |scope| match self.shared.open_from_root(id) {
            Ok(directory) => self.read(scope, id, &self.hold(directory)),
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
            Ok(directory) => self.read(scope, id, &self.hold(directory)),
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
        let place = self.judge.place(id, &opened.directory, &mut tools.mount);
        let mut reader = Reader::new(&opened.directory);
        if self.fill(id, &mut reader, &mut tools.buffer) {
            let is_local = !place.mount.file_system.is_foreign();
            if is_local && tools.buffer.is_full() && shared.workers.count() > 1 {
                let wide = Wide { id, opened: Arc::clone(opened), place, order: Mutex::default() };
                self.read_wide(scope, &Arc::new(wide), &mut reader, tools);
            } else {
                self.read_alone(scope, (id, opened, &place), &mut reader, tools);
            }
        }
        shared.tree.release(id);
    }

    /// Reads the next batch; says whether there is one.
    fn fill(&self, id: DirId, reader: &mut Reader<'_>, buffer: &mut Buffer) -> bool {
        let tree = &self.shared.tree;
        if self.shared.is_stopped() {
            tree.stop(id);
            return false;
        }
        match reader.fill(buffer) {
            Ok(Filled::Some) => true,
            Ok(Filled::End) => false,
            Err(errno) => {
                // A directory may be removed while it is read; a root is expected to be there.
                if !is_gone(errno) || tree.parent(id) == Some(DirId::TOP) {
                    self.fail(id, errno);
                }
                false
            }
        }
    }

    /// Reads the attributes of the batch in the buffer and of all that follow, one after another.
    fn read_alone<'s>(
        &'v self,
        scope: &Scope<'s>,
        (id, opened, place): (DirId, &Arc<Opened<'v>>, &Place<'v>),
        reader: &mut Reader<'_>,
        tools: &mut Tools,
    ) where
        'v: 's,
    {
        // A network or user-space file system may list a name twice.
        let mut names = place.mount.file_system.is_foreign().then(HashSet::new);
        loop {
            let (batch, buffer) = (&mut tools.batch, &tools.buffer);
            let sealed = self.seal(batch, buffer, id, &opened.directory, place, names.as_mut());
            self.publish(scope, batch, id, opened, sealed);
            if !self.fill(id, reader, &mut tools.buffer) {
                break;
            }
        }
    }

    /// The same on several workers: full buffers are handed out as long as somebody may be idle.
    fn read_wide<'s>(
        &'v self,
        scope: &Scope<'s>,
        wide: &Arc<Wide<'v>>,
        reader: &mut Reader<'_>,
        tools: &mut Tools,
    ) where
        'v: 's,
    {
        let workers = &self.shared.workers;
        for number in 0.. {
            if self.handed_out.load(Ordering::Relaxed) < 2 * workers.count() {
                let full = std::mem::replace(&mut tools.buffer, workers.take_buffer());
                self.hand_out(scope, Arc::clone(wide), number, full);
            } else {
                let (batch, buffer) = (&mut tools.batch, &tools.buffer);
                let sealed = self.seal(batch, buffer, wide.id, &wide.opened.directory, &wide.place, None);
                self.publish_in_order(scope, batch, wide, number, sealed);
            }
            if !self.fill(wide.id, reader, &mut tools.buffer) {
                break;
            }
        }
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
        let facts = self.judge.facts(&attributes, place);
        if !attributes.is_directory() {
            return batch.push(id, &Record { name, kind: attributes.kind, content: Content::Known(facts) });
        }
        if options.filter.excludes_directory(&place.path, name) {
            let content = Content::Excluded(Exclusion::Pattern);
            return batch.push(id, &Record { name, kind: Kind::Directory, content });
        }
        match self.judge.verdict(id, directory, place, entry, &attributes) {
            Verdict::Enter { device, file_system } => {
                let child = batch.push_directory(&self.shared.tree, id, name, facts, device);
                self.judge.note(child, file_system, &attributes);
            }
            Verdict::Leave(content) => batch.push(id, &Record { name, kind: Kind::Directory, content }),
        }
    }

    fn fail(&self, id: DirId, errno: Errno) {
        self.shared.tree.fail(id, errno as i32);
        self.shared.workers.has_failed();
    }
}

/// Whether a directory is gone, or something else now: its parent changed since it was read, which is no error.
fn is_gone(errno: Errno) -> bool {
    matches!(errno, Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP | Errno::ESTALE)
}
