//! Filter: a search that restricts the list and the treemap.
//!
//! A background job computes the filtered totals of the whole tree, so that they are available in every
//! directory. No rows are shown before the first result, because they could include entries that do not match.
//!
//! Invariant: while a filter is active, the list contains only matching entries and filtered totals, and the
//! header shows "n of m".

use super::Context;
use crate::analysis::search::Filter;
use crate::base::sync::Arc;
use crate::tree::{DirId, Relocation};
use crate::ui::loader::{Keep, Loader};
use crate::ui::view_state::Filtering;

impl Context<'_> {
    pub fn is_filtered(&self) -> bool {
        self.views.filtering.is_some()
    }

    pub fn filter_result(&self) -> Option<&Loader<Arc<Filter>>> {
        self.views.filtering.as_ref().map(|filtering| &filtering.result)
    }

    /// Applies the current search as a filter to the list and the treemap, if the search is valid.
    pub fn begin_filter(&mut self) {
        if self.views.filter.is_empty() || self.is_filtered() {
            return;
        }
        self.views.filtering = Some(Filtering::new(self.views.filter.clone()));
        // The old rows include entries that do not match, so no rows are shown until the result arrives.
        self.sorting = None;
        self.location.forget_rows();
    }

    /// Clears the search and the filter. Returns `true` if a filter was active.
    pub fn clear_filter(&mut self) -> bool {
        let was_filtered = self.is_filtered();
        self.leave_search();
        if was_filtered {
            self.sort_anew();
        }
        was_filtered
    }

    /// Updates the filter after a rescan has replaced directories. A new job computes the filtered totals again.
    pub fn relocate_filter(&mut self, relocation: &mut Relocation<'_>) {
        self.views.filter.relocate(relocation);
        if let Some(filtering) = &mut self.views.filtering {
            filtering.query.relocate(relocation);
            filtering.result.reload(Keep::Nothing);
        }
    }

    /// Returns `true` if the filter hides any entry below this directory. Returns `false` while a table view is open,
    /// because the filter applies only to the list and the treemap.
    pub fn is_partly_shown(&self, id: DirId) -> bool {
        let Some(filtering) = &self.views.filtering else { return false };
        self.views.tables.is_empty() && filtering.filtered().totals(id) != self.live.totals(self.tree, id)
    }
}
