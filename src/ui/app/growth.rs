//! What has grown since an earlier state: whether there is one, the column of the list, and where its rows lead.
//!
//! Invariant: what everything was is asked for when somebody wants to see it, and forgotten when directories get other numbers.

use super::App;
use super::views::Views;
use crate::growth::{Growth, Offer, Row};
use crate::rows::Column;
use crate::search::Query;
use crate::sync::Arc;
use crate::tree::diff::Fate;
use crate::tree::{DirId, Successors};
use crate::ui::inquiry::{Before, Inquiry};
use crate::ui::keys::{Command, View};
use crate::ui::sheet::Sheet;
use crate::ui::shown::Compared as Shown;
use crate::ui::work::{Ask, Findings, Wish};

/// What there is to compare with, and what was found out by it.
#[derive(Debug, Default)]
pub struct Compared {
    offer: Asked,
    /// What everything was, once that is wanted.
    inquiry: Option<Inquiry>,
    growth: Option<Arc<Growth>>,
}

/// How it stands with the offer.
#[derive(Debug, Default)]
enum Asked {
    #[default]
    Not,
    Awaited(Wish),
    Known(Offer),
}

impl Compared {
    /// What everything was, as far as that is known.
    pub fn growth(&self) -> Option<&Arc<Growth>> {
        self.growth.as_ref()
    }

    /// What is asked for the column.
    pub(super) fn inquiry(&self) -> Option<&Inquiry> {
        self.inquiry.as_ref()
    }

    pub(super) fn inquiry_mut(&mut self) -> Option<&mut Inquiry> {
        self.inquiry.as_mut()
    }

    /// Whether there is something to compare with, and of when.
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

    /// Takes what was found for the wish with this number; says whether the list changes by it, and what to say of it.
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
                // While a scan runs it is asked again and again; the same is said once.
                let is_known = matches!(&before, Some(Findings::Failed(said)) if said == reason);
                (true, Some(reason.clone()).filter(|_| !is_known))
            }
            _ => (false, None),
        }
    }
}

impl App<'_> {
    /// Asks once whether there is something to compare with.
    pub(super) fn ask_for_earlier(&mut self) {
        if matches!(self.views.compared.offer, Asked::Not) {
            let wish = self.wish(Ask::Earlier, Query::default());
            self.views.compared.offer = Asked::Awaited(Wish { from: DirId::TOP, ..wish });
        }
    }

    /// Whether there is something to compare with, or may be; says so if not.
    pub(super) fn may_compare(&mut self) -> bool {
        let may = !matches!(self.views.compared.offer, Asked::Known(Offer { is_there: false, .. }));
        if !may {
            self.say("No earlier snapshot of this is kept; duke save keeps one");
        }
        may
    }

    /// Shows how entries have grown, and sorts by it.
    pub(super) fn sort_by_growth(&mut self) {
        if self.is_filtered() {
            let shows = self.key_hint(Command::View(View::Growth), "shows its changes");
            self.say(format!("What a filter leaves is not compared{shows}"));
        } else if self.may_compare() {
            self.show_growth();
            self.sort_by(Column::Growth);
        }
    }

    /// Begins to show how entries have grown.
    pub(super) fn show_growth(&mut self) {
        self.shown.growth = Shown::Beside;
        if self.views.compared.inquiry.is_none() {
            let wish = self.wish(Ask::Growth, Query::default());
            self.views.compared.inquiry = Some(Inquiry::new(Wish { from: DirId::TOP, ..wish }));
        }
    }

    /// Opens the view of what has changed below the directory.
    pub(super) fn show_changes(&mut self) {
        let wish = self.wish(Ask::Changes, self.views.filter.clone());
        let since = self.views.compared.offer().and_then(|offer| offer.since);
        let since = since.map(|since| format!(" {}", crate::size::since(since, self.views.clock)));
        let title = format!("growth{}", since.unwrap_or_default());
        self.views.sheets = vec![Sheet::new(View::Growth, title, wish)];
    }

    /// After a rescan, or when something was deleted: what is known is about directories that are gone.
    pub(super) fn renew_growth(&mut self, successors: &mut Successors<'_>) {
        let number = self.next_wish();
        self.views.compared.growth = None;
        if let Some(inquiry) = &mut self.views.compared.inquiry {
            // The top is its own successor.
            let _ = inquiry.begin_again(successors, number);
        }
    }

    /// Goes to the entry of a row, or to where it was.
    pub(super) fn follow_change(&mut self, row: &Row) {
        if row.fate == Fate::Gone {
            if let Some((above, position)) = self.place_of(row.place) {
                self.leave_for(above, position, true);
            }
            self.say("It is gone; it was here");
        } else {
            self.leave_for(row.directory, row.position, false);
        }
    }

    /// Where a directory is in the one above it.
    fn place_of(&self, id: DirId) -> Option<(DirId, u64)> {
        let above = self.tree.parent(id)?;
        let listing = self.tree.listing(above);
        let found = listing.entries().find(|(_, record)| record.directory() == Some(id));
        found.map(|(position, _)| (above, position))
    }
}

impl Views {
    /// What is offered to compare with, while nothing of it is shown.
    pub fn offer(&self) -> Option<Offer> {
        self.compared.offer().filter(|_| self.compared.inquiry.is_none())
    }

    /// Whether there is something to compare with.
    pub fn can_grow(&self) -> bool {
        self.compared.offer().is_some()
    }

    /// The present, in seconds since 1970.
    pub fn now(&self) -> i64 {
        self.clock
    }
}
