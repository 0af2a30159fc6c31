//! Building a tree: a worker's tools to write listings, and publishing them.
//!
//! Knows nothing of the kernel. Invariant: a directory's record and parent are set before the listing that names it is
//! published, and the claims for its children are made before anyone can release them.

use super::encoding::{Draft, encode_link};
use super::{Content, DirId, Facts, Failure, Links, Record, State, Totals, Tree};
use crate::kind::Kind;
use crate::platform::memory::{Address, Arena, Writer};
use crate::sync::{AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::table::Table;

/// Numbers taken at a time by one worker, so that workers neither fight over the counter nor share cache lines.
const NUMBERS: u32 = if cfg!(loom) { 1 } else { 64 };

/// One name of an inode that may have others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkedName {
    /// Index of the device.
    pub device: u32,
    /// Directory that holds the name.
    pub directory: DirId,
    /// Inode number.
    pub inode: u64,
    /// How many names the file system says there are.
    pub count: u64,
    /// Disk usage in bytes.
    pub disk: u64,
    /// Apparent size in bytes.
    pub apparent: u64,
}

impl LinkedName {
    /// The name of an entry in `directory`; none where it has no other.
    pub fn of(directory: DirId, facts: &Facts) -> Option<Self> {
        Some(Self::counted(directory, facts, facts.links?))
    }

    /// The name of an entry in `directory` whatever its facts say of its links.
    pub(super) fn counted(directory: DirId, facts: &Facts, links: Links) -> Self {
        let Links { count, device } = links;
        Self { device, directory, inode: facts.inode, count, disk: facts.disk(), apparent: facts.apparent }
    }
}

/// One worker's tools for adding to one tree.
#[derive(Default)]
pub struct Batch {
    page: Page,
    writer: Writer,
    numbers: Vec<u32>,
    /// Names with links, of everything this worker has read.
    linked: Vec<LinkedName>,
}

/// Entries of one directory that are not sealed yet.
#[derive(Default)]
pub struct Page {
    draft: Draft,
    sum: Totals,
    /// Disk usage of the directories of the batch themselves.
    children_disk: u64,
    /// Directories of the batch and where their records begin.
    children: Vec<(DirId, usize)>,
    /// Failed entries of the batch: where their records begin, and the error numbers.
    failed: Vec<(usize, i32)>,
}

impl Page {
    /// A page that takes memory only as it grows, for where there are many.
    pub fn small() -> Self {
        Self { draft: Draft::small(), ..Self::default() }
    }

    /// Whether it holds no entry.
    pub fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    /// Bytes of its entries.
    pub fn length(&self) -> usize {
        self.draft.length()
    }
}

/// A batch of entries in the tree's memory, not yet published.
pub struct Sealed {
    address: Address,
    /// The directories among the entries.
    pub children: Box<[DirId]>,
    /// What the entries add to their directory; a child directory only as an item.
    pub sum: Totals,
    /// Disk usage in bytes of the child directories themselves.
    pub children_disk: u64,
}

impl Batch {
    /// Adds an entry of `parent` other than a new directory.
    pub fn push(&mut self, parent: DirId, record: &Record<'_>) {
        let page = &mut self.page;
        let start = page.draft.push(record);
        match &record.content {
            Content::Excluded(_) => {}
            Content::Failed(errno) => {
                page.failed.push((start, *errno));
                page.sum.add(&Totals { items: 1, errors: 1, ..Totals::default() });
            }
            Content::Known(facts) => {
                page.sum.items += 1;
                if facts.directory.is_none() {
                    page.sum.disk = page.sum.disk.saturating_add(facts.disk());
                    page.sum.apparent = page.sum.apparent.saturating_add(facts.apparent);
                }
                self.linked.extend(LinkedName::of(parent, facts));
            }
        }
    }

    /// Adds a directory of `parent`, which gets its number and place in the tree now. `device` is the index of its device.
    pub fn push_directory(
        &mut self,
        tree: &Tree,
        parent: DirId,
        name: &[u8],
        facts: Facts,
        device: u32,
    ) -> DirId {
        let id = self.new_directory(tree, parent, &facts, device);
        self.push_numbered(id, name, facts);
        id
    }

    /// Adds a directory that has its number and place already; see [`Batch::new_directory`].
    pub fn push_numbered(&mut self, id: DirId, name: &[u8], facts: Facts) {
        let page = &mut self.page;
        let content = Content::Known(Facts { directory: Some(id), ..facts });
        let start = page.draft.push(&Record { name, kind: Kind::Directory, content });
        page.children.push((id, start));
        page.sum.items += 1;
        page.children_disk = page.children_disk.saturating_add(facts.disk());
    }

    /// The entries pushed and not yet sealed.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Puts the unsealed entries aside and goes on with those of another directory.
    pub fn turn(&mut self, page: Page) -> Page {
        std::mem::replace(&mut self.page, page)
    }

    /// A directory with its own size and one claim, that of whoever reads it. It is in no listing yet.
    pub fn new_directory(&mut self, tree: &Tree, parent: DirId, facts: &Facts, device: u32) -> DirId {
        if self.numbers.is_empty() {
            self.numbers = tree.numbers();
        }
        let id = DirId(self.numbers.pop().expect("filled above"));
        let dir = tree.dir(id);
        dir.reset();
        // Relaxed: nobody knows the number before the listing is published with Release.
        dir.disk.store(facts.disk(), Ordering::Relaxed);
        dir.apparent.store(facts.apparent, Ordering::Relaxed);
        dir.parent.store(parent.0, Ordering::Relaxed);
        dir.device.store(device, Ordering::Relaxed);
        dir.pending.store(1, Ordering::Relaxed);
        id
    }

    /// Moves the entries of `parent` into the tree's memory and begins the next batch. `None` if there are none.
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
        page.draft.clear();
        let children_disk = std::mem::take(&mut page.children_disk);
        Some(Sealed { address, children, sum: std::mem::take(&mut page.sum), children_disk })
    }

    /// Makes the entries the listing of `parent` in place of what it had, without counting anything.
    pub fn replace_listing(&mut self, tree: &Tree, parent: DirId) {
        self.page.failed.clear();
        if let Some(sealed) = self.seal(tree, parent) {
            tree.dir(parent).listing.store(sealed.address.to_bits(), Ordering::Release);
        }
    }

    /// The names with links of everything read since the last call.
    pub fn take_linked(&mut self) -> Vec<LinkedName> {
        std::mem::take(&mut self.linked)
    }

    /// Writes a segment behind the listing that ends at `before`, and says where the longer one ends.
    pub(super) fn append(&mut self, tree: &Tree, before: Option<Address>, draft: &mut Draft) -> Address {
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

/// Numbers of dropped directories.
#[derive(Default)]
pub(super) struct Free {
    ready: Vec<u32>,
    /// Dropped last: somebody may still look at them.
    waiting: Vec<u32>,
}

impl Free {
    pub(super) fn put(&mut self, gone: Vec<DirId>) {
        let gone = gone.into_iter().map(|id| id.0).collect();
        self.ready.extend(std::mem::replace(&mut self.waiting, gone));
    }
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Self::empty(1, super::Devices::default(), None);
        // The top waits for whoever fills the tree.
        tree.claim(DirId::TOP, 1);
        tree
    }
}

#[doc(hidden)]
impl Tree {
    /// An empty tree whose top is held: `Tree::release` it when everything was added.
    pub fn new() -> Self {
        Self::default()
    }

    /// A tree with so many directories that nothing in memory is known of, and nothing to wait for.
    pub(super) fn empty(
        count: u32,
        devices: super::Devices,
        stored: Option<Box<super::stored::Stored>>,
    ) -> Self {
        Self {
            dirs: Table::new(),
            count: AtomicU32::new(count),
            bytes: Arena::new(),
            devices,
            open: super::live::Open::default(),
            failures: Mutex::default(),
            shared: Mutex::default(),
            linked: Mutex::default(),
            files_inside: Mutex::default(),
            free: Mutex::default(),
            edition: AtomicU64::new(0),
            stored,
        }
    }

    /// Numbers for new directories: those of dropped ones, or the next.
    fn numbers(&self) -> Vec<u32> {
        let ready = &mut lock(&self.free).ready;
        if ready.is_empty() {
            let first = self.count.fetch_add(NUMBERS, Ordering::AcqRel);
            return (first..first + NUMBERS).rev().collect();
        }
        ready.split_off(ready.len().saturating_sub(NUMBERS as usize))
    }

    /// Makes a sealed batch the next entries of `id`, and counts them. Only one thread at a time may publish for one
    /// directory, in the order of the kernel. Every child is claimed: it is released when it is complete.
    pub fn publish(&self, batch: &mut Batch, id: DirId, sealed: &Sealed) {
        let dir = self.dir(id);
        let children = u32::try_from(sealed.children.len()).expect("a batch is small");
        self.claim(id, children);
        self.add(id, &sealed.sum);
        let before = Address::from_bits(dir.listing.load(Ordering::Relaxed));
        let node = batch.link(self, before, sealed.address);
        dir.listing.store(node.to_bits(), Ordering::Release);
        if children != 0 || before.is_some() {
            self.open.enter(id, dir);
        }
    }

    /// Says that the reading of `id` has begun.
    pub fn begin(&self, id: DirId) {
        self.dir(id).state.store(State::Reading as u8, Ordering::Relaxed);
    }

    /// Says that the reading of `id` ended in an error, which is counted there and above.
    pub fn fail(&self, id: DirId, errno: i32) {
        self.dir(id).errno.store(errno, Ordering::Relaxed);
        self.add(id, &Totals { errors: 1, ..Totals::default() });
        lock(&self.failures).push(Failure { directory: id, entry: None, errno });
    }

    /// Says that `id` was not, or not wholly, read because the scan was stopped; so are those above when it completes.
    pub fn stop(&self, id: DirId) {
        self.dir(id).set_partial();
    }

    /// Completes a directory that was never begun as if it took no space: it is an alias of another.
    pub fn discard(&self, id: DirId) {
        let dir = self.dir(id);
        dir.disk.store(0, Ordering::Relaxed);
        dir.apparent.store(0, Ordering::Relaxed);
        self.release(id);
    }

    /// The index of the device `id` is on.
    pub fn device_index(&self, id: DirId) -> u32 {
        self.dir(id).device.load(Ordering::Relaxed)
    }

    /// Adds names of inodes that may have others.
    pub fn add_linked(&self, names: impl IntoIterator<Item = LinkedName>) {
        lock(&self.linked).extend(names);
    }

    /// Every name of an inode that may have others, in no order.
    pub fn linked(&self) -> Vec<LinkedName> {
        self.fetch_links();
        lock(&self.linked).clone()
    }

    /// Makes disk bytes known as shared between entries of directories; see [`Tree::shared`].
    pub fn set_shared(&self, shared: impl IntoIterator<Item = (DirId, u64)>) {
        *lock(&self.shared) = shared.into_iter().collect();
    }
}
