//! What would go, found out by the walk that removes, looking only.
//!
//! Asks the file system anew, so that what a person is told is what is there now: how much, how new, what is in the way,
//! and what would really be freed. An inode is freed when all of its names are selected; space that a file shares with a
//! copy is freed only if the copy goes, too, which nobody knows for certain, so there is a least and a most.
//!
//! Invariant: opens no file except to ask for its extents, on file systems that share them, and never one in the cloud.

use std::collections::HashMap;
use std::ffi::CStr;
use std::time::{Duration, Instant};

use super::names::Names;
use super::refusal::{self, Concern, Refusal};
use super::walk::{Act, Fate, Walk};
use super::{Failures, Selection};
use crate::job::{Job, Pool, Task};
use crate::kind::Kind;
use crate::platform::extents::{self, Sharing};
use crate::platform::{Attributes, Directory, Errno};
use crate::sync::{Arc, Mutex, lock};

/// Files whose extents are asked for: the rest counts as shared with nobody knows what, if its file system shares.
const MOST_ASKED: u64 = 20_000;
/// Smaller files are not asked for their extents.
const WORTH_ASKING: u64 = 64 << 10;
/// Something written this many seconds ago may still be written.
const RECENT: i64 = 60;
/// Between two reports, at first; they grow with the time it takes.
const FIRST: Duration = Duration::from_millis(20);
const NEXT: u32 = 2;

/// What would go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Directories, those selected included.
    pub directories: u64,
    /// Names of anything else.
    pub files: u64,
    /// Bytes that are freed for certain.
    pub least: u64,
    /// Bytes that are freed if everything they are shared with goes, too.
    pub most: u64,
    /// Inodes that have names outside, so that nothing of them is freed.
    pub linked: u64,
    /// Time of the newest change, in seconds since 1970.
    pub newest: Option<i64>,
    /// Files and directories changed within the last minute.
    pub recent: u64,
    /// Entries that are immutable, or lie in directories that nobody or not this person may change.
    pub locked: u64,
    /// Where other things are mounted, and what cannot be looked at.
    pub failures: Failures,
    /// What must not be done at all, by number of the item.
    pub refusals: Vec<(usize, Refusal)>,
    /// What has to be confirmed in particular.
    pub concerns: Vec<Concern>,
    /// Whether this is all.
    pub is_complete: bool,
}

impl Probe {
    /// Names that would go.
    pub fn entries(&self) -> u64 {
        self.directories + self.files
    }
}

/// Begins to look at what is selected, `now` being seconds since 1970.
///
/// # Errors
/// When the system gives no thread.
pub fn probe(pool: &Pool, selection: Arc<Selection>, now: i64) -> std::io::Result<Job<Probe>> {
    pool.start(move |task| {
        let looker = Looker::new(task, now);
        let failures = Mutex::default();
        let (refusals, concerns) = refusal::judge(&selection);
        let begun = Probe { refusals, concerns, ..Probe::default() };
        // What must not be done is known before anything else.
        task.publish(begun.clone());
        lock(&looker.seen).probe = begun;
        let is_cancelled = || {
            looker.report(&failures);
            task.is_cancelled()
        };
        let threads = task.threads();
        Walk::new(&looker, &selection, &is_cancelled, &failures, threads.current_num_threads()).run(threads);
        if !task.is_cancelled() {
            let probe = lock(&looker.seen).probe(&failures);
            task.publish(Probe { is_complete: true, ..probe });
        }
    })
}

struct Looker<'a> {
    task: &'a Task<Probe>,
    seen: Mutex<Seen>,
    now: i64,
    begun: Instant,
}

#[derive(Default)]
struct Seen {
    probe: Probe,
    /// Inodes with several names, and what they take.
    linked: HashMap<(u64, u64), Linked>,
    /// Whether files of a device share extents with one another.
    sharing: HashMap<u64, Sharing>,
    asked: u64,
    due: Duration,
}

struct Linked {
    names: Names,
    least: u64,
    most: u64,
}

impl<'a> Looker<'a> {
    fn new(task: &'a Task<Probe>, now: i64) -> Self {
        let seen = Seen { due: FIRST, ..Seen::default() };
        Self { task, seen: Mutex::new(seen), now, begun: Instant::now() }
    }

    /// Publishes what was seen, when it is time.
    fn report(&self, failures: &Mutex<Failures>) {
        let elapsed = self.begun.elapsed();
        let mut seen = lock(&self.seen);
        if elapsed >= seen.due {
            let probe = seen.probe(failures);
            seen.due = self.begun.elapsed() * NEXT;
            drop(seen);
            self.task.publish(probe);
        }
    }

    /// How many bytes of a file are freed at least: those it shares with none.
    fn least(&self, at: &Directory, name: &CStr, found: &Attributes, bytes: u64) -> u64 {
        if found.kind != Kind::File || bytes == 0 {
            return bytes;
        }
        let known = lock(&self.seen).sharing.get(&found.device).copied();
        let sharing = known.unwrap_or_else(|| {
            let sharing = extents::sharing(at);
            lock(&self.seen).sharing.insert(found.device, sharing);
            sharing
        });
        if sharing == Sharing::Never {
            return bytes;
        }
        let mut seen = lock(&self.seen);
        if bytes < WORTH_ASKING || seen.asked >= MOST_ASKED {
            return 0;
        }
        seen.asked += 1;
        drop(seen);
        extents::private_bytes(at, name).map_or(0, |private| private.min(bytes))
    }
}

impl Seen {
    fn meet(&mut self, found: &Attributes, now: i64) {
        let newest = &mut self.probe.newest;
        *newest = Some(newest.map_or(found.mtime, |newest| newest.max(found.mtime)));
        if found.mtime > now - RECENT && found.mtime <= now + RECENT {
            self.probe.recent += 1;
        }
    }

    /// What was seen so far.
    fn probe(&self, failures: &Mutex<Failures>) -> Probe {
        let mut probe = self.probe.clone();
        for inode in self.linked.values() {
            if inode.names.are_all_met() {
                probe.least = probe.least.saturating_add(inode.least);
                probe.most = probe.most.saturating_add(inode.most);
            } else {
                probe.linked += 1;
            }
        }
        probe.failures = lock(failures).clone();
        probe
    }
}

impl Act for Looker<'_> {
    fn meet(&self, at: &Directory, name: &CStr, found: &Attributes, _: usize) -> Result<Fate, Errno> {
        let bytes = found.blocks.saturating_mul(512);
        let least = self.least(at, name, found, bytes);
        let is_locked = at.is_locked(name)?;
        let mut seen = lock(&self.seen);
        seen.meet(found, self.now);
        seen.probe.files += 1;
        seen.probe.locked += u64::from(is_locked);
        if found.links > 1 {
            let inode = seen.linked.entry((found.device, found.inode)).or_insert(Linked {
                names: Names::default(),
                least,
                most: bytes,
            });
            inode.names.meet(found.links);
        } else {
            seen.probe.least = seen.probe.least.saturating_add(least);
            seen.probe.most = seen.probe.most.saturating_add(bytes);
        }
        Ok(Fate::Stays)
    }

    fn enter(&self, directory: &Directory, found: &Attributes, _: usize) {
        let is_locked = directory.may_change().is_err() || directory.is_locked(c".").unwrap_or(false);
        let bytes = found.blocks.saturating_mul(512);
        let mut seen = lock(&self.seen);
        seen.meet(found, self.now);
        seen.probe.locked += u64::from(is_locked);
        seen.probe.directories += 1;
        seen.probe.least = seen.probe.least.saturating_add(bytes);
        seen.probe.most = seen.probe.most.saturating_add(bytes);
    }

    fn leave(&self, _: &Directory, _: &CStr, _: &Attributes, _: usize) -> Result<Fate, Errno> {
        Ok(Fate::Stays)
    }

    fn fail(&self, _: usize) {}

    fn finish(&self, _: usize) {}
}
