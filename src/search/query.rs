//! What is looked for: terms that must all hold for an entry.
//!
//! A query is read from what a person types (`parse`) or built by a view from [`Test`]s, so that the files behind a row of
//! any view are found by the same code as those of a search.
//!
//! Tests come in two sorts. Some look at an entry alone: its size, its age. Others look at names, and a *filter* lets a
//! directory answer those for everything below it: `node_modules` keeps what lies in such a directory, and
//! `-node_modules` hides it. So names are tested for directories first, and what they said is handed down as bits.
//!
//! Knows no syntax. Invariant: whether an entry matches depends on nothing but the entry, the bits handed down, and the query.

use std::fmt;
use std::ops::Range;

use regex::bytes::Regex;

use super::class::{Class, Extension};
use super::parse;
use super::sweep::{Mode, sizes};
use crate::kind::Kind;
use crate::tree::{Content, DirId, Facts, Record, Tree};

/// More tests of names than this fit into no set of bits.
pub(super) const MOST_NAMED: usize = u64::BITS as usize;

/// What is looked for. The empty one is met by everything.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Tests of an entry alone.
    own: Vec<Term>,
    /// Tests that a directory can answer for what lies below it; at most [`MOST_NAMED`].
    named: Vec<Term>,
    /// See [`Query::asks_for_directories`].
    asks_for_directories: bool,
    unfinished: Option<Complaint>,
}

/// A part of a text that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Where it is, in bytes of the text.
    pub at: Range<usize>,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for Complaint {}

/// A test, or the opposite of one.
#[derive(Clone, Debug)]
pub struct Term {
    /// The test.
    pub test: Test,
    /// Whether it is the opposite that must hold.
    pub negated: bool,
}

/// Something an entry can be asked.
#[derive(Clone, Debug)]
pub enum Test {
    /// Does the pattern match its name?
    Name(Regex),
    /// Does the pattern match its path, the root as it was given included?
    Path(Regex),
    /// Does its name begin with a dot?
    Hidden,
    /// Is its disk usage in bytes like this? A search asks a directory for all that lies in it, a filter for its own.
    Disk(Size),
    /// Is its apparent size in bytes like this?
    Apparent(Size),
    /// Is its time of last change in this range of seconds since 1970? Of directories only those are asked that the query asks for
    /// by name or by type: their time does not say how old anything in them is.
    Modified(Range<i64>),
    /// Is it one of these?
    Type(Types),
    /// Is its extension one of these? They are given in small letters.
    Extension(Vec<Extension>),
    /// Is it a regular file without an extension?
    NoExtension,
    /// Is it a file of no bytes, or a directory with nothing in it?
    Empty,
    /// Has its inode other names?
    Linked,
    /// Is it a name of this inode?
    Inode(Inode),
    /// Could it not be read?
    Error,
    /// Could it not be read, for the reason with this number?
    Errno(i32),
    /// Was it left out of the scan?
    Excluded,
}

/// A comparison with a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// More than.
    Above(u64),
    /// Not less than.
    AtLeast(u64),
    /// Less than.
    Below(u64),
    /// Not more than.
    AtMost(u64),
    /// Exactly.
    Is(u64),
}

impl Size {
    fn holds(self, bytes: u64) -> bool {
        match self {
            Self::Above(than) => bytes > than,
            Self::AtLeast(than) => bytes >= than,
            Self::Below(than) => bytes < than,
            Self::AtMost(than) => bytes <= than,
            Self::Is(exactly) => bytes == exactly,
        }
    }
}

/// A set of kinds of entries and of classes of regular files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types {
    kinds: u8,
    classes: u16,
}

impl Types {
    /// The set with entries of this kind too.
    #[must_use]
    pub fn with_kind(self, kind: Kind) -> Self {
        Self { kinds: self.kinds | 1 << kind as u8, ..self }
    }

    /// The set with regular files of this class too.
    #[must_use]
    pub fn with_class(self, class: Class) -> Self {
        Self { classes: self.classes | 1 << class as u16, ..self }
    }

    fn holds(self, record: &Record<'_>) -> bool {
        self.kinds & 1 << record.kind as u8 != 0
            || self.classes != 0
                && record.kind == Kind::File
                && self.classes & 1 << Class::of_name(record.name) as u16 != 0
    }
}

/// Which inode, as the records of one tree say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inode {
    /// Index of its device.
    pub device: u32,
    /// Its number there.
    pub number: u64,
}

impl Inode {
    /// The inode of an entry, if it has other names.
    pub fn of_linked(facts: &Facts) -> Option<Self> {
        facts.links.map(|links| Self { device: links.device, number: facts.inode })
    }
}

/// An entry, as a query looks at it.
pub(super) struct Subject<'a> {
    pub(super) tree: &'a Tree,
    pub(super) record: &'a Record<'a>,
    /// The sizes it is compared by.
    pub(super) disk: u64,
    pub(super) apparent: u64,
    /// Its path, if [`Query::needs_paths`].
    pub(super) path: &'a [u8],
}

impl Query {
    /// Reads what a person typed, `now` being seconds since 1970.
    ///
    /// What stands last may not be finished, as in `type:vid`. Then the query is what stands before, and
    /// [`Query::unfinished`] says what is awaited.
    ///
    /// # Errors
    /// When a term makes no sense however it goes on.
    pub fn parse(text: &str, now: i64) -> Result<Self, Complaint> {
        parse::parse(text, now)
    }

    /// A query of one test.
    pub fn of(test: Test) -> Self {
        let mut query = Self::default();
        query.push(Term { test, negated: false });
        query
    }

    /// A query of the opposite of one test.
    pub fn not(test: Test) -> Self {
        let mut query = Self::default();
        query.push(Term { test, negated: true });
        query
    }

    /// What meets both queries: the files behind a row of a filtered view meet the filter and the row.
    ///
    /// # Errors
    /// When there are too many terms.
    pub fn and(mut self, other: &Self) -> Result<Self, Complaint> {
        self.own.extend_from_slice(&other.own);
        self.named.extend_from_slice(&other.named);
        self.asks_for_directories |= other.asks_for_directories;
        if self.named.len() > MOST_NAMED {
            return Err(Complaint { at: 0..0, reason: format!("more than {MOST_NAMED} words to look for") });
        }
        Ok(self)
    }

    /// The query for everything but directories that meets this one.
    #[must_use]
    pub fn without_directories(mut self) -> Self {
        let test = Test::Type(Types::default().with_kind(Kind::Directory));
        self.own.push(Term { test, negated: true });
        self
    }

    /// Whether everything meets it.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.named.is_empty()
    }

    /// What is left out because it is still being typed, and what is awaited there.
    pub fn unfinished(&self) -> Option<&Complaint> {
        self.unfinished.as_ref()
    }

    pub(super) fn set_unfinished(&mut self, complaint: Complaint) {
        self.unfinished = Some(complaint);
    }

    /// Adds a term, unless it is a name too many.
    pub(super) fn push(&mut self, term: Term) -> bool {
        self.asks_for_directories |= !term.negated && term.test.asks_for_directories();
        match term.test {
            Test::Name(_) | Test::Path(_) | Test::Hidden if self.named.len() == MOST_NAMED => return false,
            Test::Name(_) | Test::Path(_) | Test::Hidden => self.named.push(term),
            // Sizes and times are asked first: that is a comparison, the others look at names or directories.
            Test::Disk(_) | Test::Apparent(_) | Test::Modified(_) => self.own.insert(0, term),
            _ => self.own.push(term),
        }
        true
    }

    /// Whether a [`Subject`] must have its path.
    pub(super) fn needs_paths(&self) -> bool {
        self.named.iter().any(|term| matches!(term.test, Test::Path(_)))
    }

    /// Whether it asks for directories, by name or by type. Such a search finds a directory with all that lies in it, and
    /// asks it for its age. Any other only meets directories on its way: `-*.log` does not mean everything in a
    /// directory that has another name, nor `older:1y` everything in a directory that got no new names for a year.
    pub(super) fn asks_for_directories(&self) -> bool {
        self.asks_for_directories
    }

    /// Whether the subject meets the query, given what the directories above it have said. For a directory, also what
    /// is to be said below it.
    pub(super) fn check(&self, subject: &Subject<'_>, above: u64) -> (bool, u64) {
        let is_directory = subject.record.kind == Kind::Directory;
        let is_ageless = is_directory && !self.asks_for_directories;
        let holds = |term: &Term| {
            !(is_ageless && matches!(term.test, Test::Modified(_)))
                && term.test.holds(subject) != term.negated
        };
        let mut met = self.own.iter().all(holds);
        let mut said = above;
        for (bit, term) in self.named.iter().enumerate() {
            if !met && !is_directory {
                break;
            }
            if said & 1 << bit == 0 && term.test.holds(subject) {
                said |= 1 << bit;
            }
            met &= (said & 1 << bit != 0) != term.negated;
        }
        (met, said)
    }

    /// Whether a filter keeps an entry of the directory `id`. Asks everything above it, so not for every entry of a tree.
    pub(crate) fn keeps(&self, tree: &Tree, id: DirId, record: &Record<'_>) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut path = if self.needs_paths() { tree.path(id) } else { Vec::new() };
        push_name(&mut path, record.name);
        let (own, _) = sizes(tree, Mode::Filter, record);
        let subject = Subject { tree, record, disk: own.disk, apparent: own.apparent, path: &path };
        self.check(&subject, self.said_by_path(tree, id)).0
    }

    /// What the directory `id` and those above it say, except the root.
    pub(super) fn said_by_path(&self, tree: &Tree, id: DirId) -> u64 {
        let mut way: Vec<DirId> = tree.ancestry(id).collect();
        let Some(root) = way.pop() else { return 0 };
        let mut path = tree.name(root).to_vec();
        way.iter().rev().fold(0, |said, id| {
            let name = tree.name(*id);
            push_name(&mut path, name);
            let record = Record { name, kind: Kind::Directory, content: Content::Known(Facts::default()) };
            let subject = Subject { tree, record: &record, disk: 0, apparent: 0, path: &path };
            self.check(&subject, said).1
        })
    }
}

impl Test {
    fn asks_for_directories(&self) -> bool {
        match self {
            Self::Name(_) | Self::Path(_) | Self::Hidden => true,
            Self::Type(types) => types.kinds & 1 << Kind::Directory as u8 != 0,
            _ => false,
        }
    }

    fn holds(&self, subject: &Subject<'_>) -> bool {
        let record = subject.record;
        let facts = match &record.content {
            Content::Known(facts) => Some(facts),
            Content::Excluded(_) | Content::Failed(_) => None,
        };
        match self {
            Self::Name(pattern) => pattern.is_match(record.name),
            Self::Path(pattern) => pattern.is_match(subject.path),
            Self::Hidden => record.name.starts_with(b"."),
            Self::Disk(size) => facts.is_some() && size.holds(subject.disk),
            Self::Apparent(size) => facts.is_some() && size.holds(subject.apparent),
            Self::Modified(range) => facts.is_some_and(|facts| range.contains(&facts.mtime)),
            Self::Type(types) => types.holds(record),
            Self::Extension(wanted) => {
                record.kind == Kind::File
                    && Extension::of(record.name).is_some_and(|extension| wanted.contains(&extension))
            }
            Self::NoExtension => record.kind == Kind::File && Extension::of(record.name).is_none(),
            Self::Empty => facts.is_some_and(|facts| is_empty(subject.tree, record.kind, facts)),
            Self::Linked => facts.is_some_and(|facts| facts.links.is_some()),
            Self::Inode(inode) => facts.and_then(Inode::of_linked) == Some(*inode),
            Self::Error => errno(subject.tree, record).is_some(),
            Self::Errno(number) => errno(subject.tree, record) == Some(*number),
            Self::Excluded => matches!(record.content, Content::Excluded(_)),
        }
    }
}

/// Puts a name behind a path, with a slash between where there is none.
pub(super) fn push_name(path: &mut Vec<u8>, name: &[u8]) {
    if !path.is_empty() && !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

fn is_empty(tree: &Tree, kind: Kind, facts: &Facts) -> bool {
    match facts.directory {
        Some(id) => tree.status(id).is_known() && tree.listing(id).is_empty(),
        None => kind == Kind::File && facts.apparent == 0,
    }
}

/// Why an entry, or the directory it is, could not be read.
pub(crate) fn errno(tree: &Tree, record: &Record<'_>) -> Option<i32> {
    match record.content {
        Content::Failed(errno) => Some(errno),
        Content::Known(Facts { directory: Some(id), .. }) => tree.status(id).errno,
        _ => None,
    }
}
