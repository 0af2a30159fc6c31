//! Keys that do nothing where they are pressed: that is said, rather than left to be wondered about.
//!
//! Invariant: a key that does nothing changes nothing but the notice.

use ratatui::crossterm::event::KeyEvent;

use super::App;
use crate::ui::keys::{Command, KEYMAP, Scope, View};

impl App<'_> {
    /// The key that asks for a command in the list and what it does, in brackets behind a sentence; nothing if there is none.
    pub fn key_hint(&self, command: Command, does: &str) -> String {
        self.keymap.hint(command, Scope::List, does)
    }

    /// Says of a key without a meaning here that it has none, and where it has one.
    pub(super) fn say_unknown(&mut self, scope: Scope, event: KeyEvent) {
        // A question waits for its answer, and where something is typed nothing is said to every key.
        if scope.is_typed() || matches!(scope, Scope::Question | Scope::Confirm | Scope::Help) {
            return;
        }
        let text = self.keymap.elsewhere(event).map_or_else(
            || format!("Nothing is on this key{}", self.key_hint(Command::Help, "shows the keys")),
            |help| self.not_here(help),
        );
        self.say(text);
    }

    /// Says that a view has nothing that this could change.
    pub(super) fn say_not_here(&mut self, command: Command) {
        let binding = KEYMAP.iter().find(|binding| binding.command == command);
        self.say(self.not_here(binding.map_or("", |binding| binding.help)));
    }

    fn not_here(&self, help: &str) -> String {
        let list = self.keymap.first(Command::View(View::List), Scope::Sheet);
        let list = list.map_or_else(String::new, |key| format!(" ({key}: the list)"));
        format!("Not in this view: {help}{list}")
    }
}
