//! The df view: its hint, and the explanations of its rows.
//!
//! Invariant: the hint appears only if a whole file system was scanned.

use super::App;
use crate::tree::DirId;
use crate::ui::sheet::Sheet;
use crate::ui::views::{TableAnswer, df};
use crate::ui::work::{Ask, Findings, Wish};

/// State of the whole-file-system check. The hint for the df view appears only if a whole file system was scanned.
#[derive(Debug, Default)]
pub(super) enum Whole {
    /// Not started, because the scan is still running.
    #[default]
    Unasked,
    /// The check is running.
    Asked(Wish),
    /// Result of the check.
    Known(bool),
}

impl Whole {
    /// Returns the request for the check while it runs.
    pub(super) fn wish(&self) -> Option<&Wish> {
        match self {
            Self::Asked(wish) => Some(wish),
            Self::Unasked | Self::Known(_) => None,
        }
    }

    /// Stores the result if `number` is that of its own request.
    pub(super) fn take(&mut self, number: u64, findings: &Findings) {
        if self.wish().is_some_and(|wish| wish.number == number) {
            *self = Self::Known(matches!(findings, Findings::Whole(is_whole) if **is_whole));
        }
    }
}

impl super::views::Views {
    /// Returns `true` if the check has found that a whole file system was scanned.
    pub fn is_whole(&self) -> bool {
        matches!(self.whole, Whole::Known(true))
    }
}

impl App<'_> {
    /// Starts the check once the scan is complete.
    pub(super) fn ask_whether_whole(&mut self) {
        if matches!(self.views.whole, Whole::Unasked) && !self.is_scanning() {
            let wish = self.wish(Ask::Whole, crate::analysis::search::Query::default());
            self.views.whole = Whole::Asked(Wish { from: DirId::TOP, ..wish });
        }
    }

    /// Opens the explanation of a row.
    pub(super) fn tell(&mut self, label: String, words: Vec<String>) {
        let wish = self.wish(Ask::Table(&df::TABLE), crate::analysis::search::Query::default());
        let mut sheet = Sheet::new(label, &df::TABLE, wish);
        sheet.inquiry.tell(Findings::Table(TableAnswer::new(df::Explanation(words))));
        self.views.sheets.push(sheet);
    }
}
