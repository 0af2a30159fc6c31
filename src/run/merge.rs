//! `duke merge`: merges the snapshots of a plan's parts into one.
//!
//! Invariant: output is written only if every given snapshot belongs to the plan and is undamaged.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use crate::base::format::counted;
use crate::base::sort::sort_by_key;
use crate::base::sync::AtomicBool;
use crate::base::text::{escape, escape_path};
use crate::formats::snapshot::{Merge, PlanParts, Snapshot, SnapshotInfo, WriteControl, WriteError, open_by};
use crate::platform::atomic_file::AtomicFile;
use crate::platform::memory::block_file::Access;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::Exit;
use crate::run::print::Target;
use crate::run::streams::{print_error, standard_output};

/// Snapshots to merge, the plan that they belong to, and the destination.
#[derive(Debug)]
pub struct MergeJob {
    /// Number of parts in the plan.
    pub count: u64,
    /// Digest of the plan.
    pub digest: u64,
    /// Paths of the parts' snapshots.
    pub parts: Vec<PathBuf>,
    /// Destination of the merged snapshot.
    pub to: Target,
    pub missing: Missing,
}

/// Treatment of missing parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is written if a part is missing.
    Refused,
    /// The directories of missing parts are marked as not read.
    Marked,
}

/// Opens the snapshots and merges them. Prints any errors, and returns the exit code.
pub fn run(job: &MergeJob) -> Exit {
    let interrupt = Interrupt::hold().ok();
    match opened(job) {
        Ok((parts, numbers)) => merge(job, &parts, numbers, interrupt.as_ref()),
        Err(reason) => {
            print_error(&reason);
            Exit::Failure
        }
    }
}

/// Opens and checks the snapshots. Returns the snapshots and the sorted numbers of the parts in them. The snapshot with
/// part 0 comes first.
fn opened(job: &MergeJob) -> Result<(Vec<Snapshot>, Vec<u64>), String> {
    let mut parts = Vec::new();
    let mut files: HashMap<u64, String> = HashMap::new();
    for path in &job.parts {
        let name = escape_path(path);
        // The files are mapped, so the parts may be larger than the machine's memory.
        let part = open_by(path, Some(Access::Mapped)).map_err(|error| format!("{name}: {error}"))?;
        let own = part.about.parts.clone().filter(|own| own.plan == job.digest);
        let own = own
            .ok_or_else(|| format!("{name}: not a part of this plan; save it with the plan, unless it is the complete merged snapshot"))?;
        for number in &own.numbers {
            if *number >= job.count {
                return Err(format!("{name}: part {number} is not in the plan"));
            }
            if let Some(other) = files.insert(*number, name.clone()) {
                return Err(format!("{name}: part {number} is also in {other}; give only one of the files"));
            }
        }
        part.tree.verify().map_err(|damage| format!("{name}: {damage}; save the part again"))?;
        parts.push((own.numbers, part));
    }
    if !files.contains_key(&0) {
        return Err(
            "part 0 is missing; save it first: it contains the directories above all other parts, and even --partial needs it".to_owned()
        );
    }
    sort_by_key(&mut parts, |(numbers, _)| numbers.first().copied());
    let mut numbers: Vec<u64> = files.into_keys().collect();
    numbers.sort_unstable();
    if job.missing == Missing::Refused
        && let Some(missing) = missing(job.count, &numbers)
    {
        return Err(format!("{missing}; save them, or merge the others with --partial"));
    }
    Ok((parts.into_iter().map(|(_, part)| part).collect(), numbers))
}

/// Returns the list of the parts that are missing from the sorted `numbers`; `None` if there are none.
fn missing(count: u64, numbers: &[u64]) -> Option<String> {
    let missing: Vec<String> = (0..count)
        .filter(|number| numbers.binary_search(number).is_err())
        .map(|number| number.to_string())
        .collect();
    (!missing.is_empty()).then(|| format!("missing parts: {}", missing.join(", ")))
}

/// Merges the parts, writes the result, reports any errors, and returns the exit code.
fn merge(job: &MergeJob, parts: &[Snapshot], numbers: Vec<u64>, interrupt: Option<&Interrupt>) -> Exit {
    let Some(merge) = Merge::new(parts) else {
        print_error("nothing written: the parts contain more than 2^32 directories");
        return Exit::Failure;
    };
    for path in merge.unlisted() {
        let path = escape(path);
        print_error(&format!(
            "{path}: missing from the merged snapshot, because the scan of part 0 did not find this directory"
        ));
    }
    let missing = missing(job.count, &numbers);
    let first = &parts[0].about;
    let about = SnapshotInfo {
        scanned_at: parts.iter().map(|part| part.about.scanned_at).min().unwrap_or_default(),
        parts: missing.is_some().then_some(PlanParts { plan: job.digest, numbers }),
        ..first.clone()
    };
    let never = AtomicBool::new(false);
    let control = WriteControl::new(interrupt.map_or(&never, Interrupt::flag));
    match write(&merge, about, &control, &job.to) {
        Ok(()) => {
            if merge.errors() > 0 {
                let entries = counted(merge.errors().into(), "entry", "entries");
                print_error(&format!("{entries} could not be read when the parts were saved"));
            }
            if let Some(missing) = &missing {
                print_error(&format!("{missing}; the merged snapshot marks their directories as not read"));
            }
            if missing.is_none() && merge.unlisted().is_empty() && merge.errors() == 0 {
                Exit::Success
            } else {
                Exit::Incomplete
            }
        }
        Err(WriteError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(WriteError::Stopped) => {
            print_error(&job.to.interrupted());
            Exit::Interrupted
        }
        Err(reason) => {
            print_error(&format!("{}: {reason}", job.to.name()));
            Exit::Incomplete
        }
    }
}

fn write(
    merge: &Merge<'_>,
    about: SnapshotInfo,
    control: &WriteControl<'_>,
    to: &Target,
) -> Result<(), WriteError> {
    match to {
        Target::Standard => merge.save(about, control, &mut standard_output()?).map(|_| ()),
        Target::File(path) => {
            let mut file = AtomicFile::begin(path)?;
            merge.save(about, control, &mut file)?;
            Ok(file.keep()?)
        }
    }
}
