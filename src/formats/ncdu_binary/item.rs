//! Items of ncdu's binary export, as bytes.
//!
//! ```text
//! item = map: key -> value           keys and values are numbers, except where noted
//!   0 type                           1 name (bytes)             2 previous item in the directory (reference)
//!   3 apparent size  4 disk usage    5 device                   6 read error (true: here, false: below)
//!   7 apparent size  8 disk usage    of everything in and below a directory, each inode once
//!   9 apparent size 10 disk usage    of inodes in a directory that also have names outside it
//!  11 items below   12 last item in the directory (reference)
//!  13 inode         14 link count
//!  15 uid  16 gid   17 mode         18 modification time
//! reference = position of an item: block number << 24 | offset in the block; -n is the item n bytes before this one
//! ```
//!
//! Invariant: any bytes decode to an item or to the reason why they are not a valid item.

use super::cbor::{self, CborReader, CborValue};
use crate::base::kind::Kind;
use crate::formats::builder::UNREADABLE;
use crate::tree::encoding::Malformed;
use crate::tree::stored::chains::{ChainItem, Inside, ItemDevice};
use crate::tree::stored::listings::is_name;
use crate::tree::{DirId, Entry, EntryState, Exclusion, Links, Metadata, Owner, Totals};

/// Item types.
pub(crate) const DIRECTORY: i64 = 0;
pub(crate) const FILE: i64 = 1;
pub(crate) const SPECIAL: i64 = 2;
pub(crate) const LINK: i64 = 3;
pub(crate) const FAILED: i64 = -1;
pub(crate) const PATTERN: i64 = -2;
pub(crate) const OTHER_FILE_SYSTEM: i64 = -3;
pub(crate) const KERNEL_FILE_SYSTEM: i64 = -4;

/// Keys of an item's fields.
pub(crate) mod key {
    pub(crate) const TYPE: usize = 0;
    pub(crate) const NAME: usize = 1;
    pub(crate) const PREVIOUS: usize = 2;
    pub(crate) const APPARENT: usize = 3;
    pub(crate) const DISK: usize = 4;
    pub(crate) const DEVICE: usize = 5;
    pub(crate) const READ_ERROR: usize = 6;
    pub(crate) const TOTAL_APPARENT: usize = 7;
    pub(crate) const TOTAL_DISK: usize = 8;
    pub(crate) const SHARED_APPARENT: usize = 9;
    pub(crate) const SHARED_DISK: usize = 10;
    pub(crate) const ITEMS: usize = 11;
    pub(crate) const LAST: usize = 12;
    pub(crate) const INODE: usize = 13;
    pub(crate) const LINKS: usize = 14;
    pub(crate) const UID: usize = 15;
    pub(crate) const GID: usize = 16;
    pub(crate) const MODE: usize = 17;
    pub(crate) const MTIME: usize = 18;
    pub(crate) const COUNT: usize = 19;
}

/// Maximum length of a name in bytes.
const LONGEST_NAME: usize = 128 << 10;

/// Item with the values of its fields.
pub(crate) struct Fields<'a> {
    kind: i64,
    name: &'a [u8],
    /// Values of all fields except the type and the name, by key. References are absolute, and booleans are 0 or 1.
    values: [Option<u64>; key::COUNT],
    /// Position in the block just after the item.
    pub(crate) end: usize,
}

/// Reason why bytes are not a valid item.
pub(crate) type ItemFault = &'static str;

impl From<Malformed> for ItemFault {
    fn from(_: Malformed) -> Self {
        "malformed"
    }
}

impl<'a> Fields<'a> {
    /// Decodes the item at position `at` of a block. `own` is its absolute reference, to resolve relative references.
    pub(crate) fn decode(block: &'a [u8], at: usize, own: u64) -> Result<Self, ItemFault> {
        let mut reader = CborReader::new(block, at);
        if block.get(at).is_none_or(|first| *first >> 5 != cbor::MAP_START >> 5) {
            return Err("not found in this block");
        }
        let CborValue::Open(mut left) = reader.value()? else { return Err("not found in this block") };
        let (mut kind, mut name) = (None, None);
        let mut values = [None; key::COUNT];
        while left != Some(0) {
            left = left.map(|left| left.saturating_sub(2));
            let field = reader.value()?;
            if field == CborValue::End && left.is_none() {
                break;
            }
            let key = match field {
                CborValue::Unsigned(key) if key < key::COUNT as u64 => {
                    usize::try_from(key).unwrap_or(key::COUNT)
                }
                unknown => {
                    reader.skip(unknown)?;
                    let value = reader.value()?;
                    reader.skip(value)?;
                    continue;
                }
            };
            let value = reader.value()?;
            let is_repeated = match key {
                key::TYPE => kind.replace(kind_of(value)?).is_some(),
                key::NAME => name.replace(bytes_of(value)?).is_some(),
                _ => values[key].replace(number_of(key, value, own)?).is_some(),
            };
            if is_repeated {
                return Err("duplicate field");
            }
        }
        let kind = kind.ok_or("no type")?;
        Ok(Self { kind, name: name.ok_or("no name")?, values, end: reader.position() })
    }

    /// Returns the reference to the previous item in the same directory, or `None` for the first item.
    pub(crate) fn previous(&self) -> Option<u64> {
        self.values[key::PREVIOUS]
    }

    /// Converts the item to the form that the tree loads. `is_root` is `true` for the root, whose name is a path.
    pub(crate) fn item(&self, is_root: bool) -> Result<ChainItem<'a>, ItemFault> {
        // `DirId(1)` stands for any directory below the top. In such a directory, `is_name` accepts only plain names.
        let directory = if is_root { DirId::TOP } else { DirId(1) };
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !is_name(directory, self.name) {
            return Err("invalid file name");
        }
        let state = match self.kind {
            FAILED => EntryState::Failed(UNREADABLE),
            OTHER_FILE_SYSTEM => EntryState::Excluded(Exclusion::OtherFileSystem),
            KERNEL_FILE_SYSTEM => EntryState::Excluded(Exclusion::KernelFileSystem),
            ..0 => EntryState::Excluded(Exclusion::Pattern),
            _ => EntryState::Known(self.metadata()?),
        };
        let inside = (self.kind == DIRECTORY).then(|| self.inside());
        Ok(ChainItem { entry: Entry { name: self.name, kind: self.kind()?, state }, inside, links_on: None })
    }

    fn get(&self, key: usize) -> u64 {
        self.values[key].unwrap_or(0)
    }

    fn narrow(&self, key: usize) -> Result<Option<u32>, ItemFault> {
        let narrow = |number| u32::try_from(number).map_err(|_| "number does not fit into 32 bits");
        self.values[key].map(narrow).transpose()
    }

    fn metadata(&self) -> Result<Metadata, ItemFault> {
        let (uid, gid, mode) = (self.narrow(key::UID)?, self.narrow(key::GID)?, self.narrow(key::MODE)?);
        let is_owned = uid.is_some() || gid.is_some() || mode.is_some();
        let (uid, gid, mode) = (uid.unwrap_or(0), gid.unwrap_or(0), mode.unwrap_or(0));
        Ok(Metadata {
            apparent: self.get(key::APPARENT),
            blocks: self.get(key::DISK) / 512,
            mtime: i64::try_from(self.get(key::MTIME)).map_err(|_| "time out of range")?,
            inode: self.get(key::INODE),
            directory: None,
            links: (self.kind == LINK).then(|| Links { count: self.get(key::LINKS), device: 0 }),
            owner: is_owned.then_some(Owner { uid, gid, mode }),
            is_executable: false,
            storage_class: None,
        })
    }

    fn kind(&self) -> Result<Kind, ItemFault> {
        let by_mode = self.narrow(key::MODE)?.map_or(Kind::Unknown, Kind::of_mode);
        Ok(match (self.kind, by_mode) {
            (DIRECTORY | OTHER_FILE_SYSTEM | KERNEL_FILE_SYSTEM, _) => Kind::Directory,
            (FILE | LINK, Kind::Unknown) => Kind::File,
            (..0, _) | (_, Kind::Directory) => Kind::Unknown,
            (_, by_mode) => by_mode,
        })
    }

    fn inside(&self) -> Inside {
        let is_unreadable = self.get(key::READ_ERROR) == 1;
        Inside {
            totals: Totals {
                disk: self.get(key::TOTAL_DISK),
                apparent: self.get(key::TOTAL_APPARENT),
                items: self.get(key::ITEMS),
                errors: u32::from(self.values[key::READ_ERROR].is_some()),
            },
            device: self.values[key::DEVICE].map(ItemDevice::Number),
            errno: if is_unreadable { UNREADABLE } else { 0 },
            is_partial: false,
            last: self.values[key::LAST],
        }
    }
}

fn kind_of(value: CborValue<'_>) -> Result<i64, ItemFault> {
    match value {
        CborValue::Unsigned(kind) => Ok(i64::try_from(kind).unwrap_or(i64::MAX)),
        CborValue::Negative(kind) => Ok(-1 - i64::try_from(kind).unwrap_or(i64::MAX)),
        _ => Err("the type is not a number"),
    }
}

fn bytes_of(value: CborValue<'_>) -> Result<&[u8], ItemFault> {
    match value {
        CborValue::Bytes(bytes) => Ok(bytes),
        _ => Err("the name is not a string"),
    }
}

/// Returns the value of the field `key` as a number. A relative reference is converted to an absolute one; `own` is
/// the reference to the item that contains the field.
fn number_of(key: usize, value: CborValue<'_>, own: u64) -> Result<u64, ItemFault> {
    let is_reference = matches!(key, key::PREVIOUS | key::LAST);
    match value {
        CborValue::Bool(is_true) if key == key::READ_ERROR => Ok(u64::from(is_true)),
        CborValue::Negative(back) if is_reference => {
            let back = back.checked_add(1).and_then(|back| own.checked_sub(back));
            back.ok_or("reference before the start of the file")
        }
        CborValue::Unsigned(number) if key != key::READ_ERROR => Ok(number),
        _ => Err("a field has a value of the wrong type"),
    }
}
