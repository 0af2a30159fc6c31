//! Asking before things go, and what is known of their going.
//!
//! ```text
//! d D -> Confirm: a probe fills it in -> Yes (typed, or asked again) -> Running -> the entries are looked at again -> notice
//!                                                                          |
//!                                                                          +-> Failures: what stays, and why
//! ```
//!
//! Invariant: nothing is ordered without a Yes that was given when everything to be said against it was on the screen.

mod confirm;
mod failures;
mod running;

pub use confirm::{Confirm, Stage};
pub use failures::Failed;
pub use running::Running;

use super::{App, Effect};
use crate::delete::script::Line;
use crate::delete::{Deed, Extent, Group, Selection, Trashed, Work};
use crate::size::plain_size;
use crate::source::Nature;
use crate::sync::Arc;
use crate::text::escape_path;
use crate::tree::DirId;
use crate::ui::keys::Command;
use crate::ui::reclaim::{Changes, News, Order, Safety};

/// The state of deleting.
#[derive(Debug, Default)]
pub struct Reclaim {
    /// What is asked.
    pub confirm: Option<Confirm>,
    /// What is being done.
    pub running: Option<Running>,
    /// What stayed the last time.
    pub failed: Option<Failed>,
    safety: Safety,
    /// What was trashed, the last at the end.
    trashed: Vec<Arc<Vec<Trashed>>>,
    /// To be said when the tree is right again.
    outcome: Option<String>,
    /// Directories that have to be read again because something came back to them.
    returned: Vec<Group>,
}

impl Reclaim {
    /// Under this safety.
    pub(super) fn new(safety: Safety) -> Self {
        Self { safety, ..Self::default() }
    }
}

impl<'t> App<'t> {
    /// Asks whether the marks, or else the entry under the cursor, are to go.
    pub(super) fn ask_to(&mut self, deed: Deed) -> Option<Effect> {
        if self.may_not_change() {
            return None;
        }
        let selection = Selection::new(self.tree, self.subject(), Extent::Whole);
        if selection.count() == 0 {
            self.say(self.why_nothing());
            return None;
        }
        Some(self.ask_about(deed, selection))
    }

    /// Why there is nothing to delete.
    fn why_nothing(&self) -> &'static str {
        if self.marks.count() > 0 {
            "Only roots are marked, and roots stay"
        } else if self.place.id == DirId::TOP {
            match self.place.entry().and_then(|root| root.directory()) {
                Some(_) => "A root stays: open it, and delete what is in it",
                None => "A root stays: scan the directory it is in to delete it",
            }
        } else {
            "There is nothing here to delete"
        }
    }

    /// Whether nothing may be changed at present; says why.
    fn may_not_change(&mut self) -> bool {
        let deleting;
        let why = if self.nature == Nature::Recorded {
            "This was written down some time ago: nothing is changed"
        } else if self.reclaim.safety.changes == Changes::Refused {
            "Nothing is changed here (--read-only)"
        } else if self.is_scanning() {
            "Wait until the scan is complete, or stop it with Ctrl-C"
        } else if self.is_deleting() {
            deleting =
                format!("Something is being deleted already{}", self.key_hint(Command::Back, "stops it"));
            &deleting
        } else if self.rescan().is_some() {
            "Wait until everything is read again"
        } else {
            return false;
        };
        self.say(why.to_owned());
        true
    }

    /// Whether something is being done to files.
    pub fn is_deleting(&self) -> bool {
        self.reclaim.running.is_some()
    }

    /// What a command is about: the marks, or else the entry under the cursor.
    fn subject(&self) -> Vec<(DirId, &'t [u8])> {
        if self.marks.count() > 0 {
            return self.marks.in_order(self.tree).into_iter().map(|(place, _)| place).collect();
        }
        let under_cursor = self.under_cursor().and_then(|(directory, position)| {
            self.tree.listing(directory).name(position).map(|name| (directory, name))
        });
        under_cursor.into_iter().collect()
    }

    /// Moves back what was trashed last.
    pub(super) fn restore(&mut self) -> Option<Effect> {
        if self.may_not_change() {
            return None;
        }
        if self.reclaim.safety.changes == Changes::Rehearsed {
            self.say("Nothing was trashed: this is a rehearsal (--dry-run)");
            return None;
        }
        let Some(trashed) = self.reclaim.trashed.pop() else {
            self.say("Nothing was moved to the trash since the start");
            return None;
        };
        let items = trashed.len() as u64;
        Some(self.begin_work(Work::Restore(trashed), (items, 0)))
    }

    /// Writes a script that removes the marks, or else the entry under the cursor.
    pub(super) fn write_script(&mut self) -> Option<Effect> {
        if self.nature == Nature::Recorded || self.reclaim.safety.changes == Changes::Refused {
            self.say("No script is written for what may not be changed");
            return None;
        }
        let selection = Selection::new(self.tree, self.subject(), Extent::Whole);
        let line = |(group, item): (&Group, &crate::delete::Item)| Line {
            path: self.shown_path(&group.path_of(item)),
            is_directory: item.directory.is_some(),
            size: plain_size(item.disk, self.units),
        };
        let lines: Vec<Line> = selection.items().map(line).collect();
        if lines.is_empty() {
            self.say(self.why_nothing());
            return None;
        }
        Some(Effect::Reclaim(Order::Script(lines)))
    }

    /// Takes what is new.
    pub(super) fn take_reclaim(&mut self, news: News) -> Option<Effect> {
        match news {
            News::Probed(probe) => {
                if let Some(confirm) = &mut self.reclaim.confirm {
                    confirm.learn(probe);
                }
                None
            }
            News::Reported(report) => self.take_report(&report),
            News::Written(path) => {
                self.say(format!("Read it before you run it: {}", escape_path(&path)));
                None
            }
            News::Unwritten(reason) => {
                self.say(reason);
                None
            }
            News::ProbeFailed(reason) => {
                self.say(reason);
                // Without knowing more nothing could be confirmed.
                self.reclaim.confirm.is_some().then(|| self.close_confirm())
            }
            News::WorkFailed(reason) => {
                self.say(reason);
                let running = self.reclaim.running.take()?;
                self.keep_what_did_not_return(&running.work, &[]);
                self.look_again(&running.work)
            }
        }
    }
}
