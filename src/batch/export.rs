//! `-o`: what was read, written for another browser or another time.
//!
//! An export that is cut short could look like a whole one, so a run that was interrupted or broken off writes none. Into a file it
//! comes whole or not at all.
//!
//! Invariant: exit code 0 means that all of it was written.

use std::io;
use std::path::PathBuf;

use super::{errors, exit_of, exit_of_writing, standard_output};
use crate::exchange::Export;
use crate::exit::Exit;
use crate::message::say;
use crate::platform::interrupt::Interrupt;
use crate::replacement::Replacement;
use crate::scan::Outcome;
use crate::source::Source;
use crate::sync::AtomicBool;
use crate::text::escape_path;
use crate::writing::{Packing, Watched, ncdu};

/// Where an export goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To standard output.
    Standard,
    /// To a file.
    File(PathBuf),
}

/// Writes what `source` has read.
pub(super) fn run(
    source: &Source,
    outcome: Option<&Outcome>,
    interrupt: Option<Interrupt>,
    to: &Target,
    packing: Packing,
) -> Exit {
    let exit = exit_of(source, outcome);
    if interrupt.as_ref().is_some_and(Interrupt::was_noted) {
        say("interrupted; nothing was written");
        return Exit::Interrupted;
    }
    if outcome != Some(&Outcome::Complete) {
        errors::summarise(source.tree(), outcome);
        say("nothing was written: it would look complete");
        return exit.max(Exit::Incomplete);
    }
    if Export::root(source.tree()).is_none() {
        errors::summarise(source.tree(), outcome);
        if exit != Exit::Useless {
            say("nothing was written: ncdu's format holds one directory");
        }
        return Exit::Useless;
    }
    let written = write_to(to, source, packing, interrupt.as_ref());
    let place = match to {
        Target::Standard => "standard output".to_owned(),
        Target::File(path) => escape_path(path),
    };
    if interrupt.is_some_and(Interrupt::release) && written.is_err() {
        say(&format!("interrupted; {place} is incomplete or as it was"));
        return Exit::Interrupted;
    }
    exit_of_writing(source, outcome, written, &place, exit)
}

fn write_to(to: &Target, source: &Source, packing: Packing, interrupt: Option<&Interrupt>) -> io::Result<()> {
    let never = AtomicBool::new(false);
    let stop = interrupt.map_or(&never, Interrupt::flag);
    match to {
        Target::Standard => ncdu(source, packing, &mut Watched::new(standard_output()?, stop)),
        Target::File(path) => {
            let mut file = Replacement::begin(path)?;
            ncdu(source, packing, &mut Watched::new(&mut file, stop))?;
            file.keep()
        }
    }
}
