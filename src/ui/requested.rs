//! Result of a job, together with the request that the result belongs to.

use std::io;

use super::loader::{Keep, Load, Loader};
use crate::base::sync::Arc;

/// Result of a job that is started again when the request changes.
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
    /// Requests the result for `key`. Does nothing if the previous request had the same key. If the previous request
    /// had another key but the same subject, its result remains visible until the new result is complete.
    pub fn want(&mut self, key: K, is_same_subject: impl Fn(&K, &K) -> bool) {
        let keep = match &self.wanted {
            Some(wanted) if *wanted == key => return,
            Some(wanted) if is_same_subject(wanted, &key) => Keep::Shown,
            _ => Keep::Nothing,
        };
        self.wanted = Some(key);
        self.result.reload(keep);
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Starts the job if necessary, and collects its results. `start` returns `None` if the job cannot start
    /// yet. Returns `true` if anything has changed.
    pub fn poll(&mut self, start: impl FnOnce(K) -> io::Result<Option<Load<Arc<T>>>>) -> bool {
        let Some(wanted) = &self.wanted else { return false };
        self.result.poll(|| start(wanted.clone()))
    }

    pub fn wanted(&self) -> Option<&K> {
        self.wanted.as_ref()
    }

    pub fn value(&self) -> Option<&Arc<T>> {
        self.result.value()
    }

    pub fn is_running(&self) -> bool {
        self.result.is_running()
    }

    /// Returns `true` if a job is running, or will start with the next poll.
    pub fn is_loading(&self) -> bool {
        self.wanted.is_some() && self.result.is_loading()
    }

    pub fn is_outdated(&self) -> bool {
        self.wanted.is_some() && self.result.is_outdated()
    }

    /// Marks the result as outdated, for example when the tree has grown.
    pub fn outdate(&mut self) {
        self.result.outdate();
    }

    /// Marks the result as current. Called for a result from the tree of the previous scan: that tree does not grow, so
    /// the result cannot become outdated.
    pub fn set_current(&mut self) {
        self.result.set_current();
    }

    /// Loads the result again if it is outdated and no job is running.
    pub fn refresh(&mut self) {
        self.result.refresh();
    }
}
