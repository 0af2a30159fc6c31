//! Data about an entry, from one line of a list.

use super::field::{FieldUnit, ListField};
use super::value::{self, LineError};
use crate::base::base64::from_base64;
use crate::base::kind::Kind;
use crate::tree::{EntryState, Exclusion, Metadata, Owner, StorageClass, StorageClasses};

/// Maximum length of a path in bytes. The limit is longer than any path that a system call accepts.
const LONGEST_PATH: usize = u16::MAX as usize;

/// Maximum length of the name of a storage class in bytes.
const LONGEST_CLASS: usize = 255;

/// Data from one line. Reused for every line to avoid allocations.
#[derive(Debug, Default)]
pub(crate) struct EntryLine {
    /// Path as written in the line.
    pub(crate) path: Vec<u8>,
    /// Precedence of the column that contained `path`. Only a column with a higher precedence can replace `path`.
    path_rank: Rank,
    /// Root or bucket; empty if the line does not name one.
    pub(crate) root: Vec<u8>,
    root_rank: Rank,
    /// `true` if `root` is a bucket. The name of a bucket is not part of `path`.
    pub(crate) is_bucket: bool,
    /// Host name; empty if the line does not name one.
    pub(crate) host: Vec<u8>,
    /// Name of the storage class; empty if the line does not name one.
    pub(crate) class: Vec<u8>,
    pub(crate) facts: LineFacts,
}

/// Precedence among columns that contain the same data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    #[default]
    None,
    Name,
    Text,
    Exact,
}

/// Data from one line, except for the path, the root and the host.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineFacts {
    pub(crate) scanned_at: Option<i64>,
    pub(crate) device: Option<u64>,
    pub(crate) links: Option<u64>,
    kind: Option<Kind>,
    is_directory: Option<bool>,
    disk: Option<u64>,
    apparent: Option<u64>,
    mtime: Option<i64>,
    uid: Option<u32>,
    gid: Option<u32>,
    mode: Option<u32>,
    inode: Option<u64>,
    error: Option<i32>,
    excluded: Option<Exclusion>,
    class: Option<StorageClass>,
}

impl EntryLine {
    pub(crate) fn clear(&mut self) {
        self.path.clear();
        self.root.clear();
        self.host.clear();
        self.class.clear();
        (self.path_rank, self.root_rank, self.is_bucket) = (Rank::None, Rank::None, false);
        self.facts = LineFacts::default();
    }

    /// Sets the field `meaning` to the value `text`. `errno` returns the error number for an error message.
    pub(crate) fn set(
        &mut self,
        meaning: FieldUnit,
        text: &[u8],
        errno: impl Fn(&[u8]) -> i32,
    ) -> Result<(), LineError> {
        let facts = &mut self.facts;
        match meaning.field {
            ListField::Path => self.set_path(text, Rank::Text)?,
            ListField::Name => self.set_path(text, Rank::Name)?,
            ListField::PathBase64 => self.set_path(&from_base64(text).ok_or("not base64")?, Rank::Exact)?,
            ListField::Root => self.set_root(text, Rank::Text)?,
            ListField::RootBase64 => self.set_root(&from_base64(text).ok_or("not base64")?, Rank::Exact)?,
            ListField::Bucket => {
                self.set_root(text, Rank::Text)?;
                self.is_bucket = true;
            }
            ListField::Host => {
                self.host.clear();
                self.host.extend_from_slice(name(text)?);
                std::str::from_utf8(text).map_err(|_| "not UTF-8")?;
            }
            ListField::StorageClass => {
                let text = text.trim_ascii();
                if text.len() > LONGEST_CLASS {
                    return Err("longer than 255 bytes".into());
                }
                self.class.clear();
                self.class.extend_from_slice(text);
            }
            ListField::Error => facts.error = Some(errno(text)),
            ListField::Excluded => facts.excluded = Some(value::exclusion(text)?),
            ListField::Type => facts.kind = Some(value::kind(text.trim_ascii())?),
            _ => facts.set_number(meaning, text.trim_ascii())?,
        }
        Ok(())
    }

    /// Stores the ID of the entry's storage class, and adds the class to `classes` if it is new. `classes` belongs to
    /// the tree to which the entry will be added.
    pub(crate) fn number_class(&mut self, classes: &StorageClasses) {
        self.facts.class = (!self.class.is_empty()).then(|| classes.add(&self.class));
    }

    fn set_path(&mut self, path: &[u8], rank: Rank) -> Result<(), LineError> {
        if path.len() > LONGEST_PATH {
            return Err("longer than 65,535 bytes".into());
        }
        if rank > self.path_rank {
            self.path.clear();
            self.path.extend_from_slice(name(path)?);
            self.path_rank = rank;
        }
        Ok(())
    }

    fn set_root(&mut self, root: &[u8], rank: Rank) -> Result<(), LineError> {
        if root.len() > LONGEST_PATH {
            return Err("longer than 65,535 bytes".into());
        }
        if rank > self.root_rank {
            self.root.clear();
            self.root.extend_from_slice(name(root)?);
            self.root_rank = rank;
        }
        Ok(())
    }
}

impl LineFacts {
    fn set_number(&mut self, FieldUnit { field, unit }: FieldUnit, text: &[u8]) -> Result<(), LineError> {
        match field {
            ListField::Disk => self.disk = value::bytes(text, unit)?,
            ListField::Apparent => self.apparent = value::bytes(text, unit)?,
            ListField::Mtime => self.mtime = Some(value::seconds(text)?),
            ListField::ScannedAt => self.scanned_at = Some(value::seconds(text)?),
            ListField::Uid => self.uid = Some(value::narrow(text)?),
            ListField::Gid => self.gid = Some(value::narrow(text)?),
            ListField::Mode => self.mode = Some(value::narrow(text)?),
            ListField::Inode => self.inode = Some(value::whole(text)?),
            ListField::Device => self.device = Some(value::whole(text)?),
            ListField::Links => self.links = Some(value::whole(text)?),
            ListField::IsDirectory => self.is_directory = Some(value::boolean(text)?),
            _ => {}
        }
        Ok(())
    }

    /// Returns the kind of the entry, if the line contains it.
    pub(crate) fn kind(&self) -> Option<Kind> {
        let by_mode = || self.mode.map(Kind::of_mode).filter(|kind| *kind != Kind::Unknown);
        let by_flag = self.is_directory.map(|is| if is { Kind::Directory } else { Kind::File });
        self.kind.or(by_flag).or_else(by_mode)
    }

    /// Returns the error number, if the entry could not be read.
    pub(crate) fn errno(&self) -> Option<i32> {
        self.error
    }

    /// Returns the attributes of the entry, or the reason why there are none.
    pub(crate) fn state(&self) -> EntryState {
        match (self.excluded, self.error) {
            (Some(exclusion), _) => EntryState::Excluded(exclusion),
            (None, Some(errno)) if self.disk.is_none() && self.apparent.is_none() => {
                EntryState::Failed(errno)
            }
            _ => EntryState::Known(self.metadata()),
        }
    }

    fn metadata(&self) -> Metadata {
        let is_owned = self.uid.is_some() || self.gid.is_some() || self.mode.is_some();
        let owner = is_owned.then(|| Owner {
            uid: self.uid.unwrap_or(0),
            gid: self.gid.unwrap_or(0),
            mode: self.mode.unwrap_or(0),
        });
        Metadata {
            // If the line has only one size, it is used as both the apparent size and the disk usage.
            apparent: self.apparent.or(self.disk).unwrap_or(0),
            blocks: self.disk.or(self.apparent).unwrap_or(0).div_ceil(512),
            mtime: self.mtime.unwrap_or(0),
            inode: self.inode.unwrap_or(0),
            directory: None,
            links: None,
            owner,
            is_executable: false,
            storage_class: self.class,
        }
    }
}

/// Checks that a path, root or host contains no NUL.
fn name(text: &[u8]) -> Result<&[u8], LineError> {
    if text.contains(&0) { Err("contains a NUL byte".into()) } else { Ok(text) }
}
