//! Single-line text field for a search, a file name, or a name typed to confirm a deletion.
//!
//! A field can start with a default text, which is replaced by the first letter that is typed. Up and Down recall
//! earlier texts, as in a shell, until one of them is edited.
//!
//! The `tui-input` crate moves the cursor by graphemes or by Unicode words (UAX #29).
//!
//! Invariant: typing and pasting add no control characters.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_input::{Input, InputRequest};

use super::cursor::Motion;
use super::keys::{Command, TextMotion};

#[derive(Clone, Debug, Default)]
pub struct Field {
    text: Input,
    state: State,
    /// Earlier texts, oldest first.
    past: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Typed,
    /// Unchanged default text.
    Offered,
    /// Unchanged earlier text. Contains the index of the text in `past`.
    Recalled(usize),
}

impl Field {
    /// Creates a field with `text` as its default.
    pub fn offering(text: String) -> Self {
        Self { text: text.into(), state: State::Offered, past: Vec::new() }
    }

    #[must_use]
    pub fn with_past_of(self, other: &Self) -> Self {
        Self { past: other.past.clone(), ..self }
    }

    pub fn remember(&mut self) {
        let text = self.as_str().to_owned();
        self.past.retain(|past| *past != text);
        self.past.push(text);
    }

    pub fn as_str(&self) -> &str {
        self.text.value()
    }

    /// Returns the text before the cursor and the text after it.
    pub fn halves(&self) -> (&str, &str) {
        let text = self.as_str();
        // The cursor position counts characters, not bytes.
        text.split_at(text.char_indices().nth(self.text.cursor()).map_or(text.len(), |(at, _)| at))
    }

    pub fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }

    /// Returns `true` if the field still contains the default text, which typing replaces.
    pub fn is_offered(&self) -> bool {
        self.state == State::Offered && !self.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self { past: std::mem::take(&mut self.past), ..Self::default() };
    }

    /// Replaces the text with an older (Up) or newer (Down) text from `past`, and returns `true`. Down after the newest
    /// text empties the field. Returns `false` and changes nothing if there is no such text, or if the field contains
    /// text that the user has typed or begun to edit.
    pub fn recall(&mut self, motion: Motion) -> bool {
        let at = match self.state {
            State::Recalled(at) => at,
            State::Offered => self.past.len(),
            State::Typed if self.is_empty() => self.past.len(),
            State::Typed => return false,
        };
        let at = match motion {
            Motion::Up => at.checked_sub(1),
            Motion::Down => Some(at + 1),
            _ => None,
        };
        let Some(at) = at.filter(|at| *at <= self.past.len()) else { return false };
        self.text = self.past.get(at).cloned().unwrap_or_default().into();
        self.state = if at < self.past.len() { State::Recalled(at) } else { State::Typed };
        true
    }

    /// Handles a key, which may be bound to `command`. Returns `true` if the key changed the text.
    pub fn take(&mut self, event: KeyEvent, command: Option<Command>) -> bool {
        match (command, event.code) {
            (Some(Command::Move(motion)), _) => self.recall(motion),
            (Some(Command::Step(motion)), _) => {
                self.state = State::Typed;
                self.text.handle(motion.step());
                false
            }
            (Some(Command::Erase(motion)), _) => {
                self.state = State::Typed;
                let old = self.as_str().len();
                self.text.handle(motion.erasure());
                self.as_str().len() != old
            }
            (None, KeyCode::Char(letter))
                if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
            {
                self.paste(letter.encode_utf8(&mut [0; 4]));
                true
            }
            _ => false,
        }
    }

    /// Inserts text at the cursor, or replaces the default text with it.
    pub fn paste(&mut self, text: &str) {
        let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
        if !text.is_empty() {
            if self.is_offered() {
                self.clear();
            }
            self.state = State::Typed;
            let (before, after) = self.halves();
            let (cursor, whole) =
                (before.chars().count() + text.chars().count(), [before, &text, after].concat());
            self.text = Input::new(whole).with_cursor(cursor);
        }
    }
}

impl TextMotion {
    fn step(self) -> InputRequest {
        match self {
            Self::Left => InputRequest::GoToPrevChar,
            Self::Right => InputRequest::GoToNextChar,
            Self::WordLeft => InputRequest::GoToPrevWord,
            Self::WordRight => InputRequest::GoToNextWord,
            Self::Start => InputRequest::GoToStart,
            Self::End => InputRequest::GoToEnd,
        }
    }

    /// Returns the request to delete the text from the cursor to the target of this motion.
    fn erasure(self) -> InputRequest {
        match self {
            Self::Left => InputRequest::DeletePrevChar,
            Self::Right => InputRequest::DeleteNextChar,
            Self::WordLeft => InputRequest::DeletePrevWord,
            Self::WordRight => InputRequest::DeleteNextWord,
            Self::Start => InputRequest::DeleteFromStart,
            Self::End => InputRequest::DeleteTillEnd,
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
            field.take(back, Some(Command::Erase(TextMotion::Left))) && field.as_str() == "aBef",
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
        assert!(edited.take(enter, Some(Command::Erase(TextMotion::Left))));
        press(&mut edited, 'x', KeyModifiers::NONE);
        let mut cleared = offered();
        assert!(cleared.take(enter, Some(Command::Erase(TextMotion::Start))) && cleared.is_empty());
        assert_eq!([typed.as_str(), pasted.as_str(), edited.as_str()], ["xy", "p", "it.jsox"]);
        assert!(!edited.is_offered() && offered().is_offered());
    }

    /// Applies commands to a text with the cursor at its end. Returns the text with `|` at the cursor.
    fn edited(text: &str, commands: &[Command]) -> String {
        let mut field = Field::default();
        field.paste(text);
        for command in commands {
            let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
            let old = field.as_str().to_owned();
            assert_eq!(field.take(enter, Some(*command)), field.as_str() != old);
        }
        let (before, after) = field.halves();
        format!("{before}|{after}")
    }

    #[test]
    fn the_cursor_moves_by_characters_and_words() {
        use TextMotion::{End, Left, Right, Start, WordLeft, WordRight};
        let step = |motions: &[TextMotion]| {
            let commands: Vec<_> = motions.iter().map(|motion| Command::Step(*motion)).collect();
            edited("src/e\u{301}t.rs *.日本", &commands)
        };
        assert_eq!(step(&[Start]), "|src/e\u{301}t.rs *.日本");
        assert_eq!(step(&[Left, Left]), "src/e\u{301}t.rs *.|日本");
        assert_eq!(step(&[Start, WordRight]), "src/|e\u{301}t.rs *.日本");
        assert_eq!(step(&[Start, WordRight, Right]), "src/e\u{301}|t.rs *.日本");
        assert_eq!(step(&[Left, Left, WordLeft]), "src/|e\u{301}t.rs *.日本");
        assert_eq!(step(&[Start, WordRight, WordRight, WordLeft]), "src/|e\u{301}t.rs *.日本");
        assert_eq!(step(&[End, Right, WordRight]), "src/e\u{301}t.rs *.日本|");
        assert_eq!(step(&[Start, Left, WordLeft]), "|src/e\u{301}t.rs *.日本");
    }

    #[test]
    fn text_is_deleted_and_inserted_at_the_cursor() {
        use Command::{Erase, Step};
        use TextMotion::{End, Left, Right, Start, WordLeft, WordRight};
        assert_eq!(edited("one two", &[Step(WordLeft), Erase(Left)]), "one|two");
        assert_eq!(edited("one two", &[Step(Start), Erase(Right)]), "|ne two");
        assert_eq!(edited("one two", &[Erase(WordLeft)]), "one |");
        assert_eq!(edited("one two", &[Step(Start), Erase(WordRight)]), "|two");
        assert_eq!(edited("one two", &[Step(WordLeft), Erase(Start)]), "|two");
        assert_eq!(edited("one two", &[Step(WordLeft), Erase(End)]), "one |");
        assert_eq!(edited("", &[Erase(Left), Erase(Right), Erase(WordLeft), Erase(WordRight)]), "|");
        let mut field = Field::offering("it.json".to_owned());
        let home = KeyEvent::new(KeyCode::Home, KeyModifiers::NONE);
        assert!(!field.take(home, Some(Step(Start))) && !field.is_offered(), "a default text can be edited");
        press(&mut field, 'b', KeyModifiers::NONE);
        field.paste("\u{1b}é");
        assert_eq!(field.halves(), ("bé", "it.json"));
    }

    #[test]
    fn earlier_texts_are_recalled_until_one_is_edited() {
        let mut field = Field::default();
        assert!(!field.recall(Motion::Up), "there is none");
        for text in ["one", "two", "one"] {
            field.paste(text);
            field.remember();
            field.clear();
        }
        let mut step = |motion| (field.recall(motion), field.as_str().to_owned());
        assert_eq!(step(Motion::Up), (true, "one".to_owned()));
        assert_eq!(step(Motion::Up), (true, "two".to_owned()));
        assert_eq!(step(Motion::Up), (false, "two".to_owned()), "the oldest");
        assert_eq!(step(Motion::Down), (true, "one".to_owned()));
        assert_eq!(step(Motion::Down), (true, String::new()));
        assert_eq!(step(Motion::Down), (false, String::new()));
        assert_eq!(step(Motion::Up), (true, "one".to_owned()));
        press(&mut field, 's', KeyModifiers::NONE);
        assert!(!field.recall(Motion::Up), "the keys move in the results now");
        assert_eq!(field.as_str(), "ones");
        assert!(Field::offering("it".to_owned()).with_past_of(&field).recall(Motion::Up));
    }
}
