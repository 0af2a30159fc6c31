//! `duke plan`: divides a directory into parts that can be scanned separately.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::text::escape_path;
use crate::platform::atomic_file::AtomicFile;
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::{Exit, exit_of};
use crate::run::print::{Progress, Target, wait};
use crate::run::streams::{exit_of_writing, no_thread, print_error, standard_output, summarize};
use crate::scan::Outcome;
use crate::source::plan::{ScanFlags, ScanPlan, parts};
use crate::source::{Source, SourceSpec};

/// Settings of `duke plan`.
#[derive(Debug)]
pub struct PlanJob {
    /// Absolute path of the directory to divide.
    pub path: PathBuf,
    /// Path of the directory as typed by the user. Used if the tree does not contain `path`, because a list of files
    /// may contain paths in this form.
    pub typed: PathBuf,
    pub parts: usize,
    /// Source of the entry counts: an earlier snapshot, export or list, or a scan that lists the directories.
    pub wanted: SourceSpec,
    /// File given with `-f`; `None` if `wanted` is a scan.
    pub old: Option<PathBuf>,
    /// Scan flags for each part.
    pub flags: ScanFlags,
    /// Destination of the plan.
    pub to: Target,
    /// Progress display while the directories are listed.
    pub progress: Progress,
}

/// Reads the tree, writes the plan if the tree is complete, and returns the exit code.
pub fn run(job: PlanJob) -> Exit {
    let interrupt = Interrupt::hold().ok();
    let source = match Source::start(job.wanted.clone()) {
        Ok(source) => source,
        Err(error) => return no_thread(error),
    };
    let outcome = wait(&source, interrupt.as_ref(), job.progress);
    let exit = if interrupt.is_some_and(Interrupt::release) {
        print_error("interrupted; nothing written");
        Exit::Interrupted
    } else if outcome != Some(Outcome::Complete) {
        summarize(source.tree(), outcome.as_ref());
        print_error("nothing written: not everything could be read");
        exit_of(&source, outcome.as_ref()).max(Exit::Incomplete)
    } else {
        plan(&source, job)
    };
    // The process ends now, and the system frees a large tree faster than duke could.
    std::mem::forget(source);
    exit
}

/// Divides the tree of `source` into parts, writes the plan, and returns the exit code.
fn plan(source: &Source, job: PlanJob) -> Exit {
    let tree = source.tree();
    if Exit::of_roots(tree) == Exit::Failure {
        summarize(tree, source.outcome().as_ref());
        return Exit::Failure;
    }
    let path = job.path.as_os_str().as_bytes().to_vec();
    let typed = job.typed.as_os_str().as_bytes();
    let Some(root) = tree.directory_at(&path).or_else(|| tree.directory_at(typed)) else {
        summarize(tree, source.outcome().as_ref());
        let path = escape_path(&job.path);
        if let Some(file) = &job.old {
            let file = escape_path(file);
            print_error(&format!("{file}: contains no directory {path}; run duke plan without -f"));
        } else {
            print_error(&format!("{path}: cannot split: not a directory"));
        }
        return Exit::Failure;
    };
    let parts = match parts(tree, root, &path, job.parts, &job.flags) {
        Ok(parts) => parts,
        Err(bad) => {
            print_error(&bad.to_string());
            return Exit::Failure;
        }
    };
    // The blocks of a snapshot are read when they are first needed, so damage may have been found only while the tree
    // was divided into parts.
    let outcome = source.outcome();
    if outcome != Some(Outcome::Complete) {
        summarize(tree, outcome.as_ref());
        return Exit::Failure;
    }
    let written = write(&ScanPlan { path, flags: job.flags, parts }, &job.to);
    let exit = if source.scan().is_some() { exit_of(source, outcome.as_ref()) } else { Exit::Success };
    exit_of_writing(source, outcome.as_ref(), written, &job.to.name(), exit)
}

fn write(plan: &ScanPlan, to: &Target) -> io::Result<()> {
    match to {
        Target::Standard => plan.write(&mut standard_output()?),
        Target::File(path) => write_to_file(plan, path),
    }
}

fn write_to_file(plan: &ScanPlan, path: &Path) -> io::Result<()> {
    let mut file = AtomicFile::begin(path)?;
    plan.write(&mut file)?;
    file.keep()
}
