//! Search for the snapshot of the previous scan, whose sizes the browser shows while it scans the same roots again.
//!
//! If the newest snapshot file cannot be used, the next older file is tried, and so on.

use std::io;
use std::path::{Path, PathBuf};

use crate::base::absolute::absolute_bytes;
use crate::formats::snapshot::{OpenError, Snapshot, open_by};
use crate::platform::entry::safe_path::PrivateFolder;
use crate::platform::memory::block_file::Access;
use crate::source::snapshot_store::{Found, is_of, key, snapshots};
use crate::tree::Tree;

/// Result of [`open_latest`].
#[derive(Default)]
pub struct Latest {
    /// Newest snapshot that can be used.
    pub snapshot: Option<Snapshot>,
    /// Path of the newest snapshot file that was ignored, and the reason. Files that no longer exist and snapshots that
    /// the caller rejects do not count.
    pub ignored: Option<(PathBuf, String)>,
}

/// Opens the newest snapshot in `folder` that has the roots `roots` and the flags `scope`, was scanned no later than
/// `now`, and is accepted by `is_usable`. The snapshot may belong to either series (see `snapshot_store`). The file
/// is not memory-mapped, because this process would be killed if another program truncated a mapped file.
pub fn open_latest(
    folder: &Path,
    roots: &[&[u8]],
    scope: &[u8],
    now: i64,
    is_usable: impl Fn(&Tree) -> bool,
) -> Latest {
    let roots: Vec<Vec<u8>> = roots.iter().map(|root| absolute_bytes(root)).collect();
    let key = key(&roots, scope);
    let mut latest = Latest::default();
    let Ok(folder) = PrivateFolder::find(folder) else { return latest };
    let found = snapshots(&folder).into_iter();
    for Found { path, is_own, .. } in found.filter(|found| found.key == key && found.scanned_at <= now) {
        let reason = match is_own.then(|| open_by(&path, Some(Access::Read))) {
            None => "belongs to another user".to_owned(),
            Some(Err(OpenError::Unreadable(error))) if error.kind() == io::ErrorKind::NotFound => continue,
            Some(Err(error)) => error.to_string(),
            Some(Ok(there)) if !is_of(&there, &roots, scope) => "saved for other paths or flags".to_owned(),
            Some(Ok(there)) if is_usable(&there.tree) => {
                latest.snapshot = Some(there);
                break;
            }
            Some(Ok(_)) => continue,
        };
        latest.ignored.get_or_insert((path, reason));
    }
    latest
}
