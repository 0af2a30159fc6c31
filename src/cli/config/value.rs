//! Values of the configuration file, converted to command-line words.
//!
//! Invariant: a value written by [`quote`] or [`list`] is read back unchanged.

use std::fmt::Write;

use toml::de::{DeInteger, DeValue};

use crate::base::text::escape;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Switch(bool),
    /// String or integer, as it would be typed after a flag.
    Word(String),
    /// List of strings and integers, each as it would be typed after a flag.
    Words(Vec<String>),
}

impl Value {
    /// Converts a TOML value from the configuration file.
    ///
    /// # Errors
    /// Returns an error if no setting can have this value. The error contains the reason. For a table, it contains
    /// `None`, because the caller has its own message for tables.
    pub fn of(value: &DeValue<'_>) -> Result<Self, Option<&'static str>> {
        match value {
            DeValue::Boolean(is_on) => Ok(Self::Switch(*is_on)),
            DeValue::Array(values) => {
                let words = values.iter().map(|value| word(value.get_ref()));
                let words: Option<Vec<_>> = words.collect();
                words.map(Self::Words).ok_or(Some("only strings and integers are allowed in a list"))
            }
            DeValue::Table(_) => Err(None),
            value => word(value).map(Self::Word).ok_or(Some("expected a string, integer, boolean or list")),
        }
    }
}

/// Returns a string or an integer as text, or `None` for other values.
pub fn word(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => integer(number).map(|number| number.to_string()),
        _ => None,
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Formats text as a TOML string. Escapes characters that are unsafe for a terminal.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        let as_bytes = letter.to_string();
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // Spaces need no escape, because the quotes make them visible. The next case would escape them.
            ' ' => quoted.push(letter),
            _ if escape(as_bytes.as_bytes()) != as_bytes => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\U{:08x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Formats strings as a TOML array.
pub fn list(texts: impl IntoIterator<Item = String>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| quote(&text)).collect();
    format!("[{}]", texts.join(", "))
}
