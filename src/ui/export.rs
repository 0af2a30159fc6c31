//! Writing what was read to a file, beside the screen.
//!
//! Knows no key. Invariant: who leaves waits for a file that is given up no longer than `FAREWELL`, and half a file stays nowhere.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::job::{Job, Outcome, Pool};
use crate::source::Source;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::text::escape_path;
use crate::writing::{Format, Old, Unwritten, write};

/// How long a writer may take to give up and remove what it has written.
const FAREWELL: Duration = Duration::from_millis(500);

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Where.
    pub path: PathBuf,
    /// As what.
    pub format: Format,
    /// What becomes of a file that is there.
    pub old: Old,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What was to be written.
    pub order: Order,
    /// How many bytes were, or why none.
    pub written: Result<u64, Unwritten>,
}

impl Order {
    /// What the file is called, safe for a terminal.
    pub fn shown(&self) -> String {
        escape_path(&self.path)
    }
}

/// What is being written. Dropping it gives that up.
pub struct Exports {
    pool: Pool,
    source: Source,
    /// Set by whoever wants the file no more, polled by the writer. `Relaxed`: it guards no data.
    stop: Arc<AtomicBool>,
    running: Option<(Order, Job<Told>)>,
}

impl Exports {
    /// For what `source` reads.
    pub fn new(pool: Pool, source: Source) -> Self {
        Self { pool, source, stop: Arc::default(), running: None }
    }

    /// Whether there may be news soon.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Begins to write. The state orders nothing while something is written.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn begin(&mut self, order: Order) -> io::Result<()> {
        let (source, stop, wanted) = (self.source.clone(), Arc::clone(&self.stop), order.clone());
        let job = self.pool.start(move |task| {
            let written = write(&source, &wanted.path, wanted.format, wanted.old, &stop);
            task.publish(Told { order: wanted, written });
        })?;
        self.running = Some((order, job));
        Ok(())
    }

    /// What became of what was written, once it is over.
    pub fn news(&mut self) -> Option<Told> {
        let (order, job) = self.running.as_mut()?;
        let outcome = job.outcome()?;
        let failed = || {
            let reason = if let Outcome::Panicked(reason) = outcome { reason } else { String::new() };
            let written = Err(Unwritten::Failed(format!("this failed: {reason}")));
            Told { order: order.clone(), written }
        };
        let told = job.poll().map_or_else(failed, |told| Told::clone(&told));
        self.running = None;
        Some(told)
    }
}

impl Drop for Exports {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some((_, job)) = &self.running {
            job.wait(FAREWELL);
        }
    }
}
