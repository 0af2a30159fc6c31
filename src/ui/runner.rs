//! Runner: operations of the session. Each operation is a job whose results are converted to messages.
//!
//! The session starts the operation that a key requests (a deletion, a script, an export, a program), and
//! collects the messages of all operations between two frames.
//!
//! Invariant: the runner waits for operations only when it is dropped at the end of the session, and then for at most
//! `FAREWELL`. A hanging file system therefore cannot delay quitting for longer.

use std::io;
use std::time::{Duration, Instant};

use crate::base::job::{Job, JobEnd, JobError};
use crate::base::sync::Arc;

/// Maximum time to wait at the end of the session for operations to finish or to clean up.
const FAREWELL: Duration = Duration::from_millis(500);
/// Time after the start of an operation with [`AtExit::Detach`] during which the operation is polled frequently.
const ATTENDED: Duration = Duration::from_secs(5);

pub struct Runner<M> {
    tasks: Vec<Task<M>>,
    failed: Vec<M>,
    next: u64,
}

/// ID of an operation, unique within its runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskId(u64);

/// Handling of a running operation when the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtExit {
    /// Cancel the operation, and do not wait for it.
    Cancel,
    /// Cancel the operation, and give it a short time to clean up.
    CleanUp,
    /// Give the operation a short time to finish.
    Finish,
    /// Let the operation continue after the session, and do not wait for it.
    Detach,
}

#[derive(Debug)]
pub enum Update<T> {
    Result(Arc<T>),
    /// The job has failed, and no result follows.
    Failed(JobError),
}

struct Task<M> {
    id: TaskId,
    at_exit: AtExit,
    begun: Instant,
    job: Box<dyn Reporting<M>>,
}

struct Reporter<T, F> {
    job: Job<T>,
    message: F,
}

trait Reporting<M> {
    /// Appends new messages. Returns `true` if the job has ended.
    fn poll(&mut self, messages: &mut Vec<M>) -> bool;
    fn cancel(&self);
    fn wait(&self, limit: Duration);
}

impl<T, M, F: Fn(Update<T>) -> M> Reporting<M> for Reporter<T, F> {
    fn poll(&mut self, messages: &mut Vec<M>) -> bool {
        // The outcome is read first. A job publishes its last result before it ends, so no result is missed.
        let outcome = self.job.outcome();
        let is_over = outcome.is_some();
        let failure = match outcome {
            Some(JobEnd::Panicked(message)) => Some(Update::Failed(JobError::Panicked(message))),
            _ => None,
        };
        let updates = self.job.poll().map(Update::Result).into_iter().chain(failure);
        messages.extend(updates.map(&self.message));
        is_over
    }

    fn cancel(&self) {
        self.job.cancel();
    }

    fn wait(&self, limit: Duration) {
        self.job.wait(limit);
    }
}

impl<M> Default for Runner<M> {
    fn default() -> Self {
        Self { tasks: Vec::new(), failed: Vec::new(), next: 0 }
    }
}

impl<M> Runner<M> {
    /// Adds a job that was just started, or the error that prevented its start. `message` converts the results of the
    /// job to messages.
    pub fn add<T: 'static>(
        &mut self,
        job: io::Result<Job<T>>,
        at_exit: AtExit,
        message: impl Fn(Update<T>) -> M + 'static,
    ) -> TaskId {
        let id = TaskId(self.next);
        self.next += 1;
        match job {
            Ok(job) => {
                let job = Box::new(Reporter { job, message });
                self.tasks.push(Task { id, at_exit, begun: Instant::now(), job });
            }
            Err(error) => self.failed.push(message(Update::Failed(JobError::no_thread(error)))),
        }
        id
    }

    /// Asks an operation to stop. Its remaining messages are still delivered.
    pub fn cancel(&self, id: Option<TaskId>) {
        self.tasks.iter().filter(|task| Some(task.id) == id).for_each(|task| task.job.cancel());
    }

    /// Cancels an operation, and drops its messages that have not been collected yet.
    pub fn forget(&mut self, id: Option<TaskId>) {
        self.tasks.retain(|task| Some(task.id) != id);
    }

    /// Returns the messages that have arrived since the last call. Never blocks.
    pub fn poll(&mut self) -> Vec<M> {
        let mut messages = std::mem::take(&mut self.failed);
        self.tasks.retain_mut(|task| !task.job.poll(&mut messages));
        messages
    }

    /// Returns `true` if the messages should be polled frequently. This is the case while an operation is running, or
    /// if an operation that could not be started has not been reported yet. An operation with [`AtExit::Detach`] counts
    /// only in its first seconds (`ATTENDED`).
    pub fn is_busy(&self) -> bool {
        let is_attended = |task: &Task<M>| task.at_exit != AtExit::Detach || task.begun.elapsed() < ATTENDED;
        !self.failed.is_empty() || self.tasks.iter().any(is_attended)
    }
}

impl<M> Drop for Runner<M> {
    fn drop(&mut self) {
        let end = Instant::now() + FAREWELL;
        self.tasks.retain(|task| matches!(task.at_exit, AtExit::CleanUp | AtExit::Finish));
        self.tasks.iter().filter(|task| task.at_exit == AtExit::CleanUp).for_each(|task| task.job.cancel());
        for task in &self.tasks {
            task.job.wait(end.saturating_duration_since(Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::base::job::Pool;

    /// Returns a runner with one job, which sends one message after the returned sender is dropped.
    fn waiting(at_exit: AtExit) -> (Runner<Option<u8>>, TaskId, std::sync::mpsc::Sender<()>) {
        let (end, ended) = channel::<()>();
        let job = Pool::new(1).unwrap().start(move |task| {
            ended.recv().expect_err("it only ends");
            task.publish(7_u8);
        });
        let mut runner = Runner::default();
        let id = runner.add(job, at_exit, |update| match update {
            Update::Result(number) => Some(*number),
            Update::Failed(_) => None,
        });
        (runner, id, end)
    }

    fn drain(runner: &mut Runner<Option<u8>>) -> Vec<Option<u8>> {
        let mut messages = Vec::new();
        while runner.is_busy() {
            messages.extend(runner.poll());
            std::thread::yield_now();
        }
        messages
    }

    #[test]
    fn results_and_failures_become_messages_once() {
        let (mut runner, _, end) = waiting(AtExit::Cancel);
        assert_eq!(runner.poll(), []);
        drop(end);
        assert_eq!(drain(&mut runner), [Some(7)]);
        let failed = Err(io::Error::other("no thread"));
        runner.add(failed, AtExit::Cancel, |update: Update<u8>| {
            assert!(matches!(update, Update::Failed(JobError::NoThread(_))));
            None
        });
        assert_eq!(drain(&mut runner), [None]);
    }

    #[test]
    fn a_forgotten_operation_reports_nothing() {
        let (mut runner, id, end) = waiting(AtExit::Cancel);
        runner.forget(Some(id));
        drop(end);
        assert!(!runner.is_busy() && runner.poll().is_empty());
    }

    #[test]
    fn the_end_waits_only_for_files_and_a_short_time() {
        for (at_exit, waits) in [
            (AtExit::Cancel, false),
            (AtExit::Detach, false),
            (AtExit::CleanUp, true),
            (AtExit::Finish, true),
        ] {
            let (runner, _, end) = waiting(at_exit);
            let begun = Instant::now();
            drop(runner);
            assert_eq!(begun.elapsed() >= FAREWELL, waits, "{at_exit:?}");
            drop(end);
        }
    }
}
