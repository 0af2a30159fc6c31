//! Exclusive sizes: the search that computes how many bytes deleting each entry would free, and the column that shows
//! these sizes.
//!
//! Invariant: the search runs only while the column is visible and no scan, rescan or deletion changes the tree.

use super::Context;
use crate::base::sync::Arc;
use crate::exclusive::{self, ExclusiveProgress};
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::tree::{Exclusive, ExclusiveSizes};
use crate::ui::loader::{Keep, Sources};
use crate::ui::notice::Notice;
use crate::ui::sentences::{FailedJob, coverage_text};

impl Context<'_> {
    /// Shows or hides the column of exclusive sizes. Hiding the column stops the search for these sizes.
    pub fn toggle_frees(&mut self) {
        if self.shown.columns.has(Column::Frees) {
            self.shown.columns.toggle(Column::Frees);
            self.views.exclusive = None;
        } else {
            self.show_frees();
        }
    }

    /// Shows the column of exclusive sizes and sorts by it. The rows are sorted again when the sizes have been found.
    pub fn sort_by_frees(&mut self) {
        self.show_frees();
        if self.shown.columns.has(Column::Frees) {
            self.sort_by(Column::Frees);
        }
    }

    /// Shows the column of exclusive sizes at the start of the session, and requests the sizes. For snapshots and
    /// exports, which have no exclusive sizes, hides the column.
    pub fn start_with_frees(&mut self) {
        self.shown.columns = self.shown.columns.with(Column::Frees, false);
        if self.source_kind == SourceKind::Live {
            self.show_frees();
        }
    }

    fn show_frees(&mut self) {
        if self.source_kind != SourceKind::Live {
            return self.notify(Notice::RecordedNotHere);
        }
        self.shown.columns = self.shown.columns.with(Column::Frees, true);
        if self.tree.exclusive().is_none() {
            self.views.exclusive.get_or_insert_default();
        }
    }

    /// Starts the search if necessary, and collects its results. Returns `true` if there is a new result.
    pub fn poll_exclusive(&mut self, sources: &Sources<'_>) -> bool {
        let can_start = sources.may_ask_system
            && !self.is_scanning()
            && self.rescan.is_none()
            && self.deletion.running.is_none();
        let Some(search) = &mut self.views.exclusive else { return false };
        let has_news = search.poll(|| {
            let job = can_start.then(|| exclusive::find(sources.pool, Arc::clone(sources.tree)));
            Ok(job.transpose()?.map(Into::into))
        });
        if !has_news {
            return false;
        }
        if let Some(error) = search.error().cloned() {
            self.views.exclusive = None;
            self.notify(Notice::JobFailed(FailedJob::ReadExtents, error));
            return true;
        }
        let sizes = search.value().and_then(|found| found.sizes.clone());
        if let Some(sizes) = sizes {
            self.finish_exclusive(&sizes);
        }
        true
    }

    /// Refreshes the rows that may depend on the sizes. Reports the source of the sizes (extents or link counts) if no
    /// other notice is shown.
    fn finish_exclusive(&mut self, sizes: &Arc<ExclusiveSizes>) {
        if self.notice.is_none() {
            self.notify(Notice::Message(coverage_text(sizes.coverage, self.units)));
        }
        if self.order.column.is_exclusive() {
            self.sort();
        }
        if let Some(filtering) = &mut self.views.filtering {
            filtering.result.reload(Keep::Shown);
        }
        for view in &mut self.views.tables {
            view.rows.reload(Keep::Shown);
        }
    }

    /// Repeats the search for exclusive sizes if their column is visible. Called when the tree has changed.
    pub fn reload_exclusive(&mut self) {
        if self.shown.columns.has(Column::Frees) {
            self.views.exclusive.get_or_insert_default().reload(Keep::Nothing);
        }
    }

    /// Returns the progress of the search for exclusive sizes; `None` if no search is running.
    pub fn exclusive_progress(&self) -> Option<Arc<ExclusiveProgress>> {
        let search = self.views.exclusive.as_ref().filter(|search| search.is_loading())?;
        Some(search.value().cloned().unwrap_or_default())
    }

    /// Returns the bytes that deleting all marked entries would free, if known.
    pub fn marks_exclusive(&self) -> Option<Exclusive> {
        let sizes = self.tree.exclusive()?;
        let marks = self.marks.all().filter(|(_, mark)| mark.is_outermost);
        let known: Option<Vec<_>> = marks.map(|((parent, _), mark)| mark.exclusive(parent, &sizes)).collect();
        Some(Exclusive::together(known?))
    }
}
