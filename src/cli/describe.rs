//! Descriptions of the command line: shell completions and the man page.
//!
//! Both are generated from the definition of the flags. Invariant: this file contains no descriptions of flags.

use std::io::Write;

use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::{completions, man_page};
use crate::run::exit::Exit;
use crate::run::streams::print;

/// Generated description of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Description {
    /// Completions for this shell.
    Completions(Shell),
    /// Man page, written with the man(7) macros.
    Manual,
}

impl Description {
    pub fn print(self) -> Exit {
        print(|out| out.write_all(&self.text()))
    }

    pub fn text(self) -> Vec<u8> {
        let command = Cli::definition();
        let text = match self {
            Self::Completions(shell) => completions::script(shell, command),
            Self::Manual => man_page::page(command),
        };
        text.into_bytes()
    }
}
