//! Snapshot writer: traverses the tree once, breadth first.
//!
//! Directories are numbered in the order in which the writer visits them. The same tree therefore always
//! gives the same bytes, regardless of the order in which the threads of the scan read its directories.
//! Memory holds one block of each kind, and the directories that have been found but not yet written.
//!
//! Roots of a scan are written with their absolute paths, because a relative path has no meaning later. In a tree with
//! roots from several hosts, a root name that already begins with its host name is written unchanged.
//!
//! Invariant: the writer does not seek and reads nothing back, so the output can be a pipe. If the tree changes while
//! it is being written, the writer returns an error, and the output is not a valid snapshot.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Write;

use crate::base::absolute::absolute_bytes;
use crate::base::os_error::ENOENT;
use crate::base::sync::Ordering;
use crate::formats::snapshot::control::{WriteControl, WriteError};
use crate::formats::snapshot::file_order::FileOrder;
use crate::formats::snapshot::info::SnapshotInfo;
use crate::formats::snapshot::layout::{IndexDraft, footer, header};
use crate::formats::snapshot::written::WrittenTree;
use crate::platform::memory::block_file::Block;
use crate::tree::encoding::Draft;
use crate::tree::stored::listings::ListingsDraft;
use crate::tree::stored::rows::RowsDraft;
use crate::tree::stored::{ListingBlock, ROWS};
use crate::tree::{DirId, Entry, EntryState, Metadata, Tree};

/// Size in bytes at which a block of listings is full. Smaller blocks would make the index larger. Larger blocks
/// would make it slower to read a single directory.
const BLOCK: usize = 64 << 10;
/// Size in bytes of a segment in a long listing.
const SEGMENT: usize = 32 << 10;

/// Writes a finished tree to `out` and returns the number of bytes written.
///
/// # Errors
/// Returns an error if the snapshot cannot be written. The output is then incomplete.
pub fn save(
    tree: &Tree,
    about: &SnapshotInfo,
    control: &WriteControl<'_>,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let edition = tree.edition();
    if !tree.status(DirId::TOP).is_complete() {
        return Err(WriteError::UnusableTree);
    }
    write(tree, about, control, out, || {
        let is_unchanged = tree.edition() == edition && tree.damage().is_none();
        is_unchanged.then_some(()).ok_or(WriteError::UnusableTree)
    })
}

/// Writes `tree` to `out` and returns the number of bytes written. `check` runs after the last entry has been read. If
/// `check` fails, the index is not written, so the output is not a valid snapshot.
pub(crate) fn write(
    tree: &impl WrittenTree,
    about: &SnapshotInfo,
    control: &WriteControl<'_>,
    out: &mut dyn Write,
    check: impl FnOnce() -> Result<(), WriteError>,
) -> Result<u64, WriteError> {
    let mut blocks = Blocks { out, control, written: 0, index: IndexDraft::default() };
    blocks.write(&header())?;
    let directories = Body::new(tree, about, &mut blocks).write()?;
    check()?;
    let index = std::mem::take(&mut blocks.index);
    let index = index.finish(directories, &tree.devices(), &tree.storage_classes(), about);
    let block =
        Block { offset: blocks.written, length: index.len() as u64, checksum: crc32fast::hash(&index) };
    blocks.write(&index)?;
    blocks.write(&footer(block))?;
    blocks.out.flush()?;
    Ok(blocks.written)
}

/// Block writer that also collects the index.
struct Blocks<'o> {
    out: &'o mut dyn Write,
    control: &'o WriteControl<'o>,
    written: u64,
    index: IndexDraft,
}

impl Blocks<'_> {
    fn rows(&mut self, rows: &mut RowsDraft) -> Result<(), WriteError> {
        let bytes = rows.take();
        if !bytes.is_empty() {
            self.index.rows(bytes.len() as u64, crc32fast::hash(&bytes));
            self.write(&bytes)?;
        }
        Ok(())
    }

    fn listings(&mut self, page: &mut Page) -> Result<(), WriteError> {
        let Page { mut listings, child, has_links, has_failures, others } = std::mem::take(page);
        if let Some((first, bytes)) = listings.take() {
            let checksum = crc32fast::hash(&bytes);
            let block = Block { offset: self.written, length: bytes.len() as u64, checksum };
            self.index.listings(&ListingBlock { block, first, child, has_links, has_failures, others });
            self.write(&bytes)?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.written += bytes.len() as u64;
        if self.written > self.control.bytes {
            return Err(WriteError::TooLarge);
        }
        Ok(self.out.write_all(bytes)?)
    }
}

/// Block of listings that is being written.
#[derive(Default)]
struct Page {
    listings: ListingsDraft,
    /// Number assigned to the first child directory whose name is in the block; see [`ListingBlock::child`].
    child: u32,
    has_links: bool,
    has_failures: bool,
    /// Number of entries in the block, if the block contains the entries after the head of a long listing; see
    /// [`ListingBlock::others`].
    others: Option<u64>,
}

/// Listing that is being written: finished segments and the current one.
#[derive(Default)]
struct Segments {
    bytes: Vec<u8>,
    count: usize,
    draft: Draft,
    has_links: bool,
    has_failures: bool,
}

impl Segments {
    fn push(&mut self, record: &Entry<'_>) {
        self.draft.push(record);
        if self.draft.length() >= SEGMENT {
            self.seal();
        }
    }

    fn seal(&mut self) {
        if !self.draft.is_empty() {
            self.bytes.extend_from_slice(self.draft.segment().0);
            self.count += 1;
            self.draft.clear();
        }
    }

    /// Moves the finished segments to `page`. `child` is the number of the first child directory in the segments.
    fn finish(&mut self, directory: u32, child: u32, page: &mut Page) {
        if page.listings.length() == 0 {
            page.child = child;
        }
        if self.count > 0 {
            page.listings.push(directory, &self.bytes, self.count);
        }
        page.has_links |= std::mem::take(&mut self.has_links);
        page.has_failures |= std::mem::take(&mut self.has_failures);
        self.bytes.clear();
        self.count = 0;
    }
}

struct Body<'t, 'b, 'o, T> {
    tree: &'t T,
    about: &'t SnapshotInfo,
    /// `true` if a long listing is split into its head (the entries with the largest disk usage) and all other entries.
    /// `false` for a part of a plan; see [`FileOrder::of`].
    splits_long_listings: bool,
    blocks: &'b mut Blocks<'o>,
    numbers: Numbers<'t, T>,
    rows: RowsDraft,
    page: Page,
    segments: Segments,
}

impl<'t, 'b, 'o, T: WrittenTree> Body<'t, 'b, 'o, T> {
    fn new(tree: &'t T, about: &'t SnapshotInfo, blocks: &'b mut Blocks<'o>) -> Self {
        let segments = Segments::default();
        Self {
            tree,
            about,
            splits_long_listings: about.parts.is_none(),
            blocks,
            numbers: Numbers::new(tree),
            rows: RowsDraft::default(),
            page: Page::default(),
            segments,
        }
    }

    /// Writes all rows and listings, and returns the number of directories.
    fn write(mut self) -> Result<u32, WriteError> {
        let aliases = aliases(self.tree, self.splits_long_listings);
        while let Some((number, parent, id)) = self.numbers.next() {
            if self.blocks.control.stop.load(Ordering::Relaxed) {
                return Err(WriteError::Stopped);
            }
            self.rows.push(&self.tree.row(id, parent));
            if self.rows.count() == ROWS {
                self.blocks.rows(&mut self.rows)?;
            }
            self.listing(number, id, &aliases)?;
            // The list of roots gets its own block, because its aliases may refer to any directory. In all other
            // blocks, the child directories must have consecutive numbers.
            let is_full = self.page.others.is_some() || self.page.listings.length() >= BLOCK;
            if id == DirId::TOP || is_full {
                self.blocks.listings(&mut self.page)?;
            }
        }
        self.blocks.rows(&mut self.rows)?;
        self.blocks.listings(&mut self.page)?;
        Ok(self.numbers.given)
    }

    fn listing(&mut self, number: u32, id: DirId, aliases: &HashMap<DirId, u32>) -> Result<(), WriteError> {
        let order = FileOrder::of(self.tree, id, self.splits_long_listings);
        if order.has_head() {
            self.blocks.listings(&mut self.page)?;
            let (child, _) = self.seal((id, number), order.head(), aliases);
            self.segments.finish(number, child, &mut self.page);
            self.blocks.listings(&mut self.page)?;
        }
        let (child, count) = self.seal((id, number), order.others(), aliases);
        // A long listing begins a new block, so that reading one of the short listings before it does not require
        // reading the long listing.
        if self.segments.bytes.len() >= BLOCK {
            self.blocks.listings(&mut self.page)?;
        }
        self.segments.finish(number, child, &mut self.page);
        self.page.others = order.has_head().then_some(count);
        Ok(())
    }

    /// Adds `entries`, which are entries of directory `id`, to the current listing, and completes the last segment.
    /// `number` is the directory's number in the snapshot. Returns the number that the first child directory in
    /// `entries` gets in the snapshot, and the count of `entries`.
    fn seal(
        &mut self,
        (id, number): (DirId, u32),
        entries: impl Iterator<Item = Entry<'t>>,
        aliases: &HashMap<DirId, u32>,
    ) -> (u32, u64) {
        let (child, mut count) = (self.numbers.given, 0);
        for (index, record) in entries.enumerate() {
            count += 1;
            let record = self.tree.entry(id, record);
            let state = match record.state {
                EntryState::Known(metadata) => {
                    if let Some(child) = metadata.directory {
                        self.directory(id, number, metadata, child, aliases)
                    } else {
                        self.segments.has_links |= metadata.links.is_some();
                        record.state
                    }
                }
                EntryState::Failed(_) => {
                    self.segments.has_failures = true;
                    record.state
                }
                EntryState::Excluded(_) => record.state,
            };
            let is_path =
                id == DirId::TOP && !self.about.keeps_names && !self.about.names_host(index, record.name);
            let name =
                if is_path { Cow::Owned(absolute_bytes(record.name)) } else { Cow::Borrowed(record.name) };
            self.segments.push(&Entry { name: &name, state, ..record });
        }
        self.segments.seal();
        self.blocks.control.written.inspect(|written| written.add(count));
        (child, count)
    }

    /// Returns the state to write for the child directory `child` in the listing of `id`.
    fn directory(
        &mut self,
        id: DirId,
        number: u32,
        metadata: Metadata,
        child: DirId,
        aliases: &HashMap<DirId, u32>,
    ) -> EntryState {
        let given = self.numbers.give(id, number, child).or_else(|| aliases.get(&child).copied());
        self.segments.has_failures |= self.tree.is_unreadable(child);
        // A directory that has no number, not even in `aliases`, no longer exists.
        given.map_or(EntryState::Failed(ENOENT), |given| {
            EntryState::Known(Metadata { directory: Some(DirId(given)), ..metadata })
        })
    }
}

/// Numbering of the directories, in the order in which they are written.
struct Numbers<'t, T> {
    tree: &'t T,
    /// Directories that have a number but have not been written yet, each with the number of its parent.
    waiting: VecDeque<(DirId, u32)>,
    /// Next number to assign. Equals the count of the numbers assigned so far.
    given: u32,
    /// Roots that already have a number.
    roots: HashSet<DirId>,
}

impl<'t, T: WrittenTree> Numbers<'t, T> {
    fn new(tree: &'t T) -> Self {
        Self { tree, waiting: VecDeque::from([(DirId::TOP, 0)]), given: 1, roots: HashSet::new() }
    }

    /// Returns the next directory to write: its number, its parent's number, and its ID in the tree.
    fn next(&mut self) -> Option<(u32, u32, DirId)> {
        let waiting = u32::try_from(self.waiting.len()).expect("the number of directories fits into 32 bits");
        let (id, parent) = self.waiting.pop_front()?;
        Some((self.given - waiting, parent, id))
    }

    /// Assigns the next number to the directory `child`, which is listed in directory `id`. `number` is the number
    /// already assigned to `id`. Returns `None` if `child` is a root that already has a number, or if `id` is not the
    /// parent of `child`. The latter occurs in the list of roots, for a root inside another root.
    fn give(&mut self, id: DirId, number: u32, child: DirId) -> Option<u32> {
        let is_owned = self.tree.parent(child) == Some(id) && (id != DirId::TOP || self.roots.insert(child));
        is_owned.then(|| {
            self.waiting.push_back((child, number));
            self.given += 1;
            self.given - 1
        })
    }
}

/// Returns the numbers that will be assigned to the directories in [`WrittenTree::named_by_roots`]. The writer needs
/// these numbers in advance: it writes the list of roots first, and this list may refer to any of these directories.
fn aliases(tree: &impl WrittenTree, splits_long_listings: bool) -> HashMap<DirId, u32> {
    let wanted = tree.named_by_roots();
    let mut found = HashMap::new();
    let mut numbers = Numbers::new(tree);
    while found.len() < wanted.len()
        && let Some((number, _, id)) = numbers.next()
    {
        let order = FileOrder::of(tree, id, splits_long_listings);
        for child in order.head().chain(order.others()).filter_map(|entry| entry.directory()) {
            if let Some(given) = numbers.give(id, number, child)
                && wanted.contains(&child)
            {
                found.insert(child, given);
            }
        }
    }
    found
}
