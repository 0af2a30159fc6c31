//! Background jobs whose latest results can be fetched at any time.
//!
//! Each job has its own thread, which hands the heavy parts of its work to a [`Pool`] shared by all jobs. A new job
//! therefore waits for at most one such part of an older job, never for the whole job. Dropping a job cancels it.
//!
//! Invariant: fetching a result never blocks, and a panic in a job is reported as the job's outcome.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::base::os_error::io_error_text;
use crate::base::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, PoisonError, lock};

/// Thread pool shared by all jobs; cheap to clone.
#[derive(Clone)]
pub struct Pool {
    threads: Arc<ThreadPool>,
}

/// Outcome of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// The job finished; its latest result is final.
    Complete,
    /// The job was canceled.
    Stopped,
    /// The job panicked with this message, because of a bug.
    Panicked(String),
}

/// Reason why a job has no result.
#[derive(Clone, Debug)]
pub enum JobError {
    /// No thread could be started.
    NoThread(Arc<io::Error>),
    /// The job panicked with this message, because of a bug.
    Panicked(String),
    /// The job ended with this error message.
    Failed(String),
}

impl JobError {
    /// Returns the error for a job whose thread could not be started because of `error`.
    pub fn no_thread(error: io::Error) -> Self {
        Self::NoThread(Arc::new(error))
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoThread(error) => write!(out, "cannot start a thread: {}", io_error_text(error)),
            Self::Panicked(message) => write!(out, "internal error: {message}"),
            Self::Failed(reason) => out.write_str(reason),
        }
    }
}

/// Running or finished job that publishes results of type `T`. Dropping the job cancels it.
pub struct Job<T> {
    shared: Arc<Shared<T>>,
    /// Number of results that had been published at the last call of [`Job::poll`].
    polled: u64,
}

/// Handle that the code of a job uses to publish results and to check for cancellation.
pub struct Task<T> {
    pool: Pool,
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    /// `true` once the owner has canceled the job. `Relaxed` ordering is enough, because the flag guards no data.
    cancelled: AtomicBool,
    slot: Mutex<Slot<T>>,
    ended: Condvar,
}

struct Slot<T> {
    latest: Option<Arc<T>>,
    /// Number of results published so far.
    number: u64,
    outcome: Option<JobEnd>,
}

impl Pool {
    /// Creates a pool of `threads` threads, or of one thread if `threads` is 0.
    ///
    /// # Errors
    /// Returns an error if a thread cannot be started.
    pub fn new(threads: usize) -> io::Result<Self> {
        let builder =
            ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(|index| format!("job {index}"));
        Ok(Self { threads: Arc::new(builder.build().map_err(io::Error::other)?) })
    }

    /// Starts `work` in the background.
    ///
    /// # Errors
    /// Returns an error if no thread can be started for the job.
    pub fn start<T: Send + Sync + 'static>(
        &self,
        work: impl FnOnce(&Task<T>) + Send + 'static,
    ) -> io::Result<Job<T>> {
        let shared = Arc::new(Shared {
            cancelled: AtomicBool::new(false),
            slot: Mutex::new(Slot { latest: None, number: 0, outcome: None }),
            ended: Condvar::new(),
        });
        let task = Task { pool: self.clone(), shared: Arc::clone(&shared) };
        // Without the box, the code that starts a thread would be compiled again for each kind of job.
        let lead: Box<dyn FnOnce() + Send> = Box::new(move || task.lead(work));
        std::thread::Builder::new().name("job".into()).spawn(lead)?;
        Ok(Job { shared, polled: 0 })
    }
}

impl<T> Job<T> {
    /// Returns the latest result, unless an earlier call has already returned it.
    pub fn poll(&mut self) -> Option<Arc<T>> {
        let slot = lock(&self.shared.slot);
        let is_new = slot.number != self.polled;
        self.polled = slot.number;
        slot.latest.clone().filter(|_| is_new)
    }

    /// Returns the latest result, even if [`Job::poll`] has already returned it.
    pub fn latest(&self) -> Option<Arc<T>> {
        lock(&self.shared.slot).latest.clone()
    }

    /// Requests cancellation of the job. Its latest result is kept.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the outcome of the job, or `None` while it is still running.
    pub fn outcome(&self) -> Option<JobEnd> {
        lock(&self.shared.slot).outcome.clone()
    }

    /// Waits up to `limit` for the job's outcome. Blocks, so it must not be called on the drawing thread.
    pub fn wait(&self, limit: Duration) -> Option<JobEnd> {
        let slot = lock(&self.shared.slot);
        let (slot, _) = self
            .shared
            .ended
            .wait_timeout_while(slot, limit, |slot| slot.outcome.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        slot.outcome.clone()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl<T> Task<T> {
    /// Publishes `result` as the latest result of the job.
    pub fn publish(&self, result: T) {
        let mut slot = lock(&self.shared.slot);
        let before = slot.latest.replace(Arc::new(result));
        slot.number += 1;
        drop(slot);
        // Freeing a large result takes time, so it is done after the lock is released.
        drop(before);
    }

    /// Returns the flag that is set to cancel the job. `Relaxed` loads are enough, because the flag guards no data.
    pub fn cancelled(&self) -> &AtomicBool {
        &self.shared.cancelled
    }

    /// Returns `true` if the job was canceled and its work should end.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the thread pool for the heavy parts of the work.
    pub fn threads(&self) -> &ThreadPool {
        &self.pool.threads
    }

    fn lead(&self, work: impl FnOnce(&Self)) {
        let outcome = match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(()) if self.is_cancelled() => JobEnd::Stopped,
            Ok(()) => JobEnd::Complete,
            Err(panic) => JobEnd::Panicked(message(panic.as_ref())),
        };
        lock(&self.shared.slot).outcome = Some(outcome);
        self.shared.ended.notify_all();
    }
}

/// Returns the message of a panic, or `unknown cause` if the panic has no text.
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown cause".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_result_is_polled_once_and_remains_the_latest() {
        let mut job = Pool::new(1).unwrap().start(|task| task.publish(7)).unwrap();
        assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
        assert_eq!(job.poll().as_deref(), Some(&7));
        assert_eq!(job.poll(), None);
        assert_eq!(job.latest().as_deref(), Some(&7));
    }

    #[test]
    fn a_cancelled_job_ends_as_stopped() {
        let work = |task: &Task<u32>| {
            while !task.is_cancelled() {
                std::thread::yield_now();
            }
        };
        let job = Pool::new(1).unwrap().start(work).unwrap();
        assert_eq!(job.outcome(), None);
        job.cancel();
        assert_eq!(job.wait(LONG), Some(JobEnd::Stopped));
    }

    #[test]
    fn a_dropped_job_is_cancelled() {
        let (tell, received) = std::sync::mpsc::channel();
        let work = move |task: &Task<u32>| {
            while !task.is_cancelled() {
                std::thread::yield_now();
            }
            tell.send(()).expect("the test waits");
        };
        drop(Pool::new(1).unwrap().start(work).unwrap());
        assert_eq!(received.recv_timeout(LONG), Ok(()));
    }
}
