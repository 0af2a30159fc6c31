//! State of the preview: the entry or the total under the cursor, and the information about it.
//!
//! Invariant: jobs start only after the cursor has stayed on a row for a moment. Scrolling with a held key starts no
//! jobs.

use std::time::{Duration, Instant};

use super::entry_info::EntryInfo;
use super::requested::Requested;
use crate::analysis::overview::Breakdown;
use crate::analysis::rows::SearchResult;
use crate::analysis::search::SortBy;
use crate::scan::head::FileHead;
use crate::table::outline::{Level, OutlineRequest};
use crate::tree::{DirId, EntryId};

/// Delay before the jobs for a preview are started, so that none are started for rows that the cursor only passes.
const REST: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 120 });

/// Row that is previewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Previewed {
    /// Entry, and its directory ID if it is a directory.
    Entry(EntryId, Option<DirId>),
    /// Total of several files, such as all files of a type.
    Files {
        /// Label of the row.
        label: String,
        /// Key of the row; see [`Target::key`](super::views::Target::key).
        key: String,
    },
}

#[derive(Debug, Default)]
pub struct PreviewState {
    pub subject: Option<Previewed>,
    /// Time when the cursor reached `subject`, if any. The jobs for the preview start [`REST`] after this time.
    since: Option<Instant>,
    /// Totals of a directory by type and age. The key contains the directory and the edition of the tree (see
    /// [`crate::tree::Tree::edition`]).
    pub breakdown: Requested<(DirId, u64), Breakdown>,
    /// Treemap of the previewed directory: its largest entries, as many as fit into the pane.
    pub map: Requested<OutlineRequest, Level>,
    pub info: Option<EntryInfo>,
    pub head: Requested<EntryId, FileHead>,
    /// Largest files in the previewed row ([`Previewed::Files`]). The key contains the searched directory, the sort
    /// order and `Tree::edition`.
    pub files: Requested<(DirId, SortBy, u64), SearchResult>,
}

impl PreviewState {
    /// Sets the previewed row, or clears the preview if `subject` is `None`. Returns `true` if the row has changed.
    pub fn show(&mut self, subject: Option<Previewed>) -> bool {
        if self.subject == subject {
            return false;
        }
        let since = subject.is_some().then(Instant::now);
        *self = Self { subject, since, ..Self::default() };
        true
    }

    /// Returns `true` if the cursor has been on the row long enough for jobs to start.
    pub fn can_start(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= REST)
    }

    /// Returns `true` if jobs are running or will start soon.
    pub fn is_busy(&self) -> bool {
        self.subject.is_some()
            && (!self.can_start()
                || self.breakdown.is_loading()
                || self.map.is_loading()
                || self.files.is_loading()
                || self.head.is_running()
                || self.info.as_ref().is_some_and(|info| info.inspection.is_running()))
    }

    pub fn is_outdated(&self) -> bool {
        self.breakdown.is_outdated() || self.map.is_outdated() || self.files.is_outdated()
    }

    /// Marks the results as outdated. Called when the tree has grown.
    pub fn outdate(&mut self) {
        self.breakdown.outdate();
        self.map.outdate();
        self.files.outdate();
    }

    pub fn refresh(&mut self) {
        self.breakdown.refresh();
        self.map.refresh();
        self.files.refresh();
    }
}
