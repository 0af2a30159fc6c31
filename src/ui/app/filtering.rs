//! The filter: what was searched for restricts the list and the treemap too.
//!
//! The sums of what it keeps are added up beside the tree by a background job, from the top on, so they hold wherever one
//! goes. Until they are there nothing is shown: rows that may not belong there would be worse.
//!
//! Invariant: while a filter is on, the rows and sums of the list are its own, and the header says "n of m".

use super::App;
use crate::rows::{Beside, Sums};
use crate::search::{Filtered, Order};
use crate::sync::Arc;
use crate::tree::{DirId, Successors, Tree};
use crate::ui::inquiry::Inquiry;
use crate::ui::work::{Ask, Findings, Wish};

/// A filter that is on.
#[derive(Debug)]
pub struct Filtering {
    inquiry: Inquiry,
    filtered: Arc<Filtered>,
}

impl Filtering {
    fn new(wish: Wish) -> Self {
        Self { inquiry: Inquiry::new(wish), filtered: Arc::new(Filtered::nothing()) }
    }

    /// What is asked for it, and what was found.
    pub fn inquiry(&self) -> &Inquiry {
        &self.inquiry
    }

    /// What is asked for it.
    pub fn inquiry_mut(&mut self) -> &mut Inquiry {
        &mut self.inquiry
    }

    /// What it keeps, as far as that is known.
    pub fn filtered(&self) -> &Arc<Filtered> {
        &self.filtered
    }

    /// Takes what was found for the wish with this number; says whether that was its own.
    pub fn take(&mut self, number: u64, findings: &Findings) -> bool {
        if self.inquiry.take(number, findings).is_none() {
            return false;
        }
        if let Findings::Filtered(filtered) = findings {
            self.filtered = Arc::clone(filtered);
        }
        true
    }
}

impl App<'_> {
    /// Whether a filter restricts what is shown.
    pub fn is_filtered(&self) -> bool {
        self.views.filtering.is_some()
    }

    /// What was found for the filter.
    pub fn filter_findings(&self) -> Option<&Findings> {
        self.views.filtering.as_ref()?.inquiry.findings()
    }

    /// Restricts list and treemap to what is searched for, if anything is.
    pub(super) fn begin_filter(&mut self) {
        if self.views.filter.is_empty() || self.is_filtered() {
            return;
        }
        let (number, query) = (self.next_wish(), self.views.filter.clone());
        let order = Order::default();
        let wish =
            Wish { number, ask: Ask::Filter, from: DirId::TOP, query, order, beside: Beside::default() };
        self.views.filtering = Some(Filtering::new(wish));
        // Nothing is kept as long as nothing is found.
        self.sorting = None;
        self.place.forget_rows();
    }

    /// Shows everything again; says whether there was a filter.
    pub(super) fn clear_filter(&mut self) -> bool {
        let was_filtered = self.is_filtered();
        self.leave_search();
        if was_filtered {
            self.sort_anew();
        }
        was_filtered
    }

    /// After a rescan the sums are those of directories that are gone.
    pub(super) fn renew_filter(&mut self, successors: &mut Successors<'_>) {
        let number = self.next_wish();
        if let Some(filtering) = &mut self.views.filtering {
            // The top is its own successor.
            let _ = filtering.inquiry.begin_again(successors, number);
            filtering.filtered = Arc::new(Filtered::nothing());
        }
    }

    /// Whether a directory holds more than the filter shows.
    pub(super) fn is_partly_shown(&self, id: DirId) -> bool {
        let Some(filtering) = &self.views.filtering else { return false };
        self.views.sheets.is_empty() && filtering.filtered.totals(id) != self.live.totals(self.tree, id)
    }
}

/// Where the sums of directories come from; apart from the rest of the state, which may change meanwhile.
pub(super) fn sums<'a>(live: &'a crate::tree::Live, views: &'a super::views::Views) -> Sums<'a> {
    let filtered = views.filtering.as_ref().map(|filtering| filtering.filtered.as_ref());
    // What a filter leaves of a directory cannot be compared with all that was in it.
    let growth = views.compared.growth().filter(|_| filtered.is_none());
    Sums { live, filtered, growth }
}

/// The directory an entry is.
pub(super) fn directory_of(tree: &Tree, entry: (DirId, crate::tree::Position)) -> Option<DirId> {
    match tree.listing(entry.0).record(entry.1)?.content {
        crate::tree::Content::Known(facts) => facts.directory,
        crate::tree::Content::Excluded(_) | crate::tree::Content::Failed(_) => None,
    }
}
