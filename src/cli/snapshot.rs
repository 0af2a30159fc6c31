//! Where snapshots go.
//!
//! Invariant: without a home there is nowhere to keep any, and who asks for one is told.

use std::path::PathBuf;

use super::arguments::Arguments;
use super::commands::Save;
use super::{Environment, Refusal};
use crate::batch::{Saving, Shelf, Target};
use crate::platform::state;
use crate::scan;
use crate::size::Units;
use crate::snapshot::automatic::{DAY, Settings};
use crate::writing;

/// What is to be saved.
pub(super) fn saving(words: &Save, environment: &Environment) -> Result<Saving, Refusal> {
    let scan = scan::Options {
        threads: super::threads(None, environment)?,
        mounts: super::mounts(words.one_file_system),
        filter: super::filter(&words.exclude)?,
        skip_caches: words.exclude_caches,
        skip_network: words.skip_network,
        owners: words.extended,
    };
    Ok(Saving {
        roots: super::exchange::paths(&words.paths),
        scan,
        to: shelf(words, environment)?,
        progress: super::progress(words.quiet, Units::Binary),
    })
}

fn shelf(words: &Save, environment: &Environment) -> Result<Shelf, Refusal> {
    match &words.output {
        Some(file) if file == "-" && environment.is_terminal => {
            Err(Refusal::Usage("save -o -: standard output is a terminal".to_owned()))
        }
        Some(file) if file == "-" => Ok(Shelf::Target(Target::Standard)),
        Some(file) => {
            super::exchange::refuse_other(file, "save -o", |format| format == writing::Format::Snapshot)?;
            Ok(Shelf::Target(Target::File(PathBuf::from(file))))
        }
        // What is kept, and for how long, is for the configuration to say, whoever puts something there.
        None => {
            settings(&super::configured_alone(environment)?, environment).map(Shelf::Kept).ok_or_else(|| {
                Refusal::Usage("save: -o is needed, since neither XDG_STATE_HOME nor HOME is set".to_owned())
            })
        }
    }
}

/// Where snapshots are kept without being asked for, and how many.
pub(super) fn settings(arguments: &Arguments, environment: &Environment) -> Option<Settings> {
    let variable = |name| environment.variable(name).map(std::ffi::OsString::as_os_str);
    let folder = state::folder(variable("XDG_STATE_HOME"), variable("HOME"))?;
    let mut settings = Settings::new(folder);
    if let Some(days) = arguments.snapshot_days {
        settings.age = DAY.saturating_mul(days);
    }
    if let Some(bytes) = arguments.snapshot_size {
        settings.bytes = bytes;
    }
    Some(settings)
}
