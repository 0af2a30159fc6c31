//! Configuration file: its location, its theme and keys, and the warnings about it.
//!
//! ```text
//! threads = 4                  # a flag of the command line, by its long name
//! exclude = ["*.o"]
//! theme = "high-contrast"
//! [colors]
//! bar = "#3a80c4"
//! [keys]
//! mark = ["Space", "x"]
//! ```
//!
//! Invariant: every error causes a warning with its position. The rest of the file still applies, unless the file is
//! not valid TOML.

mod contents;
pub mod file;
mod keys;
pub mod position;
#[cfg(test)]
mod tests;
mod theme;
pub mod value;

use toml::de::{DeTable, DeValue};

use crate::base::sort::sort_by_key;

use contents::quoted;
pub use contents::{Config, Setting};
use position::Text;
pub use position::Warning;
pub use value::Value;

impl Config {
    /// Parses the bytes of a file. Invalid TOML yields an empty configuration and a warning.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut config = Self::default();
        let source = match std::str::from_utf8(bytes) {
            Ok(source) => source,
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let at = Text(&valid).position(valid.len());
                config.warnings.push(Warning::new(at, "not UTF-8; the file is ignored"));
                return config;
            }
        };
        match DeTable::parse(source) {
            Ok(table) => config.read(Text(source), table.get_ref()),
            Err(error) => {
                let at = Text(source).position(error.span().map_or(0, |span| span.start));
                let reason = error.message().lines().collect::<Vec<_>>().join(", ");
                let reason = format!("{reason}; the file is ignored");
                config.warnings.push(Warning::new(at, &reason));
            }
        }
        config
    }

    fn read(&mut self, text: Text<'_>, table: &DeTable<'_>) {
        for (name, value) in table {
            let (name_at, value_at) = (text.position(name.span().start), text.position(value.span().start));
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("keys", DeValue::Table(lines)) => keys::read(self, text, lines),
                ("colors", DeValue::Table(roles)) => {
                    theme::read_colors(self, text, roles);
                }
                ("keys" | "colors", _) => {
                    self.warn(value_at, &format!("'{0}' must be a table; write [{0}]", name.get_ref()));
                }
                ("theme", value) => theme::read_theme(self, value, value_at),
                (name, value) => match Value::of(value) {
                    Ok(value) => {
                        self.settings.push(Setting { name: name.to_owned(), value, name_at, value_at });
                    }
                    Err(Some(reason)) => self.warn(value_at, &format!("'{}': {reason}", quoted(name))),
                    Err(None) => self.warn(
                        name_at,
                        &format!("unknown table '{}'; the tables are 'colors' and 'keys'", quoted(name)),
                    ),
                },
            }
        }
        sort_by_key(&mut self.settings, |setting| setting.name_at);
        sort_by_key(&mut self.warnings, |warning| warning.at);
    }
}
