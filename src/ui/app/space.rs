//! The df view: its hint, and the explanations of its rows.
//!
//! Invariant: the hint appears only if a whole file system was scanned.

use super::App;
use crate::analysis::search::Query;
use crate::base::sync::Arc;
use crate::ui::loader::Sources;
use crate::ui::sheet::Sheet;
use crate::ui::views::{TableAnswer, df};

impl super::views::Views {
    /// Returns `true` if the check has found that a whole file system was scanned.
    pub fn is_whole(&self) -> bool {
        self.whole.value().is_some_and(|is_whole| **is_whole)
    }
}

impl App<'_> {
    /// Checks once if a whole file system was scanned, after the scan.
    pub(super) fn poll_whole(&mut self, sources: &Sources<'_>) -> bool {
        let may_start = sources.may_ask_system && !self.is_scanning();
        self.views.whole.poll(|| {
            let job = may_start.then(|| crate::df::is_whole(sources.pool, Arc::clone(sources.tree)));
            Ok(job.transpose()?.map(Into::into))
        })
    }

    /// Opens the explanation of a row.
    pub(super) fn tell(&mut self, label: String, words: Vec<String>) {
        let sheet = Sheet::new(label, &df::TABLE, self.request(Query::default()));
        self.views.sheets.push(sheet.with_answer(TableAnswer::new(df::Explanation(words))));
    }
}
