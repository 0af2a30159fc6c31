//! State of the preview: the entry under the cursor, and the information about it.
//!
//! Invariant: jobs start only after the cursor has been still for a moment, so scrolling with a held key starts none.

use std::time::{Duration, Instant};

use super::entry_info::EntryInfo;
use super::requested::Requested;
use crate::analysis::overview::Breakdown;
use crate::scan::head::FileHead;
use crate::table::outline::{Level, OutlineRequest};
use crate::tree::{DirId, EntryId};

/// Time without cursor movement after which jobs start.
const REST: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 120 });

#[derive(Debug, Default)]
pub struct PreviewState {
    /// Entry that is shown, and its directory ID if it is a directory.
    pub subject: Option<(EntryId, Option<DirId>)>,
    /// Time when the cursor reached the entry.
    since: Option<Instant>,
    /// Totals of a directory by type and age. The key contains the directory and the edition of the tree (see
    /// [`crate::tree::Tree::edition`]).
    pub breakdown: Requested<(DirId, u64), Breakdown>,
    /// Largest entries of a directory.
    pub map: Requested<OutlineRequest, Level>,
    pub info: Option<EntryInfo>,
    pub head: Requested<EntryId, FileHead>,
}

impl PreviewState {
    /// Sets the entry to preview; `None` clears the preview. Returns `true` if this changes the previewed entry.
    pub fn show(&mut self, subject: Option<(EntryId, Option<DirId>)>) -> bool {
        if self.subject == subject {
            return false;
        }
        let since = subject.is_some().then(Instant::now);
        *self = Self { subject, since, ..Self::default() };
        true
    }

    /// Returns `true` if the cursor has been on the entry long enough for jobs to start.
    pub fn may_start(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= REST)
    }

    /// Returns `true` if jobs are running or will start soon.
    pub fn is_busy(&self) -> bool {
        self.subject.is_some()
            && (!self.may_start()
                || self.breakdown.is_loading()
                || self.map.is_loading()
                || self.head.is_running()
                || self.info.as_ref().is_some_and(|info| info.inspection.is_running()))
    }

    pub fn is_outdated(&self) -> bool {
        self.breakdown.is_outdated() || self.map.is_outdated()
    }

    /// Marks the results as outdated, because the tree has grown.
    pub fn outdate(&mut self) {
        self.breakdown.outdate();
        self.map.outdate();
    }

    pub fn refresh(&mut self) {
        self.breakdown.refresh();
        self.map.refresh();
    }
}
