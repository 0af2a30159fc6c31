//! Reader of ncdu's JSON export, major version 1, as written by ncdu 1.9 to 2.9 and by gdu.
//!
//! ```text
//! [1, minor, {"progname":..,"timestamp":..}, DIRECTORY]
//! DIRECTORY = [INFO, ENTRY*]     ENTRY = INFO | DIRECTORY     INFO = {"name":.., ..}
//! ```
//!
//! Differences between the programs are handled only in this file:
//!
//! - For a directory, gdu 5.37 and later write sizes that include everything below it; older versions write none.
//! - gdu 5.30 and later mark all names of a hard-linked file. Older versions mark only the second and later names and
//!   do not count them, so the marked names have no size in the tree either.
//! - If directory sizes include everything below, marked names have no size in the tree, because the directory sizes
//!   already include the files.
//! - ncdu before 1.16 does not record link counts. Since 2.5, excluded directories are arrays of one element.
//!
//! Invariant: every entry of the tree has a name that is valid in a directory, regardless of the input.

use std::cell::RefCell;

use super::builder::{Builder, DirectoryStart, Sizes, UNREADABLE};
use crate::base::kind::Kind;
use crate::formats::json_lexer::{Fault, Lexer, Reason};
use crate::tree::{DirId, Entry, EntryState, Exclusion, HostDevices, Links, Metadata, Owner};

/// Maximum depth of directories. Programs on Linux can create trees that exceed `PATH_MAX`, one level at a time, so the
/// limit is far greater than the number of levels that fit into `PATH_MAX` bytes.
const DEEPEST: usize = 1 << 20;

/// First version of gdu that marks all names of a file with hard links. Older versions mark only the names that they
/// do not count.
const ALL_NAMES_MARKED: (u32, u32) = (5, 30);

/// Metadata of the export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    dialect: Dialect,
    /// `true` if entries marked as hard links get the size 0 in the tree. This is the case if the export does not count
    /// them, or if the sizes of directories already include them.
    zeroes_marked_links: bool,
    /// Time of the scan in seconds since 1970.
    pub(crate) timestamp: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Dialect {
    #[default]
    Ncdu,
    Gdu,
}

/// Fields of one entry.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // the format has these flags
struct Info {
    name: Vec<u8>,
    has_name: bool,
    apparent: u64,
    disk: u64,
    has_sizes: bool,
    device: Option<u64>,
    inode: u64,
    links: u64,
    is_linked: bool,
    is_special: bool,
    mtime: i64,
    uid: Option<u32>,
    gid: Option<u32>,
    mode: Option<u32>,
    is_unreadable: bool,
    excluded: Option<Exclusion>,
}

type Result<T> = std::result::Result<T, Fault>;

pub(crate) struct Reader<'r, 'a, 't> {
    lexer: &'r mut Lexer<'a>,
    builder: &'r RefCell<Builder<'t>>,
    devices: HostDevices<'r>,
    /// Prefix for the root's name, to distinguish the roots of several inputs.
    label: &'r [u8],
    info: Info,
    head: Head,
}

impl<'r, 'a, 't> Reader<'r, 'a, 't> {
    pub(crate) fn new(
        lexer: &'r mut Lexer<'a>,
        builder: &'r RefCell<Builder<'t>>,
        devices: HostDevices<'r>,
        label: &'r [u8],
    ) -> Self {
        Self { lexer, builder, devices, label, info: Info::default(), head: Head::default() }
    }

    /// Reads the start of the export, up to the root's entries. Returns the metadata of the export.
    pub(crate) fn head(&mut self) -> Result<Head> {
        self.lexer.expect(b'[')?;
        let start = self.lexer.offset();
        match self.lexer.whole() {
            Ok(1) => {}
            Ok(_) | Err(Fault { reason: Reason::Wrong(_), .. }) => {
                return self.lexer.fault_at(start, "not version 1 of ncdu's format");
            }
            Err(fault) => return Err(fault),
        }
        self.lexer.expect(b',')?;
        self.lexer.whole()?;
        self.lexer.expect(b',')?;
        self.header()?;
        self.lexer.expect(b',')?;
        self.lexer.expect(b'[')?;
        self.lexer.expect(b'{')?;
        self.directory()?;
        Ok(self.head)
    }

    /// Reads the root's entries and everything after them.
    pub(crate) fn body(&mut self) -> Result<()> {
        let depth = |reader: &Self| reader.builder.borrow().depth();
        while depth(self) > 0 {
            match self.lexer.significant()? {
                b']' => self.builder.borrow_mut().leave(),
                b',' => match self.lexer.significant()? {
                    b'{' => self.entry()?,
                    b'[' => {
                        self.lexer.expect(b'{')?;
                        self.directory()?;
                    }
                    _ => return self.lexer.fault_at_last("expected an entry"),
                },
                _ => return self.lexer.fault_at_last("expected ',' or ']'"),
            }
        }
        // Later minor versions of the format may append elements to the outer array.
        while self.lexer.peek_significant()? == b',' {
            self.lexer.expect(b',')?;
            self.lexer.skip()?;
        }
        self.lexer.expect(b']')?;
        self.lexer.end()
    }

    fn header(&mut self) -> Result<()> {
        self.lexer.expect(b'{')?;
        if self.lexer.peek_significant()? == b'}' {
            return self.lexer.expect(b'}');
        }
        let mut version = None;
        loop {
            let is_name = self.lexer.string()? == b"progname";
            let is_version = self.lexer.text() == b"progver";
            let is_time = self.lexer.text() == b"timestamp";
            self.lexer.expect(b':')?;
            match self.lexer.peek_significant()? {
                b'"' if is_name => {
                    if self.lexer.string()? == b"gdu" {
                        self.head.dialect = Dialect::Gdu;
                    }
                }
                b'"' if is_version => version = version_of(self.lexer.string()?),
                b'-' | b'0'..=b'9' if is_time => self.head.timestamp = Some(self.lexer.seconds()?),
                _ => self.lexer.skip()?,
            }
            if self.ends_object()? {
                self.head.zeroes_marked_links = self.head.dialect == Dialect::Gdu
                    && version.is_some_and(|version| version < ALL_NAMES_MARKED);
                return Ok(());
            }
        }
    }

    /// Consumes the byte after a value, and returns `true` if that byte closes the object.
    fn ends_object(&mut self) -> Result<bool> {
        match self.lexer.significant()? {
            b'}' => Ok(true),
            b',' => Ok(false),
            _ => self.lexer.fault_at_last("expected ',' or '}'"),
        }
    }

    /// Reads an entry that is not a directory. The opening brace has already been read.
    fn entry(&mut self) -> Result<()> {
        self.info()?;
        let state = self.state();
        let kind = match state {
            EntryState::Known(_) => self.kind(),
            EntryState::Excluded(_) | EntryState::Failed(_) => Kind::Unknown,
        };
        let record = Entry { name: &self.info.name, kind, state };
        self.builder.borrow_mut().push(&record);
        Ok(())
    }

    /// Reads a directory up to its entries. The opening bracket and brace have already been read.
    fn directory(&mut self) -> Result<()> {
        self.info()?;
        let mut builder = self.builder.borrow_mut();
        if builder.depth() == DEEPEST {
            return self.lexer.fault("directories nested too deeply");
        }
        if let Some(excluded) = self.info.excluded {
            let state = EntryState::Excluded(excluded);
            builder.push(&Entry { name: &self.info.name, kind: Kind::Directory, state });
            drop(builder);
            return self.skip_entries();
        }
        let is_sum = self.head.dialect == Dialect::Gdu && self.info.has_sizes;
        self.head.zeroes_marked_links |= is_sum;
        let device = match self.info.device {
            Some(device) => self.devices.index(device),
            None if builder.current() == DirId::TOP => self.devices.index(0),
            None => builder.device(),
        };
        builder.enter(&DirectoryStart {
            name: &self.info.name,
            metadata: Metadata { links: None, ..self.metadata(device) },
            sizes: if is_sum { Sizes::Sums } else { Sizes::Own },
            device,
            is_read: !self.info.is_unreadable,
        });
        Ok(())
    }

    /// Skips the entries of an excluded directory, which usually has none.
    fn skip_entries(&mut self) -> Result<()> {
        loop {
            match self.lexer.significant()? {
                b']' => return Ok(()),
                b',' => self.lexer.skip()?,
                _ => return self.lexer.fault_at_last("expected ',' or ']'"),
            }
        }
    }

    fn state(&self) -> EntryState {
        match self.info.excluded {
            Some(excluded) => EntryState::Excluded(excluded),
            None if self.info.is_unreadable => EntryState::Failed(UNREADABLE),
            None => {
                let inherited = self.builder.borrow().device();
                let device = self.info.device.map_or(inherited, |device| self.devices.index(device));
                EntryState::Known(self.metadata(device))
            }
        }
    }

    fn metadata(&self, device: u32) -> Metadata {
        let info = &self.info;
        let is_owned = info.uid.is_some() || info.gid.is_some() || info.mode.is_some();
        let owner = is_owned.then(|| Owner {
            uid: info.uid.unwrap_or(0),
            gid: info.gid.unwrap_or(0),
            mode: info.mode.unwrap_or(0),
        });
        let is_linked = info.is_linked || info.links > 1;
        let mut metadata = Metadata {
            apparent: info.apparent,
            blocks: info.disk / 512,
            mtime: info.mtime,
            inode: info.inode,
            directory: None,
            links: is_linked.then_some(Links { count: info.links, device }),
            owner,
            is_executable: false,
            storage_class: None,
        };
        if is_linked && self.head.zeroes_marked_links {
            metadata = Metadata { apparent: 0, blocks: 0, links: None, ..metadata };
        }
        metadata
    }

    /// Returns the kind of an entry that is not a directory. Only the mode distinguishes the kinds of special files.
    fn kind(&self) -> Kind {
        let by_mode = self.info.mode.map_or(Kind::Unknown, Kind::of_mode);
        match (by_mode, self.info.is_special) {
            (Kind::Unknown, false) => Kind::File,
            (Kind::Directory, _) => Kind::Unknown,
            (kind, _) => kind,
        }
    }

    /// Reads the fields of an entry. The opening brace has already been read.
    fn info(&mut self) -> Result<()> {
        let start = self.lexer.offset();
        let mut name = std::mem::take(&mut self.info.name);
        name.clear();
        self.info = Info { name, ..Info::default() };
        if self.lexer.peek_significant()? == b'}' {
            self.lexer.expect(b'}')?;
        } else {
            loop {
                self.field()?;
                if self.ends_object()? {
                    break;
                }
            }
        }
        if self.info.has_name { Ok(()) } else { self.lexer.fault_at(start, "entry without a name") }
    }

    fn field(&mut self) -> Result<()> {
        // Known field names are shorter than 12 bytes, so a name that is cut off after 12 bytes matches none of them.
        let mut key = [0; 12];
        let text = self.lexer.string()?;
        let length = text.len().min(key.len());
        key[..length].copy_from_slice(&text[..length]);
        self.lexer.expect(b':')?;
        let (lexer, info) = (&mut *self.lexer, &mut self.info);
        match &key[..length] {
            b"name" => return self.name(),
            b"asize" => (info.apparent, info.has_sizes) = (lexer.whole()?, true),
            b"dsize" => (info.disk, info.has_sizes) = (lexer.whole()?, true),
            b"dev" => info.device = Some(lexer.whole()?),
            b"ino" => info.inode = lexer.whole()?,
            b"nlink" => info.links = lexer.whole()?,
            b"hlnkc" => info.is_linked = lexer.boolean()?,
            b"notreg" => info.is_special = lexer.boolean()?,
            b"mtime" => info.mtime = lexer.seconds()?,
            b"uid" => info.uid = Some(narrow(lexer)?),
            b"gid" => info.gid = Some(narrow(lexer)?),
            b"mode" => info.mode = Some(narrow(lexer)?),
            b"read_error" => info.is_unreadable = lexer.boolean()?,
            b"excluded" => info.excluded = Some(exclusion(lexer.string()?)),
            _ => lexer.skip()?,
        }
        Ok(())
    }

    fn name(&mut self) -> Result<()> {
        let start = self.lexer.offset();
        let is_root = self.builder.borrow().current() == DirId::TOP;
        let name = self.lexer.string()?;
        let is_bad = name.is_empty() || name.contains(&0);
        let is_path = name.contains(&b'/') || matches!(name, b"." | b"..");
        if is_root {
            self.info.name.extend_from_slice(self.label);
        }
        self.info.name.extend_from_slice(name);
        if is_bad || is_path && !is_root {
            return self.lexer.fault_at(start, "invalid file name");
        }
        if std::mem::replace(&mut self.info.has_name, true) {
            return self.lexer.fault_at(start, "the entry has two names");
        }
        Ok(())
    }
}

/// Returns the first two numbers of a version such as `v5.36.1` or `5.22.0-1+b1`.
fn version_of(text: &[u8]) -> Option<(u32, u32)> {
    let text = std::str::from_utf8(text).ok()?.trim_start_matches('v');
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn narrow(lexer: &mut Lexer<'_>) -> Result<u32> {
    let start = lexer.offset();
    let number = lexer.whole()?;
    u32::try_from(number).or_else(|_| lexer.fault_at(start, "number does not fit into 32 bits"))
}

fn exclusion(word: &[u8]) -> Exclusion {
    match word {
        b"otherfs" | b"othfs" => Exclusion::OtherFileSystem,
        b"kernfs" => Exclusion::KernelFileSystem,
        // Any other reason, including `frmlnk`, which ncdu 1 wrote on macOS.
        _ => Exclusion::Pattern,
    }
}
