//! Construction of a tree. Each worker collects entries in its own buffers and then publishes them in listings.
//!
//! The module makes no system calls. Invariant: a directory's entry and parent are set before the listing that
//! contains its entry is published. The claims of child directories on their parent (see `tree::totals`) are added
//! before any of these claims can be released.

use super::batch::{Batch, Page};
use super::devices::Devices;
use super::directory::{DirId, LINKED, PARTIAL, State, Totals};
use super::encoding::{Draft, encode_link};
use super::entry::{Entry, EntryState, Metadata};
use super::inodes::LinkedName;
use super::reading::{Failure, Tree};
use super::storage_classes::StorageClasses;
use super::stored::Stored;
use crate::base::kind::Kind;
use crate::base::slots::Slots;
use crate::base::sync::{AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::platform::memory::arena::{Address, Arena};

/// Number of directory IDs that a worker reserves at a time. Reserving IDs in blocks keeps workers from contending
/// for the counter and from sharing cache lines.
const NUMBERS: u32 = if cfg!(loom) { 1 } else { 64 };

/// Batch of entries that is in the tree's memory but not published yet.
pub struct Sealed {
    address: Address,
    /// Child directories among the entries, in the order in which they are to be read.
    pub children: Box<[DirId]>,
    /// Totals of the entries. [`Tree::publish`] adds them to the totals of the directory. A child directory counts as
    /// one item of size 0.
    pub sum: Totals,
    /// Disk usage in bytes of the child directories, excluding their contents.
    pub children_disk: u64,
    /// `true` if the entries include names of inodes with several links.
    has_links: bool,
}

impl Batch {
    /// Adds an entry of `parent` for which no directory has to be created: a file or another entry that is not a
    /// directory, an excluded or unreadable entry, or a directory that already has an ID.
    pub fn push(&mut self, parent: DirId, record: &Entry<'_>) {
        let page = &mut self.page;
        let start = page.draft.push(record);
        match &record.state {
            EntryState::Excluded(_) => {}
            EntryState::Failed(errno) => {
                page.failed.push((start, *errno));
                page.sum.add(&Totals { items: 1, errors: 1, ..Totals::default() });
            }
            EntryState::Known(metadata) => {
                page.sum.items += 1;
                if metadata.directory.is_none() {
                    page.sum.disk = page.sum.disk.saturating_add(metadata.disk());
                    page.sum.apparent = page.sum.apparent.saturating_add(metadata.apparent);
                }
                let linked = LinkedName::of(parent, metadata);
                page.has_links |= linked.is_some();
                self.linked.extend(linked);
            }
        }
    }

    /// Creates a child directory of `parent` in the tree, with device index `device`, and adds its entry to the batch.
    pub fn push_directory(
        &mut self,
        tree: &Tree,
        parent: DirId,
        name: &[u8],
        metadata: Metadata,
        device: u32,
    ) -> DirId {
        let id = self.new_directory(tree, parent, &metadata, device);
        self.push_numbered(id, name, metadata);
        id
    }

    /// Moves the child directory added last to the front of [`Sealed::children`], after those moved by earlier calls.
    pub fn move_up_last_directory(&mut self) {
        let Page { children, urgent, .. } = &mut self.page;
        if let Some(last) = children.len().checked_sub(1) {
            children.swap(*urgent, last);
            *urgent += 1;
        }
    }

    /// Adds the entry of a directory created by [`Batch::new_directory`].
    pub fn push_numbered(&mut self, id: DirId, name: &[u8], metadata: Metadata) {
        let page = &mut self.page;
        let state = EntryState::Known(Metadata { directory: Some(id), ..metadata });
        let start = page.draft.push(&Entry { name, kind: Kind::Directory, state });
        page.children.push((id, start));
        page.sum.items += 1;
        page.children_disk = page.children_disk.saturating_add(metadata.disk());
    }

    /// Returns the entries that have not been sealed yet.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Makes `page` the current page, and returns the former current page. Used to switch to another directory.
    pub fn turn(&mut self, page: Page) -> Page {
        std::mem::replace(&mut self.page, page)
    }

    /// Creates a directory that no listing contains yet. Its totals start with its own size. The worker that reads the
    /// directory must release the directory's only claim (see `totals`).
    pub fn new_directory(&mut self, tree: &Tree, parent: DirId, metadata: &Metadata, device: u32) -> DirId {
        if self.numbers.is_empty() {
            self.numbers = tree.numbers();
        }
        let id = DirId(self.numbers.pop().expect("the numbers were filled up above"));
        let dir = tree.dir(id);
        dir.reset();
        // `Relaxed` is enough, because no other thread knows the directory's ID until a listing that contains the
        // directory is published with `Release`.
        dir.disk.store(metadata.disk(), Ordering::Relaxed);
        dir.apparent.store(metadata.apparent, Ordering::Relaxed);
        dir.parent.store(parent.0, Ordering::Relaxed);
        dir.device.store(device, Ordering::Relaxed);
        dir.pending.store(1, Ordering::Relaxed);
        id
    }

    /// Moves the entries of `parent` into the tree's memory and empties the page. Returns `None` if there are none.
    pub fn seal(&mut self, tree: &Tree, parent: DirId) -> Option<Sealed> {
        let page = &mut self.page;
        if page.draft.is_empty() {
            return None;
        }
        let (segment, head) = page.draft.segment();
        let address = tree.bytes.append(&mut self.writer, segment);
        let record = |start: usize| address.plus(head + start);
        for (id, start) in &page.children {
            tree.dir(*id).record.store(record(*start).to_bits(), Ordering::Relaxed);
        }
        if !page.failed.is_empty() {
            let failure = |&(start, errno): &(usize, i32)| Failure {
                directory: parent,
                entry: Some(record(start)),
                errno,
            };
            lock(&tree.failures).extend(page.failed.iter().map(failure));
            page.failed.clear();
        }
        let children = page.children.drain(..).map(|(id, _)| id).collect();
        page.urgent = 0;
        page.draft.clear();
        let children_disk = std::mem::take(&mut page.children_disk);
        let (sum, has_links) = (std::mem::take(&mut page.sum), std::mem::take(&mut page.has_links));
        Some(Sealed { address, children, sum, children_disk, has_links })
    }

    /// Replaces the listing of `parent` with the unsealed entries of this batch, without changing totals. Does nothing
    /// if the batch has no unsealed entries.
    pub fn replace_listing(&mut self, tree: &Tree, parent: DirId) {
        self.page.failed.clear();
        if let Some(sealed) = self.seal(tree, parent) {
            tree.dir(parent).listing.store(sealed.address.to_bits(), Ordering::Release);
        }
    }

    /// Moves the entries of `parent` into the tree's memory, and appends them to the listing whose newest node is
    /// `before`. Returns the newest node of the extended listing.
    pub(super) fn seal_after(
        &mut self,
        tree: &Tree,
        parent: DirId,
        before: Option<Address>,
    ) -> Option<Address> {
        self.seal(tree, parent).map(|sealed| self.link(tree, before, sealed.address)).or(before)
    }

    /// Returns the names of inodes with several links that were read since the last call.
    pub fn take_linked(&mut self) -> Vec<LinkedName> {
        std::mem::take(&mut self.linked)
    }

    /// Appends a segment to a listing, and returns the newest node of the listing's chain. `before` is the newest
    /// node so far, or `None` if the listing has no segments yet.
    pub(crate) fn append(&mut self, tree: &Tree, before: Option<Address>, draft: &mut Draft) -> Address {
        let (segment, _) = draft.segment();
        let address = tree.bytes.append(&mut self.writer, segment);
        self.link(tree, before, address)
    }

    fn link(&mut self, tree: &Tree, before: Option<Address>, segment: Address) -> Address {
        before.map_or(segment, |before| {
            tree.bytes.append(&mut self.writer, &encode_link(before.to_bits(), segment.to_bits()))
        })
    }
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Self::empty(1, Devices::default(), StorageClasses::default(), None);
        // The claim keeps the top incomplete until everything has been added.
        tree.claim(DirId::TOP, 1);
        tree
    }
}

#[doc(hidden)]
impl Tree {
    /// Creates an empty tree. The caller must call `Tree::release` for [`DirId::TOP`] once everything has been added.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a tree with `count` directories, which have no data and no claims yet (see the module `totals`).
    pub(super) fn empty(
        count: u32,
        devices: Devices,
        classes: StorageClasses,
        stored: Option<Box<Stored>>,
    ) -> Self {
        Self {
            dirs: Slots::new(),
            count: AtomicU32::new(count),
            bytes: Arena::new(),
            devices,
            classes,
            open: super::open_directories::Open::default(),
            failures: Mutex::default(),
            shared: Mutex::default(),
            exclusive: Mutex::default(),
            recorded: Mutex::default(),
            linked: Mutex::default(),
            files_inside: Mutex::default(),
            free: Mutex::default(),
            readings: Mutex::default(),
            edition: AtomicU64::new(0),
            stored,
        }
    }

    /// Returns IDs for new directories: IDs of dropped directories if there are any, otherwise unused IDs.
    fn numbers(&self) -> Vec<u32> {
        let ready = &mut lock(&self.free).ready;
        if ready.is_empty() {
            let first = self.count.fetch_add(NUMBERS, Ordering::AcqRel);
            return (first..first + NUMBERS).rev().collect();
        }
        ready.split_off(ready.len().saturating_sub(NUMBERS as usize))
    }

    /// Appends a sealed batch to the listing of `id`, and adds the batch's sum to the totals of `id`. Each child
    /// directory in the batch adds a claim on `id`, which is released when the child is complete. Batches of a
    /// directory must be published by one thread at a time, in the order in which the kernel returned their entries.
    pub fn publish(&self, batch: &mut Batch, id: DirId, sealed: &Sealed) {
        let dir = self.dir(id);
        let children = u32::try_from(sealed.children.len()).expect("a batch has fewer than 2^32 children");
        self.claim(id, children);
        self.add(id, &sealed.sum);
        dir.set(if sealed.has_links { LINKED } else { 0 });
        let before = Address::from_bits(dir.listing.load(Ordering::Relaxed));
        let node = batch.link(self, before, sealed.address);
        dir.listing.store(node.to_bits(), Ordering::Release);
        if children != 0 || before.is_some() {
            self.open.enter(id, dir);
        }
    }

    /// Marks `id` as being read.
    pub fn begin(&self, id: DirId) {
        self.dir(id).state.store(State::Reading as u8, Ordering::Relaxed);
    }

    /// Marks `id` as being read. Returns `false` if reading it has already begun.
    pub fn try_begin(&self, id: DirId) -> bool {
        let (waiting, reading) = (State::Waiting as u8, State::Reading as u8);
        // `Relaxed` is enough. A thread that knows `id` also sees the data of the directory and the claims on it,
        // because both were published before `id`.
        self.dir(id).state.compare_exchange(waiting, reading, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Marks `id` as unreadable. The error is counted in `id` and, once `id` is complete, in its ancestors.
    pub fn fail(&self, id: DirId, errno: i32) {
        self.dir(id).errno.store(errno, Ordering::Relaxed);
        self.add(id, &Totals { errors: 1, ..Totals::default() });
        lock(&self.failures).push(Failure { directory: id, entry: None, errno });
    }

    /// Sets the recorded size of the unreadable directory `id`; see [`Tree::recorded`].
    pub fn record_size(&self, id: DirId, apparent: u64) {
        lock(&self.recorded).insert(id, apparent);
    }

    /// Marks directory `id`, which was not fully read, as partial. Its parent inherits the mark when `id` completes.
    pub fn stop(&self, id: DirId) {
        self.dir(id).set(PARTIAL);
    }

    /// Completes directory `id` without reading it, and sets its size to 0. Used for a root that has turned out to be
    /// an alias: its entry now points to another directory instead of `id`.
    pub fn discard(&self, id: DirId) {
        let dir = self.dir(id);
        dir.disk.store(0, Ordering::Relaxed);
        dir.apparent.store(0, Ordering::Relaxed);
        self.release(id);
    }

    /// Returns the index in [`Tree::devices`] of the device of directory `id`.
    pub fn device_index(&self, id: DirId) -> u32 {
        self.dir(id).device.load(Ordering::Relaxed)
    }

    /// Adds names that may share an inode with other names.
    pub fn add_linked(&self, names: impl IntoIterator<Item = LinkedName>) {
        lock(&self.linked).extend(names);
    }

    /// Returns all names of inodes that may have several names, unsorted.
    pub fn linked(&self) -> Vec<LinkedName> {
        self.fetch_links();
        lock(&self.linked).clone()
    }

    /// Sets the disk usage shared between the entries of each directory; see [`Tree::shared`].
    pub fn set_shared(&self, shared: impl IntoIterator<Item = (DirId, u64)>) {
        *lock(&self.shared) = shared.into_iter().collect();
    }
}
