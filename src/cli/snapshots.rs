//! Destination and retention of snapshots.
//!
//! Invariant: without a home directory no snapshot is kept automatically, and `duke save` fails with an error.

use std::path::PathBuf;

use super::{Environment, UsageError};
use crate::base::format::Units;
use crate::cli::args::Arguments;
use crate::cli::configured::flags_of_file;
use crate::cli::exclude::filter;
use crate::cli::subcommands::Save;
use crate::cli::{options, sources};
use crate::run::print::{SaveTarget, Saving, Target};
use crate::scan;
use crate::source::save;
use crate::source::snapshot_store::{DAY, RetentionPolicy};

/// Returns the settings of `duke save`.
pub fn saving(words: &Save, environment: &Environment) -> Result<Saving, UsageError> {
    let scan = scan::Options {
        follow_symlinks: false,
        threads: options::threads(None, environment)?,
        mounts: options::mounts(words.one_file_system),
        filter: filter(&words.exclude)?,
        skip_caches: words.exclude_caches,
        skip_network: words.skip_network,
        skip_silent: false,
        owners: words.extended,
    };
    Ok(Saving {
        roots: sources::paths(&words.paths),
        scan,
        to: shelf(words, environment)?,
        progress: options::progress(words.quiet, Units::Binary),
    })
}

fn shelf(words: &Save, environment: &Environment) -> Result<SaveTarget, UsageError> {
    match &words.output {
        Some(file) if file == "-" && environment.is_terminal => {
            Err(UsageError::Usage("save -o -: standard output is a terminal; redirect it".to_owned()))
        }
        Some(file) if file == "-" => Ok(SaveTarget::Target(Target::Standard)),
        Some(file) => {
            sources::refuse_other(file, "save -o", |format| format == save::Format::Snapshot)?;
            Ok(SaveTarget::Target(Target::File(PathBuf::from(file))))
        }
        // The configuration determines the limits for all kept snapshots.
        None => settings(&flags_of_file(environment)?, environment).map(SaveTarget::Kept).ok_or_else(|| {
            UsageError::Usage("save: -o is required: neither XDG_STATE_HOME nor HOME is set".to_owned())
        }),
    }
}

/// Returns the retention policy of automatic snapshots, or `None` without a home directory.
pub fn settings(arguments: &Arguments, environment: &Environment) -> Option<RetentionPolicy> {
    let mut settings = RetentionPolicy::new(environment.snapshot_folder()?);
    if let Some(days) = arguments.snapshot_days {
        settings.age = DAY.saturating_mul(days);
    }
    if let Some(bytes) = arguments.snapshot_size {
        settings.bytes = bytes;
    }
    settings.keeps_latest = !arguments.no_instant;
    Some(settings)
}
