//! Asks the terminal for its background color (OSC 11), and detects the answer.
//!
//! The browser does not wait for the answer. It draws the first frame for the background in `COLORFGBG`, or for
//! a dark background by default, and redraws when the answer arrives. The answer arrives as keys, after an
//! unknown delay. These keys are removed from the input, because they would otherwise act as commands.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::ui::theme::Background;

/// Sequence that queries the background color (xterm's control sequences, "Change VT100 text background color").
pub const QUESTION: &str = "\x1b]11;?\x1b\\";

/// Maximum delay between the query and its answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of held-back keys to pass on if they turn out not to be the answer: the user may have typed them. A
/// longer sequence is probably a damaged answer, so only its last key is passed on.
const MAX_TYPED_KEYS: usize = 3;

#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// Keys that are not part of the terminal's answer. Empty if the last key is held back, because it may be part of
    /// the answer.
    Keys(Vec<KeyEvent>),
    /// A complete answer. Contains the background, or `None` if the answer is invalid.
    Answer(Option<Background>),
}

#[derive(Debug, Default)]
pub struct Reply {
    /// Time when the terminal was asked for its background, if its answer is still expected.
    asked: Option<Instant>,
    /// Keys held back, because they may be the start of the answer.
    held: Vec<KeyEvent>,
}

impl Reply {
    /// Records that the query has just been sent.
    pub fn expect(&mut self) {
        self.asked = Some(Instant::now());
    }

    /// Returns `true` if an answer is expected and the query was sent less than a second ago.
    pub fn is_near(&self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() < Duration::from_secs(1))
    }

    /// Returns the keys that are not part of the terminal's answer, or the answer once it is complete. Holds `key`
    /// back while it may be part of the answer.
    pub fn take(&mut self, key: KeyEvent) -> Taken {
        if self.asked.is_none_or(|asked| asked.elapsed() > PATIENCE) && self.held.is_empty() {
            return Taken::Keys(vec![key]);
        }
        self.held.push(key);
        if self.held.len() == 1 {
            // The answer begins with Esc and `]`, which arrive as Alt-].
            let is_start = is_key(key, KeyModifiers::ALT, ']');
            return Taken::Keys(if is_start { Vec::new() } else { std::mem::take(&mut self.held) });
        }
        // The answer ends with Esc and a backslash, or with a bell (Ctrl-G).
        if is_key(key, KeyModifiers::ALT, '\\') || is_key(key, KeyModifiers::CONTROL, 'g') {
            let text: String = self.held.drain(..).skip(1).filter_map(letter).collect();
            self.asked = None;
            return Taken::Answer(background(&text));
        }
        if letter(key).is_some_and(|letter| letter.is_ascii_alphanumeric() || ";:/".contains(letter)) {
            return Taken::Keys(Vec::new());
        }
        // More than `MAX_TYPED_KEYS` held keys are probably a damaged answer.
        let held = std::mem::take(&mut self.held);
        Taken::Keys(if held.len() > MAX_TYPED_KEYS { vec![key] } else { held })
    }
}

fn is_key(key: KeyEvent, held: KeyModifiers, letter: char) -> bool {
    key.code == KeyCode::Char(letter) && key.modifiers == held
}

fn letter(key: KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(letter) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => Some(letter),
        _ => None,
    }
}

/// Parses the terminal's answer, for example `11;rgb:1e1e/1e1e/1e1e`.
fn background(answer: &str) -> Option<Background> {
    let (_, color) = answer.strip_prefix("11;rgb")?.split_once(':')?;
    // Each component has one to four hexadecimal digits.
    let part = |part: &str| {
        let most = (1_u32 << (4 * u32::try_from(part.len()).ok()?)).checked_sub(1)?;
        Some(u32::from_str_radix(part, 16).ok()? * 255 / most)
    };
    let parts: Vec<u32> = color.split('/').take(3).map(part).collect::<Option<_>>()?;
    let [red, green, blue] = parts.try_into().ok()?;
    // The factors are the contributions of the color components to the brightness (ITU-R BT.601).
    let brightness = (299 * red + 587 * green + 114 * blue) / 1000;
    Some(if brightness < 128 { Background::Dark } else { Background::Light })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<KeyEvent> {
        let key = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
        text.chars().map(key).collect()
    }

    fn start() -> KeyEvent {
        KeyEvent::new(KeyCode::Char(']'), KeyModifiers::ALT)
    }

    fn take(reply: &mut Reply, text: &str, end: KeyEvent) -> Taken {
        for key in [start()].into_iter().chain(keys(text)) {
            assert_eq!(reply.take(key), Taken::Keys(Vec::new()), "{text}");
        }
        reply.take(end)
    }

    #[test]
    fn answers_of_terminals_are_recognized() {
        let bell = KeyEvent::new(KeyCode::Char('g'), KeyModifiers::CONTROL);
        let end = KeyEvent::new(KeyCode::Char('\\'), KeyModifiers::ALT);
        for (text, background) in [
            ("11;rgb:1e1e/1e1e/1e1e", Some(Background::Dark)),
            ("11;rgb:FdFd/f6f6/e3e3", Some(Background::Light)),
            ("11;rgb:f/f/f", Some(Background::Light)),
            ("11;rgba:0000/0000/0000/ffff", Some(Background::Dark)),
            ("11;rgb:0000/0000", None),
            ("11;rgb:/0/0", None),
            ("10;rgb:0000/0000/0000", None),
        ] {
            for end in [bell, end] {
                let mut reply = Reply::default();
                reply.expect();
                assert_eq!(take(&mut reply, text, end), Taken::Answer(background), "{text}");
                assert_eq!(reply.take(start()), Taken::Keys(vec![start()]), "only one answer is expected");
            }
        }
    }

    #[test]
    fn keys_of_the_user_are_kept_and_those_of_a_damaged_answer_are_not() {
        let mut reply = Reply::default();
        assert_eq!(reply.take(start()), Taken::Keys(vec![start()]), "nothing was asked");
        reply.expect();
        for key in keys("dy]1") {
            assert_eq!(reply.take(key), Taken::Keys(vec![key]));
        }
        let up = KeyEvent::new(KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(reply.take(start()), Taken::Keys(Vec::new()));
        assert_eq!(reply.take(up), Taken::Keys(vec![start(), up]));
        assert_eq!(take(&mut reply, "11;rgb:dd", up), Taken::Keys(vec![up]));
    }
}
