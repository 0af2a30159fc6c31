//! Writing a snapshot: once through the tree, breadth first, straight on.
//!
//! Directories get new numbers in the order in which they are met, so the same tree gives the same bytes, whichever threads
//! found it in whatever order. Memory is held for a block of each kind and for the directories that were met and not written yet.
//!
//! Roots are written with their absolute paths, since nobody knows later where `.` was.
//!
//! Invariant: nothing is sought or read back, so that a pipe can be written to; and what was read while the tree
//! changed is not called a snapshot.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::io::{self, Write};

use super::About;
use super::format::{IndexDraft, footer, header};
use crate::platform::absolute::absolute_bytes;
use crate::platform::blocks::Block;
use crate::platform::words;
use crate::sync::{AtomicBool, Ordering};
use crate::tree::encoding::Draft;
use crate::tree::stored::listings::ListingsDraft;
use crate::tree::stored::rows::{Row, RowsDraft};
use crate::tree::stored::{ListingBlock, ROWS};
use crate::tree::{Content, DirId, Facts, Record, Tree};

/// A block of listings is full from here on. Small enough to be read when one directory is looked at, large enough that the index
/// is nothing.
const BLOCK: usize = 64 << 10;
/// Bytes of records in one segment of a long listing: what a batch of the kernel becomes, more or less.
const SEGMENT: usize = 32 << 10;

/// When not to go on.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The most bytes that may be written.
    pub bytes: u64,
    /// Set by whoever wants no snapshot any more. `Relaxed`: it guards no data.
    pub stop: &'a AtomicBool,
}

/// Why there is no snapshot.
#[derive(Debug)]
pub enum Unsaved {
    /// It could not be written.
    Unwritten(io::Error),
    /// It would be larger than it may be.
    TooLarge,
    /// Somebody stopped it.
    Stopped,
    /// The tree is not complete, or changed meanwhile.
    Changing,
}

impl From<io::Error> for Unsaved {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}

impl fmt::Display for Unsaved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unwritten(error) => formatter.write_str(&words(error)),
            Self::TooLarge => formatter.write_str("larger than it may be"),
            Self::Stopped => formatter.write_str("stopped"),
            Self::Changing => formatter.write_str("the tree is changing"),
        }
    }
}

impl std::error::Error for Unsaved {}

/// Writes a tree at rest to `out` and says how many bytes that were.
///
/// # Errors
/// When that cannot be done; what was written so far is no snapshot then.
pub fn save(tree: &Tree, about: &About, limits: &Limits<'_>, out: &mut dyn Write) -> Result<u64, Unsaved> {
    let edition = tree.edition();
    if !tree.status(DirId::TOP).is_complete() {
        return Err(Unsaved::Changing);
    }
    let mut blocks = Blocks { out, limits, written: 0, index: IndexDraft::default() };
    blocks.write(&header())?;
    let directories = Body::new(tree, &mut blocks).write()?;
    if tree.edition() != edition || tree.damage().is_some() {
        return Err(Unsaved::Changing);
    }
    let index = std::mem::take(&mut blocks.index).finish(directories, &tree.devices().numbers(), about);
    let block =
        Block { offset: blocks.written, length: index.len() as u64, checksum: crc32fast::hash(&index) };
    blocks.write(&index)?;
    blocks.write(&footer(block))?;
    blocks.out.flush()?;
    Ok(blocks.written)
}

/// Blocks on their way into the file.
struct Blocks<'o> {
    out: &'o mut dyn Write,
    limits: &'o Limits<'o>,
    written: u64,
    index: IndexDraft,
}

impl Blocks<'_> {
    fn rows(&mut self, rows: &mut RowsDraft) -> Result<(), Unsaved> {
        let bytes = rows.take();
        if !bytes.is_empty() {
            self.index.rows(bytes.len() as u64, crc32fast::hash(&bytes));
            self.write(&bytes)?;
        }
        Ok(())
    }

    fn listings(&mut self, page: &mut Page) -> Result<(), Unsaved> {
        let Page { mut listings, child, has_links, has_failures } = std::mem::take(page);
        if let Some((first, bytes)) = listings.take() {
            let checksum = crc32fast::hash(&bytes);
            let block = Block { offset: self.written, length: bytes.len() as u64, checksum };
            self.index.listings(&ListingBlock { block, first, child, has_links, has_failures });
            self.write(&bytes)?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Unsaved> {
        self.written += bytes.len() as u64;
        if self.written > self.limits.bytes {
            return Err(Unsaved::TooLarge);
        }
        Ok(self.out.write_all(bytes)?)
    }
}

/// A block of listings being written.
#[derive(Default)]
struct Page {
    listings: ListingsDraft,
    /// The number of the first directory named in it.
    child: u32,
    has_links: bool,
    has_failures: bool,
}

/// A listing being written: finished segments, and the one that grows.
#[derive(Default)]
struct Segments {
    bytes: Vec<u8>,
    count: usize,
    draft: Draft,
}

impl Segments {
    fn push(&mut self, record: &Record<'_>) {
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

    /// Moves the listing, if it has entries, to `page`.
    fn finish(&mut self, directory: u32, page: &mut Page) {
        self.seal();
        if self.count > 0 {
            page.listings.push(directory, &self.bytes, self.count);
        }
        self.bytes.clear();
        self.count = 0;
    }
}

struct Body<'t, 'b, 'o> {
    tree: &'t Tree,
    blocks: &'b mut Blocks<'o>,
    numbers: Numbers<'t>,
    rows: RowsDraft,
    page: Page,
    segments: Segments,
}

impl<'t, 'b, 'o> Body<'t, 'b, 'o> {
    fn new(tree: &'t Tree, blocks: &'b mut Blocks<'o>) -> Self {
        let segments = Segments::default();
        Self {
            tree,
            blocks,
            numbers: Numbers::new(tree),
            rows: RowsDraft::default(),
            page: Page::default(),
            segments,
        }
    }

    /// Writes all rows and listings, and says how many directories there are.
    fn write(mut self) -> Result<u32, Unsaved> {
        let aliases = aliases(self.tree);
        while let Some((number, parent, id)) = self.numbers.next() {
            if self.blocks.limits.stop.load(Ordering::Relaxed) {
                return Err(Unsaved::Stopped);
            }
            self.rows.push(&row(self.tree, id, parent));
            if self.rows.count() == ROWS {
                self.blocks.rows(&mut self.rows)?;
            }
            self.listing(number, id, &aliases);
            // The top has a block of its own.
            if id == DirId::TOP || self.page.listings.length() >= BLOCK {
                self.blocks.listings(&mut self.page)?;
            }
        }
        self.blocks.rows(&mut self.rows)?;
        self.blocks.listings(&mut self.page)?;
        Ok(self.numbers.given)
    }

    fn listing(&mut self, number: u32, id: DirId, aliases: &HashMap<DirId, u32>) {
        if self.page.listings.length() == 0 {
            self.page.child = self.numbers.given;
        }
        for (_, record) in self.tree.listing(id).entries() {
            let content = match record.content {
                Content::Known(facts) => {
                    if let Some(child) = facts.directory {
                        self.directory(id, number, facts, child, aliases)
                    } else {
                        self.page.has_links |= facts.links.is_some();
                        record.content
                    }
                }
                Content::Failed(_) => {
                    self.page.has_failures = true;
                    record.content
                }
                Content::Excluded(_) => record.content,
            };
            let name = if id == DirId::TOP {
                Cow::Owned(absolute_bytes(record.name))
            } else {
                Cow::Borrowed(record.name)
            };
            self.segments.push(&Record { name: &name, content, ..record });
        }
        self.segments.finish(number, &mut self.page);
    }

    /// The record's content for a directory among the entries of `id`.
    fn directory(
        &mut self,
        id: DirId,
        number: u32,
        facts: Facts,
        child: DirId,
        aliases: &HashMap<DirId, u32>,
    ) -> Content {
        let given = self.numbers.give(id, number, child).or_else(|| aliases.get(&child).copied());
        self.page.has_failures |= self.tree.status(child).errno.is_some();
        // An alias whose directory is gone.
        given.map_or(Content::Failed(libc::ENOENT), |given| {
            Content::Known(Facts { directory: Some(DirId(given)), ..facts })
        })
    }
}

fn row(tree: &Tree, id: DirId, parent: u32) -> Row {
    let status = tree.status(id);
    Row {
        parent,
        totals: tree.totals(id),
        device: tree.device_index(id),
        is_partial: status.partial,
        errno: status.errno.unwrap_or(0),
        shared: tree.shared(id),
    }
}

/// Gives directories their numbers, in the order in which they are to be written.
struct Numbers<'t> {
    tree: &'t Tree,
    /// Directories with a number, and the numbers of their parents.
    waiting: VecDeque<(DirId, u32)>,
    /// How many numbers were given.
    given: u32,
    /// Roots met.
    roots: HashSet<DirId>,
}

impl<'t> Numbers<'t> {
    fn new(tree: &'t Tree) -> Self {
        Self { tree, waiting: VecDeque::from([(DirId::TOP, 0)]), given: 1, roots: HashSet::new() }
    }

    /// The next directory: its number, its parent's, and what the tree calls it.
    fn next(&mut self) -> Option<(u32, u32, DirId)> {
        let waiting = u32::try_from(self.waiting.len()).expect("not more than have numbers");
        let (id, parent) = self.waiting.pop_front()?;
        Some((self.given - waiting, parent, id))
    }

    /// A number for the directory `child` in the listing of `id`; none if it has its place elsewhere.
    fn give(&mut self, id: DirId, number: u32, child: DirId) -> Option<u32> {
        let is_owned = self.tree.parent(child) == Some(id) && (id != DirId::TOP || self.roots.insert(child));
        is_owned.then(|| {
            self.waiting.push_back((child, number));
            self.given += 1;
            self.given - 1
        })
    }
}

/// The numbers that will be given to directories which are named by a root elsewhere, or by two roots.
fn aliases(tree: &Tree) -> HashMap<DirId, u32> {
    let wanted: HashSet<DirId> = tree.aliases().iter().filter_map(|alias| alias.directory).collect();
    let mut found = HashMap::new();
    let mut numbers = Numbers::new(tree);
    while found.len() < wanted.len()
        && let Some((number, _, id)) = numbers.next()
    {
        for child in tree.listing(id).directories() {
            if let Some(given) = numbers.give(id, number, child)
                && wanted.contains(&child)
            {
                found.insert(child, given);
            }
        }
    }
    found
}
