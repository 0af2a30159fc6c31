//! Jobs for the commands `plan` and `merge`, and scan options from a plan.

use std::path::{Path, PathBuf};

use super::{Environment, UsageError};
use crate::base::absolute::absolute;
use crate::base::format::Units;
use crate::base::text::escape_path;
use crate::cli::subcommands::{MergeWords, PlanWords};
use crate::cli::{options, sources};
use crate::run::merge::{MergeJob, Missing};
use crate::run::plan::PlanJob;
use crate::run::print::Target;
use crate::scan::{Options, OtherParts};
use crate::source::SourceSpec;
use crate::source::plan::{ScanFlags, ScanPlan};
use crate::source::save;

/// Returns the job for `duke plan`.
pub fn plan(words: &PlanWords, environment: &Environment) -> Result<PlanJob, UsageError> {
    sources::reject_remotes("plan", &[&words.path])?;
    let scan_flags = ScanFlags {
        one_file_system: words.one_file_system,
        skip_network: words.skip_network,
        exclude_caches: words.exclude_caches,
        extended: words.extended,
        exclude: words.exclude.clone(),
        fs_id: words.fs_id.clone(),
    };
    let options = flags(&scan_flags, options::threads(None, environment)?)?;
    let scan = Options { other_parts: OtherParts::below(words.depth), ..options };
    let path = absolute(&words.path);
    let recorded = sources::recorded(words.import.as_slice(), words.lists.options(Vec::new()))?;
    let to = words.output.as_ref().filter(|file| *file != "-");
    Ok(PlanJob {
        wanted: recorded.unwrap_or_else(|| SourceSpec::Paths(vec![path.clone()], scan)),
        path,
        typed: words.path.clone(),
        parts: words.parts,
        old: words.import.as_ref().map(PathBuf::from),
        flags: scan_flags,
        to: to.map_or(Target::Standard, |file| Target::File(PathBuf::from(file))),
        progress: options::progress(words.quiet, Units::Binary),
    })
}

/// Returns the job for `duke merge`.
pub fn merge(words: &MergeWords, environment: &Environment) -> Result<MergeJob, UsageError> {
    let (plan, digest) = read_plan(&words.plan)?;
    let to = if words.output == "-" {
        if environment.is_terminal {
            let reason = "merge -o -: standard output is a terminal; redirect it";
            return Err(UsageError::Usage(reason.to_owned()));
        }
        Target::Standard
    } else {
        sources::reject_other(&words.output, "merge -o", |format| format == save::Format::Snapshot)?;
        Target::File(PathBuf::from(&words.output))
    };
    let missing = if words.partial { Missing::Marked } else { Missing::Refused };
    Ok(MergeJob { count: plan.parts.len() as u64, digest, parts: words.parts.clone(), to, missing })
}

/// Reads a plan from a file. Also returns the digest of the plan.
pub fn read_plan(file: &Path) -> Result<(ScanPlan, u64), UsageError> {
    ScanPlan::read(file).map_err(|reason| UsageError::Usage(format!("{}: {reason}", escape_path(file))))
}

pub fn flags(flags: &ScanFlags, threads: Option<usize>) -> Result<Options, UsageError> {
    flags.options(threads).map_err(|bad| UsageError::Usage(bad.to_string()))
}
