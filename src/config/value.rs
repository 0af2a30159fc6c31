//! Values of the file, as a flag would be given them.
//!
//! Invariant: a value that is written is read back as the same.

use std::fmt::Write;

use toml::de::{DeInteger, DeValue};

use crate::text::escape;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Yes or no.
    Switch(bool),
    /// A text or a number, as it would be written behind a flag.
    Word(String),
    /// Several of them.
    Words(Vec<String>),
}

impl Value {
    /// What is meant by a value of the file.
    ///
    /// # Errors
    /// What no setting can be: a reason, or none if it is a table.
    pub(super) fn of(value: &DeValue<'_>) -> Result<Self, Option<&'static str>> {
        match value {
            DeValue::Boolean(is_on) => Ok(Self::Switch(*is_on)),
            DeValue::Array(values) => {
                let words = values.iter().map(|value| word(value.get_ref()));
                let words: Option<Vec<_>> = words.collect();
                words.map(Self::Words).ok_or(Some("a list holds texts and whole numbers only"))
            }
            DeValue::Table(_) => Err(None),
            value => word(value).map(Self::Word).ok_or(Some("not a text, a whole number, true or false")),
        }
    }
}

/// A text or a whole number.
pub(super) fn word(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.clone().into_owned()),
        DeValue::Integer(number) => integer(number).map(|number| number.to_string()),
        _ => None,
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

/// A text as TOML writes it, between quotes; what is unsafe for a terminal as a number.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        let as_bytes = letter.to_string();
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // Writing to a string cannot fail.
            _ if escape(as_bytes.as_bytes()) != as_bytes => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A list of texts as TOML writes it.
pub fn list(texts: impl IntoIterator<Item = String>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| quote(&text)).collect();
    format!("[{}]", texts.join(", "))
}
