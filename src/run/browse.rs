//! Runs the browser: starts reading, shows the tree, prints the paths that the user picked, and reports errors.
//!
//! Invariant: once there is something to show, the browser never waits for the source. Reading stops when the process
//! ends.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::calendar::local_zone;
use crate::base::format::Units;
use crate::base::os_error::{cannot_write, io_error_text};
use crate::base::sync::Arc;
use crate::base::text::{escape, escape_path};
use crate::delete::Journal;
use crate::formats::snapshot::Snapshot;
use crate::output::errors;
use crate::platform::atomic_file::AtomicFile;
use crate::platform::process::limits::return_large_blocks;
use crate::platform::terminal::stops;
use crate::run::exit::Exit;
use crate::run::snapshot_writer::SnapshotWriter;
use crate::run::streams;
use crate::run::streams::{no_thread, print_error};
use crate::scan::{self, Outcome};
use crate::source::baseline::BaselineSpec;
use crate::source::snapshot_store;
use crate::source::{Source, SourceSpec};
use crate::table::column::RowOptions;
use crate::table::recorded::{RecordedTree, is_of_roots};
use crate::table::rows::Order;
use crate::tree::{DirId, Entry, EntryState};
use crate::ui::keys::Keymap;
use crate::ui::notice::Notice;
use crate::ui::options::{DeletePolicy, Panes, Quitting, TabProgress};
use crate::ui::theme::Theme;
use crate::ui::{self, LastScan, MouseCapture, Settings, Start};

/// Maximum time to wait for the first root before the browser opens. A busy machine takes about 100 ms to read a root.
const ROOT_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum time that a scan waits for the first frame to be drawn. A blocked terminal may never accept the frame.
const HEAD_START: Duration = Duration::from_millis(50);

/// Settings of a browser session.
#[derive(Debug)]
pub struct BrowseJob {
    pub subject: Subject,
    /// Initial sort order, and the measure used for sizes.
    pub order: Order,
    /// Appearance of the rows.
    pub row_options: RowOptions,
    /// Unit system for sizes.
    pub units: Units,
    /// Colors and glyphs.
    pub theme: Theme,
    /// Rules for deletion. [`run()`] replaces the `journal` field with the journal of this process.
    pub policy: DeletePolicy,
    pub keymap: Keymap,
    /// Message shown when the browser opens.
    pub notice: Option<String>,
    /// File that receives the path of the directory shown when the user quits.
    pub cwd_file: Option<PathBuf>,
    /// Initial view. Not used if the user gives a baseline, because the browser then opens with the growth view.
    pub start: Start,
    /// Panes to show in a wide window.
    pub panes: Panes,
    /// Condition under which the browser asks before quitting.
    pub quitting: Quitting,
    pub mouse: MouseCapture,
    /// Progress display in the terminal's tab during a scan.
    pub tab: TabProgress,
    /// Terminator written after each printed path.
    pub ending: Ending,
    /// Retention policy for automatic snapshots; `None` to keep no snapshots.
    pub snapshots: Option<snapshot_store::RetentionPolicy>,
    /// `true` to show the sizes of the previous scan until the new scan has confirmed them.
    pub shows_recorded: bool,
    /// Folder with kept snapshots, which serve as baselines for growth; `None` to use no kept snapshot.
    pub kept: Option<PathBuf>,
}

/// Tree to show, with its baseline.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // constructed once
pub enum Subject {
    /// Tree to show. Its baseline is an earlier snapshot in [`BrowseJob::kept`], if there is one.
    Present(SourceSpec),
    /// Growth of a tree since a baseline given by the user.
    Growth {
        /// Baseline given by the user.
        old: SourceSpec,
        /// Tree to compare with the baseline; `None` to scan the baseline's root on this machine.
        new: Option<SourceSpec>,
        /// Options of the scan, used if `new` is `None`.
        scan: scan::Options,
    },
}

/// Terminator written after each printed path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Line feed.
    #[default]
    Line,
    /// NUL, which no path can contain.
    Nul,
}

/// Runs the browser and returns the exit code. Read errors below the roots do not affect the exit code, because the
/// browser has already shown them.
pub fn run(job: BrowseJob) -> Exit {
    return_large_blocks();
    if let Err(error) = stops::hold() {
        return no_thread(error);
    }
    let (mut source, earlier) = match begin(job.subject, job.kept) {
        Ok(begun) => begun,
        Err(exit) => return exit,
    };
    let policy = DeletePolicy { journal: Journal::of_process(), ..job.policy };
    source.wait_for_root();
    // If an export could not be read at all, there is nothing to show but the error.
    if broken(&source).is_some() && Exit::of_broken(source.tree()) == Exit::Failure {
        return report_errors(&source);
    }
    if let Some(exit) = check_roots(&source) {
        return exit;
    }
    let kept = match &earlier {
        BaselineSpec::Kept(folder) if job.shows_recorded => Some(folder.clone()),
        _ => None,
    };
    let mut writers = Vec::new();
    let mut begin = |source: &Source| {
        let is_comparable = source.scan().is_some_and(|scan| scan.options().scope().is_some());
        let policy = job.snapshots.clone().filter(|_| is_comparable);
        writers.extend(policy.map(|policy| SnapshotWriter::begin(source, policy)));
        kept.as_deref().map(|folder| recorded(source, folder)).unwrap_or_default()
    };
    let settings = Settings {
        keymap: job.keymap,
        notice: job.notice.map(Notice::Message),
        source_kind: source.kind(),
        policy,
        quitting: job.quitting,
        mouse: job.mouse,
        row_options: job.row_options,
        tab: job.tab,
        panes: job.panes,
        start: if matches!(earlier, BaselineSpec::Source(_)) { Start::Growth } else { job.start },
        ..Settings::new(job.order, job.units, job.theme, local_zone())
    };
    let exit = match ui::run(&mut source, settings, earlier.clone(), &mut begin) {
        Ok(left) => {
            let written = write_directory(job.cwd_file.as_deref(), left.directory.as_deref());
            let old = match &earlier {
                BaselineSpec::Source(old) => report_errors(old),
                BaselineSpec::None | BaselineSpec::Kept(_) => Exit::Success,
            };
            Exit::of_roots(source.tree())
                .max(print(&left.picked, job.ending))
                .max(written)
                .max(report_errors(&source))
                .max(old)
        }
        Err(error) => {
            print_error(&format!("terminal: cannot read or write: {}", io_error_text(&error)));
            Exit::Incomplete
        }
    };
    for reason in writers.into_iter().filter_map(SnapshotWriter::finish) {
        print_error(&reason);
    }
    // The process ends now, and the system frees a large tree faster than duke could.
    std::mem::forget((source, earlier));
    exit
}

/// Opens the newest usable snapshot of an earlier scan with the same roots and flags as `source`. If there is one,
/// makes `source` first read the directories that have changed since that scan. Also returns a notice about the newest
/// snapshot file that was ignored, if any.
fn recorded(source: &Source, folder: &Path) -> LastScan {
    wait_for_roots(source);
    let latest = source.latest_in(folder, |old| is_of_roots(old, source.tree()));
    let record = latest
        .snapshot
        .map(|Snapshot { tree, about }| RecordedTree { tree: Arc::new(tree), scanned_at: about.scanned_at });
    if let Some(record) = &record {
        source.read_changed_first(record.scanned_at);
    }
    let notice = |(path, reason): (PathBuf, String)| {
        Notice::Message(format!("Ignored {}: {}", escape_path(&path), escape(reason.as_bytes())))
    };
    (record, latest.ignored.map(notice))
}

/// Writes `directory` to `file`, and reports any error. `directory` is the path that was shown when the user quit.
fn write_directory(file: Option<&Path>, directory: Option<&[u8]>) -> Exit {
    let (Some(path), Some(directory)) = (file, directory) else { return Exit::Success };
    let write = || {
        let mut file = AtomicFile::begin(path)?;
        file.write_all(directory)?;
        file.keep()
    };
    match write() {
        Ok(()) => Exit::Success,
        Err(error) => {
            print_error(&format!("{}: {}", escape_path(path), cannot_write(&error)));
            Exit::Incomplete
        }
    }
}

/// Starts reading the tree, and returns its source and the location of its baseline.
fn begin(subject: Subject, kept: Option<PathBuf>) -> Result<(Source, BaselineSpec), Exit> {
    let start = |wanted| Source::start(wanted).map_err(no_thread);
    let (old, new, scan) = match subject {
        Subject::Present(wanted) => {
            return Ok((
                start(with_head_start(wanted))?,
                kept.map_or(BaselineSpec::None, BaselineSpec::Kept),
            ));
        }
        Subject::Growth { old, new, scan } => (start(old)?, new, scan),
    };
    let new = match new {
        Some(new) => new,
        None => SourceSpec::Paths(vec![root_of(&old)?], scan),
    };
    Ok((start(with_head_start(new))?, BaselineSpec::Source(old)))
}

/// Delays the workers of a scan until the browser has drawn its first frame, but at most by [`HEAD_START`].
fn with_head_start(mut wanted: SourceSpec) -> SourceSpec {
    if let SourceSpec::Paths(_, options) = &mut wanted {
        options.head_start = HEAD_START;
    }
    wanted
}

/// Returns the path of the first directory among a baseline's roots. If no root is a directory, prints the reason and
/// returns an exit code.
fn root_of(old: &Source) -> Result<PathBuf, Exit> {
    old.wait_for_root();
    let tree = old.tree();
    if let Some(root) = tree.listing(DirId::TOP).directories().next() {
        return Ok(OsString::from_vec(tree.name(root).to_vec()).into());
    }
    if report_errors(old) == Exit::Success {
        super::diff::print_not_comparable(tree);
    }
    Err(Exit::Failure)
}

/// Waits until a scan has read the attributes of its roots, has ended, or has run for `ROOT_TIMEOUT`. The time is
/// limited because a server may not respond.
fn wait_for_roots(source: &Source) {
    let Some(scan) = source.scan() else { return };
    while scan.tree().listing(DirId::TOP).is_empty()
        && scan.outcome().is_none()
        && scan.elapsed() < ROOT_TIMEOUT
    {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// If no root of a scan can be read, prints the errors and returns an exit code, because the browser would have nothing
/// to show.
fn check_roots(source: &Source) -> Option<Exit> {
    wait_for_roots(source);
    let tree = source.scan()?.tree();
    let missing = |root: Entry<'_>| match root.state {
        EntryState::Failed(errno) => Some(errors::line(root.name, errno)),
        EntryState::Known(_) | EntryState::Excluded(_) => None,
    };
    let lines: Vec<String> =
        tree.listing(DirId::TOP).entries().map(|(_, root)| missing(root)).collect::<Option<_>>()?;
    for line in &lines {
        print_error(line);
    }
    (!lines.is_empty()).then_some(Exit::Failure)
}

fn broken(source: &Source) -> Option<Vec<String>> {
    match source.outcome() {
        Some(Outcome::Broken(errors)) => Some(errors),
        _ => None,
    }
}

/// Prints the errors found while reading exports or snapshots, or the panic that ended the scan. Returns the exit code.
fn report_errors(source: &Source) -> Exit {
    if let Some(Outcome::Panicked(reason)) = source.outcome() {
        print_error(&format!("internal error: scan ended early: {}", escape(reason.as_bytes())));
        return Exit::Incomplete;
    }
    let Some(errors) = broken(source) else { return Exit::Success };
    for error in &errors {
        print_error(error);
    }
    Exit::of_broken(source.tree())
}

/// Prints the picked paths, escaped if standard output is a terminal.
fn print(picked: &[Vec<u8>], ending: Ending) -> Exit {
    // A closed standard output is an error only if there is something to print.
    if picked.is_empty() {
        return Exit::Success;
    }
    streams::print(|out| {
        let is_terminal = out.is_terminal();
        let mut out = io::BufWriter::new(out);
        picked.iter().try_for_each(|path| write(&mut out, path, ending, is_terminal))?;
        out.flush()
    })
}

fn write(out: &mut impl Write, path: &[u8], ending: Ending, is_terminal: bool) -> io::Result<()> {
    if is_terminal {
        out.write_all(escape(path).as_bytes())?;
    } else {
        out.write_all(path)?;
    }
    out.write_all(match ending {
        Ending::Line => b"\n",
        Ending::Nul => b"\0",
    })
}
