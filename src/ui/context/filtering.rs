//! Filter: a search that restricts the list and the treemap.
//!
//! A background job computes the filtered totals of the whole tree, so they are valid in every directory. Until
//! the first result there are no rows, because rows that may not match would be worse.
//!
//! Invariant: while a filter is active, the list contains only rows and totals of the filter, and the header
//! shows "n of m".

use super::Context;
use crate::analysis::search::Filtered;
use crate::base::sync::Arc;
use crate::tree::{DirId, Relocation};
use crate::ui::loader::{Keep, Loader};
use crate::ui::view_state::Filtering;

impl Context<'_> {
    /// Returns `true` if a filter is active.
    pub fn is_filtered(&self) -> bool {
        self.views.filtering.is_some()
    }

    /// Returns the result of the filter, if one is active.
    pub fn filter_result(&self) -> Option<&Loader<Arc<Filtered>>> {
        self.views.filtering.as_ref().map(|filtering| &filtering.result)
    }

    /// Makes a valid search the filter of the list and the treemap.
    pub fn begin_filter(&mut self) {
        if self.views.filter.is_empty() || self.is_filtered() {
            return;
        }
        self.views.filtering = Some(Filtering::new(self.views.filter.clone()));
        // The old rows are dropped, and none are shown until there is a result.
        self.sorting = None;
        self.place.forget_rows();
    }

    /// Clears the search and the filter. Returns `true` if there was a filter.
    pub fn clear_filter(&mut self) -> bool {
        let was_filtered = self.is_filtered();
        self.leave_search();
        if was_filtered {
            self.sort_anew();
        }
        was_filtered
    }

    /// Computes the totals again after a rescan has replaced directories.
    pub fn renew_filter(&mut self, relocation: &mut Relocation<'_>) {
        self.views.filter.relocate(relocation);
        if let Some(filtering) = &mut self.views.filtering {
            filtering.query.relocate(relocation);
            filtering.result.reload(Keep::Nothing);
        }
    }

    /// Returns `true` if a directory has entries that the filter hides.
    pub fn is_partly_shown(&self, id: DirId) -> bool {
        let Some(filtering) = &self.views.filtering else { return false };
        self.views.sheets.is_empty() && filtering.filtered().totals(id) != self.live.totals(self.tree, id)
    }
}
