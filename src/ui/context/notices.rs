//! Notices: messages in the status line, also of keys that do nothing where they are pressed.
//!
//! Invariant: a key that does nothing changes nothing but the notice.

use ratatui::crossterm::event::KeyEvent;

use super::Context;
use crate::ui::keys::{Command, KEYMAP, Scope};
use crate::ui::notice::{Display, Notice};

impl Context<'_> {
    /// Shows a message until the next key.
    pub fn notify(&mut self, notice: Notice) {
        self.notice = Some(notice);
    }

    /// Returns what a check allows; shows the reason of a refusal.
    pub fn checked<T>(&mut self, result: Result<T, Notice>) -> Option<T> {
        result.map_err(|refusal| self.notify(refusal)).ok()
    }

    /// Returns what the sentences of notices depend on.
    pub fn display(&self) -> Display<'_> {
        Display { keymap: &self.keymap, units: self.units }
    }

    /// Returns the text of the message in the status line.
    pub fn notice_text(&self) -> Option<String> {
        self.notice.as_ref().map(|notice| notice.text(self.display()))
    }

    /// Returns the key of a command in the list with its action, in brackets after a sentence; empty without
    /// a key.
    pub fn key_hint(&self, command: Command, does: &str) -> String {
        self.keymap.hint(command, Scope::List, does)
    }

    /// Shows a notice about a key without a meaning here, with its meaning elsewhere.
    pub fn say_unknown(&mut self, scope: Scope, event: KeyEvent) {
        // A question waits for its answer, and typed text gets no notices.
        if scope.is_typed() || matches!(scope, Scope::Question | Scope::Confirm | Scope::Help) {
            return;
        }
        self.notify(self.keymap.elsewhere(event).map_or(Notice::UnboundKey, Notice::NotInThisView));
    }

    /// Shows a notice about a command that this view does not support.
    pub fn say_not_here(&mut self, command: Command) {
        let binding = KEYMAP.iter().find(|binding| binding.command == command);
        self.notify(Notice::NotInThisView(binding.map_or("", |binding| binding.help)));
    }
}
