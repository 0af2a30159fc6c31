//! Log of a list's entries, in the order of its lines.
//!
//! ```text
//! record = varint(distance << 2 | tag)  payload
//!   distance: to the previous record of the same directory; 0 in the first
//!   tag CHILD:  node varint  name-length varint  name
//!   other tags: an entry, encoded like the first record of a segment (`tree::encoding`)
//! ```
//!
//! The records of a directory form a chain. When the directory is written to the tree, the chain is followed from the
//! last record to the first. Directories that are written to the tree one after another share blocks of the log, and a
//! block is freed once all of its records have been released. As a result, a list needs little more memory than its
//! tree, regardless of the order of its lines.

use crate::platform::memory::pages::Pages;
use crate::tree::encoding::{Draft, Records};
use crate::tree::varint::{ByteReader, write_varint};
use crate::tree::{Entry, EntryState, Metadata};

/// Size of a block in bytes. The longest record is smaller.
const BLOCK: usize = 1 << 18;
/// Number of directories in a group. The directories have consecutive node numbers, and their records share blocks.
const GROUP: u32 = 1024;

/// Byte position of a record in the log, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogPosition(std::num::NonZeroU64);

/// Kind of a record in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum LogTag {
    /// Entry whose line does not state its kind.
    Untyped = 0,
    /// Entry of a known kind that is not a directory.
    Typed = 1,
    Child = 2,
    /// Line that describes the directory itself.
    Own = 3,
}

/// Record for a directory. Describes one of its child directories, one of its other entries, or the directory itself.
pub(crate) enum Logged<'l> {
    Child {
        /// Index of the child in `PathTree::nodes`.
        node: u32,
        name: &'l [u8],
    },
    /// Record with a tag other than [`LogTag::Child`]: an entry, or the directory itself ([`LogTag::Own`]).
    Entry(LogTag, Entry<'l>),
}

#[derive(Default)]
pub(crate) struct EntryLog {
    blocks: Vec<LogBlock>,
    /// Last block of each group of [`GROUP`] directories, as an index in `blocks`; `None` if the group has no records.
    groups: Vec<Option<usize>>,
    draft: Option<Draft>,
    head: Vec<u8>,
    record: Vec<u8>,
}

struct LogBlock {
    /// Records of the block; `None` once all of them have been released.
    pages: Option<Pages>,
    /// Number of records that have not been released with [`EntryLog::release`].
    live: u32,
}

impl EntryLog {
    /// Appends an entry of the directory `node`. `previous` is the directory's previous record, if any.
    pub(crate) fn append(
        &mut self,
        node: u32,
        previous: Option<LogPosition>,
        tag: LogTag,
        entry: &Entry<'_>,
    ) -> LogPosition {
        let draft = self.draft.get_or_insert_with(Draft::small);
        draft.clear();
        draft.push(entry);
        let (segment, head) = draft.segment();
        self.record.clear();
        self.record.extend_from_slice(&segment[head..]);
        self.put(node, previous, tag)
    }

    /// Appends the child directory `child` to directory `node`. `previous` is the previous record of `node`, if any.
    pub(crate) fn append_child(
        &mut self,
        node: u32,
        previous: Option<LogPosition>,
        child: u32,
        name: &[u8],
    ) -> LogPosition {
        self.record.clear();
        write_varint(&mut self.record, u64::from(child));
        write_varint(&mut self.record, name.len() as u64);
        self.record.extend_from_slice(name);
        self.put(node, previous, LogTag::Child)
    }

    fn put(&mut self, node: u32, previous: Option<LogPosition>, tag: LogTag) -> LogPosition {
        let group = (node / GROUP) as usize;
        if group >= self.groups.len() {
            self.groups.resize(group + 1, None);
        }
        // The varint before the payload takes at most ten bytes.
        let needed = self.record.len() + 10;
        let has_room = |index: &usize| self.blocks[*index].bytes().len() + needed <= BLOCK;
        let index = self.groups[group].filter(has_room).unwrap_or_else(|| {
            self.blocks.push(LogBlock { pages: Some(Pages::with_capacity(BLOCK)), live: 0 });
            self.blocks.len() - 1
        });
        self.groups[group] = Some(index);
        let block = &mut self.blocks[index];
        let position = LogPosition::new(index, block.bytes().len());
        let distance = previous.map_or(0, |previous| position.0.get() - previous.0.get());
        self.head.clear();
        write_varint(&mut self.head, distance << 2 | tag as u64);
        block.live += 1;
        if let Some(pages) = &mut block.pages {
            pages.append(&self.head);
            pages.append(&self.record);
        }
        position
    }

    /// Returns the record at `position`.
    pub(crate) fn read(&self, position: LogPosition) -> Logged<'_> {
        let (_, tag, payload) = self.open(position);
        let mut cursor = ByteReader::new(payload);
        if tag == LogTag::Child {
            let node = cursor.narrow().unwrap_or_default();
            let name = cursor.varint().and_then(|length| cursor.take(length)).unwrap_or_default();
            return Logged::Child { node, name };
        }
        let entry = Records::new(payload).next().and_then(|(_, entry)| entry.ok());
        Logged::Entry(tag, entry.expect("this log has written the record"))
    }

    pub(crate) fn child_name(&self, position: LogPosition) -> &[u8] {
        match self.read(position) {
            Logged::Child { name, .. } => name,
            Logged::Entry(_, entry) => entry.name,
        }
    }

    /// Returns the positions of a directory's records, from `last` to the first.
    pub(crate) fn chain(&self, last: Option<LogPosition>) -> impl Iterator<Item = LogPosition> + '_ {
        std::iter::successors(last, |position| self.open(*position).0)
    }

    /// Releases a record, which must not be read again. Frees a block when its last record is released.
    pub(crate) fn release(&mut self, position: LogPosition) {
        let (index, _) = position.split();
        let block = &mut self.blocks[index];
        block.live -= 1;
        if block.live == 0 {
            block.pages = None;
        }
    }

    fn open(&self, position: LogPosition) -> (Option<LogPosition>, LogTag, &[u8]) {
        let (index, offset) = position.split();
        let mut cursor = ByteReader::new(&self.blocks[index].bytes()[offset..]);
        let head = cursor.varint().expect("this log has written the record");
        let previous = (head >> 2 != 0).then(|| position.0.get() - (head >> 2));
        let tag = match head & 3 {
            0 => LogTag::Untyped,
            1 => LogTag::Typed,
            2 => LogTag::Child,
            _ => LogTag::Own,
        };
        (previous.and_then(std::num::NonZeroU64::new).map(LogPosition), tag, cursor.rest())
    }
}

impl LogBlock {
    fn bytes(&self) -> &[u8] {
        self.pages.as_ref().map_or(&[], Pages::bytes)
    }
}

impl LogPosition {
    fn new(block: usize, offset: usize) -> Self {
        let position = (block * BLOCK + offset) as u64 + 1;
        Self(std::num::NonZeroU64::new(position).expect("places are counted from 1"))
    }

    fn split(self) -> (usize, usize) {
        let position =
            usize::try_from(self.0.get() - 1).expect("the log is in memory, so its offsets fit into usize");
        (position / BLOCK, position % BLOCK)
    }
}

/// Returns the metadata of an entry, or default metadata if the entry could not be read or was excluded.
pub(crate) fn known(entry: &Entry<'_>) -> Metadata {
    match entry.state {
        EntryState::Known(metadata) => metadata,
        EntryState::Failed(_) | EntryState::Excluded(_) => Metadata::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::kind::Kind;

    #[test]
    fn chains_are_kept_apart_and_their_blocks_are_freed() {
        let mut log = EntryLog::default();
        let mut last = [None; 3];
        for number in 0..100_000_u32 {
            let chain = number as usize % 3;
            let name = format!("name {number}");
            last[chain] = Some(if number % 5 == 0 {
                log.append_child(number % 3 * GROUP, last[chain], number, name.as_bytes())
            } else {
                let metadata = Metadata { inode: u64::from(number), ..Metadata::default() };
                let state = EntryState::Known(metadata);
                let entry = Entry { name: name.as_bytes(), kind: Kind::File, state };
                log.append(number % 3 * GROUP, last[chain], LogTag::Typed, &entry)
            });
        }
        assert!(log.blocks.len() > 5);
        for (chain, last) in (0_u32..).zip(last) {
            let positions: Vec<_> = log.chain(last).collect();
            for (index, position) in (0_u32..).zip(positions.iter().rev()) {
                let number = index * 3 + chain;
                let name = format!("name {number}");
                match log.read(*position) {
                    Logged::Child { node, name: found } => {
                        assert_eq!((node, found), (number, name.as_bytes()));
                    }
                    Logged::Entry(tag, entry) => {
                        assert_eq!((tag, entry.name), (LogTag::Typed, name.as_bytes()));
                        assert_eq!(known(&entry).inode, u64::from(number));
                    }
                }
            }
            for position in positions {
                log.release(position);
            }
            assert!(log.blocks.iter().filter(|block| block.pages.is_none()).count() > chain as usize);
        }
        assert!(log.blocks.iter().all(|block| block.pages.is_none()));
    }
}
