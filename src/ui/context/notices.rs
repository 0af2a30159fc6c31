//! Notices in the status line, including those about keys that do nothing in the current view.
//!
//! Invariant: a key that does nothing changes only the notice.

use std::time::Duration;

use ratatui::crossterm::event::KeyEvent;

use super::Context;
use crate::ui::keys::{Command, KEYMAP, Scope};
use crate::ui::notice::{Display, Notice};

/// Time for which a notice is shown before the key hints replace it.
const LASTS: Duration = Duration::from_secs(8);

impl Context<'_> {
    pub fn notify(&mut self, notice: Notice) {
        (self.notice, self.notice_since) = (Some(notice), None);
    }

    /// Returns the time until [`Self::age_notice`] is due; `None` without a notice, or if the notice does not expire.
    pub fn notice_wait(&self, now: Duration) -> Option<Duration> {
        self.notice.as_ref().filter(|notice| !matches!(notice, Notice::AwaitingScan(_)))?;
        Some(self.notice_since.map_or(Duration::ZERO, |since| (since + LASTS).saturating_sub(now)))
    }

    /// Records that the notice is on the screen, and clears it once it has been there for `LASTS`.
    pub fn age_notice(&mut self, now: Duration) {
        if self.notice_wait(now).is_none() {
            return;
        }
        let since = *self.notice_since.get_or_insert(now);
        if now.saturating_sub(since) >= LASTS {
            self.notice = None;
        }
    }

    /// Returns the value of a successful check. If the check failed, shows the notice and returns `None`.
    pub fn checked<T>(&mut self, result: Result<T, Notice>) -> Option<T> {
        result.map_err(|blocked| self.notify(blocked)).ok()
    }

    pub fn display(&self, room: usize) -> Display<'_> {
        Display { keymap: &self.keymap, units: self.units, gap: self.theme.glyphs.gap(), room }
    }

    /// Returns the text of the notice, in at most `room` columns.
    pub fn notice_within(&self, room: usize) -> Option<String> {
        self.notice.as_ref().map(|notice| notice.text(self.display(room)))
    }

    /// Returns the whole text of the notice, for tests.
    pub fn notice_text(&self) -> Option<String> {
        self.notice_within(usize::MAX)
    }

    /// Returns a hint to append to a text, such as ` (Space marks)`; empty if [`Scope::List`] has no key for `command`.
    pub fn key_hint(&self, command: Command, does: &str) -> String {
        self.keymap.hint(command, Scope::List, does)
    }

    /// Tells the user that a key does nothing in `scope`, and what it does in another view, if anything.
    pub fn notify_unbound(&mut self, scope: Scope, event: KeyEvent) {
        // Questions, the deletion dialog, text fields and the help page ignore unbound keys without a notice.
        if scope.is_typed() || matches!(scope, Scope::Question | Scope::Confirm | Scope::Help) {
            return;
        }
        self.notify(self.keymap.elsewhere(event).map_or(Notice::UnboundKey, Notice::NotInThisView));
    }

    /// Tells the user that the current view does not support a command.
    pub fn notify_unavailable(&mut self, command: Command) {
        let binding = KEYMAP.iter().find(|binding| binding.command == command);
        self.notify(binding.map_or(Notice::UnboundKey, Notice::NotInThisView));
    }
}
