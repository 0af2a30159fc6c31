//! Reading ncdu's JSON export, major version 1, as ncdu 1.9 to 2.9 and gdu write it.
//!
//! ```text
//! [1, minor, {"progname":..,"timestamp":..}, DIRECTORY]
//! DIRECTORY = [INFO, ENTRY*]     ENTRY = INFO | DIRECTORY     INFO = {"name":.., ..}
//! ```
//!
//! What the programs differ in is found here and nowhere else:
//!
//! - gdu, since 5.37, writes as the sizes of a directory the sums of all in it (older ones: none); and it marks only the second and
//!   later names of a linked file, which it does not count. So do we then: such a name takes no space.
//! - ncdu before 1.16 has no link counts, and since 2.5 directories left out are arrays of one element.
//!
//! Knows no tree but the [`Builder`]. Invariant: whatever the bytes, entries of the tree have names a directory can hold.

use std::cell::RefCell;

use super::builder::{Builder, Entrance, Sizes, UNREADABLE};
use super::lexer::{Fault, Lexer};
use crate::kind::Kind;
use crate::platform::kind_of_mode;
use crate::tree::{Content, Devices, DirId, Exclusion, Facts, Links, Owner, Record};

/// Levels of directories. Linux can make such a path, and nothing else can do anything with it.
const DEEPEST: usize = 1 << 20;

/// What the file says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    dialect: Dialect,
    /// When it was scanned, in seconds since 1970.
    pub(super) timestamp: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Dialect {
    #[default]
    Ncdu,
    Gdu,
}

/// What is said of one entry.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // they are the format's
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

/// Reads a document.
pub(super) struct Reader<'r, 'a, 't> {
    lexer: &'r mut Lexer<'a>,
    builder: &'r RefCell<Builder<'t>>,
    devices: &'r Devices,
    /// What stands before the name of the root, to tell it from others.
    label: &'r [u8],
    info: Info,
    head: Head,
}

impl<'r, 'a, 't> Reader<'r, 'a, 't> {
    pub(super) fn new(
        lexer: &'r mut Lexer<'a>,
        builder: &'r RefCell<Builder<'t>>,
        devices: &'r Devices,
        label: &'r [u8],
    ) -> Self {
        Self { lexer, builder, devices, label, info: Info::default(), head: Head::default() }
    }

    /// Reads the head; the root's entries are next.
    pub(super) fn head(&mut self) -> Result<Head> {
        self.lexer.expect(b'[')?;
        let start = self.lexer.offset();
        if self.lexer.whole()? != 1 {
            return self.lexer.fault_at(start, "not version 1 of ncdu's format");
        }
        self.lexer.expect(b',')?;
        self.lexer.whole()?;
        self.lexer.expect(b',')?;
        self.metadata()?;
        self.lexer.expect(b',')?;
        self.lexer.expect(b'[')?;
        self.lexer.expect(b'{')?;
        self.directory()?;
        Ok(self.head)
    }

    /// Reads everything else, to the end.
    pub(super) fn body(&mut self) -> Result<()> {
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
                    _ => return self.lexer.fault("an entry expected"),
                },
                _ => return self.lexer.fault("',' or ']' expected"),
            }
        }
        // Later minor versions may have more to say.
        while self.lexer.look()? == b',' {
            self.lexer.expect(b',')?;
            self.lexer.skip()?;
        }
        self.lexer.expect(b']')?;
        self.lexer.end()
    }

    fn metadata(&mut self) -> Result<()> {
        self.lexer.expect(b'{')?;
        if self.lexer.look()? == b'}' {
            return self.lexer.expect(b'}');
        }
        loop {
            let is_name = self.lexer.string()? == b"progname";
            let is_time = !is_name && self.lexer.text() == b"timestamp";
            self.lexer.expect(b':')?;
            match self.lexer.look()? {
                b'"' if is_name => {
                    if self.lexer.string()? == b"gdu" {
                        self.head.dialect = Dialect::Gdu;
                    }
                }
                b'-' | b'0'..=b'9' if is_time => self.head.timestamp = Some(self.lexer.seconds()?),
                _ => self.lexer.skip()?,
            }
            if self.ends_object()? {
                return Ok(());
            }
        }
    }

    /// Whether an object ends here; otherwise its next key follows.
    fn ends_object(&mut self) -> Result<bool> {
        match self.lexer.significant()? {
            b'}' => Ok(true),
            b',' => Ok(false),
            _ => self.lexer.fault("',' or '}' expected"),
        }
    }

    /// An entry that is no directory, behind its brace.
    fn entry(&mut self) -> Result<()> {
        self.info()?;
        let content = self.content();
        let kind = match content {
            Content::Known(_) => self.kind(),
            Content::Excluded(_) | Content::Failed(_) => Kind::Unknown,
        };
        let record = Record { name: &self.info.name, kind, content };
        self.builder.borrow_mut().push(&record);
        Ok(())
    }

    /// A directory, behind its bracket and brace; its entries are next.
    fn directory(&mut self) -> Result<()> {
        self.info()?;
        let mut builder = self.builder.borrow_mut();
        if builder.depth() == DEEPEST {
            return self.lexer.fault("more levels of directories than any path can have");
        }
        if let Some(excluded) = self.info.excluded {
            let content = Content::Excluded(excluded);
            builder.push(&Record { name: &self.info.name, kind: Kind::Directory, content });
            drop(builder);
            return self.skip_entries();
        }
        let is_sum = self.head.dialect == Dialect::Gdu && self.info.has_sizes;
        let device = match self.info.device {
            Some(device) => self.devices.index(device),
            None if builder.current() == DirId::TOP => self.devices.index(0),
            None => builder.device(),
        };
        builder.enter(&Entrance {
            name: &self.info.name,
            facts: Facts { links: None, ..self.facts(device) },
            sizes: if is_sum { Sizes::Sums } else { Sizes::Own },
            device,
            is_read: !self.info.is_unreadable,
        });
        Ok(())
    }

    /// Passes what stands in a directory that was left out: nothing, usually.
    fn skip_entries(&mut self) -> Result<()> {
        loop {
            match self.lexer.significant()? {
                b']' => return Ok(()),
                b',' => self.lexer.skip()?,
                _ => return self.lexer.fault("',' or ']' expected"),
            }
        }
    }

    fn content(&self) -> Content {
        match self.info.excluded {
            Some(excluded) => Content::Excluded(excluded),
            None if self.info.is_unreadable => Content::Failed(UNREADABLE),
            None => {
                let inherited = self.builder.borrow().device();
                let device = self.info.device.map_or(inherited, |device| self.devices.index(device));
                Content::Known(self.facts(device))
            }
        }
    }

    fn facts(&self, device: u32) -> Facts {
        let info = &self.info;
        let is_owned = info.uid.is_some() || info.gid.is_some() || info.mode.is_some();
        let owner = is_owned.then(|| Owner {
            uid: info.uid.unwrap_or(0),
            gid: info.gid.unwrap_or(0),
            mode: info.mode.unwrap_or(0),
        });
        let is_linked = info.is_linked || info.links > 1;
        let mut facts = Facts {
            apparent: info.apparent,
            blocks: info.disk / 512,
            mtime: info.mtime,
            inode: info.inode,
            directory: None,
            links: is_linked.then_some(Links { count: info.links, device }),
            owner,
        };
        if is_linked && self.head.dialect == Dialect::Gdu {
            // It counts where its first name is, which says nothing of it.
            facts = Facts { apparent: 0, blocks: 0, links: None, ..facts };
        }
        facts
    }

    /// What an entry that is no directory is. Those that are no files are not told apart without their mode.
    fn kind(&self) -> Kind {
        let by_mode = self.info.mode.map_or(Kind::Unknown, kind_of_mode);
        match (by_mode, self.info.is_special) {
            (Kind::Unknown, false) => Kind::File,
            (Kind::Directory, _) => Kind::Unknown,
            (kind, _) => kind,
        }
    }

    /// What is said of an entry, behind its brace.
    fn info(&mut self) -> Result<()> {
        let start = self.lexer.offset();
        let mut name = std::mem::take(&mut self.info.name);
        name.clear();
        self.info = Info { name, ..Info::default() };
        if self.lexer.look()? == b'}' {
            self.lexer.expect(b'}')?;
        } else {
            loop {
                self.field()?;
                if self.ends_object()? {
                    break;
                }
            }
        }
        if self.info.has_name { Ok(()) } else { self.lexer.fault_at(start, "an entry without a name") }
    }

    fn field(&mut self) -> Result<()> {
        // Names of fields are short; nothing longer is known.
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
            return self.lexer.fault_at(start, "a name no file can have");
        }
        if std::mem::replace(&mut self.info.has_name, true) {
            return self.lexer.fault_at(start, "a second name");
        }
        Ok(())
    }
}

fn narrow(lexer: &mut Lexer<'_>) -> Result<u32> {
    let start = lexer.offset();
    let number = lexer.whole()?;
    u32::try_from(number).or_else(|_| lexer.fault_at(start, "a number has more than 32 bits"))
}

fn exclusion(word: &[u8]) -> Exclusion {
    match word {
        b"otherfs" | b"othfs" => Exclusion::OtherFileSystem,
        b"kernfs" => Exclusion::KernelFileSystem,
        // `frmlnk` too, which ncdu 1 wrote on macOS.
        _ => Exclusion::Pattern,
    }
}
