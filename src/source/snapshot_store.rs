//! Automatic snapshots, which serve as baselines when a disk has filled up.
//!
//! All snapshots are in one folder. A file name consists of a series, a checksum and a time:
//!
//! ```text
//! scan-1c291ca3-01700000000.duke     checksum of roots and flags, seconds since 1970
//! last-1c291ca3-01700003600.duke     the same, for the latest scan
//! ```
//!
//! Snapshots of the `scan` series serve as baselines. They are at least a day apart, except those that the
//! user requests with `duke save`. The `last` series has at most one snapshot for each combination of roots and flags.
//! During the next scan with the same roots and flags, the browser shows the sizes in this snapshot.
//!
//! Invariant: a snapshot is not written to a disk that is nearly full, nor into a folder that another user can
//! change. After each write, the oldest snapshots are deleted until the total size is at most
//! [`RetentionPolicy::bytes`]. Only snapshots with names of this form, and the temporary files for them, are deleted.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::base::absolute::absolute_bytes;
use crate::base::sort::sort_by;
use crate::base::sync::AtomicBool;
use crate::formats::snapshot::{OpenError, Snapshot, SnapshotInfo, WriteControl, WriteError, open, save};
use crate::platform::atomic_file::{AtomicFile, UNFINISHED};
use crate::platform::entry::safe_path::{Error, PrivateFolder, UnsafePath};
use crate::platform::fs::capacity::capacity;
use crate::tree::{DirId, Tree};

/// Retention policy of automatic snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Folder for the snapshots, created when the first one is written.
    pub folder: PathBuf,
    /// Maximum age. Older snapshots are deleted.
    pub age: Duration,
    /// Maximum total size in bytes. If all snapshots together are larger, the oldest are deleted. A single snapshot
    /// larger than half of this size is not written.
    pub bytes: u64,
    /// Minimum time between two baselines of the same roots and flags, unless the user requests one.
    pub interval: Duration,
    /// `true` to keep a snapshot of the latest scan if it is too early for a new baseline (see `interval`).
    pub keeps_latest: bool,
}

/// Space that must remain free on a file system: 1/`FREE_SHARE` of its size, but at least `FREE_BYTES`.
const FREE_SHARE: u64 = 20;
const FREE_BYTES: u64 = 1 << 30;

pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl RetentionPolicy {
    /// Returns the default policy: keep snapshots for 30 days and up to 512 MiB in total, with at most one baseline per
    /// day for the same roots and flags.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, age: 30 * DAY, bytes: 512 << 20, interval: DAY, keeps_latest: true }
    }
}

/// Result of [`keep`].
#[derive(Debug)]
pub enum Kept {
    /// A new snapshot was written to this path.
    New(PathBuf),
    /// No new baseline was written, because a recent one exists. If [`RetentionPolicy::keeps_latest`] is set, a
    /// snapshot of the series `Latest` was written instead.
    Recent,
}

/// Reason why no snapshot was kept.
#[derive(Debug)]
pub enum KeepError {
    /// The disk is nearly full.
    NoRoom,
    /// Another user could change the folder, or a directory on its path.
    Unsafe(UnsafePath),
    /// The snapshot could not be written.
    Write(WriteError),
}

impl From<io::Error> for KeepError {
    fn from(error: io::Error) -> Self {
        Self::Write(error.into())
    }
}

impl From<Error> for KeepError {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(unsafe_path) => Self::Unsafe(unsafe_path),
            Error::System(errno) => io::Error::from(errno).into(),
        }
    }
}

impl std::fmt::Display for KeepError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRoom => formatter.write_str("the disk is nearly full; write elsewhere with -o FILE"),
            Self::Unsafe(unsafe_path) => unsafe_path.fmt(formatter),
            Self::Write(unsaved) => unsaved.fmt(formatter),
        }
    }
}

/// Writes a snapshot of `tree`, and then deletes snapshots that exceed the limits. The new snapshot is a baseline
/// unless there already is a recent baseline of the same roots and flags. In that case, it belongs to the series
/// `Latest`, and is written only if [`RetentionPolicy::keeps_latest`] is set.
///
/// # Errors
/// Returns an error if the snapshot cannot be written, or if another user can change the folder. After an error,
/// existing snapshots are unchanged.
pub fn keep(
    settings: &RetentionPolicy,
    tree: &Tree,
    about: &SnapshotInfo,
    stop: &AtomicBool,
) -> Result<Kept, KeepError> {
    let roots = roots(tree);
    let since = about.scanned_at.saturating_sub_unsigned(settings.interval.as_secs());
    let has_recent = own_snapshots(&PrivateFolder::find(&settings.folder)?).iter().any(|found| {
        found.series == Series::Baseline
            && found.key == key(&roots, &about.scope)
            && (since..=about.scanned_at).contains(&found.scanned_at)
    });
    if !has_recent {
        return write(settings, Series::Baseline, tree, about, stop).map(Kept::New);
    }
    if settings.keeps_latest {
        write(settings, Series::Latest, tree, about, stop)?;
    }
    Ok(Kept::Recent)
}

/// Writes a snapshot of `tree` as a baseline, even if there is a recent baseline. Then deletes snapshots that exceed
/// the limits. Returns the path of the new snapshot.
///
/// # Errors
/// Returns the same errors as [`keep`].
pub fn keep_now(
    settings: &RetentionPolicy,
    tree: &Tree,
    about: &SnapshotInfo,
    stop: &AtomicBool,
) -> Result<PathBuf, KeepError> {
    write(settings, Series::Baseline, tree, about, stop)
}

fn write(
    settings: &RetentionPolicy,
    series: Series,
    tree: &Tree,
    about: &SnapshotInfo,
    stop: &AtomicBool,
) -> Result<PathBuf, KeepError> {
    let folder = PrivateFolder::find(&settings.folder)?.make()?;
    let bytes = room(folder.path())?.ok_or(KeepError::NoRoom)?.min(settings.bytes / 2);
    let name = name_of(series, &key(&roots(tree), &about.scope), about.scanned_at);
    let path = folder.path().join(name);
    let mut file = AtomicFile::begin(&path)?;
    save(tree, about, &WriteControl { bytes, ..WriteControl::new(stop) }, &mut file)
        .map_err(KeepError::Write)?;
    file.keep()?;
    prune(settings, &folder, about.scanned_at);
    Ok(path)
}

/// Returns the newest baseline in `folder` that has these roots and flags (`scope`) and can be opened. Considers only
/// scans before the time `before`, in seconds since 1970. Returns `None` if there is no such baseline, or if another
/// user can change the folder.
pub fn latest_for(folder: &Path, roots: &[&[u8]], scope: &[u8], before: i64) -> Option<PathBuf> {
    kept_for(folder, roots, scope, before, 0).map(|(path, _)| path)
}

/// Works like [`latest_for`], but returns the baseline at `index`, counted from the newest (0). Also returns the number
/// of baselines with matching file names, including files that cannot be opened.
pub fn kept_for(
    folder: &Path,
    roots: &[&[u8]],
    scope: &[u8],
    before: i64,
    index: usize,
) -> Option<(PathBuf, usize)> {
    let roots: Vec<Vec<u8>> = roots.iter().map(|root| absolute_bytes(root)).collect();
    let key = key(&roots, scope);
    let mut found = own_snapshots(&PrivateFolder::find(folder).ok()?);
    found.retain(|found| found.series == Series::Baseline && found.key == key && found.scanned_at < before);
    let is_right = |found: &Found| open(&found.path).is_ok_and(|there| is_of(&there, &roots, scope));
    let count = found.len();
    found.into_iter().filter(is_right).nth(index).map(|found| (found.path, count))
}

/// Returns `true` if a snapshot has these roots and flags. The checksum in the file name is no proof, because different
/// roots or flags can have the same checksum.
pub(crate) fn is_of(snapshot: &Snapshot, roots: &[Vec<u8>], scope: &[u8]) -> bool {
    self::roots(&snapshot.tree) == roots && snapshot.about.scope == scope
}

/// Snapshot in the folder of automatic snapshots.
#[derive(Debug)]
pub struct KeptSnapshot {
    pub path: PathBuf,
    /// Time of the scan in seconds since 1970.
    pub scanned_at: i64,
    /// Roots and flags of the snapshot, or the reason why the file cannot be opened.
    pub subject: Result<Subject, OpenError>,
}

/// Roots and flags of a scan.
#[derive(Debug)]
pub struct Subject {
    /// Absolute paths of the roots.
    pub roots: Vec<Vec<u8>>,
    /// Flags that select the entries of the scan, as in [`SnapshotInfo::scope`].
    pub scope: Vec<u8>,
}

/// Returns all snapshots in `folder` that serve as baselines, newest first, including files that cannot be opened.
///
/// # Errors
///
/// Returns an error if another user can change the folder, or if the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<KeptSnapshot>, KeepError> {
    let found = own_snapshots(&PrivateFolder::find(folder)?).into_iter();
    Ok(found
        .filter(|found| found.series == Series::Baseline)
        .map(|Found { path, scanned_at, .. }| {
            let subject =
                open(&path).map(|there| Subject { roots: roots(&there.tree), scope: there.about.scope });
            KeptSnapshot { path, scanned_at, subject }
        })
        .collect())
}

/// Returns the absolute paths of a tree's roots.
fn roots(tree: &Tree) -> Vec<Vec<u8>> {
    tree.listing(DirId::TOP).entries().map(|(_, root)| absolute_bytes(root.name)).collect()
}

/// Returns a checksum of `roots` and of the flags in `scope`, for the file name of a snapshot.
pub(crate) fn key(roots: &[Vec<u8>], scope: &[u8]) -> String {
    let mut whole = scope.to_vec();
    for root in roots {
        whole.push(0);
        whole.extend_from_slice(root);
    }
    format!("{:08x}", crc32fast::hash(&whole))
}

fn name_of(series: Series, key: &str, scanned_at: i64) -> String {
    format!("{}-{key}-{:011}.duke", series.prefix(), scanned_at.max(0))
}

/// Series that a snapshot belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Series {
    /// Snapshots that serve as baselines. They are at least [`RetentionPolicy::interval`] apart, except those that the
    /// user requested.
    Baseline,
    /// Snapshot of the latest scan. It replaces the older one of the same roots and flags.
    Latest,
}

impl Series {
    fn prefix(self) -> &'static str {
        match self {
            Self::Baseline => "scan",
            Self::Latest => "last",
        }
    }
}

/// File whose name has the form of a snapshot's name.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    series: Series,
    pub(crate) key: String,
    pub(crate) scanned_at: i64,
    bytes: u64,
    /// `true` if the file belongs to the owner of the folder or to the superuser.
    pub(crate) is_own: bool,
}

/// Returns the files in `folder` whose names have the form of snapshot names, newest first.
pub(crate) fn snapshots(folder: &PrivateFolder) -> Vec<Found> {
    let owner = folder.attributes().uid;
    let entries = folder.exists().then(|| fs::read_dir(folder.path()));
    let Some(Ok(entries)) = entries else { return Vec::new() };
    let found = |entry: fs::DirEntry| {
        let (series, key, scanned_at) = parse(entry.file_name().to_str()?)?;
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let is_own = metadata.uid() == owner || metadata.uid() == 0;
        Some(Found { path: entry.path(), series, key, scanned_at, bytes: metadata.len(), is_own })
    };
    let mut found: Vec<Found> = entries.filter_map(Result::ok).filter_map(found).collect();
    sort_by(&mut found, |one, other| {
        other.scanned_at.cmp(&one.scanned_at).then_with(|| one.path.cmp(&other.path))
    });
    found
}

/// Returns the snapshots in `folder` that belong to its owner or to the superuser, newest first.
fn own_snapshots(folder: &PrivateFolder) -> Vec<Found> {
    let mut found = snapshots(folder);
    found.retain(|found| found.is_own);
    found
}

/// Parses the name of a snapshot into its series, checksum and time.
fn parse(name: &str) -> Option<(Series, String, i64)> {
    let (prefix, rest) = name.split_once('-')?;
    let series = [Series::Baseline, Series::Latest].into_iter().find(|series| series.prefix() == prefix)?;
    let (key, seconds) = rest.strip_suffix(".duke")?.split_once('-')?;
    let scanned_at = seconds.parse().ok()?;
    (name_of(series, key, scanned_at) == name).then(|| (series, key.to_owned(), scanned_at))
}

/// Deletes the oldest snapshots if the limits are exceeded, and each snapshot of the `Latest` series if there is a
/// newer snapshot of the same roots and flags. Also deletes files that killed processes left unfinished more than a day
/// ago. Ignores errors.
fn prune(settings: &RetentionPolicy, folder: &PrivateFolder, now: i64) {
    let oldest = now.saturating_sub_unsigned(settings.age.as_secs());
    let mut bytes: u64 = 0;
    let mut newer = HashSet::new();
    for found in own_snapshots(folder) {
        let is_replaced = !newer.insert(found.key) && found.series == Series::Latest;
        if !is_replaced {
            bytes = bytes.saturating_add(found.bytes);
        }
        if is_replaced || found.scanned_at < oldest || bytes > settings.bytes {
            let _ = fs::remove_file(found.path);
        }
    }
    let Ok(entries) = fs::read_dir(folder.path()) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let is_unfinished = [b".scan-", b".last-"].iter().any(|start| name.as_bytes().starts_with(*start))
            && name.as_bytes().ends_with(UNFINISHED.as_bytes());
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .map(|changed| SystemTime::now().duration_since(changed).unwrap_or_default());
        if is_unfinished && age.is_ok_and(|age| age > DAY) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the number of bytes that may be written to the file system of `folder`; `None` if it is nearly full.
fn room(folder: &Path) -> io::Result<Option<u64>> {
    let capacity = capacity(folder).map_err(io::Error::from)?;
    let kept_free = (capacity.size / FREE_SHARE).max(FREE_BYTES);
    Ok(capacity.available.checked_sub(kept_free).filter(|room| *room > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_snapshot_names_are_recognized() {
        let roots = [b"/a".to_vec(), b"/b".to_vec()];
        for series in [Series::Baseline, Series::Latest] {
            let name = name_of(series, &key(&roots, b"-x"), 1_700_000_000);
            assert_eq!(parse(&name), Some((series, key(&roots, b"-x"), 1_700_000_000)));
        }
        let name = name_of(Series::Baseline, &key(&roots, b"-x"), 1_700_000_000);
        assert_ne!(key(&roots, b"-x"), key(&roots, b""));
        assert_ne!(key(&roots, b""), key(&roots[..1], b""));
        for other in ["", "scan-.duke", "scan-1-2.duke", "notes.txt", &name[1..], &format!("{name}~")] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
