//! Text field of one line, for a search, a file name, or a name that confirms.
//!
//! It can contain a default text, which the first typed letter replaces.
//!
//! Invariant: the text contains no control character that was not in the default text.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation;

use super::keys::Command;

/// Text being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    text: String,
    state: State,
}

/// Origin of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The user typed it.
    #[default]
    Typed,
    /// It is the default text.
    Offered,
}

impl Field {
    /// Creates a field with a default text.
    pub fn offering(text: String) -> Self {
        Self { text, state: State::Offered }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns `true` if the text is the default text, which typing replaces.
    pub fn is_offered(&self) -> bool {
        self.state == State::Offered && !self.is_empty()
    }

    /// Deletes the text.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes a key and its command, if it has one. Returns `true` if the key changed the text.
    pub fn take(&mut self, event: KeyEvent, command: Option<Command>) -> bool {
        match (command, event.code) {
            (Some(Command::Erase), _) => {
                self.state = State::Typed;
                let last = self.text.grapheme_indices(true).next_back();
                self.text.truncate(last.map_or(0, |(at, _)| at));
            }
            (Some(Command::EraseAll), _) => self.clear(),
            (None, KeyCode::Char(letter))
                if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
            {
                self.paste(letter.encode_utf8(&mut [0; 4]));
            }
            _ => return false,
        }
        true
    }

    /// Appends a text, or replaces the default text by it.
    pub fn paste(&mut self, text: &str) {
        let mut letters = text.chars().filter(|letter| !letter.is_control()).peekable();
        if letters.peek().is_some() {
            if self.is_offered() {
                self.clear();
            }
            self.state = State::Typed;
            self.text.extend(letters);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(field: &mut Field, letter: char, modifiers: KeyModifiers) -> bool {
        field.take(KeyEvent::new(KeyCode::Char(letter), modifiers), None)
    }

    #[test]
    fn letters_are_typed_and_keys_with_ctrl_or_alt_are_not() {
        let mut field = Field::default();
        assert!(press(&mut field, 'a', KeyModifiers::NONE) && press(&mut field, 'B', KeyModifiers::SHIFT));
        assert!(!press(&mut field, 'c', KeyModifiers::CONTROL) && !press(&mut field, 'd', KeyModifiers::ALT));
        field.paste("e\n\u{1b}f");
        assert_eq!(field.as_str(), "aBef");
        field.paste("e\u{301}");
        let back = KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE);
        assert!(
            field.take(back, Some(Command::Erase)) && field.as_str() == "aBef",
            "a letter with its accent is one"
        );
    }

    #[test]
    fn a_default_text_is_replaced_by_typing_and_can_be_edited() {
        let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
        let offered = || Field::offering("it.json".to_owned());
        let mut typed = offered();
        press(&mut typed, 'x', KeyModifiers::NONE);
        press(&mut typed, 'y', KeyModifiers::NONE);
        let mut pasted = offered();
        pasted.paste("\n");
        assert!(pasted.is_offered(), "nothing was pasted");
        pasted.paste("p");
        let mut edited = offered();
        assert!(edited.take(enter, Some(Command::Erase)));
        press(&mut edited, 'x', KeyModifiers::NONE);
        let mut cleared = offered();
        assert!(cleared.take(enter, Some(Command::EraseAll)) && cleared.is_empty());
        assert_eq!([typed.as_str(), pasted.as_str(), edited.as_str()], ["xy", "p", "it.jsox"]);
        assert!(!edited.is_offered() && offered().is_offered());
    }
}
