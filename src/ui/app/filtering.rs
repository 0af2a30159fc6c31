//! Filter: a search that restricts list and treemap too.
//!
//! A background job computes its totals from the top on, so they are valid in every directory. Until they are
//! known nothing is shown, since rows that may not belong there would be worse.
//!
//! Invariant: while a filter is active, rows and totals of the list are its own, and the header shows "n of
//! m".

use super::App;
use crate::analysis::search::{self, Filtered, Order, Query, Request};
use crate::base::sync::Arc;
use crate::table::rows::Sums;
use crate::tree::{DirId, Relocation, Tree};
use crate::ui::loader::{Keep, Loader, Sources};

/// Active filter.
#[derive(Debug)]
pub struct Filtering {
    /// Result of the filter.
    pub result: Loader<Arc<Filtered>>,
    query: Query,
    nothing: Arc<Filtered>,
}

impl Filtering {
    fn new(query: Query) -> Self {
        Self { result: Loader::default(), query, nothing: Arc::new(Filtered::nothing()) }
    }

    /// Returns the result of the filter so far.
    pub fn filtered(&self) -> &Arc<Filtered> {
        self.result.value().unwrap_or(&self.nothing)
    }

    /// Starts the job of the filter, and takes its results. Returns `true` if something has changed.
    pub fn poll(&mut self, sources: &Sources<'_>, order: Order) -> bool {
        let request = || {
            let (tree, query) = (Arc::clone(sources.tree), self.query.clone());
            Request { tree, from: DirId::TOP, query, order }
        };
        self.result.poll(|| Ok(Some(search::filter(sources.pool, request())?.into())))
    }
}

impl App<'_> {
    /// Returns `true` if a filter is active.
    pub fn is_filtered(&self) -> bool {
        self.views.filtering.is_some()
    }

    /// Returns the result of the filter, if one is active.
    pub fn filter_result(&self) -> Option<&Loader<Arc<Filtered>>> {
        self.views.filtering.as_ref().map(|filtering| &filtering.result)
    }

    /// Restricts list and treemap to the search, if there is one.
    pub(super) fn begin_filter(&mut self) {
        if self.views.filter.is_empty() || self.is_filtered() {
            return;
        }
        self.views.filtering = Some(Filtering::new(self.views.filter.clone()));
        // No rows are kept until there is a result.
        self.sorting = None;
        self.place.forget_rows();
    }

    /// Removes the filter. Returns `true` if there was one.
    pub(in crate::ui) fn clear_filter(&mut self) -> bool {
        let was_filtered = self.is_filtered();
        self.leave_search();
        if was_filtered {
            self.sort_anew();
        }
        was_filtered
    }

    /// Recomputes the totals after a rescan, which has replaced directories.
    pub(super) fn renew_filter(&mut self, relocation: &mut Relocation<'_>) {
        self.views.filter.renew(relocation);
        if let Some(filtering) = &mut self.views.filtering {
            filtering.query.renew(relocation);
            filtering.result.reload(Keep::Nothing);
        }
    }

    /// Returns `true` if a directory has entries that the filter hides.
    pub(super) fn is_partly_shown(&self, id: DirId) -> bool {
        let Some(filtering) = &self.views.filtering else { return false };
        self.views.sheets.is_empty() && filtering.filtered().totals(id) != self.live.totals(self.tree, id)
    }
}

/// Returns the source of directory totals; borrows only a part of the state.
pub(super) fn sums<'a>(live: &'a crate::tree::LiveTotals, views: &'a super::views::Views) -> Sums<'a> {
    let filtered = views.filtering.as_ref().map(|filtering| filtering.filtered().as_ref());
    // The filtered part of a directory cannot be compared with all of its earlier contents.
    let growth = views.compared.growth().filter(|_| filtered.is_none());
    Sums { live, filtered, growth }
}

/// Returns the directory that belongs to an entry, if it was entered.
pub(super) fn directory_of(tree: &Tree, entry: (DirId, crate::tree::Position)) -> Option<DirId> {
    match tree.listing(entry.0).record(entry.1)?.state {
        crate::tree::EntryState::Known(facts) => facts.directory,
        crate::tree::EntryState::Excluded(_) | crate::tree::EntryState::Failed(_) => None,
    }
}
