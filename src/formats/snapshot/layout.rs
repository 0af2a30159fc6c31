//! Frame around the blocks of a snapshot: header, index and footer. docs/snapshot.md shows their layout.
//!
//! Invariant: decoding never panics; invalid bytes cause an error. An accepted index covers the file without gaps:
//! every byte is in the header, the index, the footer, or exactly one block, and each of these parts has a checksum.

use crate::formats::snapshot::info::{FileSystemInfo, RootOrigin, SnapshotInfo, text, write_text};
use crate::platform::memory::block_file::{Block, Damage};
use crate::tree::stored::rows::LEAST;
use crate::tree::stored::{ListingBlock, Plan, ROWS};
use crate::tree::varint::{ByteReader, Malformed, write_varint};

/// First bytes of a snapshot. Copying the file in text mode would change them, so this kind of damage is detected.
pub const MAGIC: [u8; 8] = *b"\xd5duke\r\n\x1a";
/// Last bytes of a snapshot.
const END: [u8; 8] = *b"duke end";
/// Version of the format that is written. All earlier versions can be read.
pub const VERSION: u32 = 3;

/// Length of the header in bytes. The header contains the magic number, the version, and a checksum of both.
pub const HEADER: u64 = 16;
/// Length of the footer in bytes. The footer contains the offset, length and checksum of the index, a checksum of these
/// numbers, and the end mark.
pub const FOOTER: u64 = 32;

const LISTINGS: u8 = 0;
const ROWS_OF_DIRECTORIES: u8 = 1;
const KIND: u8 = 1;
const LINKS: u8 = 2;
const FAILURES: u8 = 4;
const OTHERS: u8 = 8;

/// Returns the maximum plausible index length for a file of `file` bytes. A longer index is rejected unread.
fn longest_index(file: u64) -> u64 {
    (16 << 20) + file / 256
}

pub fn header() -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    sealed(bytes)
}

/// Checks a header and returns its version.
pub fn version(header: &[u8]) -> Result<u32, Damage> {
    let Some((bytes, checksum)) = header.split_last_chunk::<4>().filter(|_| header.len() as u64 == HEADER)
    else {
        return Err(Damage::new(header.len() as u64, "the file is truncated here"));
    };
    if crc32fast::hash(bytes) != u32::from_le_bytes(*checksum) {
        return Err(Damage::new(0, "wrong checksum"));
    }
    Ok(number(&bytes[8..]))
}

pub fn footer(index: Block) -> Vec<u8> {
    let mut bytes = index.offset.to_le_bytes().to_vec();
    bytes.extend_from_slice(&index.length.to_le_bytes());
    bytes.extend_from_slice(&index.checksum.to_le_bytes());
    let mut bytes = sealed(bytes);
    bytes.extend_from_slice(&END);
    bytes
}

/// Decodes the position of the index from the footer, which begins at `offset` in the file.
pub fn index_of(footer: &[u8], offset: u64) -> Result<Block, Damage> {
    let damaged = |reason| Err(Damage::new(offset, reason));
    let Some((bytes, end)) = footer.split_last_chunk::<8>() else {
        return damaged("the file is truncated here");
    };
    if *end != END {
        return damaged("end of the snapshot not found; the file is truncated or has trailing data");
    }
    let Some((bytes, checksum)) = bytes.split_last_chunk::<4>() else {
        return damaged("the file is truncated here");
    };
    if crc32fast::hash(bytes) != u32::from_le_bytes(*checksum) {
        return damaged("wrong checksum");
    }
    let [start, length] =
        [0, 8].map(|at| u64::from(number(&bytes[at + 4..])) << 32 | u64::from(number(&bytes[at..])));
    let is_right =
        start >= HEADER && start.checked_add(length) == Some(offset) && length <= longest_index(offset);
    if is_right {
        Ok(Block { offset: start, length, checksum: number(&bytes[16..]) })
    } else {
        damaged("invalid index position")
    }
}

/// Decodes the first four bytes as a number. `bytes` must contain at least four bytes.
fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Index that is being written.
#[derive(Debug, Default)]
pub struct IndexDraft {
    entries: Vec<u8>,
    count: u64,
    first: u32,
    child: u32,
}

impl IndexDraft {
    /// Adds an index entry for the next block of the file: a block of directory rows.
    pub fn rows(&mut self, length: u64, checksum: u32) {
        self.block(ROWS_OF_DIRECTORIES, length, checksum);
    }

    /// Adds an index entry for the next block of the file: a block of listings.
    pub fn listings(&mut self, entry: &ListingBlock) {
        let flag = |flag, is_set| if is_set { flag } else { 0 };
        let flags = flag(LINKS, entry.has_links)
            | flag(FAILURES, entry.has_failures)
            | flag(OTHERS, entry.others.is_some());
        self.block(LISTINGS | flags, entry.block.length, entry.block.checksum);
        write_varint(&mut self.entries, u64::from(entry.first - self.first));
        write_varint(&mut self.entries, u64::from(entry.child - self.child));
        (self.first, self.child) = (entry.first, entry.child);
        if let Some(others) = entry.others {
            write_varint(&mut self.entries, others);
        }
    }

    fn block(&mut self, kind: u8, length: u64, checksum: u32) {
        self.entries.push(kind);
        write_varint(&mut self.entries, length);
        self.entries.extend_from_slice(&checksum.to_le_bytes());
        self.count += 1;
    }

    /// Returns the encoded index.
    pub fn finish(
        self,
        directories: u32,
        devices: &[u64],
        classes: &[Vec<u8>],
        about: &SnapshotInfo,
    ) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() + 256);
        write_varint(&mut bytes, u64::from(directories));
        write_varint(&mut bytes, self.count);
        bytes.extend_from_slice(&self.entries);
        write_varint(&mut bytes, devices.len() as u64);
        let unknown = FileSystemInfo::default();
        for (index, device) in devices.iter().enumerate() {
            write_varint(&mut bytes, *device);
            about.file_systems.get(index).unwrap_or(&unknown).write(&mut bytes);
        }
        write_varint(&mut bytes, classes.len() as u64);
        for class in classes {
            write_text(&mut bytes, class);
        }
        about.write(&mut bytes);
        write_text(&mut bytes, env!("CARGO_PKG_VERSION").as_bytes());
        bytes
    }
}

/// Decodes the index, which begins at `offset` in the file. `version` is the format version of the file.
pub fn decode_index(bytes: &[u8], offset: u64, version: u32) -> Result<(Plan, SnapshotInfo), Damage> {
    let mut cursor = ByteReader::new(bytes);
    let mut parts = || {
        let mut plan = plan(&mut cursor, offset, version)?;
        let about = about(&mut cursor, version, &mut plan)?;
        Ok((plan, about))
    };
    parts().map_err(|Malformed| {
        let at = bytes.len() - cursor.rest().len();
        Damage::new(offset + at as u64, "invalid index")
    })
}

fn plan(cursor: &mut ByteReader<'_>, index: u64, version: u32) -> Result<Plan, Malformed> {
    let directories = cursor.narrow()?;
    let mut plan = Plan {
        directories,
        rows: Vec::new(),
        listings: Vec::new(),
        checksum: crc32fast::hash,
        devices: Vec::new(),
        classes: Vec::new(),
    };
    // The index stores lengths instead of offsets, and `first` and `child` as differences from the previous block.
    let (mut offset, mut first, mut child) = (HEADER, 0, 0);
    let flags = if version > 2 { LINKS | FAILURES | OTHERS } else { LINKS | FAILURES };
    for _ in 0..cursor.varint()? {
        let kind = cursor.byte()?;
        let length = cursor.varint()?;
        let checksum = number(cursor.take(4)?);
        let block = Block { offset, length, checksum };
        offset = offset.checked_add(length).filter(|end| *end <= index && length != 0).ok_or(Malformed)?;
        match kind & KIND {
            ROWS_OF_DIRECTORIES if kind == ROWS_OF_DIRECTORIES => {
                let before = plan.rows.len() as u64 * u64::from(ROWS);
                let rows = u64::from(directories).saturating_sub(before).min(u64::from(ROWS));
                // Loading allocates all rows of the block, so a small damaged file could otherwise take much memory.
                if length < rows * LEAST {
                    return Err(Malformed);
                }
                plan.rows.push(block);
            }
            LISTINGS if kind & !flags == LISTINGS => {
                let step = cursor.narrow()?;
                let is_next = if kind & OTHERS == 0 {
                    step != 0 || plan.listings.is_empty()
                } else {
                    // A long listing is split into two blocks: first its head, then the rest. This block contains the
                    // rest, so the previous block must contain the head of the same listing (`step` is 0). The listing
                    // of the top (`first` is 0) is never split.
                    let follows_head = plan.listings.last().is_some_and(|before| before.others.is_none());
                    step == 0 && first != 0 && follows_head
                };
                first = step
                    .checked_add(first)
                    .filter(|first| *first < directories && is_next)
                    .ok_or(Malformed)?;
                child = cursor
                    .narrow()?
                    .checked_add(child)
                    .filter(|child| *child <= directories)
                    .ok_or(Malformed)?;
                let (has_links, has_failures) = (kind & LINKS != 0, kind & FAILURES != 0);
                let others = if kind & OTHERS == 0 { None } else { Some(cursor.varint()?) };
                plan.listings.push(ListingBlock { block, first, child, has_links, has_failures, others });
            }
            _ => return Err(Malformed),
        }
    }
    let begins = plan.listings.first().map_or((0, directories), |listings| (listings.first, listings.child));
    let is_whole = offset == index && plan.rows.len() as u64 == u64::from(directories.div_ceil(ROWS));
    if !is_whole || directories == 0 || begins != (0, 1) {
        return Err(Malformed);
    }
    Ok(plan)
}

/// Decodes the end of the index. Adds the devices and storage classes to `plan`, and returns the snapshot's metadata.
fn about(cursor: &mut ByteReader<'_>, version: u32, plan: &mut Plan) -> Result<SnapshotInfo, Malformed> {
    let mut file_systems = Vec::new();
    for _ in 0..cursor.varint()? {
        plan.devices.push(cursor.varint()?);
        if version > 1 {
            file_systems.push(FileSystemInfo::read(cursor)?);
        }
    }
    if version > 2 {
        for _ in 0..cursor.varint()? {
            plan.classes.push(text(cursor)?);
        }
    }
    let about = if version > 1 {
        SnapshotInfo { file_systems, ..SnapshotInfo::read(cursor)? }
    } else {
        SnapshotInfo::of_origin(RootOrigin::read(cursor)?)
    };
    let _written_by = text(cursor)?;
    if cursor.rest().is_empty() { Ok(about) } else { Err(Malformed) }
}
