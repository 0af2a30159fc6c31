//! Loader: a result that is displayed, and the job that computes it.
//!
//! A job publishes partial results. If the tree grows, the result can be loaded again, and the old result is shown
//! until the new one is complete. Dropping a loader cancels its job. The caller provides the function that starts the
//! job.
//!
//! Invariant: a replaced job delivers no more results, and nothing here blocks on a job.

use std::fmt;
use std::io;

use crate::analysis::compare::{Compared, Comparison};
use crate::analysis::search::{Order, Query, Request};
use crate::base::format::Units;
use crate::base::job::{Job, JobEnd, JobError, Pool};
use crate::base::sync::Arc;
use crate::source::baseline::Baseline;
use crate::tree::{DirId, Tree};

#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub pool: &'a Pool,
    pub tree: &'a Arc<Tree>,
    /// Baseline for comparisons; `None` in unit tests that do not compare.
    pub basis: Option<&'a Baseline>,
    /// `true` if jobs may make system calls; `false` in unit tests.
    pub may_ask_system: bool,
}

impl Sources<'_> {
    /// Returns `true` if a job may run a comparison: a baseline is given, or system calls may be made to find one.
    pub fn can_compare(&self) -> bool {
        self.may_ask_system || self.basis.is_some()
    }

    pub fn request(&self, request: &TableRequest) -> Request {
        let (query, order) = (request.query.clone(), request.order);
        Request { tree: Arc::clone(self.tree), from: request.from, query, order }
    }
}

#[derive(Clone, Debug)]
pub struct TableRequest {
    /// Directory whose subtree is searched.
    pub from: DirId,
    pub query: Query,
    pub order: Order,
    /// Current time in seconds since 1970.
    pub now: i64,
    pub units: Units,
}

/// Running job whose results are converted to `T`.
pub struct Load<T>(Box<dyn FnMut() -> Newest<T>>);

/// Newest result that arrived since the job was last polled, if any, and the outcome of the job if it has ended.
type Newest<T> = (Option<Result<T, JobError>>, Option<JobEnd>);

impl<T> Load<T> {
    /// Wraps a running job. `result` converts the job's results to `T`.
    pub fn of<R: Send + Sync + 'static>(
        mut job: Job<R>,
        mut result: impl FnMut(Arc<R>) -> Result<T, JobError> + 'static,
    ) -> Self {
        Self(Box::new(move || {
            // Read the outcome first. A job publishes its last result before it ends, so no result is missed.
            let outcome = job.outcome();
            (job.poll().map(&mut result), outcome)
        }))
    }

    /// Converts each result to `U` with the function `result`.
    pub fn map<U>(self, result: impl Fn(T) -> U + 'static) -> Load<U>
    where
        T: 'static,
    {
        let mut next = self.0;
        Load(Box::new(move || {
            let (newest, end) = next();
            (newest.map(|newest| newest.map(&result)), end)
        }))
    }

    /// Wraps a running comparison. If the comparison fails, the load returns an error with the reason.
    pub fn of_comparison(job: Job<Compared>, result: fn(Arc<Comparison>) -> T) -> Self
    where
        T: 'static,
    {
        Self::of(job, move |compared| match &*compared {
            Ok(growth) => Ok(result(Arc::clone(growth))),
            Err(reason) => Err(JobError::Failed(reason.clone())),
        })
    }
}

impl<R: Send + Sync + 'static> From<Job<R>> for Load<Arc<R>> {
    fn from(job: Job<R>) -> Self {
        Self::of(job, Ok)
    }
}

/// Treatment of the old result while a new one is being loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Show the old result until the new one is complete.
    Shown,
    /// Drop the old result.
    Nothing,
}

/// Result for display, together with the job that computes it.
pub struct Loader<T> {
    value: Option<T>,
    state: LoadState<T>,
    /// `true` if the value is an old result, which is shown until the job has ended.
    is_kept: bool,
    /// `true` if the value must be loaded again, for example because the tree has grown.
    is_outdated: bool,
}

enum LoadState<T> {
    Waiting,
    /// A job is running. The second field contains the latest result of this job while the result of an earlier job is
    /// still shown.
    Running(Load<T>, Option<T>),
    Complete,
    Failed(JobError),
    /// The caller provided the value, so there is no job.
    Given,
}

impl<T> Default for Loader<T> {
    fn default() -> Self {
        Self { value: None, state: LoadState::Waiting, is_kept: false, is_outdated: false }
    }
}

impl<T> fmt::Debug for Loader<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Loader").field("is_loading", &self.is_loading()).finish_non_exhaustive()
    }
}

impl<T> Loader<T> {
    /// Creates a loader that shows `value` and loads nothing.
    pub fn given(value: Option<T>) -> Self {
        Self { value, state: LoadState::Given, ..Self::default() }
    }

    /// Shows `value` until the first result arrives.
    #[must_use]
    pub fn showing(self, value: Option<T>) -> Self {
        Self { value, ..self }
    }

    /// Starts the job if necessary, and collects new results. `start` returns `None` if the job cannot start
    /// yet. Returns `true` if anything has changed.
    pub fn poll(&mut self, start: impl FnOnce() -> io::Result<Option<Load<T>>>) -> bool {
        if matches!(self.state, LoadState::Waiting) {
            match start() {
                Ok(Some(load)) => self.state = LoadState::Running(load, None),
                Ok(None) => {}
                Err(error) => {
                    self.state = LoadState::Failed(JobError::no_thread(error));
                    return true;
                }
            }
        }
        let LoadState::Running(load, newest) = &mut self.state else { return false };
        let (result, outcome) = (load.0)();
        match result {
            Some(Ok(value)) => *newest = Some(value),
            Some(Err(error)) => {
                self.state = LoadState::Failed(error);
                return true;
            }
            None => {}
        }
        let shown = if self.is_kept && outcome.is_none() { None } else { newest.take() };
        let has_changed = shown.is_some() || outcome.is_some();
        match outcome {
            Some(JobEnd::Panicked(message)) => self.state = LoadState::Failed(JobError::Panicked(message)),
            Some(JobEnd::Complete | JobEnd::Stopped) => self.state = LoadState::Complete,
            None => {}
        }
        if shown.is_some() {
            (self.value, self.is_kept) = (shown, false);
        }
        has_changed
    }

    /// Returns the latest result, even if the job failed later.
    pub fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    pub fn into_value(self) -> Option<T> {
        self.value
    }

    pub fn error(&self) -> Option<&JobError> {
        match &self.state {
            LoadState::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Returns `true` if more results are expected.
    pub fn is_loading(&self) -> bool {
        matches!(self.state, LoadState::Waiting | LoadState::Running(..))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.state, LoadState::Running(..))
    }

    /// Discards the job, even if it has ended, so that the next poll starts a new one. Does nothing if the caller
    /// provided the value.
    pub fn reload(&mut self, keep: Keep) {
        if matches!(self.state, LoadState::Given) {
            return;
        }
        self.value = self.value.take().filter(|_| keep == Keep::Shown);
        self.is_kept = self.value.is_some();
        (self.state, self.is_outdated) = (LoadState::Waiting, false);
    }

    /// Loads the result again if it is outdated and no job is running.
    pub fn refresh(&mut self) {
        if self.is_outdated && !self.is_loading() {
            self.reload(Keep::Shown);
        }
    }

    /// Cancels a running job, so that the next poll starts a new one. If the job has ended, does nothing.
    pub fn pause(&mut self) {
        if self.is_running() {
            self.state = LoadState::Waiting;
        }
    }

    /// Marks the result as outdated, for example when the tree has grown.
    pub fn outdate(&mut self) {
        // A value provided by the caller does not become outdated.
        self.is_outdated = !matches!(self.state, LoadState::Given);
    }

    /// Marks the result as current. Called for a result from the tree of the previous scan: that tree does not grow, so
    /// the result cannot become outdated.
    pub fn set_current(&mut self) {
        self.is_outdated = false;
    }

    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Replaces the job with one that ends with this result.
    #[cfg(test)]
    pub fn supply(&mut self, result: Result<T, JobError>)
    where
        T: 'static,
    {
        assert!(self.is_loading(), "no job is running");
        let mut result = Some(result);
        let load = Load(Box::new(move || (result.take(), Some(JobEnd::Complete))));
        self.state = LoadState::Running(load, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Start = io::Result<Option<Load<u32>>>;

    /// Returns a load that yields one result per poll and ends with the last one.
    fn load(results: &'static [u32]) -> Load<u32> {
        let mut results = results.iter().copied();
        Load(Box::new(move || {
            let next = results.next().map(Ok);
            let outcome = (results.len() == 0).then_some(JobEnd::Complete);
            (next, outcome)
        }))
    }

    fn never() -> Start {
        panic!("this job must not be started")
    }

    #[test]
    fn a_result_is_shown_in_parts() {
        let mut loader = Loader::default();
        assert!(!loader.poll(|| Ok(None)) && loader.is_loading() && !loader.is_running());
        assert!(loader.poll(|| Ok(Some(load(&[1, 2])))));
        assert!(loader.value() == Some(&1) && loader.is_loading());
        assert!(loader.poll(never));
        assert!(loader.value() == Some(&2) && !loader.is_loading());
        assert!(!loader.poll(never));
    }

    #[test]
    fn an_old_result_is_shown_until_the_new_one_is_complete() {
        let mut loader = Loader::default().showing(Some(0));
        loader.poll(|| Ok(Some(load(&[1]))));
        loader.outdate();
        loader.refresh();
        assert!(loader.is_loading() && !loader.is_outdated());
        assert!(!loader.poll(|| Ok(Some(load(&[2, 3])))));
        assert_eq!(loader.value(), Some(&1));
        assert!(loader.poll(never) && loader.value() == Some(&3));
        loader.reload(Keep::Nothing);
        assert_eq!(loader.value(), None);
    }

    #[test]
    fn a_running_job_is_replaced_only_for_another_request() {
        let mut loader = Loader::default();
        loader.poll(|| Ok(Some(load(&[1, 2, 3]))));
        loader.outdate();
        loader.refresh();
        loader.poll(never);
        assert_eq!(loader.value(), Some(&2));
        loader.reload(Keep::Shown);
        assert!(!loader.poll(|| Ok(Some(load(&[7, 8])))));
        assert_eq!(loader.value(), Some(&2));
        loader.pause();
        loader.poll(|| Ok(Some(load(&[9]))));
        assert_eq!(loader.value(), Some(&9));
    }

    #[test]
    fn a_failed_job_is_started_again_once_the_tree_has_grown() {
        let mut loader = Loader::default();
        assert!(loader.poll(|| Err(io::ErrorKind::WouldBlock.into())));
        assert!(matches!(loader.error(), Some(JobError::NoThread(_))) && !loader.is_loading());
        loader.outdate();
        loader.refresh();
        loader.poll(|| Ok(Some(load(&[1]))));
        assert!(loader.error().is_none() && loader.value() == Some(&1));
    }

    #[test]
    fn a_given_value_is_kept() {
        let mut given = Loader::given(Some(1));
        given.outdate();
        given.reload(Keep::Nothing);
        assert!(!given.is_outdated() && !given.poll(never) && given.value() == Some(&1));
    }
}
