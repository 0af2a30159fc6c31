//! Growth since a baseline: the search for a baseline, the growth column, and navigation from a change to its
//! entry.
//!
//! Invariant: a comparison is kept only while the growth column, sorting by growth, or the treemap's growth colors
//! need it. Its result is dropped when a rescan replaces directories.

use super::Context;
use crate::analysis::compare::diff::ChangeKind;
use crate::analysis::compare::{self, Row};
use crate::analysis::search::{Query, Request};
use crate::base::calendar::date_and_time;
use crate::base::sync::Arc;
use crate::source::baseline::{self, Baseline, BaselineInfo};
use crate::table::column::Column;
use crate::tree::{DirId, EntryId};
use crate::ui::loader::{Keep, Load, Sources};
use crate::ui::map_colors::MapColors;
use crate::ui::notice::Notice;
use crate::ui::view_state::GrowthState;
use crate::ui::views::growth;

impl Context<'_> {
    /// Starts the search for a baseline and the comparison with the baseline when they are needed, and collects their
    /// results. Ends a comparison that is no longer needed. Returns `true` if there is a new result.
    pub fn poll_comparison(&mut self, sources: &Sources<'_>) -> bool {
        let (can_start, order) = (sources.can_compare(), self.request(Query::default()).order);
        let basis = || sources.basis.cloned();
        let is_needed = self.needs_comparison();
        let GrowthState { baseline, column, .. } = &mut self.views.compared;
        *column = is_needed.then(|| column.take().unwrap_or_default());
        let is_found = baseline.poll(|| {
            let job = can_start.then(|| baseline::find(sources.pool, basis()));
            Ok(job.transpose()?.map(Into::into))
        });
        let request = || {
            let tree = Arc::clone(sources.tree);
            Request { tree, from: DirId::TOP, query: Query::default(), order }
        };
        let has_grown = column.as_mut().is_some_and(|column| {
            column.poll(|| {
                let job = can_start.then(|| {
                    compare::growth(sources.pool, Baseline::finder(sources.basis), Vec::new, request(), 0)
                });
                Ok(job.transpose()?.map(|job| Load::of_comparison(job, |growth| growth)))
            })
        });
        if is_found {
            // Without a baseline, hide the growth column, even if the settings request it.
            if self.check_baseline().is_err() {
                self.shown.columns = self.shown.columns.with(Column::Growth, false);
            }
            self.notify_baseline();
        }
        if !has_grown {
            return is_found;
        }
        if let Some(problem) = self.views.compared.new_problem() {
            self.notify(Notice::Message(problem));
        }
        if self.can_sort() || !self.is_scanning() {
            self.sort();
        } else {
            self.is_stale = true;
        }
        true
    }

    /// Returns `true` if the columns, the sort order or the treemap colors need the comparison with the baseline.
    fn needs_comparison(&self) -> bool {
        self.shown.columns.has(Column::Growth)
            || self.order.column == Column::Growth
            || self.views.map_colors == MapColors::Growth
    }

    /// Checks that there is a baseline. The check also succeeds while the search for a baseline is running.
    pub fn check_baseline(&self) -> Result<(), Notice> {
        match self.views.compared.baseline.value().map(Arc::as_ref) {
            Some(BaselineInfo { is_there: false, .. }) => Err(Notice::NoBaseline),
            _ => Ok(()),
        }
    }

    /// Chooses another snapshot as the baseline. `next` converts the index of the current snapshot to the index of the
    /// new snapshot; 0 is the newest snapshot. `next` must return `None` if there is no newer snapshot, and an index
    /// past the end if there is no older snapshot.
    pub fn choose_baseline(&mut self, next: impl Fn(usize) -> Option<usize>) {
        let Some(info) = self.views.compared.baseline() else {
            self.notify(Notice::NoBaseline);
            return;
        };
        let next = next(info.index);
        let Some(index) = next.filter(|index| *index < info.count) else {
            self.notify(Notice::NoOtherBaseline { is_newer: next.is_none() });
            return;
        };
        let compared = &mut self.views.compared;
        (compared.chosen, compared.is_announced) = (index, false);
        compared.baseline.reload(Keep::Shown);
        if let Some(column) = &mut compared.column {
            column.reload(Keep::Shown);
        }
        for view in self.views.tables.iter_mut().filter(|view| view.spec.is_of_changes()) {
            view.rows.reload(Keep::Shown);
        }
        self.views.overview.growth.outdate();
    }

    /// Shows the time of the baseline in the title of the growth view. If that view is not visible and the user has
    /// chosen another snapshot, shows the time in a notice.
    fn notify_baseline(&mut self) {
        let title = self.title(&growth::VIEW);
        for view in self.views.tables.iter_mut().filter(|view| view.spec.is_of_changes()) {
            view.set_title(title.clone());
        }
        let Some(info) = self.views.compared.baseline().filter(|_| !self.views.compared.is_announced) else {
            return;
        };
        self.views.compared.is_announced = true;
        // The title of the growth view already shows the time of the baseline, so a notice would only repeat it.
        let is_in_title = self.table().is_some_and(|view| view.spec.is_of_changes());
        if let Some(since) = info.since.filter(|_| info.count > 1 && !is_in_title) {
            self.notify(Notice::Since(date_and_time(since, &self.zone), info.index + 1, info.count));
        }
    }

    /// Shows the growth column and sorts by it, unless growth is unavailable.
    pub fn sort_by_growth(&mut self) {
        if self.is_filtered() {
            self.notify(Notice::FilterNotCompared);
        } else if self.checked(self.check_baseline()).is_some() {
            self.sort_by(Column::Growth);
        }
    }

    /// Shows or hides the growth column.
    pub fn toggle_growth(&mut self) {
        if self.shown.columns.has(Column::Growth) || self.checked(self.check_baseline()).is_some() {
            self.shown.columns.toggle(Column::Growth);
        }
    }

    /// Repeats the comparison after a rescan or a deletion has replaced directories.
    pub fn reload_growth(&mut self) {
        let GrowthState { column, reported, .. } = &mut self.views.compared;
        *reported = None;
        if let Some(column) = column {
            column.reload(Keep::Nothing);
        }
    }

    /// Goes to the entry of a row. If the entry was deleted, goes to the directory that contained the entry.
    pub fn follow_change(&mut self, row: &Row) {
        if row.difference == ChangeKind::Deleted {
            if let Some(entry) = EntryId::of(self.tree, row.new_parent) {
                self.leave_for(entry, true);
            }
            self.notify(Notice::FormerDirectory);
        } else {
            self.leave_for(row.entry, false);
        }
    }
}
