//! Search: parsing of the typed text, and the view of the results.
//!
//! Invariant: the search view always requests the results for the current text. Until they arrive, it may show the
//! rows for the previous text.

use super::Context;
use crate::analysis::search::Query;
use crate::ui::table_view::TableView;
use crate::ui::views::search;

impl Context<'_> {
    /// Returns `true` if there is a valid search that is not empty.
    pub fn has_search(&self) -> bool {
        !self.views.filter.is_empty()
    }

    /// Clears the search text, the results and the filter.
    pub fn leave_search(&mut self) {
        self.views.tables.clear();
        self.views.text.clear();
        self.views.filter = Query::default();
        self.views.error_text = None;
        self.views.filtering = None;
    }

    /// Searches for the text typed so far.
    pub fn search(&mut self) {
        let (filter, error_text) = match Query::parse(self.views.text.as_str(), self.clock()) {
            Ok(query) => {
                let unfinished = query.unfinished().map(|awaited| {
                    let part = self.views.text.as_str().get(awaited.at.clone()).unwrap_or_default();
                    format!("{part}: {awaited}")
                });
                (query.below(self.location.id), unfinished)
            }
            Err(error_text) => {
                let part = self.views.text.as_str().get(error_text.at.clone()).unwrap_or_default();
                (Query::default(), Some(format!("{part}: {error_text}")))
            }
        };
        let request = self.request(filter.clone());
        self.views.filter = filter;
        if self.views.filtering.take().is_some() {
            // The list no longer has a filter, so all its entries are sorted again.
            self.sort_anew();
        }
        let before = self.views.tables.pop();
        let view = TableView::new(String::new(), &search::TABLE, request);
        let view = if self.views.filter.is_empty() {
            view.with_text(error_text.clone().unwrap_or_else(|| search::EXAMPLES.to_owned()))
        } else {
            view.showing_rows_of(before)
        };
        self.views.error_text = error_text;
        self.views.tables = vec![view];
    }
}
