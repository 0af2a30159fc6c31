//! Directories with the same contents, found with a Merkle hash: the hash of a directory covers the name, the kind and
//! the contents of each entry. The contents of a child directory are represented by its hash.
//!
//! Invariant: a directory has a hash only if it has not changed since the scan and the contents of all its entries are
//! known. The contents of a file are known if the file is empty or in a set of identical files.

use std::collections::HashMap;

use super::contents::ContentHash;
use super::search::DuplicateSearch;
use crate::base::kind::Kind;
use crate::base::sort::sort_by_key;
use crate::platform::{Directory, FileSystem};
use crate::scan::reach;
use crate::tree::{DirId, Entry, EntryId, EntryState, Tree, Walk};
use std::os::unix::ffi::OsStrExt;

/// Map from each entry of a file to the index of the set of identical files that contains the file. A file with several
/// names has several entries.
pub(crate) type SetOfName = HashMap<EntryId, u32>;

/// Set of directories with the same contents.
#[derive(Debug)]
pub(crate) struct DirectorySet {
    pub(crate) directories: Vec<DirId>,
    pub(crate) summary: DirectorySummary,
}

/// Summary of a directory's contents. All copies of the directory have the same summary.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DirectorySummary {
    /// Number of non-empty files in the directory and below it.
    pub(crate) files: u64,
    /// Total length in bytes of all files in the directory and below it.
    pub(crate) size: u64,
    /// Number of directory levels below this directory.
    pub(crate) height: u32,
}

/// Contents of one entry, as input for the hash of its directory.
enum EntryContents {
    /// File, with the index of its set of identical files; `None` for an empty file.
    File(Option<u32>),
    Directory(ContentHash),
    /// Symbolic link. Its target is read only when the hash is computed.
    Symlink,
}

/// Finds the sets of directories below `from` that have the same contents. Sets whose directories have the most
/// levels come first. `size` takes the index of a set of identical files and returns the length of each file in it.
pub(crate) fn find(
    search: &DuplicateSearch<'_>,
    from: DirId,
    sets: &SetOfName,
    size: impl Fn(u32) -> u64,
) -> Vec<DirectorySet> {
    let mut known: HashMap<DirId, (ContentHash, DirectorySummary)> = HashMap::new();
    for (id, mtime) in directories(search.tree, from).into_iter().rev() {
        if search.task.is_cancelled() {
            break;
        }
        let found = hash(search.tree, id, mtime, sets, &size, &known);
        known.extend(found.map(|found| (id, found)));
    }
    let mut equal: HashMap<ContentHash, DirectorySet> = HashMap::new();
    for (id, (hash, summary)) in known {
        if summary.files > 0 {
            let set = equal.entry(hash).or_insert_with(|| DirectorySet { directories: Vec::new(), summary });
            set.directories.push(id);
        }
    }
    let mut sets: Vec<DirectorySet> = equal.into_values().filter(|set| set.directories.len() > 1).collect();
    sort_by_key(&mut sets, |set| std::cmp::Reverse(set.summary.height));
    sets
}

/// Returns the directories below `from` with their modification times, parents before their children.
fn directories(tree: &Tree, from: DirId) -> Vec<(DirId, i64)> {
    let mut all = Vec::new();
    for (id, listing) in Walk::new(tree, from) {
        let below = listing.entries().filter_map(|(_, entry)| match entry.state {
            EntryState::Known(metadata) => Some((metadata.directory?, metadata.mtime)),
            EntryState::Excluded(_) | EntryState::Failed(_) => None,
        });
        all.extend(below.filter(|(child, _)| tree.parent(*child) == Some(id)));
    }
    all
}

/// Returns the hash and the summary of a directory. Returns `None` if the directory was not read completely, is not
/// [`unchanged`], or contains an entry whose contents are unknown.
fn hash(
    tree: &Tree,
    id: DirId,
    mtime: i64,
    sets: &SetOfName,
    size: impl Fn(u32) -> u64,
    known: &HashMap<DirId, (ContentHash, DirectorySummary)>,
) -> Option<(ContentHash, DirectorySummary)> {
    if !tree.status(id).is_known() {
        return None;
    }
    let mut summary = DirectorySummary::default();
    let mut parts = Vec::new();
    for (position, entry) in tree.listing(id).entries() {
        let part = part(&entry, EntryId { directory: id, position }, sets, known)?;
        match &part {
            EntryContents::File(Some(set)) => {
                summary.files += 1;
                summary.size = summary.size.saturating_add(size(*set));
            }
            EntryContents::Directory(_) => {
                let (_, below) = known.get(&entry.directory()?)?;
                summary.files += below.files;
                summary.size = summary.size.saturating_add(below.size);
                summary.height = summary.height.max(below.height + 1);
            }
            EntryContents::File(None) | EntryContents::Symlink => {}
        }
        parts.push((entry.name, part));
    }
    parts.sort_unstable_by_key(|(name, _)| *name);
    Some((hash_parts(&unchanged(tree, id, mtime)?, &parts)?, summary))
}

/// Returns the contents of an entry. Returns `None` if the metadata is unknown, if a nonempty file is in no set of
/// identical files, if a directory is not in `known`, or if the entry is not a file, directory or symbolic link.
fn part(
    entry: &Entry<'_>,
    id: EntryId,
    sets: &SetOfName,
    known: &HashMap<DirId, (ContentHash, DirectorySummary)>,
) -> Option<EntryContents> {
    let EntryState::Known(metadata) = entry.state else { return None };
    match entry.kind {
        Kind::File if metadata.apparent == 0 => Some(EntryContents::File(None)),
        Kind::File => Some(EntryContents::File(Some(*sets.get(&id)?))),
        Kind::Directory => Some(EntryContents::Directory(known.get(&metadata.directory?)?.0)),
        Kind::Symlink => Some(EntryContents::Symlink),
        Kind::Fifo | Kind::Socket | Kind::BlockDevice | Kind::CharDevice | Kind::Unknown => None,
    }
}

/// Opens a directory. Returns `None` if it cannot be opened, if its file system is not [`FileSystem::Ordinary`], or
/// if its modification time is no longer `mtime`, because an entry was added or deleted since the scan.
fn unchanged(tree: &Tree, id: DirId, mtime: i64) -> Option<Directory> {
    let directory = reach(tree, id).ok()?;
    let is_ordinary = directory.file_system() == Ok(FileSystem::Ordinary);
    (is_ordinary && directory.attributes().ok()?.mtime == mtime).then_some(directory)
}

fn hash_parts(directory: &Directory, parts: &[(&[u8], EntryContents)]) -> Option<ContentHash> {
    let mut hasher = blake3::Hasher::new();
    // Each part is preceded by its length, so that different parts never result in the same sequence of bytes.
    let add = |hasher: &mut blake3::Hasher, bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for (name, part) in parts {
        add(&mut hasher, name);
        match part {
            EntryContents::File(None) => add(&mut hasher, b"empty"),
            EntryContents::File(Some(set)) => add(&mut hasher, &set.to_le_bytes()),
            EntryContents::Directory(below) => add(&mut hasher, below),
            EntryContents::Symlink => {
                let (_, target) = directory.read_link(*name).ok()?;
                add(&mut hasher, b"symlink");
                add(&mut hasher, target.as_bytes());
            }
        }
    }
    Some(hasher.finalize().into())
}
