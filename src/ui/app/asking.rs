//! Questions with two buttons, and leaving, which may need one.
//!
//! A question lies on whatever is open and has the keys until it is answered; with a No everything is as it was.
//!
//! Invariant: nothing is done that was not answered with yes.

use std::time::Duration;

use super::{App, Effect, Mode};
use crate::ui::export::Order;
use crate::ui::keys::{Answer, Command};

/// A scan that took longer than this is worth a question before it is thrown away.
const PRECIOUS: Duration = Duration::from_secs(5);

/// A question with two buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub about: About,
    /// The selected button.
    pub button: Button,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Leaving, and losing the scan.
    Quit,
    /// Scanning the directory above in place of this one.
    Above,
    /// Writing this file in the place of another.
    Replace(Order),
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
    /// Asks; a question that is open is given up.
    pub(super) fn ask(&mut self, about: About) {
        self.question = Some(Question { about, button: Button::No });
    }

    /// Gives up the question whether to leave, when what it was about is over: a Yes was meant for that.
    pub(super) fn unask_quit(&mut self) {
        self.question.take_if(|question| question.about == About::Quit);
    }

    pub(super) fn answer(&mut self, command: Command) -> Option<Effect> {
        let Command::Answer(answer) = command else { return None };
        let question = self.question.as_mut()?;
        let button = match answer {
            Answer::Other => {
                question.button = if question.button == Button::Yes { Button::No } else { Button::Yes };
                return None;
            }
            Answer::Yes => Button::Yes,
            // Who presses the key again wants to leave, and not to go on behind a box that opens and closes.
            Answer::Leave if question.about == About::Quit => Button::Yes,
            Answer::No | Answer::Leave => Button::No,
            Answer::Selected => question.button,
        };
        let Question { about, .. } = self.question.take()?;
        match (about, button) {
            (_, Button::No) => None,
            (About::Quit, Button::Yes) => Some(Effect::Quit),
            (About::Above, Button::Yes) => self.above().map(Effect::ScanAbove),
            (About::Replace(order), Button::Yes) => self.replace_file(order),
        }
    }

    pub(super) fn interrupt(&mut self) -> Option<Effect> {
        match self.mode {
            // Asked already whether to leave: this is the answer.
            _ if self.question.as_ref().is_some_and(|question| question.about == About::Quit) => {
                Some(Effect::Quit)
            }
            _ if self.question.is_some() => {
                self.question = None;
                None
            }
            Mode::Confirm => Some(self.close_confirm()),
            _ if self.is_scanning() && !self.scan.is_stopping => {
                self.scan.is_stopping = true;
                self.say("Stopping; what was read stays");
                Some(Effect::StopScan)
            }
            _ => self.stop_deleting().or_else(|| self.stop_rescan()).or_else(|| self.quit()),
        }
    }

    pub(super) fn quit(&mut self) -> Option<Effect> {
        if self.scan.last.elapsed <= PRECIOUS && !self.is_deleting() && self.written().is_none() {
            return Some(Effect::Quit);
        }
        self.ask(About::Quit);
        None
    }
}
