//! Progress line that is shown on standard error during a long scan, and erased at the end.
//!
//! Invariant: nothing is written unless standard error is a terminal.

use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use crate::base::format::{Units, grouped, size};
use crate::base::text::{escape, fit, width};
use crate::platform::terminal::streams;
use crate::scan;

/// Running time of a scan after which progress is shown.
const LONG: Duration = Duration::from_millis(500);
/// Interval between updates of the progress line.
pub(crate) const PERIOD: Duration = Duration::from_millis(200);
/// Width in columns that is assumed if the terminal does not report its width.
const COLUMNS: usize = 80;

/// Progress line, which is erased when dropped.
pub(crate) struct ProgressLine {
    /// Units for sizes; `None` if no progress is shown.
    units: Option<Units>,
    /// Number of columns that the line currently occupies.
    shown: usize,
    begun: Instant,
}

impl ProgressLine {
    /// Creates an empty progress line. It stays empty if `units` is `None` or standard error is not a terminal.
    pub(crate) fn new(units: Option<Units>) -> Self {
        let units = units.filter(|_| io::stderr().is_terminal());
        Self { units, shown: 0, begun: Instant::now() }
    }

    /// Shows the progress of the scan if the scan has been running long enough for a progress display.
    pub(crate) fn update(&mut self, progress: &scan::Progress) {
        self.show(|units| describe(progress, units));
    }

    /// Shows `text` if the scan has been running long enough for a progress display.
    pub(crate) fn show(&mut self, text: impl FnOnce(Units) -> String) {
        let Some(units) = self.units.filter(|_| self.begun.elapsed() >= LONG) else { return };
        let columns = streams::columns().unwrap_or(COLUMNS);
        self.replace(&fit(&text(units), columns.saturating_sub(1), "..."));
    }

    /// Erases the line, so that other output can be written.
    pub(crate) fn clear(&mut self) {
        if self.shown > 0 {
            self.replace("");
        }
    }

    /// Replaces the line with `text`. Overwrites the rest of the old line with spaces, which works on every terminal.
    fn replace(&mut self, text: &str) {
        let columns = width(text);
        let rest = self.shown.saturating_sub(columns);
        let mut out = io::stderr().lock();
        // An error while writing the progress line is not worth reporting.
        let _ = write!(out, "\r{text}{:rest$}{:\u{8}<rest$}", "", "").and_then(|()| out.flush());
        self.shown = columns;
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
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
    fn the_progress_line_has_counts_errors_and_the_directory() {
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
