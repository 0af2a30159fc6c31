//! Deleting beside the screen: starts what the state orders, and brings what is new about it.
//!
//! Works on threads of its own, so that a search need not wait behind a deletion.
//!
//! Knows no view. Invariant: nothing here waits; and what runs is stopped before anything else is begun.

use std::path::{Path, PathBuf};

use crate::delete::script::{self, Line};
use crate::delete::{self, Journal, Probe, Report, Selection, Work};
use crate::job::{Job, Outcome, Pool};
use crate::platform::limits::processors;
use crate::sync::Arc;

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
    /// It cannot be done: why.
    Failed(String),
}

/// What runs.
#[derive(Default)]
pub struct Bench {
    pool: Option<Pool>,
    probe: Option<Job<Probe>>,
    work: Option<Job<Report>>,
}

impl Bench {
    /// Whether there may be news soon.
    pub fn is_busy(&self) -> bool {
        self.probe.is_some() || self.work.is_some()
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
                return Some(match script::write(Path::new("."), &lines) {
                    Ok(path) => News::Written(std::path::absolute(&path).unwrap_or(path)),
                    Err(error) => News::Failed(format!("No script written: {error}")),
                });
            }
            Order::Probe(selection, now) => self
                .pool()
                .and_then(|pool| delete::probe(&pool, selection, now))
                .map(|job| self.probe = Some(job)),
            Order::Begin(work, journal) => self
                .pool()
                .and_then(|pool| delete::carry_out(&pool, work, journal))
                .map(|job| self.work = Some(job)),
        };
        begun.err().map(|error| News::Failed(format!("No thread to do it: {error}")))
    }

    /// What has come since the last call.
    pub fn news(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        if let Some(job) = &mut self.probe {
            // The outcome first: what it says is over has been published then.
            let outcome = job.outcome();
            news.extend(job.poll().map(News::Probed));
            news.extend(outcome.as_ref().and_then(bug));
            self.probe.take_if(|_| outcome.is_some());
        }
        if let Some(job) = &mut self.work {
            let outcome = job.outcome();
            news.extend(job.poll().map(News::Reported));
            news.extend(outcome.as_ref().and_then(bug));
            self.work.take_if(|_| outcome.is_some());
        }
        news
    }

    fn pool(&mut self) -> std::io::Result<Pool> {
        if self.pool.is_none() {
            self.pool = Some(Pool::new(processors().max(2))?);
        }
        Ok(self.pool.clone().expect("made above"))
    }
}

fn bug(outcome: &Outcome) -> Option<News> {
    match outcome {
        Outcome::Panicked(message) => Some(News::Failed(format!("This failed: {message}"))),
        Outcome::Complete | Outcome::Stopped => None,
    }
}
