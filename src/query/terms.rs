//! Queries: lists of terms, all of which an entry must match.
//!
//! A query is parsed from text (`parse`), or built from [`Test`]s by a view. The same code can therefore search for
//! text and list the files counted in a row of a view. A view can narrow a query with additional terms, which every
//! result must then also match.
//!
//! If a query finds or ignores a directory, this also affects the entries inside the directory; see
//! [`Standing`](super::standing::Standing).
//!
//! Invariant: the decision about an entry depends only on the entry, its ancestors and the query.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use regex::bytes::Regex;

use crate::base::format::Measure;
use crate::base::kind::Kind;
use crate::query::category::{Category, Extension};
use crate::query::size::Size;
use crate::tree::{DirId, Entry, EntryState, InodeKey, Metadata, Relocation, Tree};

/// Maximum number of terms that test names or paths. A larger number is probably a mistake, and each compiled pattern
/// takes memory.
pub(crate) const MOST_NAMED: usize = 64;

/// Parsed search. An empty query matches everything.
#[derive(Clone, Debug)]
pub struct Query {
    /// Terms that test properties other than name and path, such as size, time and type.
    pub(crate) unnamed: Vec<Term>,
    /// Terms that test the name or path of an entry; at most [`MOST_NAMED`].
    pub(crate) named: Vec<Term>,
    /// Additional terms, which every result must match (see [`Query::narrowed_by`]).
    narrowed: Vec<Term>,
    /// Directory whose subtree is searched. The search never finds this directory or its ancestors.
    below: DirId,
    unfinished: Option<QueryError>,
}

impl Default for Query {
    fn default() -> Self {
        let (unnamed, named, narrowed) = (Vec::new(), Vec::new(), Vec::new());
        Self { unnamed, named, narrowed, below: DirId::TOP, unfinished: None }
    }
}

/// Error in a part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Byte range of the invalid part of the text.
    pub at: Range<usize>,
    /// Error message, with a hint about valid input.
    pub reason: String,
}

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for QueryError {}

/// Test, or its negation.
#[derive(Clone, Debug)]
pub struct Term {
    pub test: Test,
    /// `true` if the test must fail.
    pub negated: bool,
}

/// Test of one property of an entry.
#[derive(Clone, Debug)]
pub enum Test {
    /// Pattern for the name.
    Name(Regex),
    /// Pattern for the path, including the root as given by the user.
    Path(Regex),
    /// Name that begins with a dot.
    Hidden,
    /// Disk usage in bytes; for a directory, including everything in it.
    Disk(Size),
    /// Apparent size in bytes; for a directory, including everything in it.
    Apparent(Size),
    /// Number of bytes that deleting the entry is certain to free. The test fails while this number is unknown.
    Frees(Size),
    /// Modification time in this range of seconds since 1970. Directories are found only if the query selects them by
    /// name or type, because their modification time does not show the age of their contents.
    Modified(Range<i64>),
    /// Implausible modification time: zero, which some programs write, or a time in the future.
    Undated {
        /// Earliest time that counts as the future, in seconds since 1970.
        future: i64,
    },
    /// Kind or category in this set.
    Type(Types),
    /// Regular file with an extension in this list of lower-case extensions.
    Extension(Vec<Extension>),
    /// Regular file without an extension.
    NoExtension,
    /// File of length zero, or directory without entries.
    Empty,
    /// Entry whose inode has several names.
    Linked,
    /// Entry that is a name of this inode. Matches only files that are roots or have several links, because all other
    /// entries lack [`Metadata::links`].
    Inode(InodeKey),
    /// Entry that could not be read.
    Error,
    /// Entry that could not be read, with this error number.
    Errno(i32),
    /// Entry that was excluded from the scan.
    Excluded,
}

/// Set of entry kinds, and of categories of regular files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types {
    kinds: u8,
    classes: u16,
}

impl Types {
    /// Adds this kind, and returns the set.
    #[must_use]
    pub fn with_kind(self, kind: Kind) -> Self {
        Self { kinds: self.kinds | 1 << kind as u8, ..self }
    }

    /// Adds regular files of this category, and returns the set.
    #[must_use]
    pub fn with_category(self, class: Category) -> Self {
        Self { classes: self.classes | 1 << class as u16, ..self }
    }

    fn holds(self, record: &Entry<'_>) -> bool {
        self.kinds & 1 << record.kind as u8 != 0
            || self.classes != 0
                && record.kind == Kind::File
                && self.classes & 1 << Category::of(record) as u16 != 0
    }
}

/// Entry that a query is applied to.
pub(crate) struct Subject<'a> {
    tree: &'a Tree,
    /// Parent directory of the entry.
    directory: DirId,
    record: &'a Entry<'a>,
    /// Path of the entry; may be empty if [`Query::needs_paths`] returns `false`.
    path: &'a [u8],
}

impl<'a> Subject<'a> {
    pub(crate) fn of(tree: &'a Tree, directory: DirId, record: &'a Entry<'a>, path: &'a [u8]) -> Self {
        Self { tree, directory, record, path }
    }

    /// Returns the size of the entry; for a directory, including everything in it.
    fn size(&self, metadata: &Metadata, measure: Measure) -> u64 {
        match metadata.directory.map(|id| self.tree.totals(id)) {
            Some(totals) => measure.of(totals.disk, totals.apparent),
            None => measure.of(metadata.disk(), metadata.apparent),
        }
    }
}

impl Query {
    /// Returns a query with one test.
    pub fn of(test: Test) -> Self {
        let mut query = Self::default();
        query.push(Term { test, negated: false });
        query
    }

    /// Returns a query with one negated test.
    pub fn of_negated(test: Test) -> Self {
        let mut query = Self::default();
        query.push(Term { test, negated: true });
        query
    }

    /// Narrows this query with the terms of another query. Every result must match these terms itself: a match of a
    /// directory above it is not enough. Views use this to list the files counted in one of their rows.
    #[must_use]
    pub fn narrowed_by(mut self, other: &Self) -> Self {
        self.narrowed.extend(other.terms().chain(&other.narrowed).cloned());
        self
    }

    /// Restricts the query to entries below directory `id`. The search never finds that directory or its ancestors.
    #[must_use]
    pub fn below(self, id: DirId) -> Self {
        Self { below: id, ..self }
    }

    /// Returns the directory in which the search starts and its ancestors, which the search never finds.
    pub(crate) fn path_to_origin(&self, tree: &Tree) -> HashSet<DirId> {
        tree.ancestry(self.below).collect()
    }

    /// Updates the query after a rescan. If the directory in which the search starts was deleted, its nearest existing
    /// ancestor is used instead.
    pub fn relocate(&mut self, relocation: &mut Relocation<'_>) {
        self.below = relocation.nearest(self.below);
    }

    /// Restricts the query to entries that are not directories.
    #[must_use]
    pub fn without_directories(mut self) -> Self {
        let test = Test::Type(Types::default().with_kind(Kind::Directory));
        self.narrowed.push(Term { test, negated: true });
        self
    }

    /// Returns `true` if the query matches everything.
    pub fn is_empty(&self) -> bool {
        self.terms().chain(&self.narrowed).next().is_none()
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.unnamed.iter().chain(&self.named)
    }

    /// Returns the error about the last term of the text, if that term is unfinished and therefore not in the query.
    pub fn unfinished(&self) -> Option<&QueryError> {
        self.unfinished.as_ref()
    }

    pub(crate) fn set_unfinished(&mut self, error: QueryError) {
        self.unfinished = Some(error);
    }

    /// Adds a term, unless it tests names or paths and the query already has [`MOST_NAMED`] such terms. Returns `true`
    /// if the term was added.
    pub(crate) fn push(&mut self, term: Term) -> bool {
        match term.test {
            Test::Name(_) | Test::Path(_) | Test::Hidden if self.named.len() == MOST_NAMED => return false,
            Test::Name(_) | Test::Path(_) | Test::Hidden => self.named.push(term),
            // Sizes and times are tested first, because comparing numbers is cheaper than most other tests.
            Test::Disk(_) | Test::Apparent(_) | Test::Modified(_) => self.unnamed.insert(0, term),
            _ => self.unnamed.push(term),
        }
        true
    }

    /// Returns `true` if any term tests the path. In this case, each [`Subject`] must have a path.
    pub(crate) fn needs_paths(&self) -> bool {
        self.named.iter().chain(&self.narrowed).any(|term| matches!(term.test, Test::Path(_)))
    }

    /// Returns `true` if a filter with this query keeps each matching directory together with its contents. This is
    /// the case if the query has no terms, or if a term selects directories, for example by name, type or size.
    /// Negated names do not count: `-*.log` finds most directories, but does not keep the logs in them.
    pub(crate) fn brings_contents(&self) -> bool {
        self.terms().next().is_none() || self.terms().any(Term::brings_contents)
    }

    /// Returns `true` if the totals of a matching directory include all of its contents. In a narrowed query, only the
    /// narrowing terms decide this, because the other terms do not exempt the contents from the narrowing terms.
    pub(crate) fn counts_contents(&self) -> bool {
        if self.is_narrowed() {
            self.narrowed.iter().any(Term::brings_contents)
        } else {
            self.brings_contents()
        }
    }

    /// Returns `true` if the query has additional terms (see [`Query::narrowed_by`]).
    pub(crate) fn is_narrowed(&self) -> bool {
        !self.narrowed.is_empty()
    }

    /// Returns `true` if the subject matches all terms that narrow the query (see [`Query::narrowed_by`]).
    pub(crate) fn narrows_to(&self, subject: &Subject<'_>) -> bool {
        self.narrowed.iter().all(|term| term.holds(subject))
    }

    /// Returns two flags. The first is `true` if the subject matches the query. The second is `true` if the name of the
    /// subject, or of a directory above it, matches a negated term. The search then ignores everything inside the
    /// subject. `is_unwanted` is the second flag of the parent directory.
    pub(crate) fn finds(&self, subject: &Subject<'_>, is_unwanted: bool) -> (bool, bool) {
        let is_directory = subject.record.kind == Kind::Directory;
        let has_age = !is_directory || self.terms().any(Term::asks_for_directories);
        let holds = |term: &Term| (has_age || !matches!(term.test, Test::Modified(_))) && term.holds(subject);
        let mut is_found = !is_unwanted && self.unnamed.iter().all(holds);
        let mut is_unwanted = is_unwanted;
        for term in &self.named {
            if !is_found && (is_unwanted || !is_directory) {
                break;
            }
            let holds = term.holds(subject);
            is_found &= holds;
            is_unwanted |= term.negated && !holds;
        }
        (is_found, is_unwanted)
    }
}

impl Term {
    fn holds(&self, subject: &Subject<'_>) -> bool {
        self.test.holds(subject) != self.negated
    }

    /// Returns `true` if the term selects directories by name or type. Without such a term, a term about age excludes
    /// directories, because their modification time does not show the age of their contents.
    fn asks_for_directories(&self) -> bool {
        let asks = match self.test {
            Test::Name(_) | Test::Path(_) | Test::Hidden => true,
            Test::Type(types) => types.kinds & 1 << Kind::Directory as u8 != 0,
            _ => false,
        };
        asks && !self.negated
    }

    /// Returns `true` if the term can select directories along with their contents. A negated size comparison can do so
    /// too, because it is equivalent to another size comparison.
    fn brings_contents(&self) -> bool {
        match self.test {
            Test::Disk(_) | Test::Apparent(_) | Test::Frees(_) => true,
            Test::Empty | Test::Error | Test::Errno(_) => !self.negated,
            _ => self.asks_for_directories(),
        }
    }
}

impl Test {
    /// Returns `true` if a time is implausible. `future` is the earliest time that counts as the future.
    pub fn is_undated(mtime: i64, future: i64) -> bool {
        mtime == 0 || mtime >= future
    }

    fn holds(&self, subject: &Subject<'_>) -> bool {
        let record = subject.record;
        let metadata = match &record.state {
            EntryState::Known(metadata) => Some(metadata),
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        };
        match self {
            Self::Name(pattern) => pattern.is_match(record.name),
            Self::Path(pattern) => pattern.is_match(subject.path),
            Self::Hidden => record.name.starts_with(b"."),
            Self::Disk(size) => {
                metadata.is_some_and(|metadata| size.holds(subject.size(metadata, Measure::Disk)))
            }
            Self::Apparent(size) => {
                metadata.is_some_and(|metadata| size.holds(subject.size(metadata, Measure::Apparent)))
            }
            Self::Frees(size) => metadata.is_some_and(|metadata| {
                let exclusive = subject.tree.exclusive();
                let found = exclusive.and_then(|sizes| sizes.of(subject.directory, metadata));
                found.is_some_and(|exclusive| size.holds(exclusive.at_least))
            }),
            Self::Modified(range) => metadata.is_some_and(|metadata| range.contains(&metadata.mtime)),
            Self::Undated { future } => {
                metadata.is_some_and(|metadata| Self::is_undated(metadata.mtime, *future))
            }
            Self::Type(types) => types.holds(record),
            Self::Extension(wanted) => {
                record.kind == Kind::File
                    && Extension::of(record.name).is_some_and(|extension| wanted.contains(&extension))
            }
            Self::NoExtension => record.kind == Kind::File && Extension::of(record.name).is_none(),
            Self::Empty => metadata.is_some_and(|metadata| is_empty(subject.tree, record.kind, metadata)),
            Self::Linked => {
                metadata.and_then(|metadata| metadata.links).is_some_and(|links| links.count != 1)
            }
            Self::Inode(inode) => metadata.and_then(Metadata::linked_inode) == Some(*inode),
            Self::Error => errno(subject.tree, record).is_some(),
            Self::Errno(number) => errno(subject.tree, record) == Some(*number),
            Self::Excluded => matches!(record.state, EntryState::Excluded(_)),
        }
    }
}

/// Appends a name to a path, with a slash between them if necessary.
pub(crate) fn push_name(path: &mut Vec<u8>, name: &[u8]) {
    if !path.is_empty() && !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

fn is_empty(tree: &Tree, kind: Kind, metadata: &Metadata) -> bool {
    match metadata.directory {
        Some(id) => tree.status(id).is_known() && tree.listing(id).is_empty(),
        None => kind == Kind::File && metadata.apparent == 0,
    }
}

/// Returns the error number if the entry or, for a directory, its contents could not be read.
pub(crate) fn errno(tree: &Tree, record: &Entry<'_>) -> Option<i32> {
    match record.state {
        EntryState::Failed(errno) => Some(errno),
        EntryState::Known(Metadata { directory: Some(id), .. }) => tree.status(id).errno,
        _ => None,
    }
}
