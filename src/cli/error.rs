//! Errors of the command line.
//!
//! Invariant: an error is one line that is safe for a terminal.

use std::io::{self, Write};

use clap::CommandFactory;
use clap::error::{ContextKind, ErrorKind};

use crate::cli::args::{Arguments, Cli};

use crate::base::text::escape;
use crate::run::exit::Exit;
use crate::run::streams::{print, print_error};

/// Reason why a command line cannot be turned into a [`Request`](super::Request).
#[derive(Debug)]
pub enum UsageError {
    /// The user asked for help or the version.
    Answer(clap::Error),
    /// The command line is invalid. Contains the reason, as one line that is safe to print to a terminal.
    Usage(String),
    /// There is no snapshot to compare with. Contains the reason as above, and a line for each kept snapshot.
    NotKept(String, Vec<String>),
}

impl UsageError {
    /// Returns the reason in one line.
    pub fn reason(self) -> String {
        match self {
            Self::Answer(text) => text.to_string(),
            Self::Usage(reason) | Self::NotKept(reason, _) => reason,
        }
    }

    /// Prints the error and returns the exit code.
    pub fn answer(&self) -> Exit {
        match self {
            Self::Answer(text) => print(|_| text.print().and_then(|()| io::stdout().flush())),
            Self::Usage(message) => {
                print_error(message);
                Exit::Useless
            }
            Self::NotKept(message, lines) => {
                print_error(message);
                for line in lines {
                    print_error(line);
                }
                Exit::Useless
            }
        }
    }
}

/// Converts the parser's error into one line.
pub fn refusal(error: clap::Error) -> UsageError {
    if !error.use_stderr() {
        return UsageError::Answer(error);
    }
    // The text after the first empty line is advice.
    let text = error.render().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let line = lines.join(" ");
    let advice = if error.kind() == ErrorKind::UnknownArgument {
        match similar(&error) {
            Some(flag) => format!("; {flag} is similar"),
            None => "; see duke --help".to_owned(),
        }
    } else {
        String::new()
    };
    UsageError::Usage(escape(line.strip_prefix("error: ").unwrap_or(&line).as_bytes()).into_owned() + &advice)
}

/// Returns the flag that the user probably meant: one that differs from the typed flag in one or two letters.
/// Swapped neighbors count as one letter.
fn similar(error: &clap::Error) -> Option<String> {
    let typed = error.get(ContextKind::InvalidArg)?.to_string();
    let typed = typed.strip_prefix("--")?;
    // The usage text names the subcommand.
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let name = usage.split_whitespace().skip_while(|word| *word != "duke").nth(1);
    let commands = Cli::command();
    let main = Arguments::command();
    let command = name.and_then(|name| commands.find_subcommand(name)).unwrap_or(&main);
    let flags = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(|arg| arg.get_long());
    let most = if typed.len() < 5 { 1 } else { 2 };
    let near = flags.map(|flag| (distance(typed, flag), flag)).filter(|(distance, _)| *distance <= most);
    near.min().map(|(_, flag)| format!("--{flag}"))
}

/// Returns the edit distance of two words: the minimum number of letters to change, insert, delete, or swap
/// with the next letter.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}
