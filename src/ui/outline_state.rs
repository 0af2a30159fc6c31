//! Outline of a directory for drawing, and the job that finds it.

use std::io;

use super::loader::{Keep, Load, Loader};
use crate::base::sync::Arc;
use crate::table::outline::{Level, OutlineRequest};
use crate::table::rows::SizeSource;

/// Number of half cells from which an entry has its own rectangle.
const SMALLEST: u64 = 6;

/// Outline of a directory.
#[derive(Debug, Default)]
pub struct OutlineState {
    wanted: Option<OutlineRequest>,
    level: Loader<Arc<Level>>,
}

impl OutlineState {
    /// Requests the outline for a picture of this number of half cells, unless it was requested before.
    pub fn want(&mut self, request: OutlineRequest, half_cells: u64) {
        let request = OutlineRequest { parts: half_cells / SMALLEST, ..request };
        let keep = match &self.wanted {
            Some(wanted) if is_same(wanted, &request) => return,
            Some(wanted) if wanted.directory == request.directory => Keep::Shown,
            _ => Keep::Nothing,
        };
        self.wanted = Some(request);
        self.level.reload(keep);
    }

    /// Drops the outline.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Starts the job, and takes its result. Returns `true` if something has changed.
    pub fn poll(&mut self, start: impl FnOnce(OutlineRequest) -> io::Result<Load<Arc<Level>>>) -> bool {
        let Some(wanted) = &self.wanted else { return false };
        self.level.poll(|| start(wanted.clone()).map(Some))
    }

    /// Returns the outline.
    pub fn level(&self) -> Option<&Level> {
        self.level.value().map(|level| &**level)
    }

    /// Returns the loader.
    pub fn loader(&mut self) -> &mut Loader<Arc<Level>> {
        &mut self.level
    }

    /// Returns `true` if a job is running.
    pub fn is_running(&self) -> bool {
        self.level.is_running()
    }

    /// Returns `true` if the outline lacks new entries.
    pub fn is_outdated(&self) -> bool {
        self.wanted.is_some() && self.level.is_outdated()
    }
}

/// Returns `true` if both requests have the same result, unless the tree has grown in the meantime.
fn is_same(one: &OutlineRequest, other: &OutlineRequest) -> bool {
    let order = |request: &OutlineRequest| (request.order.measure, request.order.hidden);
    (one.directory, one.parts, order(one)) == (other.directory, other.parts, order(other))
        && is_same_source(&one.sizes, &other.sizes)
}

fn is_same_source(one: &SizeSource, other: &SizeSource) -> bool {
    fn is_same<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }
    is_same(one.filtered.as_ref(), other.filtered.as_ref())
        && is_same(one.growth.as_ref(), other.growth.as_ref())
}
