//! The configuration: where it is, what it says of looks and keys, and what is wrong with it.
//!
//! ```text
//! threads = 4                  # what flags say, by their long names; the command line knows them
//! exclude = ["*.o"]
//! theme = "high-contrast"
//! [colors]
//! bar = "#3a80c4"
//! [keys]
//! mark = ["Space", "x"]
//! ```
//!
//! Knows no flag. Invariant: what is wrong costs a warning with its place and nothing else; the rest of the file holds.

pub mod file;
mod keys;
mod looks;
mod place;
pub mod value;

use toml::de::{DeTable, DeValue};

use crate::text::escape;
use crate::ui::keys::Keymap;
use crate::ui::theme::Looks;
use place::Text;
pub use place::{Place, Warning};
pub use value::Value;

/// What a file says.
#[derive(Debug, Default)]
pub struct Config {
    /// Everything that is not about looks or keys, in the order of the file.
    pub settings: Vec<Setting>,
    /// Colours.
    pub looks: Looks,
    /// Keys.
    pub keymap: Keymap,
    /// What is wrong, in the order of the file.
    pub warnings: Vec<Warning>,
}

/// One line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What is set.
    pub name: String,
    /// To what.
    pub value: Value,
    /// Where the name stands.
    pub name_at: Place,
    /// Where the value stands.
    pub value_at: Place,
}

impl Config {
    /// Understands the bytes of a file. One that is no TOML says nothing.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut config = Self::default();
        let source = match std::str::from_utf8(bytes) {
            Ok(source) => source,
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let at = Text(&valid).place(valid.len());
                config.warnings.push(Warning::new(at, "not UTF-8, so nothing of the file is used"));
                return config;
            }
        };
        match DeTable::parse(source) {
            Ok(table) => config.read(Text(source), table.get_ref()),
            Err(error) => {
                let at = Text(source).place(error.span().map_or(0, |span| span.start));
                let reason = error.message().lines().collect::<Vec<_>>().join(", ");
                let reason = format!("{reason}, so nothing of the file is used");
                config.warnings.push(Warning::new(at, &reason));
            }
        }
        config
    }

    fn read(&mut self, text: Text<'_>, table: &DeTable<'_>) {
        for (name, value) in table {
            let (name_at, value_at) = (text.place(name.span().start), text.place(value.span().start));
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("keys", DeValue::Table(lines)) => keys::read(self, text, lines),
                ("colors", DeValue::Table(roles)) => looks::read_colors(self, text, roles),
                ("keys" | "colors", _) => self.warn(value_at, &format!("'{}' is a table", name.get_ref())),
                ("theme", value) => looks::read_theme(self, value, value_at),
                (name, value) => match Value::of(value) {
                    Ok(value) => {
                        self.settings.push(Setting { name: name.to_owned(), value, name_at, value_at });
                    }
                    Err(Some(reason)) => self.warn(value_at, &format!("'{}': {reason}", quoted(name))),
                    Err(None) => self.warn(name_at, &format!("unknown table '{}'", quoted(name))),
                },
            }
        }
        self.settings.sort_by_key(|setting| setting.name_at);
        self.warnings.sort_by_key(|warning| warning.at);
    }

    fn warn(&mut self, at: Place, reason: &str) {
        self.warnings.push(Warning::new(at, reason));
    }
}

/// A word of the file as it may be printed.
fn quoted(word: &str) -> std::borrow::Cow<'_, str> {
    escape(word.as_bytes())
}

#[cfg(test)]
mod tests;
