//! What describes the command line to others: completions for shells, and the manual page.
//!
//! Both come from the one definition of the flags. Invariant: nothing about a flag is said here.

use std::io::{self, Write};

use clap_complete::Shell;

use super::arguments::Words;
use super::manual;
use crate::exit::Exit;
use crate::message::printed;
use crate::platform::streams;

/// Something that describes the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    /// The completions of a shell.
    Completions(Shell),
    /// The manual page, in the macros of man(7).
    Manual,
}

impl Description {
    /// Prints it.
    pub fn print(self) -> Exit {
        let written = streams::output().and_then(|()| {
            let mut out = io::stdout().lock();
            out.write_all(&self.text())?;
            out.flush()
        });
        printed(written)
    }

    /// Its text.
    pub fn text(self) -> Vec<u8> {
        let mut command = Words::definition();
        match self {
            Self::Completions(shell) => {
                let mut text = Vec::new();
                clap_complete::generate(shell, &mut command, "duke", &mut text);
                text
            }
            Self::Manual => manual::page(command).into_bytes(),
        }
    }
}
