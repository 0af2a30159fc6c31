//! What describes the command line to others: completions for shells, and the manual page.
//!
//! Both come from the one definition of the flags. Invariant: nothing about a flag is said here.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::arguments::Words;
use crate::exit::Exit;
use crate::message::{say, words};
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
        let written = streams::output().and_then(|()| self.text()).and_then(|text| {
            let mut out = io::stdout().lock();
            out.write_all(&text)?;
            out.flush()
        });
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                say(&format!("standard output: {}", words(&error)));
                Exit::Incomplete
            }
            _ => Exit::Fine,
        }
    }

    /// Its text.
    ///
    /// # Errors
    /// None that is known: the memory it is written to takes all.
    pub fn text(self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut command = Words::command();
        match self {
            Self::Completions(shell) => clap_complete::generate(shell, &mut command, "duke", &mut text),
            Self::Manual => Man::new(command).render(&mut text)?,
        }
        Ok(text)
    }
}
