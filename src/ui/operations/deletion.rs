//! File operations in the background: starts requested operations, and turns their results into messages.
//!
//! Operations have their own threads, so that a search does not have to wait for a deletion.
//!
//! Invariant: no function in this file blocks, and a preview is stopped before an operation starts.

use std::io;
use std::path::PathBuf;

use crate::base::job::{Job, JobError, Pool, Task};
use crate::base::state_folder::folder_of_process;
use crate::base::sync::Arc;
use crate::delete::script::{self, ScriptError, Written};
use crate::delete::seen::{self, EntryNames};
use crate::delete::{self, Journal, Operation, Preview, Report, Selection};
use crate::platform::process::limits::processors;
use crate::ui::runner::{AtExit, Runner, TaskId, Update};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeletionRequest {
    /// Compute a preview of deleting this selection. The number is the current time in seconds since 1970.
    Preview(Arc<Selection>, i64),
    /// Find the entries in this selection that have changed since they were marked.
    Compare(Arc<Selection>),
    StopPreview,
    /// Start an operation, and log it in the journal, if there is one.
    Begin(Operation, Option<Journal>),
    Stop,
    /// Write a script that deletes these entries. The second field contains their sizes as text.
    Script(Arc<Selection>, Vec<String>, ScriptFor),
}

/// Kind of the entries that a script deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptFor {
    /// Files and directories on this machine.
    Files,
    /// Objects on an rclone remote.
    Objects,
}

#[derive(Clone, Debug)]
pub enum DeletionMessage {
    Previewed(Arc<Preview>),
    /// Entries that have changed since they were marked.
    Replaced(Arc<EntryNames>),
    /// Progress or result of the operation.
    Reported(Arc<Report>),
    Script(Arc<Script>),
    PreviewFailed(JobError),
    /// The operation could not be started, or an error ended it early.
    WorkFailed(JobError),
    ScriptFailed(JobError),
    /// The marked entries could not be checked for changes.
    CompareFailed(JobError),
}

pub type Script = Result<Written, ScriptError>;

/// Running deletions and related jobs. At most one job of each kind runs at a time, except that any number of scripts
/// can be written at once.
#[derive(Default)]
pub struct Deletions {
    pool: Option<Pool>,
    preview: Option<TaskId>,
    comparison: Option<TaskId>,
    work: Option<TaskId>,
    /// Directory for scripts. If this path is empty, scripts are written to the current directory.
    scripts_in: PathBuf,
}

impl Deletions {
    /// Carries out a request. Its results arrive as messages from `runner`.
    pub fn take<M: From<DeletionMessage> + 'static>(
        &mut self,
        order: DeletionRequest,
        runner: &mut Runner<M>,
    ) {
        if matches!(
            order,
            DeletionRequest::Preview(..) | DeletionRequest::StopPreview | DeletionRequest::Begin(..)
        ) {
            runner.forget(self.preview.take());
        }
        match order {
            DeletionRequest::StopPreview => {}
            DeletionRequest::Stop => runner.cancel(self.work),
            DeletionRequest::Script(selection, sizes, entries) => {
                let directory = self.scripts_in.clone();
                let write = move |task: &Task<Script>| {
                    let fallback = folder_of_process();
                    let write = match entries {
                        ScriptFor::Files => script::write,
                        ScriptFor::Objects => script::write_for_objects,
                    };
                    task.publish(write(&directory, fallback.as_deref(), &selection, &sizes));
                };
                let job = self.start(|pool| pool.start(write));
                // At exit, duke waits a short time for the job, because a partial script would be worse than none.
                runner.add(job, AtExit::Finish, |update| match update {
                    Update::Result(script) => DeletionMessage::Script(script).into(),
                    Update::Failed(error) => DeletionMessage::ScriptFailed(error).into(),
                });
            }
            DeletionRequest::Preview(selection, now) => {
                let job = self.start(|pool| delete::preview(pool, selection, now));
                self.preview = Some(runner.add(job, AtExit::Cancel, |update| match update {
                    Update::Result(preview) => DeletionMessage::Previewed(preview).into(),
                    Update::Failed(error) => DeletionMessage::PreviewFailed(error).into(),
                }));
            }
            DeletionRequest::Compare(selection) => {
                runner.forget(self.comparison.take());
                let job = self.start(|pool| seen::changed(pool, selection));
                self.comparison = Some(runner.add(job, AtExit::Cancel, |update| match update {
                    Update::Result(names) => DeletionMessage::Replaced(names).into(),
                    Update::Failed(error) => DeletionMessage::CompareFailed(error).into(),
                }));
            }
            DeletionRequest::Begin(work, journal) => {
                let job = self.start(|pool| delete::start(pool, work, journal));
                self.work = Some(runner.add(job, AtExit::Cancel, |update| match update {
                    Update::Result(report) => DeletionMessage::Reported(report).into(),
                    Update::Failed(error) => DeletionMessage::WorkFailed(error).into(),
                }));
            }
        }
    }

    /// Starts a job in a thread pool for operations, which is created on first use.
    fn start<T>(&mut self, begin: impl FnOnce(&Pool) -> io::Result<Job<T>>) -> io::Result<Job<T>> {
        let pool = match self.pool.take() {
            Some(pool) => pool,
            None => Pool::new(processors().max(2))?,
        };
        begin(self.pool.insert(pool))
    }
}

// Only for Linux: these tests look up the user's home directory, which fails in the emulator that runs the unit tests
// of the macOS build (`ci/macos.sh`).
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::delete::DeleteScope;
    use crate::tree::Tree;

    fn nothing() -> Arc<Selection> {
        Arc::new(Selection::new(&Tree::new(), Vec::new(), DeleteScope::Whole))
    }

    #[test]
    fn a_deletion_ends_its_preview() {
        let (mut deletions, mut runner) = (Deletions::default(), Runner::<DeletionMessage>::default());
        deletions.take(DeletionRequest::Preview(nothing(), 0), &mut runner);
        assert!(deletions.preview.is_some());
        deletions.take(DeletionRequest::Begin(Operation::Remove(nothing()), None), &mut runner);
        assert!(deletions.preview.is_none() && deletions.work.is_some());
    }

    #[test]
    fn scripts_are_written_in_the_background() {
        let (mut deletions, mut runner) = (Deletions::default(), Runner::<DeletionMessage>::default());
        let folder = tempfile::tempdir().unwrap();
        deletions.scripts_in = folder.path().to_owned();
        deletions.take(DeletionRequest::Script(nothing(), Vec::new(), ScriptFor::Files), &mut runner);
        let mut message = Vec::new();
        while runner.is_busy() {
            message.extend(runner.poll());
            std::thread::yield_now();
        }
        let [DeletionMessage::Script(script)] = message.as_slice() else { panic!("{message:?}") };
        assert!(script.as_ref().as_ref().unwrap().path.starts_with(folder.path()), "{script:?}");
    }
}
