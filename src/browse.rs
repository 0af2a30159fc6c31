//! A run with the browser: begin to read, browse until the person leaves, print what was picked, say how that went.
//!
//! Invariant: nothing waits for the source once there is something to show; the process ends over it.

mod keeper;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;

use crate::delete::Journal;
use crate::exit::Exit;
use crate::growth::Earlier;
use crate::message::{no_thread, printed, say};
use crate::platform::streams;
use crate::platform::words;
use crate::rows::Order;
use crate::scan::{self, Outcome, Scan};
use crate::size::Units;
use crate::snapshot::automatic;
use crate::source::{Source, Wanted};
use crate::text::escape;
use crate::tree::{Content, DirId, Record};
use crate::ui::keys::Keymap;
use crate::ui::reclaim::Safety;
use crate::ui::tab::Tab;
use crate::ui::theme::Theme;
use crate::ui::{self, Mouse, Settings, Start};
use keeper::Keeper;

/// How long a browser waits to see whether there is anything to show.
const GLANCE: Duration = Duration::from_millis(20);

/// What is to be done.
#[derive(Debug)]
pub struct Job {
    /// What to look at.
    pub subject: Subject,
    /// What entries are sorted by at first, and which size counts.
    pub order: Order,
    /// How sizes are written.
    pub units: Units,
    /// Colours and glyphs.
    pub theme: Theme,
    /// What happens to files. The journal is that of the process.
    pub safety: Safety,
    /// What the keys mean.
    pub keymap: Keymap,
    /// Something to say at first.
    pub notice: Option<String>,
    /// Whose the mouse is.
    pub mouse: Mouse,
    /// Whether the terminal's tab is told of the scan.
    pub tab: Tab,
    /// What ends a path that is printed.
    pub ending: Ending,
    /// Where a snapshot of what is scanned is kept; none: nowhere.
    pub snapshots: Option<automatic::Settings>,
    /// Where earlier snapshots may be, to see what has grown since.
    pub kept: Option<PathBuf>,
}

/// What is looked at.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // only one is ever made
pub enum Subject {
    /// This, and how it has grown since a snapshot that was kept, if there is one.
    Present(Wanted),
    /// How it has grown since then.
    Growth {
        /// How it was.
        old: Wanted,
        /// How it is; none: the old root, as it is on this machine now.
        new: Option<Wanted>,
        /// How that is scanned.
        scan: scan::Options,
    },
}

/// What ends a path that is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The end of a line.
    #[default]
    Line,
    /// A NUL, which no path can hold.
    Nul,
}

/// Does the job. The exit code is about the roots alone: what could not be read below them was seen.
pub fn run(job: Job) -> Exit {
    let (mut source, earlier) = match begin(job.subject, job.kept) {
        Ok(begun) => begun,
        Err(exit) => return exit,
    };
    let safety = Safety { journal: Journal::of_process(), ..job.safety };
    source.wait_for_root();
    // Of an export that could not be read at all there is nothing to show but why.
    if broken(&source).is_some() && Exit::of_broken(source.tree()) == Exit::Useless {
        return faults(&source);
    }
    if let Some(exit) = barren(&source) {
        return exit;
    }
    let settings = Settings {
        keymap: job.keymap,
        notice: job.notice,
        nature: source.nature(),
        safety,
        mouse: job.mouse,
        tab: job.tab,
        start: if matches!(earlier, Earlier::Source(_)) { Start::Growth } else { Start::Sizes },
        ..Settings::new(job.order, job.units, job.theme, TimeZone::system())
    };
    let is_whole = |scan: &Scan| scan.options().scope().is_some();
    let snapshots = job.snapshots.filter(|_| source.scan().is_some_and(is_whole));
    let keeper = snapshots.map(|snapshots| Keeper::begin(&source, snapshots));
    let exit = match ui::run(&mut source, &settings, earlier.clone()) {
        Ok(picked) => {
            let old = match &earlier {
                Earlier::Source(old) => faults(old),
                Earlier::None | Earlier::Kept(_) => Exit::Fine,
            };
            Exit::of_roots(source.tree()).max(print(&picked, job.ending)).max(faults(&source)).max(old)
        }
        Err(error) => {
            say(&format!("terminal: {}", words(&error)));
            Exit::Incomplete
        }
    };
    if let Some(reason) = keeper.and_then(Keeper::finish) {
        say(&reason);
    }
    // The process ends now; the system frees a large tree faster than we could.
    std::mem::forget((source, earlier));
    exit
}

/// Begins to read what is looked at, and says what it can be compared with.
fn begin(subject: Subject, kept: Option<PathBuf>) -> Result<(Source, Earlier), Exit> {
    let start = |wanted| Source::start(wanted).map_err(|error| no_thread(&error));
    let (old, new, scan) = match subject {
        Subject::Present(wanted) => {
            return Ok((start(wanted)?, kept.map_or(Earlier::None, Earlier::Kept)));
        }
        Subject::Growth { old, new, scan } => (start(old)?, new, scan),
    };
    let new = match new {
        Some(new) => new,
        None => Wanted::Paths(vec![root_of(&old)?], scan),
    };
    Ok((start(new)?, Earlier::Source(old)))
}

/// Where the root of an earlier state is.
fn root_of(old: &Source) -> Result<PathBuf, Exit> {
    old.wait_for_root();
    let tree = old.tree();
    if let Some(root) = tree.listing(DirId::TOP).directories().next() {
        return Ok(OsString::from_vec(tree.name(root).to_vec()).into());
    }
    if faults(old) == Exit::Fine {
        say("a directory is needed to compare with");
    }
    Err(Exit::Useless)
}

/// Says why none of the paths of a scan can be looked at, if that is so: a browser would only show the same. Who looks at a path whose
/// server is gone is not waited for.
fn barren(source: &Source) -> Option<Exit> {
    let tree = source.scan()?.tree();
    let begun = Instant::now();
    while tree.listing(DirId::TOP).is_empty() && source.outcome().is_none() && begun.elapsed() < GLANCE {
        std::thread::sleep(GLANCE / 100);
    }
    let missing = |root: Record<'_>| match root.content {
        Content::Failed(errno) => {
            Some(format!("{}: {}", escape(root.name), words(&io::Error::from_raw_os_error(errno))))
        }
        Content::Known(_) | Content::Excluded(_) => None,
    };
    let lines: Vec<String> =
        tree.listing(DirId::TOP).entries().map(|(_, root)| missing(root)).collect::<Option<_>>()?;
    for line in &lines {
        say(line);
    }
    (!lines.is_empty()).then_some(Exit::Useless)
}

fn broken(source: &Source) -> Option<Vec<String>> {
    match source.outcome() {
        Some(Outcome::Broken(faults)) => Some(faults),
        _ => None,
    }
}

/// Says what could not be read of exports, and what a bug has kept from being read.
fn faults(source: &Source) -> Exit {
    if let Some(Outcome::Panicked(reason)) = source.outcome() {
        say(&format!("a bug ended the scan early: {}", escape(reason.as_bytes())));
        return Exit::Incomplete;
    }
    let Some(faults) = broken(source) else { return Exit::Fine };
    for fault in &faults {
        say(fault);
    }
    Exit::of_broken(source.tree())
}

/// Prints what was picked: to a terminal as it may be shown, to anything else byte by byte.
fn print(picked: &[Vec<u8>], ending: Ending) -> Exit {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let is_terminal = io::stdout().is_terminal();
    // Without anything to print nobody misses an output.
    let is_there = if picked.is_empty() { Ok(()) } else { streams::output() };
    let written =
        is_there.and_then(|()| picked.iter().try_for_each(|path| write(&mut out, path, ending, is_terminal)));
    printed(written.and_then(|()| out.flush()))
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
