//! Result for what is on the screen, with the request it belongs to.

use std::io;

use super::loader::{Keep, Load, Loader};
use crate::base::sync::Arc;

/// Result of a job, which is started again when the request changes.
#[derive(Debug)]
pub struct Requested<K, T> {
    wanted: Option<K>,
    result: Loader<Arc<T>>,
}

impl<K, T> Default for Requested<K, T> {
    fn default() -> Self {
        Self { wanted: None, result: Loader::default() }
    }
}

impl<K: Clone + PartialEq, T> Requested<K, T> {
    /// Requests a result, unless it was requested before. Until it is complete, a result for the same subject is
    /// shown.
    pub fn want(&mut self, key: K, is_same_subject: impl Fn(&K, &K) -> bool) {
        let keep = match &self.wanted {
            Some(wanted) if *wanted == key => return,
            Some(wanted) if is_same_subject(wanted, &key) => Keep::Shown,
            _ => Keep::Nothing,
        };
        self.wanted = Some(key);
        self.result.reload(keep);
    }

    /// Drops the result.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Starts the job, and takes its result; `start` returns `None` if the job cannot begin yet. Returns `true` if
    /// something has changed.
    pub fn poll(&mut self, start: impl FnOnce(K) -> io::Result<Option<Load<Arc<T>>>>) -> bool {
        let Some(wanted) = &self.wanted else { return false };
        self.result.poll(|| start(wanted.clone()))
    }

    /// Returns the request.
    pub fn wanted(&self) -> Option<&K> {
        self.wanted.as_ref()
    }

    /// Returns the latest result.
    pub fn value(&self) -> Option<&Arc<T>> {
        self.result.value()
    }

    /// Returns `true` if a job is running.
    pub fn is_running(&self) -> bool {
        self.result.is_running()
    }

    /// Returns `true` if a job is running, or will start with the next poll.
    pub fn is_loading(&self) -> bool {
        self.wanted.is_some() && self.result.is_loading()
    }

    /// Returns `true` if the result lacks new entries.
    pub fn is_outdated(&self) -> bool {
        self.wanted.is_some() && self.result.is_outdated()
    }

    /// Records that the tree has grown.
    pub fn outdate(&mut self) {
        self.result.outdate();
    }

    /// Loads the result again if it lacks new entries.
    pub fn refresh(&mut self) {
        self.result.refresh();
    }
}
