//! Reads one directory: the core of a scan.
//!
//! ```text
//! visit(queue, n): spawn visit(queue, n + 1)          the siblings, for an idle worker
//!                  open child n                       relative to the parent, which is closed after the last child
//!                  read child n                       names in batches, attributes one entry at a time
//!                  each batch: seal, publish, spawn visit(its directories, 0)
//!                  release
//! ```
//!
//! A worker runs its newest job first, so it works depth-first and keeps few directories open. An idle worker steals
//! the oldest job, which has the most work below it. A job first reads a directory that the user is looking at, if
//! there is one (`viewed`), and its own child afterwards. If a directory fills several buffers, full buffers are
//! handed to other workers. The batches are published in the kernel's order, no matter which one is ready first.
//!
//! Invariant: every claim on a directory (`Tree::claim`) is released exactly once, on every path through this file.

use std::collections::{BTreeMap, HashSet};
use std::ffi::CString;

use rayon::Scope;

use super::policy::{Decision, DirContext, Policy};
use super::shared::Shared;
use super::workers::WorkerState;
use crate::base::kind::Kind;
use crate::base::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};
use crate::platform::process::descriptors::{Counted, wait_for_descriptors};
use crate::platform::{Buffer, DirEntry, Directory, Errno, Filled, Reader};
use crate::tree::{Batch, DirId, Entry, EntryState, Exclusion, Sealed};

/// State that all jobs of a scan share in addition to [`Shared`].
pub(crate) struct Visitor<'s> {
    pub(crate) shared: &'s Shared,
    /// Number of batches that were handed out to other workers and whose entries have not been processed yet.
    handed_out: AtomicUsize,
    pub(crate) policy: Policy<'s>,
}

/// Queue of directories to visit: the child directories from one batch, or those passed to [`Visitor::visit_each`].
struct ChildQueue<'v> {
    /// Open parent of all `children`; `None` if too many directories are open, or for [`Visitor::visit_each`].
    parent: Option<Arc<Opened<'v>>>,
    children: Box<[DirId]>,
}

/// Open directory that counts toward the limit on open descriptors.
type Opened<'v> = Counted<'v, Directory>;

/// Directory whose batches are processed by several workers.
struct Wide<'v> {
    id: DirId,
    opened: Arc<Opened<'v>>,
    context: DirContext<'v>,
    pending: Mutex<PendingBatches>,
}

/// Batches that wait to be published, because batches are published in the order in which the kernel returned them.
#[derive(Default)]
struct PendingBatches {
    next: usize,
    ready: BTreeMap<usize, Option<Sealed>>,
}

impl<'v> Visitor<'v> {
    /// Creates the visitor. `finds_nested_roots` is `true` if the scan must recognize roots inside other roots.
    pub(crate) fn new(shared: &'v Shared, finds_nested_roots: bool) -> Self {
        Self { shared, handed_out: AtomicUsize::new(0), policy: Policy::new(shared, finds_nested_roots) }
    }

    fn hold(&self, directory: Directory) -> Arc<Opened<'v>> {
        Arc::new(self.shared.descriptors.hold(directory))
    }

    /// Spawns a job that reads the directories `ids`, which may have different parents. Skips those that the scan has
    /// already begun to read.
    pub(crate) fn visit_each<'s>(&'v self, scope: &Scope<'s>, ids: Vec<DirId>)
    where
        'v: 's,
    {
        let queue = Arc::new(ChildQueue { parent: None, children: ids.into() });
        scope.spawn(move |scope| self.visit(scope, queue, 0));
    }

    fn visit<'s>(&'v self, scope: &Scope<'s>, queue: Arc<ChildQueue<'v>>, index: usize)
    where
        'v: 's,
    {
        let shared = self.shared;
        if shared.is_stopped() {
            for id in queue.children[index..].iter().filter(|id| shared.tree.try_begin(**id)) {
                shared.tree.stop(*id);
                shared.tree.release(*id);
            }
            return;
        }
        if let Some(id) = shared.viewed.begin_next(&shared.tree) {
            // Spawn the job for `queue` first, because opening `id` on an unreachable server can take a long time.
            scope.spawn(move |scope| self.visit(scope, queue, index));
            shared.workers.begin_directory(id);
            return self.enter(scope, id, shared.open_from_root(id));
        }
        let Some(&id) = queue.children.get(index) else { return };
        if index + 1 < queue.children.len() {
            // Spawn the siblings' job first, because opening a child on an unreachable server can take a long time.
            let queue = Arc::clone(&queue);
            scope.spawn(move |scope| self.visit(scope, queue, index + 1));
        }
        if !shared.tree.try_begin(id) {
            return;
        }
        shared.workers.begin_directory(id);
        let opened = self.open(&queue, id);
        // Some file systems, such as `CephFS`, report the total size even for a directory that cannot be read.
        if opened.is_err()
            && let Some(parent) = &queue.parent
            && let Some(bytes) = shared.recorded(&parent.directory, id)
        {
            shared.tree.record_size(id, bytes);
        }
        drop(queue);
        self.enter(scope, id, opened);
    }

    /// Reads the directory `id` if it could be opened. Otherwise records the error, unless `id` is below a root and was
    /// deleted or replaced.
    pub(crate) fn enter<'s>(&'v self, scope: &Scope<'s>, id: DirId, opened: Result<Directory, Errno>)
    where
        'v: 's,
    {
        match opened {
            Ok(directory) => self.read(scope, id, &self.hold(directory)),
            Err(errno) => {
                if !is_missing(errno) || self.is_root(id) {
                    self.fail(id, errno);
                }
                self.shared.tree.release(id);
                self.shared.workers.end_directory();
            }
        }
    }

    fn open(&self, queue: &ChildQueue<'_>, id: DirId) -> Result<Directory, Errno> {
        let Some(parent) = &queue.parent else { return self.shared.open_from_root(id) };
        match parent.directory.open_child(self.shared.tree.name(id)) {
            // Other parts of the program, or other processes, have used up the descriptors. Wait until some are closed.
            Err(Errno::EMFILE | Errno::ENFILE) => wait_for_descriptors(|| self.shared.open_from_root(id)),
            result => result,
        }
    }

    fn read<'s>(&'v self, scope: &Scope<'s>, id: DirId, opened: &Arc<Opened<'v>>)
    where
        'v: 's,
    {
        let shared = self.shared;
        let mut state = shared.workers.state();
        let state = &mut *state;
        shared.tree.begin(id);
        shared.workers.begin_directory(id);
        let context = self.policy.context(id, &opened.directory, &mut state.mount);
        let begin = if shared.options.owners { Reader::new } else { Reader::without_owners };
        let mut reader = begin(&opened.directory);
        if self.fill(id, &mut reader, &mut state.buffer) {
            let is_local = !context.mount.file_system.is_foreign();
            if is_local && state.buffer.is_full() && shared.workers.count() > 1 {
                let wide = Wide { id, opened: Arc::clone(opened), context, pending: Mutex::default() };
                self.read_wide(scope, &Arc::new(wide), &mut reader, state);
            } else {
                self.read_alone(scope, (id, opened, &context), &mut reader, state);
            }
        }
        shared.tree.release(id);
        shared.workers.end_directory();
    }

    /// Reads the next batch into `buffer`. Returns `false` at the end, after an error, or if the scan is stopped.
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
                // If a directory was deleted after it was opened, reading ends with `ENOENT`. This is not an error,
                // even for a root, because the directory is now empty.
                let has_ended = errno == Errno::ENOENT || is_missing(errno) && !self.is_root(id);
                if !has_ended {
                    self.fail(id, errno);
                }
                false
            }
        }
    }

    /// Reads the attributes of the entries in the buffer and in all following batches, one batch after another.
    fn read_alone<'s>(
        &'v self,
        scope: &Scope<'s>,
        (id, opened, context): (DirId, &Arc<Opened<'v>>, &DirContext<'v>),
        reader: &mut Reader<'_>,
        state: &mut WorkerState,
    ) where
        'v: 's,
    {
        // A network or user-space file system may list a name twice.
        let mut names = context.mount.file_system.is_foreign().then(HashSet::new);
        loop {
            let (batch, buffer) = (&mut state.batch, &state.buffer);
            let sealed = self.seal(batch, buffer, id, &opened.directory, context, names.as_mut());
            self.publish(scope, batch, id, opened, sealed);
            if !self.fill(id, reader, &mut state.buffer) {
                break;
            }
        }
    }

    /// Reads the batches one after another. Hands out a batch, with its buffer, to the workers if fewer than two
    /// batches per worker are handed out and not yet processed. Otherwise, processes the batch on this thread.
    fn read_wide<'s>(
        &'v self,
        scope: &Scope<'s>,
        wide: &Arc<Wide<'v>>,
        reader: &mut Reader<'_>,
        state: &mut WorkerState,
    ) where
        'v: 's,
    {
        let workers = &self.shared.workers;
        for number in 0.. {
            if self.handed_out.load(Ordering::Relaxed) < 2 * workers.count() {
                let full = std::mem::replace(&mut state.buffer, workers.take_buffer());
                self.hand_out(scope, Arc::clone(wide), number, full);
            } else {
                let (batch, buffer) = (&mut state.batch, &state.buffer);
                let sealed = self.seal(batch, buffer, wide.id, &wide.opened.directory, &wide.context, None);
                self.publish_in_order(scope, batch, wide, number, sealed);
            }
            if !self.fill(wide.id, reader, &mut state.buffer) {
                break;
            }
        }
    }

    /// Spawns a job that reads the attributes of the entries in a full buffer.
    fn hand_out<'s>(&'v self, scope: &Scope<'s>, wide: Arc<Wide<'v>>, number: usize, buffer: Buffer)
    where
        'v: 's,
    {
        let shared = self.shared;
        shared.tree.claim(wide.id, 1);
        self.handed_out.fetch_add(1, Ordering::Relaxed);
        scope.spawn(move |scope| {
            let mut state = shared.workers.state();
            shared.workers.begin_directory(wide.id);
            let directory = &wide.opened.directory;
            let sealed = self.seal(&mut state.batch, &buffer, wide.id, directory, &wide.context, None);
            shared.workers.give_buffer(buffer);
            self.handed_out.fetch_sub(1, Ordering::Relaxed);
            self.publish_in_order(scope, &mut state.batch, &wide, number, sealed);
            shared.tree.release(wide.id);
            shared.workers.end_directory();
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
        let mut pending = lock(&wide.pending);
        pending.ready.insert(number, sealed);
        loop {
            let next = pending.next;
            let Some(sealed) = pending.ready.remove(&next) else { break };
            self.publish(scope, batch, wide.id, &wide.opened, sealed);
            pending.next += 1;
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
        self.shared.workers.count_read(&sealed);
        if !sealed.children.is_empty() {
            let parent = self.shared.descriptors.suffice().then(|| Arc::clone(opened));
            let queue = Arc::new(ChildQueue { parent, children: sealed.children });
            scope.spawn(move |scope| self.visit(scope, queue, 0));
        }
    }

    /// Reads the attributes of the entries in `buffer`, appends the entries to `batch`, and seals the batch.
    fn seal(
        &self,
        batch: &mut Batch,
        buffer: &Buffer,
        id: DirId,
        directory: &Directory,
        context: &DirContext<'_>,
        mut names: Option<&mut HashSet<CString>>,
    ) -> Option<Sealed> {
        let calls = self.shared.workers.calls();
        for entry in buffer.entries() {
            if self.shared.is_stopped() {
                self.shared.tree.stop(id);
                break;
            }
            calls.next();
            if names.as_mut().is_none_or(|names| names.insert(entry.name.to_owned())) {
                self.push(batch, buffer, id, directory, context, &entry);
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
        context: &DirContext<'_>,
        entry: &DirEntry<'_>,
    ) {
        let options = &self.shared.options;
        let name = entry.name.to_bytes();
        let skipped = |kind, state| Entry { name, kind, state };
        if options.excludes(&context.path, name) {
            return batch.push(id, &skipped(entry.hint, EntryState::Excluded(Exclusion::Pattern)));
        }
        if context.excluded.is_some_and(|names| names.contains(name)) {
            let state = EntryState::Excluded(Exclusion::OtherFileSystem);
            return batch.push(id, &skipped(Kind::Directory, state));
        }
        if context.silent.is_some_and(|names| names.contains(name)) {
            return batch.push(id, &skipped(Kind::Directory, EntryState::Failed(Errno::ETIMEDOUT as i32)));
        }
        let attributes = match buffer.attributes_on(context.mount.device, directory, entry) {
            Ok(attributes) => attributes,
            // The entry was deleted after the directory was read, so it is omitted.
            Err(Errno::ENOENT | Errno::ESTALE) => return,
            Err(errno) => return batch.push(id, &skipped(entry.hint, EntryState::Failed(errno as i32))),
        };
        let attributes = self.shared.followed(attributes, || directory.attributes_of_target(entry.name));
        let metadata = self.policy.metadata(&attributes, context);
        if !attributes.is_directory() {
            return batch
                .push(id, &Entry { name, kind: attributes.kind, state: EntryState::Known(metadata) });
        }
        if options.excludes_directory(&context.path, name) {
            return batch.push(id, &skipped(Kind::Directory, EntryState::Excluded(Exclusion::Pattern)));
        }
        match self.policy.decide(id, directory, context, entry, &attributes) {
            Decision::Enter { device, file_system } => {
                let child = batch.push_directory(&self.shared.tree, id, name, metadata, device);
                if attributes.mtime >= self.shared.changed_since.load(Ordering::Relaxed) {
                    batch.move_up_last_directory();
                }
                self.policy.note(child, file_system, &attributes);
            }
            Decision::Leave(state) => batch.push(id, &skipped(Kind::Directory, state)),
        }
    }

    fn is_root(&self, id: DirId) -> bool {
        self.shared.tree.parent(id) == Some(DirId::TOP)
    }

    fn fail(&self, id: DirId, errno: Errno) {
        self.shared.tree.fail(id, errno as i32);
        self.shared.workers.count_failure();
    }
}

/// Returns `true` if `errno` means that a directory was deleted or replaced after its parent was read. Below
/// the roots, the scan does not report this as an error.
fn is_missing(errno: Errno) -> bool {
    matches!(errno, Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP | Errno::ESTALE)
}
