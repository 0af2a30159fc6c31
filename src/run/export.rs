//! `-o` and `-O`: export of the tree that was read.
//!
//! An export of an incomplete tree could look complete, so nothing is written if reading is interrupted or fails. A
//! file is written completely or not at all.
//!
//! Invariant: exit code 0 means that everything was written, or that the reader of standard output closed the pipe
//! early.

use std::io;
use std::path::PathBuf;

use crate::base::sync::AtomicBool;
use crate::base::text::escape_path;
use crate::formats::WrittenEntries;
use crate::formats::ncdu_write::Export;
use crate::platform::atomic_file::AtomicFile;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::{Exit, exit_of};
use crate::run::streams::{exit_of_writing, print_error, standard_output, summarize};
use crate::scan::Outcome;
use crate::source::Source;
use crate::source::save::{NcduFormat, Watched, ncdu};

/// Destination of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output.
    Standard,
    File(PathBuf),
}

impl Target {
    /// Returns the name of the target for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Standard => "standard output".to_owned(),
            Self::File(path) => escape_path(path),
        }
    }

    /// Returns the message for a write that the user has interrupted. A regular file is replaced only when the new
    /// contents are complete, so it is never left incomplete.
    pub(crate) fn interrupted(&self) -> String {
        match self {
            Self::Standard => "interrupted; the output is incomplete".to_owned(),
            Self::File(path) if path.exists() && !path.is_file() => {
                format!("interrupted; the output to {} is incomplete", self.name())
            }
            Self::File(_) => format!("interrupted; {} was not written", self.name()),
        }
    }
}

/// Writes the tree of `source` to `to`, reports any errors, and returns the exit code.
pub(crate) fn run(
    source: &Source,
    outcome: Option<&Outcome>,
    interrupt: Option<Interrupt>,
    to: &Target,
    format: NcduFormat,
) -> Exit {
    let exit = exit_of(source, outcome);
    if interrupt.as_ref().is_some_and(Interrupt::was_recorded) {
        print_error("interrupted; nothing written");
        return Exit::Interrupted;
    }
    if outcome != Some(&Outcome::Complete) {
        summarize(source.tree(), outcome);
        print_error("nothing written: not everything could be read");
        return exit.max(Exit::Incomplete);
    }
    if Export::root(source.tree()).is_none() {
        summarize(source.tree(), outcome);
        if exit != Exit::Failure {
            print_error(
                "nothing written: ncdu's format allows only one root, which must be a directory; use duke save",
            );
        }
        return Exit::Failure;
    }
    let written = write_to(to, source, format, interrupt.as_ref());
    if interrupt.is_some_and(Interrupt::release) && written.is_err() {
        print_error(&to.interrupted());
        return Exit::Interrupted;
    }
    exit_of_writing(source, outcome, written, &to.name(), exit)
}

fn write_to(
    to: &Target,
    source: &Source,
    format: NcduFormat,
    interrupt: Option<&Interrupt>,
) -> io::Result<()> {
    let never = AtomicBool::new(false);
    let stop = interrupt.map_or(&never, Interrupt::flag);
    let written = WrittenEntries::default();
    match to {
        Target::Standard => ncdu(source, format, &written, &mut Watched::new(standard_output()?, stop)),
        Target::File(path) => {
            let mut file = AtomicFile::begin(path)?;
            ncdu(source, format, &written, &mut Watched::new(&mut file, stop))?;
            file.keep()
        }
    }
}
