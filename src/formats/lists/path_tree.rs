//! Directories of a list, looked up by path, and a log of their entries.
//!
//! ```text
//! root     the value of --root; without --root, the root or bucket that the line names; without both, `/` for
//!          an absolute path, and `.`, `..` or `../..` for a relative path
//! path     empty names and `.` are dropped, as by the kernel; `..` after a name is refused
//! a/b/     a path that ends with a slash is a directory, and so is everything that contains an entry
//! ```
//!
//! Invariant: a line is checked completely before it changes anything.

use std::collections::HashMap;

use super::entry_line::EntryLine;
use super::log::{EntryLog, LogPosition, LogTag};
use super::node_index::NodeIndex;
use super::value::{LineError, MISPLACED_PARENT, check_part};
use crate::base::kind::Kind;
use crate::tree::{DirId, Entry, EntryState, Links};

/// Node number stored as the parent of a root, which has no parent.
const NONE: u32 = u32::MAX;
/// Device index of entries whose lines do not name a device. These entries get the device of their directory.
pub(super) const INHERITED: u32 = u32::MAX;

/// Directories found so far, with their entries.
#[derive(Default)]
pub(crate) struct PathTree {
    pub(super) log: EntryLog,
    pub(super) nodes: Vec<DirectoryNode>,
    pub(super) index: NodeIndex,
    pub(super) roots: Vec<ListRoot>,
    known_roots: HashMap<Vec<u8>, u32>,
    /// Directory of the most recent entry: its root, its path below the root, and its node. The next entry is often in
    /// the same directory.
    near: (u32, Vec<u8>, u32),
    /// Part to read; `None` to read the whole list.
    only: Option<OnlyPart>,
}

/// Directory found in a list.
pub(super) struct DirectoryNode {
    parent: u32,
    /// Position of the parent's record that contains the directory's name; `None` for a root.
    record: Option<LogPosition>,
    /// Position of the record for the line that describes the directory itself.
    pub(super) own: Option<LogPosition>,
    /// Position of the last record for an entry of the directory.
    pub(super) last: Option<LogPosition>,
    pub(super) device: u32,
    /// Error number; 0 if there is none.
    pub(super) errno: i32,
    /// ID of the directory in the tree; [`DirId::TOP`] until the directory's entry has been written.
    pub(super) id: DirId,
}

pub(super) struct ListRoot {
    pub(super) node: u32,
    pub(super) name: Vec<u8>,
    /// Host number, which distinguishes devices of different hosts in the tree's list of devices.
    pub(super) host: u32,
    pub(super) host_name: Vec<u8>,
    pub(super) scanned_at: Option<i64>,
    /// `true` if the root is derived from the paths, because the lines name no root. If such a root contains only a
    /// single directory, `PathTree::narrow` may replace the root with that directory.
    pub(super) is_implied: bool,
}

/// Part that is read instead of the whole list. `name` is the path of the part, `anchor` is the starting point of
/// that path (see [`anchored`]), and `names` are the names below the starting point.
struct OnlyPart {
    name: Vec<u8>,
    anchor: Vec<u8>,
    names: Vec<Vec<u8>>,
}

/// Root to which a line of the list belongs, and the path below the root.
struct RootedPath<'l> {
    root: Vec<u8>,
    below: &'l [u8],
    is_implied: bool,
}

/// Host to which a line of the list belongs.
#[derive(Clone, Copy)]
pub(crate) struct ListHost<'n> {
    /// Host number, which distinguishes devices of different hosts in the tree's list of devices.
    pub(crate) number: u32,
    /// Name of the host; empty if unknown.
    pub(crate) name: &'n [u8],
}

impl PathTree {
    /// Creates a tree that will contain only `part`, or everything if `part` is `None`.
    ///
    /// # Errors
    /// Returns an error if `part` is not a valid path.
    pub(crate) fn new(part: Option<&[u8]>) -> Result<Self, LineError> {
        let only = part.map(OnlyPart::new).transpose()?;
        Ok(Self { only, near: (NONE, Vec::new(), NONE), ..Self::default() })
    }

    /// Adds the entry of a line. `device` is the index of the entry's device. Returns `false` if the entry is outside
    /// the part to read.
    pub(crate) fn add(
        &mut self,
        line: &EntryLine,
        host: ListHost<'_>,
        device: Option<u32>,
    ) -> Result<bool, LineError> {
        let full_path;
        let path = match (&self.only, line.is_bucket) {
            (Some(_), true) => {
                full_path = [line.root.as_slice(), b"/", &line.path].concat();
                full_path.as_slice()
            }
            _ => line.path.as_slice(),
        };
        let Some(rooted) = self.rooted(line, path)? else { return Ok(false) };
        let below = rooted.below;
        if names(below).any(|name| name == b"..") {
            return Err(MISPLACED_PARENT.into());
        }
        let root = self.root(rooted.root, rooted.is_implied, host, line.facts.scanned_at);
        let Some((above, name, is_directory)) = last_name(below) else {
            return self.set_own(root, line, device, LineKind::of(line, false)).map(|()| true);
        };
        let parent = self.directory(root, above);
        let kind = LineKind::of(line, is_directory);
        let node = match kind {
            LineKind::Directory => Some(self.child(parent, name)),
            LineKind::Typed(_) | LineKind::Untyped => self.find(parent, name),
        };
        if let Some(node) = node {
            self.set_own(node, line, device, kind)?;
        } else {
            let (tag, entry) = entry(name, line, device, kind, LinkCounts::Several);
            let last = self.log.append(parent, self.nodes[parent as usize].last, tag, &entry);
            self.nodes[parent as usize].last = Some(last);
        }
        Ok(true)
    }

    /// Returns the root of a line and the path below this root, or `None` if the path is outside the part to read.
    fn rooted<'l>(&self, line: &'l EntryLine, path: &'l [u8]) -> Result<Option<RootedPath<'l>>, LineError> {
        if line.path.is_empty() {
            return Err(if line.root.is_empty() { "no path" } else { "has a root, but no path" }.into());
        }
        if let Some(only) = &self.only {
            let below = only.below(path)?;
            return Ok(below.map(|below| RootedPath { root: only.name.clone(), below, is_implied: false }));
        }
        if line.root.is_empty() {
            let (root, below) = anchored(path);
            return Ok(Some(RootedPath { root, below, is_implied: true }));
        }
        let below = if line.is_bucket { Some(path) } else { below_root(path, &line.root) };
        let below = below.ok_or("the path is not below the root in this line")?;
        Ok(Some(RootedPath { root: line.root.clone(), below, is_implied: false }))
    }

    /// Returns the node of a root, creating it if necessary.
    fn root(&mut self, name: Vec<u8>, is_implied: bool, host: ListHost<'_>, scanned_at: Option<i64>) -> u32 {
        let mut key = host.number.to_le_bytes().to_vec();
        key.extend_from_slice(&name);
        if let Some(node) = self.known_roots.get(&key) {
            return *node;
        }
        let node = self.new_node(NONE, None);
        self.known_roots.insert(key, node);
        self.roots.push(ListRoot {
            node,
            name,
            host: host.number,
            host_name: host.name.to_vec(),
            scanned_at,
            is_implied,
        });
        node
    }

    /// Returns the directory whose path relative to `root` is `above`, creating it if necessary.
    fn directory(&mut self, root: u32, above: &[u8]) -> u32 {
        if self.near.0 == root && self.near.1 == above {
            return self.near.2;
        }
        let node = names(above).fold(root, |node, name| self.child(node, name));
        self.near.1.clear();
        self.near.1.extend_from_slice(above);
        (self.near.0, self.near.2) = (root, node);
        node
    }

    /// Returns a child directory, creating it if necessary.
    fn child(&mut self, parent: u32, name: &[u8]) -> u32 {
        let hash = self.index.hash(parent, name);
        if let Some(node) = self.find_hashed(hash, parent, name) {
            return node;
        }
        let number = u32::try_from(self.nodes.len()).expect("memory holds fewer than 2^32 directories");
        let record = self.log.append_child(parent, self.nodes[parent as usize].last, number, name);
        self.nodes[parent as usize].last = Some(record);
        let node = self.new_node(parent, Some(record));
        let (nodes, log) = (&self.nodes, &self.log);
        self.index.insert(node, hash, |index, node| {
            let node = &nodes[node as usize];
            index.hash(node.parent, node.record.map_or(&[][..], |record| log.child_name(record)))
        });
        node
    }

    /// Returns the child directory with this name, if there is one.
    pub(super) fn find(&self, parent: u32, name: &[u8]) -> Option<u32> {
        self.find_hashed(self.index.hash(parent, name), parent, name)
    }

    pub(super) fn find_hashed(&self, hash: u64, parent: u32, name: &[u8]) -> Option<u32> {
        self.index.find(hash, |node| {
            let node = &self.nodes[node as usize];
            // The parent is compared first. On a hash collision, the node may be in another directory, whose records
            // may have been released and must not be read.
            node.parent == parent && node.record.is_some_and(|record| self.log.child_name(record) == name)
        })
    }

    fn new_node(&mut self, parent: u32, record: Option<LogPosition>) -> u32 {
        let node = DirectoryNode {
            parent,
            record,
            own: None,
            last: None,
            device: INHERITED,
            errno: 0,
            id: DirId::TOP,
        };
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).expect("memory holds fewer than 2^32 directories")
    }

    /// Stores the line that describes directory `node`. Fails if an earlier line already describes the directory.
    fn set_own(
        &mut self,
        node: u32,
        line: &EntryLine,
        device: Option<u32>,
        kind: LineKind,
    ) -> Result<(), LineError> {
        if self.nodes[node as usize].own.is_some() {
            return Err("path listed more than once; only one line counts".into());
        }
        let counts =
            if self.nodes[node as usize].parent == NONE { LinkCounts::Any } else { LinkCounts::Several };
        let (tag, entry) = entry(b"", line, device, kind, counts);
        let own = self.log.append(node, None, tag, &entry);
        let node = &mut self.nodes[node as usize];
        node.own = Some(own);
        node.device = device.unwrap_or(INHERITED);
        node.errno = line.facts.errno().unwrap_or(0);
        Ok(())
    }
}

/// Kind of an entry according to its line in the list.
#[derive(Clone, Copy)]
enum LineKind {
    /// Directory whose attributes are known. Its line may also contain an error.
    Directory,
    /// Non-directory of a known kind, or an entry that has no attributes because it was excluded or could not be read.
    Typed(Kind),
    /// Entry of unknown kind: a directory if other lines name entries inside it, otherwise a file.
    Untyped,
}

impl LineKind {
    /// Returns the kind of an entry. `has_slash` is `true` if its path ends with a slash.
    fn of(line: &EntryLine, has_slash: bool) -> Self {
        let kind = if has_slash { Some(Kind::Directory) } else { line.facts.kind() };
        match (kind, line.facts.state()) {
            (Some(Kind::Directory), EntryState::Known(_)) => Self::Directory,
            (Some(kind), _) => Self::Typed(kind),
            (None, EntryState::Known(_)) => Self::Untyped,
            (None, _) => Self::Typed(Kind::Unknown),
        }
    }
}

/// Link counts that are stored with an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkCounts {
    /// Every link count, even 1. Used for roots, because another root may contain the same file.
    Any,
    /// Only link counts of two or more.
    Several,
}

fn entry<'n>(
    name: &'n [u8],
    line: &EntryLine,
    device: Option<u32>,
    kind: LineKind,
    counts: LinkCounts,
) -> (LogTag, Entry<'n>) {
    let (tag, kind) = match kind {
        LineKind::Directory => (LogTag::Own, Kind::Unknown),
        LineKind::Typed(kind) => (LogTag::Typed, kind),
        LineKind::Untyped => (LogTag::Untyped, Kind::File),
    };
    let mut state = line.facts.state();
    if let EntryState::Known(metadata) = &mut state
        && tag != LogTag::Own
        && metadata.inode != 0
    {
        let least = if counts == LinkCounts::Any { 1 } else { 2 };
        let count = line.facts.links.filter(|count| *count >= least);
        metadata.links = count.map(|count| Links { count, device: device.unwrap_or(INHERITED) });
    }
    (tag, Entry { name, kind, state })
}

impl OnlyPart {
    fn new(path: &[u8]) -> Result<Self, LineError> {
        let (anchor, below) = anchored(path);
        let names: Vec<Vec<u8>> = names(below).map(<[u8]>::to_vec).collect();
        check_part(path, names.iter().any(|name| name == b".."))?;
        let end = path.iter().rposition(|byte| *byte != b'/').map_or(1, |last| last + 1);
        Ok(Self { name: path[..end].to_vec(), anchor, names })
    }

    /// Returns the rest of `path` below this part, or `None` if `path` is outside the part.
    fn below<'p>(&self, path: &'p [u8]) -> Result<Option<&'p [u8]>, LineError> {
        let (anchor, mut rest) = anchored(path);
        if anchor != self.anchor {
            return Ok(None);
        }
        for name in &self.names {
            let Some((first, after)) = first_name(rest) else { return Ok(None) };
            if first == b".." {
                return Err(MISPLACED_PARENT.into());
            }
            if first != name {
                return Ok(None);
            }
            rest = after;
        }
        Ok(Some(rest))
    }
}

/// Splits a path into its starting point (`/`, `.`, `..`, `../..` and so on) and the path below the starting point.
fn anchored(path: &[u8]) -> (Vec<u8>, &[u8]) {
    if path.starts_with(b"/") {
        return (b"/".to_vec(), path);
    }
    let (mut rest, mut above) = (path, 0);
    while let Some((b"..", after)) = first_name(rest) {
        rest = after;
        above += 1;
    }
    let root = if above == 0 { b".".to_vec() } else { vec![&b".."[..]; above].join(&b'/') };
    (root, rest)
}

/// Returns the part of `path` below `root`; `None` if `path` is neither `root` nor below it.
fn below_root<'p>(path: &'p [u8], root: &[u8]) -> Option<&'p [u8]> {
    let rest = path.strip_prefix(root)?;
    (rest.is_empty() || rest.starts_with(b"/") || root.ends_with(b"/")).then_some(rest)
}

/// Returns the names in a path, without empty names and `.`.
pub(super) fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."))
}

/// Returns the first name in a path, and the rest of the path. Empty names and `.` are skipped.
fn first_name(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = path;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let (name, after) = (&rest[..end], rest.get(end + 1..).unwrap_or_default());
        if !matches!(name, b"" | b".") {
            return Some((name, after));
        }
        rest = after;
    }
    None
}

/// Returns the path above the last name, the last name, and `true` if a slash follows; `None` if there is no name.
fn last_name(path: &[u8]) -> Option<(&[u8], &[u8], bool)> {
    let mut rest = path;
    loop {
        let start = rest.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        let name = &rest[start..];
        if !matches!(name, b"" | b".") {
            return Some((&rest[..start], name, rest.len() < path.len()));
        }
        rest = &rest[..start.checked_sub(1)?];
    }
}
