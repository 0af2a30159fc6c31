//! State of the overview: the requested results, and the parts that are drawn.
//!
//! A single walk over the tree finds everything except two things: the growth, which needs a comparison with the
//! baseline, and the size and free space of the file system.

use super::cursor::{Cursor, Motion, moved};
use super::keys::Side;
use super::requested::Requested;
use super::theme::Role;
use super::views::{TableAnswer, ViewSpec, df};
use crate::analysis::overview::Overview;
use crate::base::sync::Arc;
use crate::df::Volume;
use crate::table::recorded::RecordedTree;
use crate::table::row::Row;
use crate::tree::DirId;

/// Minimum width, in columns, at which the parts of an overview are placed side by side.
pub const WIDE: u16 = 72;

/// Request for an overview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverviewKey {
    pub from: DirId,
    /// Text of the active filter.
    pub filter: String,
    /// Edition of the tree; see [`crate::tree::Tree::edition`].
    pub edition: u64,
}

/// Part of the overview, with its largest rows.
#[derive(Clone, Debug)]
pub struct Part {
    /// View that this part summarizes. The view shows all rows, the part only some of them.
    pub view: &'static ViewSpec,
    /// Text after the heading.
    pub total: String,
    /// Rows, each with the color role of its bar.
    pub rows: Vec<(Row, Role)>,
    /// Text shown if there are no rows.
    pub empty: String,
    /// `true` if the largest or most important rows come first. If there is too little room for all rows, the last rows
    /// are omitted if this is `true`, otherwise the smallest rows. The remaining rows keep their order.
    pub is_largest_first: bool,
}

/// Totals and largest entries of everything below a directory.
#[derive(Debug)]
pub struct Survey {
    pub found: Arc<Overview>,
    /// Tree of the previous scan, and the surveyed directory's ID in it; `None` if the current tree was surveyed.
    pub record: Option<(RecordedTree, DirId)>,
}

#[derive(Debug, Default)]
pub struct OverviewState {
    pub survey: Requested<OverviewKey, Survey>,
    pub growth: Requested<OverviewKey, TableAnswer>,
    /// File system of the directory that the overview describes; `None` if unknown.
    pub space: Requested<OverviewKey, Option<Volume>>,
    pub parts: Vec<Part>,
    /// Index of the selected part.
    pub index: usize,
    /// `true` if the space of the file system is selected instead of a part.
    pub is_on_space: bool,
    /// Number of rows scrolled off the top. A row shows one part, or two parts side by side.
    pub offset: usize,
}

impl OverviewState {
    /// Requests the results for `key`, unless already requested. Requests the growth only if there is a baseline.
    pub fn want(&mut self, key: &OverviewKey, has_baseline: bool) {
        let is_same = |one: &OverviewKey, other: &OverviewKey| one.from == other.from;
        self.survey.want(key.clone(), is_same);
        self.space.want(key.clone(), is_same);
        if has_baseline {
            self.growth.want(key.clone(), is_same);
        }
    }

    /// Moves the selection forward or backward through the parts, in reading order.
    pub fn go(&mut self, motion: Motion) {
        self.is_on_space = false;
        self.index = moved(self.index, motion, 2, self.parts.len());
    }

    /// Scrolls so that the selected part is visible. The screen has room for `lines` rows, each with `columns` parts.
    pub fn scroll(&mut self, lines: usize, columns: usize) {
        let mut cursor = Cursor { index: self.index / columns, offset: self.offset };
        cursor.show(lines, self.parts.len().div_ceil(columns));
        self.offset = cursor.offset;
    }

    /// Drops everything except the index of the selected part.
    pub fn forget(&mut self) {
        *self = Self { index: self.index, ..Self::default() };
    }

    pub fn selected(&self) -> Option<&'static ViewSpec> {
        if self.is_on_space {
            return Some(&df::VIEW);
        }
        self.parts.get(self.index).map(|part| part.view)
    }

    /// Moves the selection to the neighboring part on the given side, if there is one. `columns` is the screen width.
    /// If `has_space` is `true`, the heading for the file system's space is shown above the first parts and can also
    /// be selected.
    pub fn step(&mut self, side: Side, columns: u16, has_space: bool) {
        let is_wide = columns >= WIDE;
        if self.is_on_space {
            self.is_on_space = side != Side::Below;
            return;
        }
        if side == Side::Above && self.index < 1 + usize::from(is_wide) {
            self.is_on_space = has_space;
            return;
        }
        let next = match (side, is_wide) {
            (Side::Left, true) if self.index % 2 == 1 => self.index - 1,
            (Side::Right, true) if self.index.is_multiple_of(2) => self.index + 1,
            (Side::Above, true) => self.index.wrapping_sub(2),
            (Side::Below, true) => self.index + 2,
            (Side::Above, false) => self.index.wrapping_sub(1),
            (Side::Below, false) => self.index + 1,
            (Side::Left | Side::Right, _) => self.index,
        };
        if next < self.parts.len() {
            self.index = next;
        }
    }

    pub fn value(&self) -> Option<&Arc<Survey>> {
        self.survey.value()
    }

    pub fn is_running(&self) -> bool {
        self.survey.is_running() || self.growth.is_running() || self.space.is_running()
    }

    /// Returns `true` while a survey is loading and results from the previous scan are shown.
    pub fn is_finding_recorded(&self) -> bool {
        self.survey.is_loading() && self.value().is_some_and(|survey| survey.record.is_some())
    }

    pub fn is_outdated(&self) -> bool {
        self.survey.is_outdated() || self.growth.is_outdated()
    }

    /// Marks results from the recorded tree of the previous scan as current, because that tree does not grow.
    pub fn keep_recorded(&mut self) {
        if self.value().is_some_and(|survey| survey.record.is_some()) {
            self.survey.set_current();
        }
        if self.growth.value().is_some_and(|answer| answer.data.is_recorded()) {
            self.growth.set_current();
        }
    }

    /// Marks the results as outdated. Called when the tree has grown. If `keeps_recorded` is `true`, results from the
    /// recorded tree of the previous scan are not marked.
    pub fn outdate(&mut self, keeps_recorded: bool) {
        if !(keeps_recorded && self.value().is_some_and(|survey| survey.record.is_some())) {
            self.survey.outdate();
        }
        if !(keeps_recorded && self.growth.value().is_some_and(|answer| answer.data.is_recorded())) {
            self.growth.outdate();
        }
    }

    pub fn refresh(&mut self) {
        self.survey.refresh();
        self.growth.refresh();
    }
}
