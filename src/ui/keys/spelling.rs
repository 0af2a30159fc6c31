//! Names of keys on the help page, in the status line, and in the configuration.
//!
//! Invariant: parsing the displayed name of a key yields that key.

use std::str::FromStr;

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{Key, key, letter};

/// Keys that are not characters, with their names. All names of a key are accepted; the first one is displayed.
const NAMES: [(KeyCode, &[&str]); 14] = [
    (KeyCode::Up, &["Up"]),
    (KeyCode::Down, &["Down"]),
    (KeyCode::Left, &["Left"]),
    (KeyCode::Right, &["Right"]),
    (KeyCode::Enter, &["Enter", "Return"]),
    (KeyCode::Backspace, &["Bksp", "Backspace"]),
    (KeyCode::PageUp, &["PgUp", "PageUp"]),
    (KeyCode::PageDown, &["PgDn", "PageDown"]),
    (KeyCode::Home, &["Home"]),
    (KeyCode::End, &["End"]),
    (KeyCode::Esc, &["Esc", "Escape"]),
    (KeyCode::Tab, &["Tab"]),
    (KeyCode::Delete, &["Del", "Delete"]),
    (KeyCode::Insert, &["Ins", "Insert"]),
];

/// Error for a word that names no key.
const UNKNOWN: &str = "unknown key; write keys like k, G, Ctrl-D, Space, PgUp or F5";

/// Supported modifiers, with their prefixes in the names of keys.
const HELD: [(KeyModifiers, &str); 2] = [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-")];

/// Letters that cannot be combined with Ctrl, each with the key that terminals report instead. In ASCII, Ctrl-I is a
/// tab, and Ctrl-M is a carriage return.
const CTRL_ALIASES: [(char, &str); 2] = [('i', "Tab"), ('m', "Enter")];

impl Key {
    pub fn name(self) -> String {
        if let Some((_, names)) = NAMES.iter().find(|(code, _)| *code == self.code) {
            return names[0].to_owned();
        }
        let held = HELD.iter().find(|(held, _)| *held == self.held);
        match (self.code, held) {
            (KeyCode::Char(' '), _) => "Space".to_owned(),
            (KeyCode::Char(letter), Some((_, held))) => format!("{held}{}", letter.to_ascii_uppercase()),
            (KeyCode::Char(letter), None) => letter.to_string(),
            (other, _) => other.to_string(),
        }
    }
}

/// Parses the name of a key. Case matters only in single-letter names.
impl FromStr for Key {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let mut letters = word.chars();
        if let (Some(only), None) = (letters.next(), letters.next()) {
            return if only.is_control() { Err(UNKNOWN.to_owned()) } else { Ok(letter(only)) };
        }
        let with_modifier = |(held, name)| Some((held, name, strip(word, name)?));
        if let Some((held, name, rest)) = HELD.into_iter().find_map(with_modifier) {
            return holding(held, name, rest);
        }
        if word.eq_ignore_ascii_case("space") {
            return Ok(letter(' '));
        }
        let is_named = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
        let named = NAMES.iter().find(|(_, names)| is_named(names)).map(|(code, _)| *code);
        let function = || strip(word, "f")?.parse().ok().filter(|number| (1..=24).contains(number));
        let code = named.or_else(|| function().map(KeyCode::F));
        code.map(key).ok_or_else(|| UNKNOWN.to_owned())
    }
}

/// Parses `rest`, the part of a key name after the modifier `name`.
fn holding(held: KeyModifiers, name: &str, rest: &str) -> Result<Key, String> {
    let mut letters = rest.chars().map(|letter| letter.to_ascii_lowercase());
    let (Some(letter @ 'a'..='z'), None) = (letters.next(), letters.next()) else {
        return Err(format!("{} works only with the letters A to Z", name.trim_end_matches('-')));
    };
    match CTRL_ALIASES.iter().find(|(same, _)| held == KeyModifiers::CONTROL && *same == letter) {
        Some((_, name)) => Err(format!("terminals cannot distinguish this key from {name}")),
        None => Ok(Key { code: KeyCode::Char(letter), held }),
    }
}

fn strip<'w>(word: &'w str, start: &str) -> Option<&'w str> {
    let (first, rest) = word.split_at_checked(start.len())?;
    first.eq_ignore_ascii_case(start).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::keys::{KEYMAP, alt, control};

    #[test]
    fn every_key_of_the_table_is_read_back_from_its_name() {
        for key in KEYMAP.iter().flat_map(|binding| binding.keys) {
            assert_eq!(key.name().parse(), Ok(*key), "{}", key.name());
        }
        for key in [key(KeyCode::F(5)), key(KeyCode::Delete), key(KeyCode::Insert), letter('ä'), alt('q')] {
            assert_eq!(key.name().parse(), Ok(key));
        }
    }

    #[test]
    fn names_have_one_meaning_however_they_are_written() {
        let same = ["Return", "enter", "ENTER"];
        assert!(same.iter().all(|word| word.parse() == Ok(key(KeyCode::Enter))));
        assert_eq!(["ctrl-D".parse(), "alt-B".parse()], [Ok(control('d')), Ok(alt('b'))]);
        assert_ne!("g".parse::<Key>(), "G".parse());
        assert_eq!("-".parse(), Ok(letter('-')));
    }

    #[test]
    fn an_invalid_key_is_explained() {
        let cases = [
            ("", "unknown key; "),
            ("foo", "unknown key; "),
            ("F25", "unknown key; "),
            ("F0", "unknown key; "),
            ("\u{1}", "unknown key; "),
            ("Ctrl-", "Ctrl works only"),
            ("Ctrl-ab", "Ctrl works only"),
            ("Ctrl-1", "Ctrl works only"),
            ("Ctrl-é", "Ctrl works only"),
            ("Alt-", "Alt works only"),
            ("alt-bc", "Alt works only"),
            ("Ctrl-I", "terminals cannot distinguish this key from Tab"),
            ("ctrl-m", "terminals cannot distinguish this key from Enter"),
        ];
        for (word, reason) in cases {
            let message = word.parse::<Key>().unwrap_err();
            assert!(message.starts_with(reason), "{word}: {message}");
        }
    }
}
