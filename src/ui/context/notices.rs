//! Notices: messages in the status line, also about keys that do nothing in the present view.
//!
//! Invariant: a key that does nothing changes only the notice.

use ratatui::crossterm::event::KeyEvent;

use super::Context;
use crate::ui::keys::{Command, KEYMAP, Scope};
use crate::ui::notice::{Display, Notice};

impl Context<'_> {
    /// Shows a message in the status line until the next key.
    pub fn notify(&mut self, notice: Notice) {
        self.notice = Some(notice);
    }

    /// Returns the value of a check, or shows the notice if the check failed.
    pub fn checked<T>(&mut self, result: Result<T, Notice>) -> Option<T> {
        result.map_err(|refusal| self.notify(refusal)).ok()
    }

    /// Returns the settings that the texts of notices depend on.
    pub fn display(&self) -> Display<'_> {
        Display { keymap: &self.keymap, units: self.units }
    }

    /// Returns the text of the message in the status line.
    pub fn notice_text(&self) -> Option<String> {
        self.notice.as_ref().map(|notice| notice.text(self.display()))
    }

    /// Returns the key of a command in the list and its action `does`, in brackets for the end of a sentence;
    /// empty if the command has no key.
    pub fn key_hint(&self, command: Command, does: &str) -> String {
        self.keymap.hint(command, Scope::List, does)
    }

    /// Shows a notice about a key that does nothing in this scope, with its meaning in other views.
    pub fn notify_unbound(&mut self, scope: Scope, event: KeyEvent) {
        // Questions, the help page and text fields ignore unbound keys silently.
        if scope.is_typed() || matches!(scope, Scope::Question | Scope::Confirm | Scope::Help) {
            return;
        }
        self.notify(self.keymap.elsewhere(event).map_or(Notice::UnboundKey, Notice::NotInThisView));
    }

    /// Shows a notice about a command that this view does not support.
    pub fn notify_unavailable(&mut self, command: Command) {
        let binding = KEYMAP.iter().find(|binding| binding.command == command);
        self.notify(Notice::NotInThisView(binding.map_or("", |binding| binding.help)));
    }
}
