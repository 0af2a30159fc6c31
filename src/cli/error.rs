//! Command-line errors.
//!
//! Invariant: the reason in [`UsageError::Usage`] and [`UsageError::NotKept`] is one line, escaped for a terminal.

use std::io::{self, Write};

use clap::error::{ContextKind, ErrorKind};

use crate::base::text::escape;
use crate::run::exit::Exit;
use crate::run::streams::{print, print_error};

/// Reason why a command line cannot be turned into an [`Invocation`](super::Invocation).
#[derive(Debug)]
pub enum UsageError {
    /// The user asked for help or the version.
    Answer(clap::Error),
    /// The command line is invalid. Contains the reason as one line, escaped for a terminal.
    Usage(String),
    /// There is no snapshot to compare with. Contains the reason as one line, and the kept snapshots as further lines.
    NotKept(String, Vec<String>),
}

impl UsageError {
    /// Returns the reason as one line, or the complete help or version text.
    pub fn reason(self) -> String {
        match self {
            Self::Answer(text) => text.to_string(),
            Self::Usage(reason) | Self::NotKept(reason, _) => reason,
        }
    }

    /// Prints the error, or the help or version text, and returns the exit code.
    pub fn answer(&self) -> Exit {
        match self {
            Self::Answer(text) => print(|_| text.print().and_then(|()| io::stdout().flush())),
            Self::Usage(message) => {
                print_error(message);
                Exit::Failure
            }
            Self::NotKept(message, lines) => {
                print_error(message);
                for line in lines {
                    print_error(line);
                }
                Exit::Failure
            }
        }
    }
}

/// Converts an error of `clap` into one line. `clap` also returns help and version texts as errors; these are kept
/// unchanged.
pub fn usage_error(error: clap::Error) -> UsageError {
    usage_error_with(error, "--help")
}

/// Does the same as [`usage_error`], but refers the user to `help`, such as `duke ncdu --help`, instead of `--help`.
pub fn usage_error_with(error: clap::Error, help: &str) -> UsageError {
    if !error.use_stderr() {
        return UsageError::Answer(error);
    }
    // `clap` adds its own advice after the first empty line. This part is omitted.
    let text = error.render().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let line = lines.join(" ");
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let advice = match (error.kind(), suggested.into_iter().find_map(|kind| error.get(kind))) {
        (_, Some(word)) => format!("; did you mean {word}?"),
        (ErrorKind::UnknownArgument | ErrorKind::MissingRequiredArgument, None) => format!("; see {help}"),
        _ => String::new(),
    };
    UsageError::Usage(escape(line.strip_prefix("error: ").unwrap_or(&line).as_bytes()).into_owned() + &advice)
}
