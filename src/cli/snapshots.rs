//! Destination and retention of snapshots.
//!
//! Invariant: if neither `XDG_STATE_HOME` nor `HOME` is an absolute path, no snapshot is kept automatically, and
//! `duke save` without `-o` is an error.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Environment, UsageError};
use crate::base::format::Units;
use crate::base::text::escape;
use crate::cli::args::Arguments;
use crate::cli::configured::flags_of_file;
use crate::cli::exclude::filter;
use crate::cli::plans::{flags, read_plan};
use crate::cli::subcommands::Save;
use crate::cli::{options, sources};
use crate::run::part::PartOfPlan;
use crate::run::print::{NamedFileSystem, SaveTarget, Saving, Target};
use crate::scan;
use crate::source::snapshot_store::{DAY, RetentionPolicy};
use crate::source::{SourceSpec, save};

/// Returns the job for `duke save`.
pub fn saving(words: &Save, environment: &Environment) -> Result<Saving, UsageError> {
    if let Some((file, index)) = words.plan.as_ref().zip(words.part) {
        return part(file, index, words, environment);
    }
    let roots = sources::paths(&words.paths);
    let scan = scan::Options {
        follow_symlinks: false,
        threads: options::threads(words.threads, environment)?,
        mounts: options::mounts(words.one_file_system),
        filter: filter(&words.exclude)?,
        skip_caches: words.exclude_caches,
        skip_network: words.skip_network,
        skip_silent: false,
        owners: words.extended,
        ..scan::Options::default()
    };
    let mut recorded = sources::recorded(&words.import, words.lists.options(Vec::new()))?;
    let remotes = sources::remotes(&words.paths, &scan, &words.exclude)?;
    if let Some(remote) = words.paths.first().filter(|_| !remotes.is_empty()) {
        let needs = match words {
            Save { output: None, .. } => Some("-o is required for remote paths"),
            Save { fs_id: Some(_), .. } => Some("--fs-id works only with local paths"),
            _ => None,
        };
        if let Some(needs) = needs {
            return Err(UsageError::Usage(format!("save {}: {needs}", escape(remote.as_bytes()))));
        }
        recorded = Some(SourceSpec::Exports(remotes));
    }
    Ok(Saving {
        named: words.fs_id.clone().map(|name| NamedFileSystem { name, paths: roots.clone() }),
        wanted: recorded.unwrap_or(SourceSpec::Paths(roots, scan)),
        to: target(words, environment)?,
        progress: options::progress(words.quiet, Units::Binary),
        part: None,
    })
}

/// Returns the job for `duke save --plan`.
fn part(file: &Path, index: usize, words: &Save, environment: &Environment) -> Result<Saving, UsageError> {
    let (plan, digest) = read_plan(file)?;
    if index >= plan.parts.len() {
        let parts = match plan.parts.len() - 1 {
            0 => "part 0".to_owned(),
            last => format!("parts 0 to {last}"),
        };
        return Err(UsageError::Usage(format!("--part {index}: the plan has only {parts}")));
    }
    let threads = options::threads(words.threads, environment)?;
    let scan = scan::Options { other_parts: plan.other_parts(index), ..flags(&plan.flags, threads)? };
    Ok(Saving {
        wanted: SourceSpec::Paths(plan.roots(index), scan),
        to: target(words, environment)?,
        progress: options::progress(words.quiet, Units::Binary),
        named: plan.flags.fs_id.clone().map(|name| NamedFileSystem { name, paths: plan.roots(0) }),
        part: Some(PartOfPlan { plan: digest, number: index as u64 }),
    })
}

fn target(words: &Save, environment: &Environment) -> Result<SaveTarget, UsageError> {
    match &words.output {
        Some(file) if file == "-" && environment.is_terminal => {
            Err(UsageError::Usage("save -o -: standard output is a terminal; redirect it".to_owned()))
        }
        Some(file) if file == "-" => Ok(SaveTarget::Target(Target::Standard)),
        Some(file) => {
            sources::reject_other(file, "save -o", |format| format == save::Format::Snapshot)?;
            Ok(SaveTarget::Target(Target::File(PathBuf::from(file))))
        }
        // The snapshot goes to the folder of automatic snapshots, whose limits come from the configuration.
        None => settings(&flags_of_file(environment)?, environment).map(SaveTarget::Kept).ok_or_else(|| {
            UsageError::Usage(
                "save: -o is required, because neither XDG_STATE_HOME nor HOME is set to an absolute path"
                    .to_owned(),
            )
        }),
    }
}

/// Returns the retention policy of automatic snapshots, or `None` if there is no folder for them, because neither
/// `XDG_STATE_HOME` nor `HOME` is an absolute path.
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
