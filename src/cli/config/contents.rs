//! Contents of a configuration file.

use crate::base::text::escape;
use crate::cli::config::position::{Position, Warning};
use crate::cli::config::value::Value;
use crate::ui::keys::{Keymap, line};
use crate::ui::theme::ThemeOptions;

#[derive(Debug, Default)]
pub struct Config {
    /// Settings other than theme and keys, in the order in which they occur in the file.
    pub settings: Vec<Setting>,
    /// Theme, and the colors that override it.
    pub theme: ThemeOptions,
    pub keymap: Keymap,
    /// Warnings, sorted by their positions in the file.
    pub warnings: Vec<Warning>,
}

/// Setting from the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the setting as written in the file, not yet checked against the names of the flags.
    pub name: String,
    /// Value as written in the file, not yet validated by the flag's parser.
    pub value: Value,
    pub name_at: Position,
    pub value_at: Position,
}

impl Config {
    /// Removes all key bindings of the browser commands with these names.
    pub fn take_keys(&mut self, actions: &[&str]) {
        for line in actions.iter().filter_map(|action| line(action)) {
            self.keymap.give(line, Vec::new());
        }
    }

    pub fn warn(&mut self, at: Position, reason: &str) {
        self.warnings.push(Warning::new(at, reason));
    }
}

/// Escapes a word from the configuration file, so that it is safe for a terminal.
pub fn quoted(word: &str) -> std::borrow::Cow<'_, str> {
    escape(word.as_bytes())
}
