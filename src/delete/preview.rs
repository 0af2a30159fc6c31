//! Preview of a deletion, computed by the same walk as the deletion itself, but without deleting anything.
//!
//! The preview reads the file system again, so the dialog shows the current state: sizes, recent changes, obstacles,
//! and the bytes that would be freed. An inode is freed if all of its names are selected. Space that a file shares with
//! a copy is freed only if the copy is deleted too. The preview cannot tell whether this will happen, so it gives a
//! lower and an upper bound. On btrfs there is no upper bound.
//!
//! Invariant: files are opened only to read their extents, only on file systems that can share extents, and never if
//! their contents are in the cloud.

use std::collections::HashMap;
use std::ffi::CStr;
use std::time::{Duration, Instant};

use super::guard::{self, DeleteWarning};
use super::link_tracker::LinkTracker;
use super::seen::{self, Seen};
use super::walk::{At, Disposition, Visitor, Walk};
use super::{Blocked, Failures, Kept, Reason, Selection};
use crate::base::job::{Job, Pool, Task};
use crate::base::kind::Kind;
use crate::base::sync::{Arc, Mutex, lock};
use crate::platform::entry::extents;
use crate::platform::entry::extents::Sharing;
use crate::platform::fs::overhead::btrfs::has_unwritten_data;
use crate::platform::{Attributes, Directory, Errno, Rights};

/// Maximum number of files whose extents are read. Beyond this limit, files count as shared if their file system can
/// share extents.
const MAX_EXTENT_READS: u64 = 20_000;
/// Disk usage in bytes below which the extents of a file are not read.
const WORTH_ASKING: u64 = 64 << 10;
/// Age in seconds below which a file counts as recently changed and possibly still in use.
const RECENT: i64 = 60;
/// Time from the start to the first report. Each later report is due when the time since the start is `NEXT` times as
/// long as at the previous report.
const FIRST: Duration = Duration::from_millis(20);
const NEXT: u32 = 2;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Number of directories, including the selected ones.
    pub directories: u64,
    /// Number of entries that are not directories. Each name of a hard-linked inode counts.
    pub files: u64,
    /// Number of bytes that the deletion is certain to free.
    pub least: u64,
    /// Number of bytes freed if all other files that share data with the items are deleted too.
    pub most: u64,
    /// `true` if the deletion may free more than `most`: some file systems, such as btrfs, keep a whole extent while a
    /// file uses part of it, and also free the unused parts when the last such file is deleted.
    pub is_unbounded: bool,
    /// Number of inodes that also have names outside the selection, and are therefore not freed.
    pub linked: u64,
    /// Latest modification time (mtime) of the entries visited so far, in seconds since 1970; `None` if there are none.
    pub newest: Option<i64>,
    /// Number of files and directories changed within the last minute.
    pub recent: u64,
    /// Counts of entries that a deletion would keep, by reason.
    pub kept: Kept,
    /// Counts of items that cannot be moved to the trash, by reason.
    pub unmoved: Kept,
    /// Number of entries that a deletion would keep, including the directories that contain them; 0 until
    /// `is_complete`.
    pub staying: u64,
    /// Entries that a deletion would keep, such as mount points and unreadable entries.
    pub failures: Failures,
    /// Indexes of the items that the guards refuse to delete, each with the reason.
    pub blocked: Vec<(usize, Blocked)>,
    /// Warnings that require a special confirmation.
    pub warnings: Vec<DeleteWarning>,
    /// Indexes of the items that have changed since they were read. These items are not deleted.
    pub changed: Vec<usize>,
    /// Items to which the operation applies: the selection without the items in `changed`. Each item contains the
    /// identity that the preview found on the disk. `None` only in [`Preview::default`].
    pub unchanged: Option<Arc<Selection>>,
    pub is_complete: bool,
}

impl Preview {
    /// Returns the number of names that would be deleted. Until the preview is complete, returns the number of names
    /// visited so far.
    pub fn entries(&self) -> u64 {
        (self.directories + self.files).saturating_sub(self.staying)
    }
}

/// Starts a preview of the selection. `now` is in seconds since 1970.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn preview(pool: &Pool, selection: Arc<Selection>, now: i64) -> std::io::Result<Job<Preview>> {
    pool.start(move |task| {
        let previewer = Previewer::new(task, now);
        let failures = Mutex::default();
        let (blocked, warnings) = guard::check(&selection);
        let Seen { unchanged, changed, unmoved } = seen::check(&selection);
        let unchanged = Arc::new(unchanged);
        let begun = Preview {
            blocked,
            warnings,
            changed,
            unmoved,
            unchanged: Some(Arc::clone(&unchanged)),
            ..Preview::default()
        };
        // Blocked entries are known before the walk begins, so they are shown at once.
        task.publish(begun.clone());
        lock(&previewer.progress).preview = begun;
        let is_cancelled = || {
            previewer.report(&failures);
            task.is_cancelled()
        };
        let threads = task.threads();
        Walk::new(&previewer, &unchanged, &is_cancelled, &failures, threads.current_num_threads())
            .run(threads);
        if !task.is_cancelled() {
            let progress = lock(&previewer.progress);
            let preview = progress.preview(&failures);
            let staying = (preview.files + preview.directories).saturating_sub(progress.deletable);
            task.publish(Preview { is_complete: true, staying, ..preview });
        }
    })
}

struct Previewer<'a> {
    task: &'a Task<Preview>,
    progress: Mutex<Progress>,
    now: i64,
    begun: Instant,
}

#[derive(Default)]
struct Progress {
    preview: Preview,
    /// Number of names visited so far that would be deleted, not kept.
    deletable: u64,
    links: LinkTracker,
    /// Results of [`extents::sharing`] so far, keyed by device.
    sharing: HashMap<u64, Sharing>,
    asked: u64,
    due: Duration,
}

impl<'a> Previewer<'a> {
    fn new(task: &'a Task<Preview>, now: i64) -> Self {
        let progress = Progress { due: FIRST, ..Progress::default() };
        Self { task, progress: Mutex::new(progress), now, begun: Instant::now() }
    }

    /// Publishes the preview so far, if a report is due.
    fn report(&self, failures: &Mutex<Failures>) {
        let elapsed = self.begun.elapsed();
        let mut progress = lock(&self.progress);
        if elapsed >= progress.due {
            let preview = progress.preview(failures);
            progress.due = self.begun.elapsed() * NEXT;
            drop(progress);
            self.task.publish(preview);
        }
    }

    /// Adds the space that deleting an entry frees.
    fn add_space(&self, at: &Directory, name: &CStr, found: &Attributes) {
        let bytes = found.blocks.saturating_mul(512);
        let sharing = self.sharing(at, found.device);
        let (least, most) = match (found.kind, sharing) {
            (_, Sharing::Never) => (bytes, bytes),
            (Kind::File, _) => (self.least(at, name, bytes), bytes),
            (_, Sharing::Bounded) => (bytes, bytes),
            // btrfs stores entries that are not regular files in its metadata, although it reports blocks for them.
            (_, Sharing::Unbounded) => (0, 0),
        };
        let preview = &mut lock(&self.progress).preview;
        preview.least = preview.least.saturating_add(least);
        preview.most = preview.most.saturating_add(most);
        preview.is_unbounded |= sharing == Sharing::Unbounded;
    }

    fn sharing(&self, at: &Directory, device: u64) -> Sharing {
        let known = lock(&self.progress).sharing.get(&device).copied();
        known.unwrap_or_else(|| {
            let sharing = extents::sharing(at);
            lock(&self.progress).sharing.insert(device, sharing);
            sharing
        })
    }

    /// Returns the number of bytes that deleting a file is certain to free: bytes that no other file shares. `bytes` is
    /// the file's disk usage. Returns 0 if the extents are not read (see [`WORTH_ASKING`] and [`MAX_EXTENT_READS`]),
    /// cannot be read, or may be outdated.
    fn least(&self, at: &Directory, name: &CStr, bytes: u64) -> u64 {
        let mut progress = lock(&self.progress);
        if bytes < WORTH_ASKING || progress.asked >= MAX_EXTENT_READS {
            return 0;
        }
        progress.asked += 1;
        drop(progress);
        let Ok(layout) = extents::layout(at, name) else { return 0 };
        // After a file is overwritten, the system reports the extents of the old data until the new data is on the
        // disk. The old extents may become free before the deletion, so the deletion itself may free nothing.
        if extents::may_be_unwritten(layout.changed, self.now) && has_unwritten_data(at) {
            return 0;
        }
        layout.certain.min(bytes)
    }
}

fn is_recent(mtime: i64, now: i64) -> bool {
    mtime > now - RECENT && mtime <= now + RECENT
}

impl Progress {
    fn visit(&mut self, found: &Attributes, now: i64) {
        let newest = &mut self.preview.newest;
        *newest = Some(newest.map_or(found.mtime, |newest| newest.max(found.mtime)));
        self.preview.recent += u64::from(is_recent(found.mtime, now));
    }

    /// Returns the preview so far.
    fn preview(&self, failures: &Mutex<Failures>) -> Preview {
        let mut preview = self.preview.clone();
        preview.linked = self.links.incomplete();
        preview.failures = lock(failures).clone();
        preview
    }
}

impl Visitor for Previewer<'_> {
    type Rights = Rights;

    fn rights(&self, at: &Directory) -> Rights {
        at.rights()
    }

    fn visit(
        &self,
        at: At<'_, Rights>,
        name: &CStr,
        found: &Attributes,
        _: usize,
    ) -> Result<Disposition, Errno> {
        {
            let mut progress = lock(&self.progress);
            progress.visit(found, self.now);
            progress.preview.files += 1;
        }
        at.rights.to_remove(found)?;
        if at.directory.is_locked(name)? {
            return Err(Errno::EPERM);
        }
        let is_last = {
            let mut progress = lock(&self.progress);
            progress.deletable += 1;
            progress.links.name_seen(found.file_id(), found.links)
        };
        if is_last {
            self.add_space(at.directory, name, found);
        }
        Ok(Disposition::Stays)
    }

    fn enter(&self, found: &Attributes, _: usize) {
        let mut progress = lock(&self.progress);
        progress.visit(found, self.now);
        progress.preview.directories += 1;
    }

    fn leave(
        &self,
        above: &Directory,
        name: &CStr,
        found: &Attributes,
        _: usize,
    ) -> Result<Disposition, Errno> {
        above.rights().to_remove(found)?;
        if above.is_locked(name)? {
            return Err(Errno::EPERM);
        }
        lock(&self.progress).deletable += 1;
        self.add_space(above, name, found);
        Ok(Disposition::Stays)
    }

    fn fail(&self, _: usize, reason: Reason) {
        lock(&self.progress).preview.kept.count(reason);
    }

    fn finish(&self, _: usize) {}
}
