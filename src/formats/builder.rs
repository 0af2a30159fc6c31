//! Builds a tree from entries that arrive one at a time, in depth-first order.
//!
//! ```text
//! open:  top  root  dir  dir        from the top of the tree to the current directory
//!         |    |     |    |
//!         |    |     |   batch: unpublished entries of the current directory
//!       pages set aside: unpublished entries of the other open directories
//! ```
//!
//! Entries are published when a segment is full, when their directory ends, and when the tree is shown
//! ([`Builder::publish`]), so listings are as compact as those of a scan.
//!
//! Publishing the entry of a child directory makes the parent wait for the child; [`Tree::release`] ends this wait. A
//! child whose end has been read is therefore not released until its entry has been published.
//!
//! Invariant: every directory is released exactly once, regardless of how the input ends.

use crate::base::os_error::EIO;
use crate::tree::{Batch, DirId, Entry, EntryState, LinkedName, Metadata, Page, Totals, Tree};

/// Size of a segment in bytes, which is about the size of a batch of entries from the kernel.
pub(crate) const SEGMENT: usize = 32 << 10;
/// Maximum depth at which unpublished entries are set aside while a child is read. At greater depths, they are
/// published first. A malicious chain of nested directories then takes the memory of one entry per level instead of one
/// page per level.
const SHALLOW: usize = 64;
/// Maximum number of empty pages kept for reuse.
const SPARE: usize = SHALLOW;

/// Error number (`EIO`) for a directory or entry that could not be read, if the input does not contain one.
pub(crate) const UNREADABLE: i32 = EIO;

/// Counts of entries, bytes and errors found so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) entries: u64,
    pub(crate) disk: u64,
    pub(crate) errors: u64,
}

impl Counts {
    /// Updates the counts for an entry that contains no other entries. An excluded entry changes nothing.
    pub(crate) fn add(&mut self, entry: &Entry<'_>) {
        if let EntryState::Known(metadata) = &entry.state {
            self.disk = self.disk.saturating_add(metadata.disk());
        }
        self.entries += u64::from(!matches!(entry.state, EntryState::Excluded(_)));
        self.errors += u64::from(matches!(entry.state, EntryState::Failed(_)));
    }
}

/// Meaning of the sizes that an input file records for a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// The sizes are the directory's own sizes, without its contents.
    Own,
    /// The sizes include everything below the directory. The directory's own sizes are known only once its end has been
    /// read, so its entry is published only at that point.
    Sums,
}

/// Data about a directory that is known before its entries are read.
pub(crate) struct DirectoryStart<'n> {
    pub(crate) name: &'n [u8],
    pub(crate) metadata: Metadata,
    pub(crate) sizes: Sizes,
    /// Index of the directory's device in the tree's list of devices.
    pub(crate) device: u32,
    /// `true` if the directory was read without an error.
    pub(crate) is_read: bool,
}

pub(crate) struct Builder<'t> {
    tree: &'t Tree,
    batch: Batch,
    /// Open directories, from the top of the tree to the current directory.
    open: Vec<Open>,
    spare: Vec<Page>,
    counts: Counts,
}

/// Directory whose end has not been read yet.
struct Open {
    id: DirId,
    device: u32,
    /// Unpublished entries of the directory, set aside while a child is read.
    page: Option<Box<Page>>,
    /// Child directories read to the end but not released yet, because their entries in this directory are unpublished.
    ended: Vec<DirId>,
    /// `true` if the directory's own entry is published.
    is_published: bool,
    is_read: bool,
    /// Disk usage and apparent size of the entries read so far, plus the directory's own sizes if they are known. A
    /// child directory is included once it has been read to the end.
    inside: Totals,
    /// Name and metadata of a directory with [`Sizes::Sums`], whose entry is added once its end has been read.
    awaiting: Option<Box<(Vec<u8>, Metadata)>>,
}

impl Open {
    fn new(id: DirId, device: u32) -> Self {
        Self {
            id,
            device,
            page: None,
            ended: Vec::new(),
            is_published: false,
            is_read: true,
            inside: Totals::default(),
            awaiting: None,
        }
    }
}

impl<'t> Builder<'t> {
    /// Creates a builder for an empty tree.
    pub(crate) fn new(tree: &'t Tree) -> Self {
        tree.begin(DirId::TOP);
        let top = Open { is_published: true, ..Open::new(DirId::TOP, 0) };
        let batch = Batch::default();
        Self { tree, batch, open: vec![top], spare: Vec::new(), counts: Counts::default() }
    }

    /// Returns the depth of the current directory: 0 at the top of the tree, 1 in a root.
    pub(crate) fn depth(&self) -> usize {
        self.open.len() - 1
    }

    pub(crate) fn current(&self) -> DirId {
        self.last().id
    }

    /// Returns the device index of the current directory.
    pub(crate) fn device(&self) -> u32 {
        self.last().device
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// Adds an entry that contains no other entries, such as a file or an excluded directory.
    pub(crate) fn push(&mut self, record: &Entry<'_>) {
        if let EntryState::Known(metadata) = &record.state {
            self.add_inside(metadata.disk(), metadata.apparent);
        }
        self.counts.add(record);
        let id = self.current();
        self.batch.push(id, record);
        self.seal_if_long();
    }

    /// Enters a child of the current directory, or a root.
    pub(crate) fn enter(&mut self, start: &DirectoryStart<'_>) {
        let &DirectoryStart { name, metadata, sizes, device, is_read } = start;
        let parent = self.current();
        let mut child = match sizes {
            Sizes::Own => {
                let id = self.batch.push_directory(self.tree, parent, name, metadata, device);
                self.counts.disk = self.counts.disk.saturating_add(metadata.disk());
                let inside =
                    Totals { disk: metadata.disk(), apparent: metadata.apparent, ..Totals::default() };
                Open { inside, ..Open::new(id, device) }
            }
            Sizes::Sums => {
                let empty = Metadata { blocks: 0, apparent: 0, ..metadata };
                let id = self.batch.new_directory(self.tree, parent, &empty, device);
                Open { awaiting: Some(Box::new((name.to_vec(), metadata))), ..Open::new(id, device) }
            }
        };
        child.is_read = is_read;
        self.counts.entries += 1;
        if self.open.len() > SHALLOW {
            self.seal(self.open.len() - 1);
        }
        // With `Sizes::Own`, `push_directory` has added the child's entry to the current page, which belongs to the
        // parent. If this page is empty now, `seal` has published the entry. With `Sizes::Sums`, `leave` adds the entry
        // later.
        child.is_published = sizes == Sizes::Own && self.batch.page().is_empty();
        let empty = self.fresh_page();
        let page = self.batch.turn(empty);
        let page = self.keep(page);
        self.last_mut().page = page;
        self.tree.begin(child.id);
        self.open.push(child);
    }

    /// Adds the counts of entries that were written to the tree without this builder.
    pub(crate) fn add_counts(&mut self, counts: Counts) {
        self.counts.entries += counts.entries;
        self.counts.disk = self.counts.disk.saturating_add(counts.disk);
        self.counts.errors += counts.errors;
    }

    /// Leaves the current directory after its last entry.
    pub(crate) fn leave(&mut self) {
        self.seal(self.open.len() - 1);
        let child = self.open.pop().expect("a directory is entered before it is left");
        let page = self.last_mut().page.take().map_or_else(|| self.fresh_page(), |page| *page);
        let empty = self.batch.turn(page);
        self.keep(empty);
        if !child.is_read {
            self.counts.errors += 1;
            self.tree.fail(child.id, UNREADABLE);
        }
        match child.awaiting {
            None => {
                let totals = child.inside;
                self.add_inside(totals.disk, totals.apparent);
            }
            Some(awaiting) => {
                let (name, sums) = *awaiting;
                self.add_inside(sums.disk(), sums.apparent);
                let metadata = Metadata {
                    blocks: sums.blocks.saturating_sub(child.inside.disk / 512),
                    apparent: sums.apparent.saturating_sub(child.inside.apparent),
                    ..sums
                };
                let own = Totals { disk: metadata.disk(), apparent: metadata.apparent, ..Totals::default() };
                self.tree.add(child.id, &own);
                self.counts.disk = self.counts.disk.saturating_add(own.disk);
                self.batch.push_numbered(child.id, &name, metadata);
            }
        }
        if child.is_published {
            self.tree.release(child.id);
        } else {
            self.last_mut().ended.push(child.id);
        }
        self.seal_if_long();
    }

    /// Closes all open directories and marks them as partial. Used when the input ends early.
    pub(crate) fn break_off(&mut self) {
        while self.depth() > 0 {
            self.tree.stop(self.current());
            let open = self.last_mut();
            let inside = open.inside;
            if let Some(awaiting) = &mut open.awaiting {
                // The recorded sizes include entries that have not been read, so they are replaced with the sums of the
                // entries that have been read. `leave` subtracts the same sums, so the directory's own sizes become 0.
                (awaiting.1.blocks, awaiting.1.apparent) = (inside.disk / 512, inside.apparent);
            }
            self.leave();
        }
        self.tree.stop(DirId::TOP);
    }

    /// Publishes all entries that have been read.
    pub(crate) fn publish(&mut self) {
        for index in 0..self.open.len() {
            if index + 1 == self.open.len() || self.open[index].page.is_some() {
                self.seal(index);
            }
        }
    }

    /// Completes the tree and returns the names of inodes that may have more than one name.
    pub(crate) fn finish(mut self) -> Vec<LinkedName> {
        self.publish();
        self.tree.release(DirId::TOP);
        self.batch.take_linked()
    }

    fn seal_if_long(&mut self) {
        if self.batch.page().length() >= SEGMENT {
            self.seal(self.open.len() - 1);
        }
    }

    /// Publishes the unpublished entries of the open directory at `index`.
    fn seal(&mut self, index: usize) {
        let aside = self.open[index].page.take().map(|page| self.batch.turn(*page));
        let id = self.open[index].id;
        if let Some(mut sealed) = self.batch.seal(self.tree, id) {
            if id == DirId::TOP {
                // Roots do not count as items.
                sealed.sum.items = 0;
            }
            self.tree.publish(&mut self.batch, id, &sealed);
            for ended in std::mem::take(&mut self.open[index].ended) {
                self.tree.release(ended);
            }
            if let Some(child) = self.open.get_mut(index + 1).filter(|child| child.awaiting.is_none()) {
                child.is_published = true;
            }
        }
        if let Some(page) = aside {
            let empty = self.batch.turn(page);
            self.keep(empty);
        }
    }

    /// Keeps an empty page for reuse and returns any other page.
    fn keep(&mut self, page: Page) -> Option<Box<Page>> {
        if !page.is_empty() {
            return Some(Box::new(page));
        }
        if self.spare.len() < SPARE {
            self.spare.push(page);
        }
        None
    }

    fn fresh_page(&mut self) -> Page {
        self.spare.pop().unwrap_or_else(Page::small)
    }

    fn add_inside(&mut self, disk: u64, apparent: u64) {
        self.last_mut().inside.add(&Totals { disk, apparent, ..Totals::default() });
    }

    fn last(&self) -> &Open {
        self.open.last().expect("the top directory is always open")
    }

    fn last_mut(&mut self) -> &mut Open {
        self.open.last_mut().expect("the top directory is always open")
    }
}
