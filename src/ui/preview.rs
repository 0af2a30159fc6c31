//! State of the preview: the entry under the cursor, and what was found about it.
//!
//! Invariant: no job starts before the cursor has rested for a moment, so holding a key costs nothing.

use std::time::{Duration, Instant};

use super::entry_info::EntryInfo;
use super::requested::Requested;
use crate::analysis::overview::Breakdown;
use crate::scan::head::FileHead;
use crate::table::outline::{Level, OutlineRequest};
use crate::tree::{DirId, EntryId};

/// Time for which the cursor must rest.
const REST: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 120 });

/// State of the preview.
#[derive(Debug, Default)]
pub struct PreviewState {
    /// Entry that is shown, and the directory if it is one.
    pub subject: Option<(EntryId, Option<DirId>)>,
    /// Time when the cursor reached the entry.
    since: Option<Instant>,
    /// Totals of a directory by type and age. The number is the state of the tree.
    pub breakdown: Requested<(DirId, u64), Breakdown>,
    /// Largest entries of a directory.
    pub map: Requested<OutlineRequest, Level>,
    /// Metadata of any other entry.
    pub info: Option<EntryInfo>,
    /// First lines of a file.
    pub head: Requested<EntryId, FileHead>,
}

impl PreviewState {
    /// Shows another entry, or nothing. Returns `true` if it was not shown before.
    pub fn show(&mut self, subject: Option<(EntryId, Option<DirId>)>) -> bool {
        if self.subject == subject {
            return false;
        }
        let since = subject.is_some().then(Instant::now);
        *self = Self { subject, since, ..Self::default() };
        true
    }

    /// Returns `true` if jobs may start.
    pub fn may_start(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= REST)
    }

    /// Returns `true` if something will change soon.
    pub fn is_busy(&self) -> bool {
        self.subject.is_some()
            && (!self.may_start()
                || self.breakdown.is_loading()
                || self.map.is_loading()
                || self.head.is_running()
                || self.info.as_ref().is_some_and(|info| info.inspection.is_running()))
    }

    /// Returns `true` if a result lacks new entries.
    pub fn is_outdated(&self) -> bool {
        self.breakdown.is_outdated() || self.map.is_outdated()
    }

    /// Records that the tree has grown.
    pub fn outdate(&mut self) {
        self.breakdown.outdate();
        self.map.outdate();
    }

    /// Loads outdated results again.
    pub fn refresh(&mut self) {
        self.breakdown.refresh();
        self.map.refresh();
    }
}
