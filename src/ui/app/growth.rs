//! Growth since an earlier tree: the baseline, the column of the list, and the targets of its rows.
//!
//! Invariant: the comparison runs only while its result is shown, and is dropped when a rescan renumbers
//! directories.

use super::App;
use super::views::Views;
use crate::analysis::compare::diff::Fate;
use crate::analysis::compare::{Growth, Offer, Row};
use crate::analysis::search::Query;
use crate::base::sync::Arc;
use crate::table::column::Column;
use crate::tree::{DirId, Relocation};
use crate::ui::inquiry::{Before, Inquiry};
use crate::ui::notice::Notice;
use crate::ui::work::{Ask, Findings, Wish};

/// Baseline and comparison.
#[derive(Debug, Default)]
pub struct Compared {
    offer: Asked,
    /// Comparison for the column, once it is shown.
    inquiry: Option<Inquiry>,
    growth: Option<Arc<Growth>>,
}

/// State of the search for a baseline.
#[derive(Debug, Default)]
enum Asked {
    #[default]
    Not,
    Awaited(Wish),
    Known(Offer),
}

impl Compared {
    /// Returns the comparison so far.
    pub fn growth(&self) -> Option<&Arc<Growth>> {
        self.growth.as_ref()
    }

    /// Returns the load behind the growth column.
    pub(super) fn inquiry(&self) -> Option<&Inquiry> {
        self.inquiry.as_ref()
    }

    pub(super) fn inquiry_mut(&mut self) -> Option<&mut Inquiry> {
        self.inquiry.as_mut()
    }

    /// Returns the baseline once it is known.
    pub fn offer(&self) -> Option<Offer> {
        match self.offer {
            Asked::Known(offer) => Some(offer).filter(|offer| offer.is_there),
            Asked::Not | Asked::Awaited(_) => None,
        }
    }

    pub(super) fn wishes(&self) -> impl Iterator<Item = &Wish> + Clone {
        let offer = match &self.offer {
            Asked::Awaited(wish) => Some(wish),
            Asked::Not | Asked::Known(_) => None,
        };
        offer.into_iter().chain(self.inquiry.as_ref().and_then(Inquiry::wish))
    }

    /// Stores the result of the load with this number. Returns `true` if the list changes, and a message to show.
    pub(super) fn take(&mut self, number: u64, findings: &Findings) -> (bool, Option<String>) {
        if let (Asked::Awaited(wish), Findings::Earlier(offer)) = (&self.offer, findings)
            && wish.number == number
        {
            self.offer = Asked::Known(**offer);
            return (false, None);
        }
        let Some(Before(before)) = self.inquiry.as_mut().and_then(|inquiry| inquiry.take(number, findings))
        else {
            return (false, None);
        };
        match findings {
            Findings::Growth(growth) => {
                self.growth = Some(Arc::clone(growth));
                (true, growth.trouble.clone())
            }
            Findings::Failed(reason) => {
                // A running scan repeats the comparison; the same message is shown once.
                let is_known = matches!(&before, Some(Findings::Failed(said)) if said == reason);
                (true, Some(reason.clone()).filter(|_| !is_known))
            }
            _ => (false, None),
        }
    }
}

impl App<'_> {
    /// Starts the search for a baseline, once.
    pub(super) fn ask_for_earlier(&mut self) {
        if matches!(self.views.compared.offer, Asked::Not) {
            let wish = self.wish(Ask::Earlier, Query::default());
            self.views.compared.offer = Asked::Awaited(Wish { from: DirId::TOP, ..wish });
        }
    }

    /// Checks that there is a baseline, or that the search for one is still running.
    pub(super) fn check_baseline(&self) -> Result<(), Notice> {
        match self.views.compared.offer {
            Asked::Known(Offer { is_there: false, .. }) => Err(Notice::NoBaseline),
            _ => Ok(()),
        }
    }

    /// Shows the growth of entries, and sorts by it.
    pub(super) fn sort_by_growth(&mut self) {
        if self.is_filtered() {
            self.notify(Notice::FilterNotCompared);
        } else if self.checked(self.check_baseline()).is_some() {
            self.show_growth();
            self.sort_by(Column::Growth);
        }
    }

    /// Shows the growth of entries.
    pub(super) fn show_growth(&mut self) {
        self.shown.columns = self.shown.columns.with(Column::Growth, true);
        if self.views.compared.inquiry.is_none() {
            let wish = self.wish(Ask::Growth, Query::default());
            self.views.compared.inquiry = Some(Inquiry::new(Wish { from: DirId::TOP, ..wish }));
        }
    }

    /// Updates the comparison after a rescan or deletion, which has replaced directories.
    pub(super) fn renew_growth(&mut self, relocation: &mut Relocation<'_>) {
        let number = self.next_wish();
        self.views.compared.growth = None;
        if let Some(inquiry) = &mut self.views.compared.inquiry {
            // The top is never replaced, so this cannot fail.
            let _ = inquiry.begin_again(relocation, number);
        }
    }

    /// Goes to the entry of a row, or to its former directory.
    pub(super) fn follow_change(&mut self, row: &Row) {
        if row.fate == Fate::Gone {
            if let Some((above, position)) = self.place_of(row.place) {
                self.leave_for(above, position, true);
            }
            self.notify(Notice::FormerDirectory);
        } else {
            self.leave_for(row.directory, row.position, false);
        }
    }

    /// Returns the position of a directory's entry: its parent, and the index in the parent's listing.
    fn place_of(&self, id: DirId) -> Option<(DirId, u64)> {
        let above = self.tree.parent(id)?;
        let listing = self.tree.listing(above);
        let found = listing.entries().find(|(_, record)| record.directory() == Some(id));
        found.map(|(position, _)| (above, position))
    }
}

impl Views {
    /// Returns the baseline to offer in the hint, as long as no comparison with it is shown.
    pub fn offer(&self) -> Option<Offer> {
        self.compared.offer().filter(|_| self.compared.inquiry.is_none())
    }

    /// Returns `true` if there is a baseline.
    pub fn can_grow(&self) -> bool {
        self.compared.offer().is_some()
    }

    /// Returns the present time in seconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock
    }
}
