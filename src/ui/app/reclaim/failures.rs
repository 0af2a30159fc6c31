//! The list of what stays, and why.
//!
//! Invariant: once it is closed it does not come back by itself.

use super::super::{App, Effect, Mode};
use crate::delete::{Deed, Failures, Selection};
use crate::sync::Arc;
use crate::ui::cursor::Cursor;
use crate::ui::keys::Command;
use crate::ui::layout::layout;

/// What stayed, and why.
#[derive(Clone, Debug)]
pub struct Failed {
    /// What was tried.
    pub deed: Deed,
    /// What stays.
    pub failures: Failures,
    /// Where one is in the list.
    pub cursor: Cursor,
    pub(super) selection: Option<Arc<Selection>>,
}

impl App<'_> {
    /// What a key does to the list of what stays.
    pub(in crate::ui::app) fn failures_command(&mut self, command: Command) -> Option<Effect> {
        let lines = layout(self.size).list_lines();
        let failed = self.reclaim.failed.as_mut()?;
        let count = failed.failures.first.len();
        match command {
            Command::Move(motion) => failed.cursor.step(motion, lines, count),
            Command::Retry => return self.retry(),
            _ => {
                self.reclaim.failed = None;
                self.mode = Mode::List;
            }
        }
        None
    }

    /// Asks about what stays, once more.
    fn retry(&mut self) -> Option<Effect> {
        if self.may_not_change() {
            return None;
        }
        let failed = self.reclaim.failed.take()?;
        self.mode = Mode::List;
        let selection = failed.selection.map(|selection| selection.renewed(self.tree));
        let Some(selection) = selection.filter(|selection| selection.count() > 0) else {
            self.say("There is nothing left of it");
            return None;
        };
        Some(self.ask_about(failed.deed, selection))
    }

    /// Opens the list of what stays once the tree is right again and whatever else was open is closed.
    pub(in crate::ui::app) fn open_failures(&mut self) {
        let is_busy = self.is_deleting() || self.rescan().is_some() || self.question.is_some();
        if self.reclaim.failed.is_some() && self.mode == Mode::List && !is_busy {
            self.mode = Mode::Failures;
        }
    }

    /// Scrolls the list of what stays as little as brings the cursor into view.
    pub(in crate::ui::app) fn look_at_failures(&mut self) {
        let lines = layout(self.size).list_lines().max(1);
        if let Some(failed) = &mut self.reclaim.failed {
            failed.cursor.show(lines, failed.failures.first.len());
        }
    }
}
