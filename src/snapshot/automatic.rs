//! Snapshots that are kept without being asked for, so that there is something to compare with when a disk is full.
//!
//! They lie in one folder, each under a name that says of which roots it is and when they were scanned:
//!
//! ```text
//! scan-1c291ca3-01700000000.duke     checksum of roots and scope, seconds since 1970
//! ```
//!
//! Invariant: nothing is written where it could do harm: not onto a disk that is nearly full, not into the folder of somebody
//! else, and never more than was allowed altogether. Only files with such names are ever removed.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{About, Limits, Unsaved, open, save};
use crate::platform::absolute::absolute_bytes;
use crate::platform::capacity::capacity;
use crate::platform::state::is_ours;
use crate::replacement::{Replacement, UNFINISHED};
use crate::sync::AtomicBool;
use crate::tree::{DirId, Tree};

/// Where automatic snapshots are kept, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The folder; made when it is needed.
    pub folder: PathBuf,
    /// Older ones are removed.
    pub age: Duration,
    /// Bytes of all together: the oldest are removed beyond that, and one of more than half of it is not kept.
    pub bytes: u64,
    /// Time between two of the same roots.
    pub interval: Duration,
}

/// How much of a file system has to stay free: this share of it, and at least so many bytes.
const FREE_SHARE: u64 = 20;
const FREE_BYTES: u64 = 1 << 30;

/// A day.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Settings {
    /// What is right for most: a month, 512 MiB, one a day of the same roots.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, age: 30 * DAY, bytes: 512 << 20, interval: DAY }
    }
}

/// What became of a snapshot.
#[derive(Debug)]
pub enum Kept {
    /// It is there.
    New(PathBuf),
    /// There is one that is new enough.
    Recent,
}

/// Why there is no snapshot.
#[derive(Debug)]
pub enum Unkept {
    /// The disk is nearly full.
    NoRoom,
    /// The folder would be in one that belongs to somebody else.
    Foreign,
    /// It could not be written.
    Unsaved(Unsaved),
}

impl From<io::Error> for Unkept {
    fn from(error: io::Error) -> Self {
        Self::Unsaved(error.into())
    }
}

impl std::fmt::Display for Unkept {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRoom => formatter.write_str("the disk is nearly full: -o FILE writes to another one"),
            Self::Foreign => formatter.write_str("the folder belongs to somebody else"),
            Self::Unsaved(unsaved) => unsaved.fmt(formatter),
        }
    }
}

/// Keeps a snapshot of `tree`, unless there is a recent one, and removes those there are too many of.
///
/// # Errors
/// When there is no snapshot. What was there before still is.
pub fn keep(settings: &Settings, tree: &Tree, about: &About, stop: &AtomicBool) -> Result<Kept, Unkept> {
    let roots = roots(tree);
    let since = about.scanned_at.saturating_sub_unsigned(settings.interval.as_secs());
    if snapshots(&settings.folder).iter().any(|found| {
        found.key == key(&roots, &about.scope) && (since..=about.scanned_at).contains(&found.scanned_at)
    }) {
        return Ok(Kept::Recent);
    }
    keep_now(settings, tree, about, stop).map(Kept::New)
}

/// Keeps a snapshot of `tree` however new the last one is. Says where it is.
///
/// # Errors
/// As [`keep`].
pub fn keep_now(
    settings: &Settings,
    tree: &Tree,
    about: &About,
    stop: &AtomicBool,
) -> Result<PathBuf, Unkept> {
    let folder = &settings.folder;
    if !is_ours(folder)? {
        return Err(Unkept::Foreign);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let bytes = room(folder)?.ok_or(Unkept::NoRoom)?.min(settings.bytes / 2);
    let name = name_of(&key(&roots(tree), &about.scope), about.scanned_at);
    let path = folder.join(name);
    let mut file = Replacement::begin(&path)?;
    save(tree, about, &Limits { bytes, stop }, &mut file).map_err(Unkept::Unsaved)?;
    file.keep()?;
    prune(settings, about.scanned_at);
    Ok(path)
}

/// The newest snapshot in `folder` of the same roots and scope that was scanned before `before`, in seconds since 1970. It
/// can be opened, or could be a moment ago.
pub fn latest_for(folder: &Path, roots: &[&[u8]], scope: &[u8], before: i64) -> Option<PathBuf> {
    let roots: Vec<Vec<u8>> = roots.iter().map(|root| absolute_bytes(root)).collect();
    let key = key(&roots, scope);
    let mut found = snapshots(folder);
    found.retain(|found| found.key == key && found.scanned_at < before);
    found.sort_unstable_by_key(|found| std::cmp::Reverse(found.scanned_at));
    // A checksum may be that of other roots too.
    let is_right = |found: &Found| {
        open(&found.path).is_ok_and(|there| self::roots(&there.tree) == roots && there.about.scope == scope)
    };
    found.into_iter().find(is_right).map(|found| found.path)
}

/// The absolute paths of the roots of a tree.
fn roots(tree: &Tree) -> Vec<Vec<u8>> {
    tree.listing(DirId::TOP).entries().map(|(_, root)| absolute_bytes(root.name)).collect()
}

/// What tells snapshots of different roots apart.
fn key(roots: &[Vec<u8>], scope: &[u8]) -> String {
    let mut whole = scope.to_vec();
    for root in roots {
        whole.push(0);
        whole.extend_from_slice(root);
    }
    format!("{:08x}", crc32fast::hash(&whole))
}

fn name_of(key: &str, scanned_at: i64) -> String {
    format!("scan-{key}-{:011}.duke", scanned_at.max(0))
}

/// A file whose name is that of a snapshot.
struct Found {
    path: PathBuf,
    key: String,
    scanned_at: i64,
    bytes: u64,
}

/// The snapshots in `folder`, in no order.
fn snapshots(folder: &Path) -> Vec<Found> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let found = |entry: fs::DirEntry| {
        let (key, scanned_at) = parse(entry.file_name().to_str()?)?;
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Found { path: entry.path(), key, scanned_at, bytes: metadata.len() })
    };
    entries.filter_map(Result::ok).filter_map(found).collect()
}

/// Key and time in the name of a snapshot.
fn parse(name: &str) -> Option<(String, i64)> {
    let (key, seconds) = name.strip_prefix("scan-")?.strip_suffix(".duke")?.split_once('-')?;
    let scanned_at = seconds.parse().ok()?;
    (name_of(key, scanned_at) == name).then(|| (key.to_owned(), scanned_at))
}

/// Removes what is too old or too much, the oldest first, and what a killed process has left unfinished. What cannot be removed stays.
fn prune(settings: &Settings, now: i64) {
    let mut found = snapshots(&settings.folder);
    found.sort_unstable_by_key(|found| std::cmp::Reverse(found.scanned_at));
    let oldest = now.saturating_sub_unsigned(settings.age.as_secs());
    let mut bytes: u64 = 0;
    for found in found {
        bytes = bytes.saturating_add(found.bytes);
        if found.scanned_at < oldest || bytes > settings.bytes {
            let _ = fs::remove_file(found.path);
        }
    }
    let Ok(entries) = fs::read_dir(&settings.folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let is_unfinished =
            name.as_bytes().starts_with(b".scan-") && name.as_bytes().ends_with(UNFINISHED.as_bytes());
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .map(|changed| SystemTime::now().duration_since(changed).unwrap_or_default());
        if is_unfinished && age.is_ok_and(|age| age > DAY) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// How many bytes may be written to the file system of `folder`; none when it is nearly full.
fn room(folder: &Path) -> io::Result<Option<u64>> {
    let capacity = capacity(folder).map_err(io::Error::from)?;
    let kept_free = (capacity.size / FREE_SHARE).max(FREE_BYTES);
    Ok(capacity.available.checked_sub(kept_free).filter(|room| *room > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_snapshots_are_taken_for_some() {
        let roots = [b"/a".to_vec(), b"/b".to_vec()];
        let name = name_of(&key(&roots, b"-x"), 1_700_000_000);
        assert_eq!(parse(&name), Some((key(&roots, b"-x"), 1_700_000_000)));
        assert_ne!(key(&roots, b"-x"), key(&roots, b""));
        assert_ne!(key(&roots, b""), key(&roots[..1], b""));
        for other in ["", "scan-.duke", "scan-1-2.duke", "notes.txt", &name[1..], &format!("{name}~")] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
