//! Why a command line is no request.
//!
//! Invariant: what is refused is said in one line, safe for a terminal.

use std::io::{self, Write};

use clap::error::ErrorKind;

use crate::exit::Exit;
use crate::message::{printed, say};
use crate::platform::streams;
use crate::text::escape;

/// Why there is no [`Request`](super::Request).
#[derive(Debug)]
pub enum Refusal {
    /// Help or the version was asked for.
    Answer(clap::Error),
    /// The command line makes no sense; one line, safe for a terminal.
    Usage(String),
}

impl Refusal {
    /// It in one line.
    pub(super) fn reason(self) -> String {
        match self {
            Self::Answer(text) => text.to_string(),
            Self::Usage(reason) => reason,
        }
    }

    /// Prints it and says how the program ends.
    pub fn answer(&self) -> Exit {
        match self {
            Self::Answer(text) => {
                printed(streams::output().and_then(|()| text.print()).and_then(|()| io::stdout().flush()))
            }
            Self::Usage(message) => {
                say(message);
                Exit::Useless
            }
        }
    }
}

/// The parser's message in one line.
pub(super) fn refusal(error: clap::Error) -> Refusal {
    if !error.use_stderr() {
        return Refusal::Answer(error);
    }
    // What follows the first empty line is advice.
    let text = error.render().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let line = lines.join(" ");
    let advice =
        if error.kind() == ErrorKind::UnknownArgument { "; duke --help lists what there is" } else { "" };
    Refusal::Usage(escape(line.strip_prefix("error: ").unwrap_or(&line).as_bytes()).into_owned() + advice)
}
