//! Writer of ncdu's binary export. Uses all processors.
//!
//! The item of a directory refers to the last item in that directory, so the deepest directories are written first,
//! level by level. The directories of a level are distributed to workers, and each worker writes the entries of its
//! directories to a block of its own. Full blocks are compressed and written in any order; the index at the end
//! contains their positions.
//!
//! Invariant: the writer does not seek and reads nothing back, so the output can be a pipe. Besides the blocks that are
//! being written, memory holds a few bytes for each directory.

use std::collections::HashMap;
use std::io::{self, Write};

use rayon::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use super::block_size::BlockSize;
use super::cbor::{MAP_END, MAP_START, push_bool, push_bytes, push_negative, push_unsigned};
use super::item::{self, key};
use super::layout::{DATA, INDEX, LENGTH_BITS, MAGIC, OFFSET_BITS, POINTER_LENGTH_BITS, WORD};
use crate::base::kind::Kind;
use crate::base::sync::{AtomicU32, AtomicUsize, Mutex, Ordering, lock};
use crate::formats::WrittenEntries;
use crate::formats::zstd_block::Packer;
use crate::tree::{DirId, Entry, EntryState, Exclusion, Metadata, Totals, Tree, hard_links};

/// Number of directories that a worker writes at a time. The worker then releases its partly filled block, so that any
/// worker can append to the block.
const PORTION: usize = 64;
/// Maximum number of full blocks waiting for compression, per thread of the pool.
const WAITING: usize = 4;

/// Writes a tree that has only one root. `root` must be a directory, and is written under the name `name`. `written`
/// counts the entries below the root.
///
/// # Errors
/// Returns an error if `out` cannot be written to, or if the root is not a directory.
pub fn write(
    tree: &Tree,
    root: &Entry<'_>,
    name: &[u8],
    size: BlockSize,
    written: &WrittenEntries,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let Some(id) = root.directory() else { return Err(io::Error::other("the root is not a directory")) };
    let output = Output::new(size, out);
    output.write(&MAGIC);
    let shared = hard_links::shared_with_others(tree);
    let writer = Writer { tree, shared, output, written, open_blocks: Mutex::default() };
    let reference = pool()?.scope(|scope| {
        let last = writer.directories(scope, id);
        writer.root(scope, &Entry { name, ..*root }, id, last)
    });
    writer.output.finish(reference)
}

/// Returns a thread pool. If no thread can be started, the pool consists of the current thread only.
fn pool() -> io::Result<ThreadPool> {
    let alone = || ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    ThreadPoolBuilder::new().build().or_else(|_| alone()).map_err(io::Error::other)
}

/// Directories at one depth, each with the index of its first child directory in the next level.
type Level = Vec<(DirId, usize)>;

struct Writer<'t, 'o> {
    tree: &'t Tree,
    /// For each directory, the total size of the inodes that have names both inside and outside the directory.
    shared: HashMap<DirId, Totals>,
    output: Output<'o>,
    written: &'t WrittenEntries,
    /// Partly filled blocks that no worker is using.
    open_blocks: Mutex<Vec<OpenBlock>>,
}

/// Block that is being filled.
struct OpenBlock {
    number: u32,
    bytes: Vec<u8>,
}

impl OpenBlock {
    /// Returns the reference that the next item written to this block will have.
    fn reference(&self) -> u64 {
        u64::from(self.number) << OFFSET_BITS | self.bytes.len() as u64
    }
}

struct Item<'e, 't> {
    entry: &'e Entry<'t>,
    previous: Option<u64>,
    /// Directory ID and reference to the directory's last item; `None` if the entry is not a directory.
    directory: Option<(DirId, Option<u64>)>,
    /// Index of the parent's device; `None` for the root.
    device: Option<u32>,
}

impl Writer<'_, '_> {
    /// Writes everything below the root, and returns the reference to the last item in the root.
    fn directories<'s>(&'s self, scope: &Scope<'s>, root: DirId) -> Option<u64> {
        let mut lasts = Vec::new();
        for level in self.levels(root).iter().rev().take_while(|_| !self.output.has_failed()) {
            let portions = level.par_chunks(PORTION).map(|directories| {
                let mut open_block =
                    lock(&self.open_blocks).pop().unwrap_or_else(|| self.output.open_block());
                let chain = |(id, first): &(DirId, usize)| {
                    self.chain(scope, &mut open_block, *id, lasts.get(*first..).unwrap_or_default())
                };
                let lasts: Vec<Option<u64>> = directories.iter().map(chain).collect();
                lock(&self.open_blocks).push(open_block);
                lasts
            });
            lasts = portions.collect::<Vec<_>>().concat();
        }
        lasts.first().copied().flatten()
    }

    /// Returns the root and the directories below it, grouped by depth.
    fn levels(&self, root: DirId) -> Vec<Level> {
        let mut levels = Vec::new();
        let mut level = vec![root];
        while !level.is_empty() && !self.output.has_failed() {
            let children = |id: &DirId| self.tree.listing(*id).directories().collect::<Vec<_>>();
            let next: Vec<Vec<DirId>> = level.par_iter().map(children).collect();
            let firsts = next.iter().scan(0, |next, children| {
                let first = *next;
                *next += children.len();
                Some(first)
            });
            levels.push(level.into_iter().zip(firsts).collect());
            level = next.concat();
        }
        levels
    }

    /// Writes the entries of a directory, and returns the reference to the last one. `lasts` begins with one reference
    /// per child directory, in listing order: the reference to the last item in that child. The rest of `lasts` belongs
    /// to other directories.
    fn chain<'s>(
        &'s self,
        scope: &Scope<'s>,
        open_block: &mut OpenBlock,
        id: DirId,
        lasts: &[Option<u64>],
    ) -> Option<u64> {
        let (mut previous, mut count, mut lasts) = (None, 0, lasts.iter().copied());
        let device = Some(self.tree.device_index(id));
        for (_, entry) in self.tree.listing(id).entries() {
            let directory = entry.directory().map(|child| (child, lasts.next().flatten()));
            let reference =
                self.push(scope, open_block, &Item { entry: &entry, previous, directory, device });
            previous = Some(reference);
            count += 1;
        }
        self.written.add(count);
        previous
    }

    /// Writes the root as the last item, and starts compressing all open blocks. Returns the reference to the root.
    fn root<'s>(&'s self, scope: &Scope<'s>, entry: &Entry<'_>, id: DirId, last: Option<u64>) -> u64 {
        let mut open_block = lock(&self.open_blocks).pop().unwrap_or_else(|| self.output.open_block());
        let item = Item { entry, previous: None, directory: Some((id, last)), device: None };
        let reference = self.push(scope, &mut open_block, &item);
        lock(&self.open_blocks).push(open_block);
        for open_block in lock(&self.open_blocks).drain(..) {
            scope.spawn(move |_| self.output.pack(open_block));
        }
        reference
    }

    /// Adds an item to the block `open_block`, and returns its reference. If the block is then full, replaces it with
    /// an empty one. The full block is compressed by a new task, or in this call if too many blocks are waiting.
    fn push<'s>(&'s self, scope: &Scope<'s>, open_block: &mut OpenBlock, item: &Item<'_, '_>) -> u64 {
        let reference = open_block.reference();
        self.encode(&mut open_block.bytes, reference, item);
        if self.output.is_full(open_block) {
            let full = std::mem::replace(open_block, self.output.open_block());
            if self.output.waiting.fetch_add(1, Ordering::Relaxed) < WAITING * rayon::current_num_threads() {
                scope.spawn(move |_| self.output.pack_waiting(full));
            } else {
                self.output.pack_waiting(full);
            }
        }
        reference
    }

    fn encode(&self, bytes: &mut Vec<u8>, own: u64, item: &Item<'_, '_>) {
        let Entry { name, kind, state } = *item.entry;
        bytes.push(MAP_START);
        type_of(bytes, item, kind, &state);
        field(bytes, key::NAME);
        push_bytes(bytes, name);
        if let Some(previous) = item.previous {
            reference(bytes, key::PREVIOUS, own, previous);
        }
        if let EntryState::Known(metadata) = state {
            number(bytes, key::APPARENT, metadata.apparent);
            number(bytes, key::DISK, metadata.disk());
            if let Some((id, last)) = item.directory {
                self.directory(bytes, id, item.device);
                if let Some(last) = last {
                    reference(bytes, key::LAST, own, last);
                }
            } else if let Some(links) = metadata.links {
                number(bytes, key::INODE, metadata.inode);
                number(bytes, key::LINKS, links.count);
            }
            extended(bytes, &metadata);
        }
        bytes.push(MAP_END);
    }

    /// Writes the fields of a directory, except for the reference to its last item.
    fn directory(&self, bytes: &mut Vec<u8>, id: DirId, above: Option<u32>) {
        let (tree, totals) = (self.tree, self.tree.totals(id));
        if above != Some(tree.device_index(id)) {
            number(bytes, key::DEVICE, tree.device(id));
        }
        let is_unreadable = tree.status(id).errno.is_some();
        if is_unreadable || totals.errors > 0 {
            field(bytes, key::READ_ERROR);
            push_bool(bytes, is_unreadable);
        }
        number(bytes, key::TOTAL_APPARENT, totals.apparent);
        number(bytes, key::TOTAL_DISK, totals.disk);
        if let Some(shared) = self.shared.get(&id) {
            number(bytes, key::SHARED_APPARENT, shared.apparent);
            number(bytes, key::SHARED_DISK, shared.disk);
        }
        number(bytes, key::ITEMS, totals.items);
    }
}

fn type_of(bytes: &mut Vec<u8>, item: &Item<'_, '_>, kind: Kind, state: &EntryState) {
    let number = match state {
        EntryState::Failed(_) => item::FAILED,
        EntryState::Excluded(exclusion) => excluded(*exclusion),
        EntryState::Known(_) if item.directory.is_some() => item::DIRECTORY,
        EntryState::Known(metadata) if metadata.links.is_some() => item::LINK,
        EntryState::Known(_) if kind == Kind::File => item::FILE,
        EntryState::Known(_) => item::SPECIAL,
    };
    field(bytes, key::TYPE);
    match u64::try_from(number) {
        Ok(number) => push_unsigned(bytes, number),
        Err(_) => push_negative(bytes, number.unsigned_abs() - 1),
    }
}

fn excluded(exclusion: Exclusion) -> i64 {
    match exclusion {
        Exclusion::OtherFileSystem | Exclusion::Snapshot | Exclusion::SecondMount => item::OTHER_FILE_SYSTEM,
        Exclusion::KernelFileSystem => item::KERNEL_FILE_SYSTEM,
        Exclusion::Pattern
        | Exclusion::Caches
        | Exclusion::Dataless
        | Exclusion::SecondLink
        | Exclusion::OtherPart => item::PATTERN,
    }
}

/// Writes the fields that ncdu writes with `-e`.
fn extended(bytes: &mut Vec<u8>, metadata: &Metadata) {
    let Some(owner) = metadata.owner else { return };
    number(bytes, key::UID, u64::from(owner.uid));
    number(bytes, key::GID, u64::from(owner.gid));
    number(bytes, key::MODE, u64::from(owner.mode));
    number(bytes, key::MTIME, metadata.mtime.max(0).unsigned_abs());
}

fn field(bytes: &mut Vec<u8>, key: usize) {
    push_unsigned(bytes, key as u64);
}

fn number(bytes: &mut Vec<u8>, key: usize, number: u64) {
    field(bytes, key);
    push_unsigned(bytes, number);
}

/// Writes a reference to another item. The reference is relative if the item is in the same block.
fn reference(bytes: &mut Vec<u8>, key: usize, own: u64, other: u64) {
    field(bytes, key);
    match own.checked_sub(other) {
        Some(back) if own >> OFFSET_BITS == other >> OFFSET_BITS => push_negative(bytes, back - 1),
        _ => push_unsigned(bytes, other),
    }
}

/// Output to which compressed blocks are written.
struct Output<'o> {
    size: BlockSize,
    file: Mutex<File<'o>>,
    /// Number of the next block.
    next: AtomicU32,
    /// Number of full blocks waiting for compression.
    waiting: AtomicUsize,
    packers: Mutex<Vec<(Packer, Vec<u8>)>>,
}

struct File<'o> {
    out: &'o mut (dyn Write + Send),
    written: u64,
    /// Pointers to the blocks, by block number. Each contains the position and the length of a block in the file.
    index: Vec<u64>,
    error: Option<io::Error>,
}

impl<'o> Output<'o> {
    fn new(size: BlockSize, out: &'o mut (dyn Write + Send)) -> Self {
        let file = Mutex::new(File { out, written: 0, index: Vec::new(), error: None });
        let (next, waiting) = (AtomicU32::new(0), AtomicUsize::new(0));
        Self { size, file, next, waiting, packers: Mutex::default() }
    }

    /// Returns an empty block with the next number.
    fn open_block(&self) -> OpenBlock {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        OpenBlock { number, bytes: Vec::with_capacity(self.size.bytes(number) + 512) }
    }

    fn is_full(&self, open_block: &OpenBlock) -> bool {
        open_block.bytes.len() >= self.size.bytes(open_block.number)
    }

    fn has_failed(&self) -> bool {
        lock(&self.file).error.is_some()
    }

    fn pack_waiting(&self, open_block: OpenBlock) {
        self.pack(open_block);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Compresses and writes a block.
    fn pack(&self, mut open_block: OpenBlock) {
        if open_block.bytes.is_empty() || self.has_failed() {
            return;
        }
        let (mut packer, mut block) = lock(&self.packers).pop().unwrap_or_default();
        block.clear();
        block.extend_from_slice(&[0; WORD]);
        block.extend_from_slice(&open_block.number.to_be_bytes());
        packer.pack(&mut open_block.bytes, &mut block);
        seal(&mut block, DATA);
        lock(&self.file).block(open_block.number, &block);
        lock(&self.packers).push((packer, block));
    }

    fn write(&self, bytes: &[u8]) {
        lock(&self.file).write(bytes);
    }

    /// Writes the index. Returns the first output error, if any.
    fn finish(self, root: u64) -> io::Result<()> {
        let mut file = self.file.into_inner().unwrap_or_else(crate::base::sync::PoisonError::into_inner);
        let mut block = vec![0; WORD];
        for number in file.index.iter().chain([&root]) {
            block.extend_from_slice(&number.to_be_bytes());
        }
        seal(&mut block, INDEX);
        file.write(&block);
        match file.error {
            Some(error) => Err(error),
            None => file.out.flush(),
        }
    }
}

impl File<'_> {
    fn block(&mut self, number: u32, block: &[u8]) {
        let index = number as usize;
        if self.index.len() <= index {
            self.index.resize(index + 1, 0);
        }
        self.index[index] = self.written << POINTER_LENGTH_BITS | block.len() as u64;
        self.write(block);
    }

    /// Writes `bytes`, unless an earlier write failed.
    fn write(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.written += bytes.len() as u64;
            self.error = self.out.write_all(bytes).err();
        }
    }
}

/// Overwrites the first [`WORD`] bytes of a block with its head, and appends a copy of the head.
fn seal(block: &mut Vec<u8>, kind: u32) {
    let length = u32::try_from(block.len() + WORD).expect("blocks are shorter than 256 MiB");
    let head = (kind << LENGTH_BITS | length).to_be_bytes();
    block[..WORD].copy_from_slice(&head);
    block.extend_from_slice(&head);
}
