//! Writes automatic snapshots in the background while the browser runs.
//!
//! A thread waits for the scan to end and then writes the snapshot. When the user quits, the browser waits briefly for
//! the writer. A write that takes longer is canceled and leaves no file.
//!
//! Invariant: quitting waits at most [`PATIENCE`] plus [`STOP_TIMEOUT`], no matter what the file system does. If the
//! writer still hangs after that, its file is deleted when the process ends (`platform::entry::unfinished`) or at the
//! next write.

use std::thread;
use std::time::Duration;

use crate::base::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, PoisonError, lock};
use crate::base::text::escape_path;
use crate::formats::snapshot::WriteError;
use crate::platform::entry::safe_path::Cause;
use crate::platform::process::limits::lower_priority;
use crate::scan::Outcome;
use crate::source::Source;
use crate::source::snapshot_store::{KeepError, RetentionPolicy, keep};

/// Time to wait for an unfinished snapshot when the user quits. This is enough for a few million entries.
const PATIENCE: Duration = Duration::from_millis(500);
/// Maximum time to wait for the writer after it was asked to stop.
const STOP_TIMEOUT: Duration = Duration::from_millis(200);
/// Interval between checks for cancellation during a scan.
const TICK: Duration = Duration::from_millis(500);

pub(crate) struct SnapshotWriter {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// `true` once the writer should stop. `Relaxed` ordering is enough, because the flag guards no data.
    stop: AtomicBool,
    stage: Mutex<Stage>,
    changed: Condvar,
}

#[derive(Default)]
enum Stage {
    /// The scan is running.
    #[default]
    Waiting,
    Writing,
    /// The writer has ended. Contains its error, if that is worth reporting.
    Over(Option<String>),
}

impl SnapshotWriter {
    /// Starts a thread that writes a snapshot once `source` has been read. Writes none if no thread can be started.
    pub(crate) fn begin(source: &Source, settings: RetentionPolicy) -> Self {
        let source = source.clone();
        Self::of(move |shared| shared.work(&source, &settings))
    }

    /// Runs `work` on a new thread. `work` returns the error message that the user will see after quitting, or `None`.
    fn of(work: impl FnOnce(&Shared) -> Option<String> + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let writer = Arc::clone(&shared);
        let work = move || {
            let failure = work(&writer);
            writer.enter(Stage::Over(failure));
        };
        if thread::Builder::new().name("snapshot".into()).spawn(work).is_err() {
            shared.enter(Stage::Over(None));
        }
        Self { shared }
    }

    /// Stops the writer, but first waits up to [`PATIENCE`] if it is writing a snapshot. If no snapshot was saved and
    /// the user should know why, returns an error message; see [`Shared::work`].
    pub(crate) fn finish(self) -> Option<String> {
        if matches!(*lock(&self.shared.stage), Stage::Writing) {
            self.wait(PATIENCE);
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        if matches!(*lock(&self.shared.stage), Stage::Writing) {
            self.wait(STOP_TIMEOUT);
        }
        match &mut *lock(&self.shared.stage) {
            Stage::Over(failure) => failure.take(),
            Stage::Waiting | Stage::Writing => None,
        }
    }

    fn wait(&self, limit: Duration) {
        let stage = lock(&self.shared.stage);
        let is_writing = |stage: &mut Stage| matches!(stage, Stage::Writing);
        let waited = self.shared.changed.wait_timeout_while(stage, limit, is_writing);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Shared {
    fn enter(&self, stage: Stage) {
        *lock(&self.stage) = stage;
        self.changed.notify_all();
    }

    fn work(&self, source: &Source, settings: &RetentionPolicy) -> Option<String> {
        let outcome = loop {
            if let Some(outcome) = source.wait(TICK) {
                break outcome;
            }
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
        };
        // An incomplete or empty tree is useless as a baseline.
        if outcome != Outcome::Complete || source.tree().listing(crate::tree::DirId::TOP).is_empty() {
            return None;
        }
        // At the end of a scan, the browser sorts and draws the final list, which is more urgent.
        lower_priority();
        self.enter(Stage::Writing);
        match keep(settings, source.tree(), &source.about(), &self.stop) {
            Err(KeepError::Write(error @ WriteError::Output(_))) => {
                Some(format!("no snapshot saved in {}: {error}", escape_path(&settings.folder)))
            }
            // If sudo keeps HOME, the snapshot folder belongs to the user who called sudo, so this is not reported.
            Err(KeepError::Unsafe(unsafe_path)) if matches!(unsafe_path.cause, Cause::Owner(_)) => None,
            Err(unkept @ KeepError::Unsafe(_)) => Some(format!("no snapshot saved: {unkept}")),
            // Success needs no message. Neither do the remaining failures, which are expected: the disk is nearly full,
            // the snapshot would be too large, the user has quit, or the tree changed while it was written.
            Ok(_) | Err(KeepError::NoRoom | KeepError::Write(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Waits until the writer has reached a stage that `is_there` accepts.
    fn wait_for(writer: &SnapshotWriter, is_there: fn(&Stage) -> bool) {
        while !is_there(&lock(&writer.shared.stage)) {
            thread::yield_now();
        }
    }

    #[test]
    fn a_snapshot_written_in_time_is_awaited_and_its_error_reported() {
        let writer = SnapshotWriter::of(|shared| {
            shared.enter(Stage::Writing);
            thread::yield_now();
            Some("no room".to_owned())
        });
        wait_for(&writer, |stage| !matches!(stage, Stage::Waiting));
        assert_eq!(writer.finish().as_deref(), Some("no room"));
    }

    #[test]
    fn a_running_scan_is_not_waited_for() {
        let (end, ended) = channel::<()>();
        let writer = SnapshotWriter::of(move |_| ended.recv().err().map(|_| String::new()));
        assert_eq!(writer.finish(), None);
        drop(end);
    }

    #[test]
    fn slow_writes_are_given_up_and_hanging_ones_abandoned() {
        let polite = SnapshotWriter::of(|shared| {
            shared.enter(Stage::Writing);
            while !shared.stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            None
        });
        wait_for(&polite, |stage| matches!(stage, Stage::Writing));
        let shared = Arc::clone(&polite.shared);
        assert_eq!(polite.finish(), None);
        assert!(matches!(*lock(&shared.stage), Stage::Over(None)), "it was asked to stop, and has");
        // Simulates a file system that does not respond: the writer never checks whether it should stop.
        let (end, ended) = channel::<()>();
        let hanging = SnapshotWriter::of(move |shared| {
            shared.enter(Stage::Writing);
            ended.recv().err().map(|_| "asked too late".to_owned())
        });
        wait_for(&hanging, |stage| matches!(stage, Stage::Writing));
        assert_eq!(hanging.finish(), None);
        drop(end);
    }
}
