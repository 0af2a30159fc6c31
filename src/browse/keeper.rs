//! Keeps a snapshot of what was scanned, beside the browser.
//!
//! A thread waits until the scan is over and writes then. Who leaves the browser meanwhile waits for the writing a little;
//! what takes longer is given up, and nothing is left behind.
//!
//! Invariant: leaving takes no longer than [`PATIENCE`] and [`FAREWELL`] together, whatever the file system does. A file that was not
//! even given up by then says by its name that it is unfinished, and the next snapshot removes it a day later.

use std::thread;
use std::time::Duration;

use crate::scan::Outcome;
use crate::snapshot::Unsaved;
use crate::snapshot::automatic::{Settings, Unkept, keep};
use crate::source::Source;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, PoisonError, lock};

/// How long a snapshot that is being written may keep a person from leaving. Enough for some million entries.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the writer may take to give up.
const FAREWELL: Duration = Duration::from_millis(200);
/// How often the writer looks whether it is still wanted while a scan goes on.
const TICK: Duration = Duration::from_millis(500);

/// The writer beside the browser.
pub(super) struct Keeper {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Set by whoever leaves, polled by the writer. `Relaxed`: it guards no data.
    stop: AtomicBool,
    stage: Mutex<Stage>,
    changed: Condvar,
}

#[derive(Default)]
enum Stage {
    /// The scan goes on.
    #[default]
    Waiting,
    Writing,
    /// Nothing more will be done; why not, if that is worth telling.
    Over(Option<String>),
}

impl Keeper {
    /// Begins to wait for `source`. Without a thread there is no snapshot.
    pub(super) fn begin(source: &Source, settings: Settings) -> Self {
        let source = source.clone();
        Self::of(move |shared| shared.work(&source, &settings))
    }

    /// Begins this work, which says in the end what is worth telling.
    fn of(work: impl FnOnce(&Shared) -> Option<String> + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let writer = Arc::clone(&shared);
        let work = move || {
            let told = work(&writer);
            writer.enter(Stage::Over(told));
        };
        if thread::Builder::new().name("snapshot".into()).spawn(work).is_err() {
            shared.enter(Stage::Over(None));
        }
        Self { shared }
    }

    /// Ends it, and says why there is no snapshot if that is worth telling.
    pub(super) fn finish(self) -> Option<String> {
        if matches!(*lock(&self.shared.stage), Stage::Writing) {
            self.wait(PATIENCE);
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        if matches!(*lock(&self.shared.stage), Stage::Writing) {
            self.wait(FAREWELL);
        }
        match &mut *lock(&self.shared.stage) {
            Stage::Over(told) => told.take(),
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

    fn work(&self, source: &Source, settings: &Settings) -> Option<String> {
        let outcome = loop {
            if let Some(outcome) = source.wait(TICK) {
                break outcome;
            }
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
        };
        // What was not read wholly is nothing to compare with.
        if outcome != Outcome::Complete || source.tree().listing(crate::tree::DirId::TOP).is_empty() {
            return None;
        }
        self.enter(Stage::Writing);
        match keep(settings, source.tree(), &source.about(), &self.stop) {
            Err(Unkept::Unsaved(Unsaved::Unwritten(error))) => {
                Some(format!("no snapshot was kept: {}", crate::platform::words(&error)))
            }
            // As it should be: nothing is to be written then.
            Ok(_) | Err(Unkept::NoRoom | Unkept::Foreign | Unkept::Unsaved(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// Waits until the writer has come so far.
    fn wait_for(keeper: &Keeper, is_there: fn(&Stage) -> bool) {
        while !is_there(&lock(&keeper.shared.stage)) {
            thread::yield_now();
        }
    }

    #[test]
    fn what_is_written_in_time_is_waited_for_and_its_complaint_told() {
        let keeper = Keeper::of(|shared| {
            shared.enter(Stage::Writing);
            thread::yield_now();
            Some("no room".to_owned())
        });
        wait_for(&keeper, |stage| !matches!(stage, Stage::Waiting));
        assert_eq!(keeper.finish().as_deref(), Some("no room"));
    }

    #[test]
    fn a_scan_that_goes_on_is_not_waited_for() {
        let (end, ended) = channel::<()>();
        let keeper = Keeper::of(move |_| ended.recv().err().map(|_| String::new()));
        assert_eq!(keeper.finish(), None);
        drop(end);
    }

    #[test]
    fn what_takes_too_long_is_given_up_and_what_hangs_is_left_behind() {
        let polite = Keeper::of(|shared| {
            shared.enter(Stage::Writing);
            while !shared.stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            None
        });
        wait_for(&polite, |stage| matches!(stage, Stage::Writing));
        let shared = Arc::clone(&polite.shared);
        assert_eq!(polite.finish(), None);
        assert!(matches!(*lock(&shared.stage), Stage::Over(None)), "it was told to stop, and has");
        // As a file system that does not answer: it never looks whether it is to stop.
        let (end, ended) = channel::<()>();
        let hanging = Keeper::of(move |shared| {
            shared.enter(Stage::Writing);
            ended.recv().err().map(|_| "told too late".to_owned())
        });
        wait_for(&hanging, |stage| matches!(stage, Stage::Writing));
        assert_eq!(hanging.finish(), None);
        drop(end);
    }
}
