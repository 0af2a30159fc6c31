//! Deleting beside the screen: starts what the state orders, and brings what is new about it.
//!
//! Works on threads of its own, so that a search need not wait behind a deletion.
//!
//! Knows no view. Invariant: nothing here waits, but who leaves waits for scripts for a moment; and what looks at what would go is
//! stopped before anything else is begun.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::delete::script::{self, Line};
use crate::delete::{self, Journal, Probe, Report, Selection, Work};
use crate::job::{Job, Outcome, Pool, Task};
use crate::platform::limits::processors;
use crate::sync::Arc;

/// How long a script that was just asked for may take to be written out.
const FAREWELL: Duration = Duration::from_millis(500);

/// What a person lets happen to files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Safety {
    /// Which changes are made.
    pub changes: Changes,
    /// Over this many bytes the name has to be typed.
    pub typed_over: u64,
    /// Where deletions are written down.
    pub journal: Option<Journal>,
}

/// Which changes are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changes {
    /// Those that were confirmed.
    #[default]
    Confirmed,
    /// None, but everything is shown as if.
    Rehearsed,
    /// None, and none can be asked for.
    Refused,
}

impl Default for Safety {
    /// Everything that is confirmed is done, without a name and a journal.
    fn default() -> Self {
        Self { changes: Changes::default(), typed_over: u64::MAX, journal: None }
    }
}

/// What the state wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Look at what would go, it being so many seconds since 1970.
    Probe(Arc<Selection>, i64),
    /// That is not wanted any more.
    StopProbe,
    /// Do it, and write it down there.
    Begin(Work, Option<Journal>),
    /// Stop doing it.
    Stop,
    /// Write a script with these commands.
    Script(Vec<Line>),
}

/// What is new.
#[derive(Clone, Debug)]
pub enum News {
    /// This much is known of what would go.
    Probed(Arc<Probe>),
    /// So far it has come.
    Reported(Arc<Report>),
    /// The script is here.
    Written(PathBuf),
    /// What would go cannot be looked at: why.
    ProbeFailed(String),
    /// What was to be done is not, or no further: why.
    WorkFailed(String),
    /// There is no script: why.
    Unwritten(String),
}

/// What runs.
#[derive(Default)]
pub struct Bench {
    pool: Option<Pool>,
    probe: Option<Job<Probe>>,
    work: Option<Job<Report>>,
    scripts: Vec<Job<Script>>,
    /// Where they are written; where the browser was started unless it says something else.
    scripts_in: PathBuf,
}

/// Where a script is, or why there is none.
type Script = Result<PathBuf, String>;

impl Bench {
    /// Whether there may be news soon.
    pub fn is_busy(&self) -> bool {
        self.probe.is_some() || self.work.is_some() || !self.scripts.is_empty()
    }

    /// Does what is ordered, or begins it.
    pub fn take(&mut self, order: Order) -> Option<News> {
        let begun = match order {
            Order::StopProbe => {
                self.probe = None;
                return None;
            }
            Order::Stop => {
                self.work.iter().for_each(Job::cancel);
                return None;
            }
            Order::Script(lines) => {
                let directory = self.scripts_in.clone();
                let write = move |task: &Task<Script>| task.publish(write_script(&directory, &lines));
                let begun = self.pool().and_then(|pool| pool.start(write));
                begun.map(|job| self.scripts.push(job)).map_err(|error| News::Unwritten(no_thread(&error)))
            }
            Order::Probe(selection, now) => {
                self.probe = None;
                let begun = self.pool().and_then(|pool| delete::probe(&pool, selection, now));
                begun.map(|job| self.probe = Some(job)).map_err(|error| News::ProbeFailed(no_thread(&error)))
            }
            Order::Begin(work, journal) => {
                self.probe = None;
                let begun = self.pool().and_then(|pool| delete::carry_out(&pool, work, journal));
                begun.map(|job| self.work = Some(job)).map_err(|error| News::WorkFailed(no_thread(&error)))
            }
        };
        begun.err()
    }

    /// What has come since the last call.
    pub fn news(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        if let Some(job) = &mut self.probe {
            // The outcome first: what it says is over has been published then.
            let outcome = job.outcome();
            news.extend(job.poll().map(News::Probed));
            news.extend(outcome.as_ref().and_then(bug).map(News::ProbeFailed));
            self.probe.take_if(|_| outcome.is_some());
        }
        if let Some(job) = &mut self.work {
            let outcome = job.outcome();
            news.extend(job.poll().map(News::Reported));
            news.extend(outcome.as_ref().and_then(bug).map(News::WorkFailed));
            self.work.take_if(|_| outcome.is_some());
        }
        self.scripts.retain_mut(|job| {
            let outcome = job.outcome();
            news.extend(job.poll().map(|script| match &*script {
                Ok(path) => News::Written(path.clone()),
                Err(reason) => News::Unwritten(reason.clone()),
            }));
            news.extend(outcome.as_ref().and_then(bug).map(News::Unwritten));
            outcome.is_none()
        });
        news
    }

    fn pool(&mut self) -> std::io::Result<Pool> {
        if self.pool.is_none() {
            self.pool = Some(Pool::new(processors().max(2))?);
        }
        Ok(self.pool.clone().expect("made above"))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Half a script would be worse than none.
        self.scripts.iter().for_each(|job| drop(job.wait(FAREWELL)));
    }
}

fn write_script(directory: &Path, lines: &[Line]) -> Script {
    let path = script::write(directory, lines).map_err(|error| format!("No script written: {error}"))?;
    Ok(std::path::absolute(&path).unwrap_or(path))
}

fn no_thread(error: &std::io::Error) -> String {
    format!("No thread to do it: {error}")
}

fn bug(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Panicked(message) => Some(format!("This failed: {message}")),
        Outcome::Complete | Outcome::Stopped => None,
    }
}

// What runs here asks the system for paths, and macOS's unit tests run where there is none.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::delete::Extent;
    use crate::tree::Tree;

    #[test]
    fn what_begins_stops_what_was_looked_at() {
        let selection = Arc::new(Selection::new(&Tree::new(), Vec::new(), Extent::Whole));
        let mut bench = Bench::default();
        assert!(bench.take(Order::Probe(Arc::clone(&selection), 0)).is_none() && bench.probe.is_some());
        assert!(bench.take(Order::Begin(Work::Remove(selection), None)).is_none());
        assert!(bench.probe.is_none() && bench.work.is_some());
    }

    #[test]
    fn scripts_are_written_beside_the_screen() {
        let mut bench = Bench::default();
        bench.scripts_in = "/there/is/no/such/directory".into();
        assert!(bench.take(Order::Script(Vec::new())).is_none() && bench.is_busy());
        let news = loop {
            if let Some(news) = bench.news().pop() {
                break news;
            }
            std::thread::yield_now();
        };
        assert!(matches!(news, News::Unwritten(_)), "{news:?}");
        while bench.is_busy() {
            assert!(bench.news().is_empty(), "it is said once");
        }
    }
}
