//! Builds the jobs for the subcommands `duplicates` and `subvolumes` from their flags.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::cli::UsageError;
use crate::cli::environment::Environment;
use crate::cli::exclude::filter;
use crate::cli::options::{mounts, progress, threads, units};
use crate::cli::sources::{paths, reject_remotes};
use crate::cli::subcommands::{DuplicatesFlags, SubvolumesFlags};
use crate::run::duplicates::{DuplicatesFormat, DuplicatesJob};
use crate::run::subvolumes::{SubvolumesFormat, SubvolumesJob};
use crate::scan;

/// Returns the job for `duke duplicates`.
///
/// # Errors
/// Returns an error if a path is remote, or if a pattern or the number of threads is invalid.
pub(crate) fn duplicates_job(
    words: &DuplicatesFlags,
    environment: &Environment,
) -> Result<DuplicatesJob, UsageError> {
    reject_remotes("duplicates", &words.paths)?;
    let units = units(words.si);
    let scan = scan::Options {
        threads: threads(words.threads, environment)?,
        mounts: mounts(words.one_file_system),
        filter: filter(&words.exclude)?,
        skip_caches: words.exclude_caches,
        skip_network: words.skip_network,
        ..Default::default()
    };
    Ok(DuplicatesJob {
        roots: paths(&words.paths),
        scan,
        is_shared: words.share,
        form: if words.json { DuplicatesFormat::Json } else { DuplicatesFormat::Table(units) },
        progress: progress(words.quiet, units),
    })
}

/// Returns the job for `duke subvolumes`.
///
/// # Errors
/// Returns an error if the path is remote.
pub(crate) fn subvolumes_job(words: SubvolumesFlags) -> Result<SubvolumesJob, UsageError> {
    reject_remotes("subvolumes", words.path.as_slice())?;
    let form = if words.json { SubvolumesFormat::Json } else { SubvolumesFormat::Table(units(words.si)) };
    Ok(SubvolumesJob {
        path: words.path.unwrap_or_else(|| ".".into()),
        deleted: words.without.into_iter().map(OsString::into_vec).collect(),
        form,
    })
}
