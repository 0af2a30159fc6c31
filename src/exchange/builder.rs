//! Growing a tree from entries that come depth first, one after another.
//!
//! ```text
//! open:  top  root  dir  dir        the way down to the directory that is read; the batch holds its entries
//!         |    |     |
//!       pages put aside: entries not sealed yet, in the middle of which their directory was left for a child
//! ```
//!
//! Entries are sealed when there are many, when their directory ends, and when somebody wants to see what there is
//! ([`Builder::publish`]); so listings are as compact as a scan's. A child is complete when its own end has come *and* its
//! record is published, for only then its parent waits for it.
//!
//! Knows no format. Invariant: every claim on a directory is released exactly once, however the entries end.

use crate::tree::{Batch, Content, DirId, Facts, LinkedName, Page, Record, Totals, Tree};

/// Bytes of entries in one segment, what a batch of the kernel becomes, more or less.
const SEGMENT: usize = 32 << 10;
/// Below so many levels nothing is put aside: a hostile chain costs a record a level, no page.
const SHALLOW: usize = 64;
/// Pages kept for the next directory.
const SPARE: usize = SHALLOW;

/// What the format says of a directory that could not be read wholly: no more than that. (`EIO`)
pub(super) const UNREADABLE: i32 = libc::EIO;

/// What has come so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) entries: u64,
    pub(super) disk: u64,
    pub(super) errors: u64,
}

/// How the sizes of a directory are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Its own.
    Own,
    /// Those of all in it, itself included. Its own are known when it ends, and nobody sees it before.
    Sums,
}

/// A directory as it is given.
pub(super) struct Entrance<'n> {
    pub(super) name: &'n [u8],
    pub(super) facts: Facts,
    pub(super) sizes: Sizes,
    /// Index of its device.
    pub(super) device: u32,
    /// Whether it could be read.
    pub(super) is_read: bool,
}

pub(super) struct Builder<'t> {
    tree: &'t Tree,
    batch: Batch,
    /// The top, and the way down.
    open: Vec<Open>,
    spare: Vec<Page>,
    counts: Counts,
}

/// A directory whose end has not come.
struct Open {
    id: DirId,
    device: u32,
    /// Its unsealed entries, if it has some and was left for a child.
    page: Option<Box<Page>>,
    /// Children that have ended, whose records are unsealed.
    ended: Vec<DirId>,
    /// Whether its record is published.
    is_published: bool,
    is_read: bool,
    /// What the entries that have ended add up to, with its own sizes if those are known.
    inside: Totals,
    /// Its record, where that waits for its end.
    awaiting: Option<Box<(Vec<u8>, Facts)>>,
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
    /// For an empty tree.
    pub(super) fn new(tree: &'t Tree) -> Self {
        tree.begin(DirId::TOP);
        let top = Open { is_published: true, ..Open::new(DirId::TOP, 0) };
        let batch = Batch::default();
        Self { tree, batch, open: vec![top], spare: Vec::new(), counts: Counts::default() }
    }

    /// Levels below the top that are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// The directory that is read.
    pub(super) fn current(&self) -> DirId {
        self.last().id
    }

    /// The index of its device.
    pub(super) fn device(&self) -> u32 {
        self.last().device
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Adds an entry that is no directory to be entered.
    pub(super) fn push(&mut self, record: &Record<'_>) {
        if let Content::Known(facts) = &record.content {
            self.add_inside(facts.disk(), facts.apparent);
            self.counts.disk = self.counts.disk.saturating_add(facts.disk());
        }
        self.counts.entries += u64::from(!matches!(record.content, Content::Excluded(_)));
        self.counts.errors += u64::from(matches!(record.content, Content::Failed(_)));
        let id = self.current();
        self.batch.push(id, record);
        self.seal_if_long();
    }

    /// Enters a directory of the one that is read, or a root.
    pub(super) fn enter(&mut self, entrance: &Entrance<'_>) {
        let &Entrance { name, facts, sizes, device, is_read } = entrance;
        let parent = self.current();
        let mut child = match sizes {
            Sizes::Own => {
                let id = self.batch.push_directory(self.tree, parent, name, facts, device);
                self.counts.disk = self.counts.disk.saturating_add(facts.disk());
                let inside = Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() };
                Open { inside, ..Open::new(id, device) }
            }
            Sizes::Sums => {
                let empty = Facts { blocks: 0, apparent: 0, ..facts };
                let id = self.batch.new_directory(self.tree, parent, &empty, device);
                Open { awaiting: Some(Box::new((name.to_vec(), facts))), ..Open::new(id, device) }
            }
        };
        child.is_read = is_read;
        self.counts.entries += 1;
        if self.open.len() > SHALLOW {
            self.seal(self.open.len() - 1);
        }
        // The parent has learnt of the child by now if it was sealed.
        child.is_published = sizes == Sizes::Own && self.batch.page().is_empty();
        let empty = self.fresh_page();
        let page = self.batch.turn(empty);
        let page = self.keep(page);
        self.last_mut().page = page;
        self.tree.begin(child.id);
        self.open.push(child);
    }

    /// Ends the directory that is read.
    pub(super) fn leave(&mut self) {
        self.seal(self.open.len() - 1);
        let child = self.open.pop().expect("who enters leaves, once");
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
                let facts = Facts {
                    blocks: sums.blocks.saturating_sub(child.inside.disk / 512),
                    apparent: sums.apparent.saturating_sub(child.inside.apparent),
                    ..sums
                };
                let own = Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() };
                self.tree.add(child.id, &own);
                self.counts.disk = self.counts.disk.saturating_add(own.disk);
                self.batch.push_numbered(child.id, &name, facts);
            }
        }
        if child.is_published {
            self.tree.release(child.id);
        } else {
            self.last_mut().ended.push(child.id);
        }
        self.seal_if_long();
    }

    /// Ends the directories that are open, as stopped: more was to come.
    pub(super) fn break_off(&mut self) {
        while self.depth() > 0 {
            self.tree.stop(self.current());
            let open = self.last_mut();
            let inside = open.inside;
            if let Some(awaiting) = &mut open.awaiting {
                // What is missing is not its own.
                (awaiting.1.blocks, awaiting.1.apparent) = (inside.disk / 512, inside.apparent);
            }
            self.leave();
        }
        self.tree.stop(DirId::TOP);
    }

    /// Lets everybody see what has come so far.
    pub(super) fn publish(&mut self) {
        for index in 0..self.open.len() {
            if index + 1 == self.open.len() || self.open[index].page.is_some() {
                self.seal(index);
            }
        }
    }

    /// Ends the tree's top, and says which names of inodes were met that may have others.
    pub(super) fn finish(mut self) -> Vec<LinkedName> {
        self.publish();
        self.tree.release(DirId::TOP);
        self.batch.take_linked()
    }

    fn seal_if_long(&mut self) {
        if self.batch.page().length() >= SEGMENT {
            self.seal(self.open.len() - 1);
        }
    }

    /// Publishes the unsealed entries of an open directory.
    fn seal(&mut self, index: usize) {
        let aside = self.open[index].page.take().map(|page| self.batch.turn(*page));
        let id = self.open[index].id;
        if let Some(mut sealed) = self.batch.seal(self.tree, id) {
            if id == DirId::TOP {
                // Roots are no items.
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

    /// Keeps an empty page for later, and gives any other back.
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
        self.open.last().expect("the top is always open")
    }

    fn last_mut(&mut self) -> &mut Open {
        self.open.last_mut().expect("the top is always open")
    }
}
