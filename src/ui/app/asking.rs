//! Questions with two buttons, and leaving, which may need one.
//!
//! Invariant: nothing is done that was not answered with yes.

use std::time::Duration;

use super::{App, Effect, Mode};
use crate::ui::keys::{Answer, Command};

/// A scan that took longer than this is worth a question before it is thrown away.
const PRECIOUS: Duration = Duration::from_secs(5);

/// A question with two buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub about: About,
    /// The selected button.
    pub button: Button,
}

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Leaving, and losing the scan.
    Quit,
    /// Scanning the directory above in place of this one.
    Above,
    /// Writing a file in the place of another.
    Replace,
}

/// The buttons of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Do it.
    Yes,
    /// Leave it; selected at first.
    No,
}

impl App<'_> {
    pub(super) fn answer(&mut self, question: Question, command: Command) -> Option<Effect> {
        let Command::Answer(answer) = command else { return None };
        let button = match (answer, question.button) {
            (Answer::Other, button) => {
                let button = if button == Button::Yes { Button::No } else { Button::Yes };
                self.mode = Mode::Question(Question { button, ..question });
                return None;
            }
            (Answer::Yes, _) => Button::Yes,
            // Who presses the key again wants to leave, and not to go on behind a box that opens and closes.
            (Answer::Leave, _) if question.about == About::Quit => Button::Yes,
            (Answer::No | Answer::Leave, _) => Button::No,
            (Answer::Selected, button) => button,
        };
        self.mode = Mode::List;
        match (question.about, button) {
            (About::Quit, Button::Yes) => Some(Effect::Quit),
            (About::Above, Button::Yes) => self.above().map(Effect::ScanAbove),
            (About::Replace, Button::Yes) => self.replace_file(),
            (About::Replace, Button::No) => {
                self.keep_file();
                None
            }
            (About::Quit | About::Above, Button::No) => None,
        }
    }

    pub(super) fn interrupt(&mut self) -> Option<Effect> {
        match self.mode {
            Mode::Confirm => Some(self.close_confirm()),
            // Asked already whether to leave: this is the answer.
            Mode::Question(Question { about: About::Quit, .. }) => Some(Effect::Quit),
            _ if self.is_scanning() && !self.scan.is_stopping => {
                self.scan.is_stopping = true;
                self.notice = Some("Stopping; what was read stays".into());
                Some(Effect::StopScan)
            }
            _ => self.stop_deleting().or_else(|| self.stop_rescan()).or_else(|| self.quit()),
        }
    }

    pub(super) fn quit(&mut self) -> Option<Effect> {
        if self.scan.last.elapsed <= PRECIOUS && !self.is_deleting() && self.written().is_none() {
            return Some(Effect::Quit);
        }
        self.mode = Mode::Question(Question { about: About::Quit, button: Button::No });
        None
    }
}
