//! One line on standard error that says how far a long scan has come, and goes away when it is over.
//!
//! Invariant: standard error that is no terminal sees nothing of it.

use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use crate::scan;
use crate::size::{Units, grouped, size};
use crate::source::Source;
use crate::text::{escape, fit, width};

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// On a terminal, when it takes long.
    Shown(Units),
    /// Never.
    Silent,
}

/// A scan shorter than this needs no progress.
const LONG: Duration = Duration::from_millis(500);
/// How often the line changes.
const PERIOD: Duration = Duration::from_millis(200);
/// Columns if the terminal does not say how many it has.
const COLUMNS: usize = 80;

impl Progress {
    /// The line, empty so far.
    pub(super) fn line(self) -> Line {
        let units = match self {
            Self::Shown(units) if io::stderr().is_terminal() => Some(units),
            _ => None,
        };
        Line { units, shown: 0, next: Instant::now() + LONG }
    }
}

/// The line. It is wiped when dropped.
pub(super) struct Line {
    /// None: nothing is shown.
    units: Option<Units>,
    /// Columns it takes at the moment.
    shown: usize,
    next: Instant,
}

impl Line {
    /// Writes the line anew if it is time.
    pub(super) fn update(&mut self, source: &Source) {
        let Some(units) = self.units else { return };
        if Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PERIOD;
        let progress = source.progress();
        let columns = crossterm::terminal::size().map_or(COLUMNS, |(columns, _)| usize::from(columns));
        self.replace(&fit(&describe(&progress, units), columns.saturating_sub(1), "..."));
    }

    /// Writes `text` over the line. Spaces wipe what was longer before: every terminal understands them.
    fn replace(&mut self, text: &str) {
        let columns = width(text);
        let rest = self.shown.saturating_sub(columns);
        let mut out = io::stderr().lock();
        // A progress line that cannot be written is not missed.
        let _ = write!(out, "\r{text}{:rest$}{:\u{8}<rest$}", "", "").and_then(|()| out.flush());
        self.shown = columns;
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.shown > 0 {
            self.replace("");
        }
    }
}

fn describe(progress: &scan::Progress, units: Units) -> String {
    let entries = grouped(progress.entries);
    let size = size(progress.disk, units);
    let errors = match progress.errors {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        errors => format!(", {} errors", grouped(errors)),
    };
    let current = progress.current.as_deref().map(|path| path.as_os_str().as_bytes()).unwrap_or_default();
    format!("{entries} entries, {}{errors}  {}", size.trim_start(), escape(current))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_much_was_read_what_failed_and_where_it_is() {
        let line = |errors| {
            let current = Some("/a\n".into());
            describe(
                &scan::Progress { entries: 1234, disk: 2048, errors, current, ..scan::Progress::default() },
                Units::Binary,
            )
        };
        assert_eq!(line(0), "1,234 entries, 2.0 KiB  /a\\n");
        assert_eq!(line(1), "1,234 entries, 2.0 KiB, 1 error  /a\\n");
        assert_eq!(line(2000), "1,234 entries, 2.0 KiB, 2,000 errors  /a\\n");
    }
}
