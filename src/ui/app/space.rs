//! Where the rest of the file system is: whether to offer it, and words about its rows.
//!
//! Invariant: what is offered is worth it: all of a file system was scanned.

use super::App;
use crate::tree::DirId;
use crate::ui::keys::View;
use crate::ui::sheet::Sheet;
use crate::ui::work::{Ask, Findings, Wish};

/// Whether all of a file system was scanned.
#[derive(Debug, Default)]
pub(super) enum Whole {
    /// The scan runs.
    #[default]
    Unasked,
    /// The answer is awaited.
    Asked(Wish),
    /// It was, or was not.
    Known(bool),
}

impl Whole {
    /// What it waits for.
    pub(super) fn wish(&self) -> Option<&Wish> {
        match self {
            Self::Asked(wish) => Some(wish),
            Self::Unasked | Self::Known(_) => None,
        }
    }

    /// Takes the answer, if this is it.
    pub(super) fn take(&mut self, number: u64, findings: &Findings) {
        if self.wish().is_some_and(|wish| wish.number == number) {
            *self = Self::Known(matches!(findings, Findings::Whole(is_whole) if **is_whole));
        }
    }
}

impl super::views::Views {
    /// Whether all of a file system was scanned, as far as that is known.
    pub fn is_whole(&self) -> bool {
        matches!(self.whole, Whole::Known(true))
    }
}

impl App<'_> {
    /// Asks, once the scan is over.
    pub(super) fn ask_whether_whole(&mut self) {
        if matches!(self.views.whole, Whole::Unasked) && !self.is_scanning() {
            let wish = self.wish(Ask::Whole, crate::search::Query::default());
            self.views.whole = Whole::Asked(Wish { from: DirId::TOP, ..wish });
        }
    }

    /// Opens words about a row.
    pub(super) fn tell(&mut self, label: String, words: Vec<String>) {
        let wish = self.wish(Ask::Space { units: self.units }, crate::search::Query::default());
        let mut sheet = Sheet::new(View::Space, label, wish);
        sheet.inquiry.tell(words);
        self.views.sheets.push(sheet);
    }
}
