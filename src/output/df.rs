//! Output of `duke df`: the space accounting for the first file system line by line, and a table if there are
//! several file systems.
//!
//! ```text
//! /home: /dev/sda2 (ext4)
//!  100.0 GiB  size
//!   60.0 GiB  used                          60.0%
//!   50.0 GiB    scanned                     123,456 entries
//!
//!      Size       Used  Available    Scanned Difference  Path
//! 100.0 GiB   60.0 GiB   35.0 GiB   50.0 GiB   10.0 GiB  /home
//! ```
//!
//! Invariant: names are safe for a terminal. In the table, the "Difference" of a file system is "Used" minus "Scanned",
//! or 0 if that is negative only because of rounding. The total is the sum of these differences.

use std::io::{self, BufWriter, Write};

use crate::base::format::{Units, size};
use crate::base::text::{advice, escape_path, pad, width};
use crate::df::labels::{no_capacity, title};
use crate::df::rows::{Amount, Row, rows};
use crate::df::{FileSystemUsage, NotScanned, Report, Unexplained};

/// Minimum and maximum width of the label column in rows with a note. A longer label moves its own note to the right.
const LABELS: std::ops::RangeInclusive<usize> = 44..=56;

pub(crate) fn write(report: &Report, units: Units, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    if let Some(space) = report.spaces.first() {
        writeln!(out, "{}", title(space))?;
        let rows = rows(space, units);
        let labels = rows.iter().filter(|row| row.note.is_some()).map(|row| width(&label(row))).max();
        let room = labels.unwrap_or(0).clamp(*LABELS.start(), *LABELS.end());
        for row in &rows {
            writeln!(out, "{}", line(row, room, units))?;
        }
        let is_missing = matches!(space.unexplained(), Some(Unexplained::Missing(bytes)) if bytes > 0);
        if let (true, Some(NotScanned::Above(point))) = (is_missing, space.volume.outside.first()) {
            writeln!(out, "\nTo scan the whole file system: {}", advice("duke df", point))?;
        }
    }
    if report.spaces.len() > 1 {
        writeln!(out)?;
        table(&report.spaces, units, &mut out)?;
    }
    out.flush()
}

fn label(row: &Row) -> String {
    format!("{}{}", "  ".repeat(row.depth), row.label)
}

fn line(row: &Row, room: usize, units: Units) -> String {
    let columns = units.width() + 1;
    let (amount, label) = (amount(row.amount, units), label(row));
    match &row.note {
        Some(note) => {
            let label = if width(&label) > room { label } else { pad(&label, room, "") };
            format!("{amount:>columns$}  {label}  {note}")
        }
        None => format!("{amount:>columns$}  {label}"),
    }
}

fn amount(amount: Amount, units: Units) -> String {
    match amount {
        Amount::Bytes(bytes) => size(bytes, units),
        Amount::Less(bytes) => format!("-{}", size(bytes, units).trim_start()),
        Amount::Unknown => "?".to_owned(),
        Amount::Nothing => String::new(),
    }
}

fn table(spaces: &[FileSystemUsage], units: Units, out: &mut dyn Write) -> io::Result<()> {
    let columns = units.width() + 1;
    let heads =
        ["Size", "Used", "Available", "Scanned", "Difference"].map(|head| format!("{head:>columns$}"));
    writeln!(out, "{}  Path", heads.join(" "))?;
    let mut total = Some(Figures::default());
    for space in spaces {
        let figures = figures(space);
        total = total.zip(figures).map(|(sum, more)| sum.plus(&more));
        let error = space.volume.capacity.err().map(|error| format!("  ({})", no_capacity(error)));
        let path = escape_path(&space.volume.path) + error.as_deref().unwrap_or_default();
        table_line(figures, units, &path, out)?;
    }
    table_line(total, units, "total", out)
}

/// Figures in one line of the table.
#[derive(Clone, Copy, Default)]
struct Figures {
    /// Size, used space, available space and scanned size.
    bytes: [u64; 4],
    /// Used space minus scanned size. If the difference is negative only because of rounding, the value is 0.
    rest: i128,
}

impl Figures {
    fn plus(&self, other: &Self) -> Self {
        let bytes = std::array::from_fn(|at| self.bytes[at].saturating_add(other.bytes[at]));
        Self { bytes, rest: self.rest + other.rest }
    }
}

/// Returns the figures of a file system, or `None` if the file system does not report them.
fn figures(space: &FileSystemUsage) -> Option<Figures> {
    let capacity = space.volume.capacity.ok()?;
    let bytes = [capacity.size, capacity.used(), capacity.available, space.scanned.disk];
    let rest = capacity.used_beyond(space.scanned.disk).map_or_else(|excess| -i128::from(excess), i128::from);
    Some(Figures { bytes, rest })
}

fn table_line(figures: Option<Figures>, units: Units, path: &str, out: &mut dyn Write) -> io::Result<()> {
    let columns = units.width() + 1;
    let cells = match figures {
        None => [Amount::Unknown; 5],
        Some(Figures { bytes, rest }) => {
            let amount = u64::try_from(rest.unsigned_abs()).unwrap_or(u64::MAX);
            let rest = if rest < 0 { Amount::Less(amount) } else { Amount::Bytes(amount) };
            let [size, used, available, scanned] = bytes.map(Amount::Bytes);
            [size, used, available, scanned, rest]
        }
    };
    let cells = cells.map(|cell| format!("{:>columns$}", amount(cell, units)));
    writeln!(out, "{}  {path}", cells.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::df::explain::explain;
    use crate::df::rows::Subject;
    use crate::df::{Capacity, CoveredFiles, Errno, ProcessAccess, Scanned, Volume};

    /// Returns a file system of 1000 blocks of 4 KiB, of which 100 are used. `scanned` is the scanned size in bytes.
    fn space(scanned: u64) -> FileSystemUsage {
        let capacity = Capacity { size: 1000 << 12, free: 900 << 12, unit: 1 << 12, ..Capacity::default() };
        FileSystemUsage {
            volume: Volume { path: "/x".into(), mount: None, capacity: Ok(capacity), outside: Vec::new() },
            scanned: Scanned { disk: scanned, ..Scanned::default() },
            covered: Vec::new(),
            deleted: Vec::new(),
            access: ProcessAccess::All,
            parts: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn root_is_recommended_only_if_permission_or_the_system_call_is_missing() {
        let text = |error| {
            let covered = vec![CoveredFiles { path: "/x/y".into(), hidden: Err(error) }];
            let space = FileSystemUsage { covered, ..space(0) };
            explain(&space, Subject::AllCoveredFiles, Units::Binary).remove(1)
        };
        for error in [Errno::EPERM, Errno::EACCES, Errno::ENOSYS] {
            assert!(text(error).starts_with("Reading such files requires root"), "{error}");
        }
        assert_eq!(text(Errno::EIO), "These files could not be read: I/O error.");
    }

    #[test]
    fn the_rest_is_negative_only_if_more_than_rounding_differs() {
        let rests = |spaces: &[FileSystemUsage]| {
            let mut out = Vec::new();
            table(spaces, Units::Binary, &mut out).unwrap();
            let lines = String::from_utf8(out).unwrap();
            let rest =
                |line: &str| line.split_whitespace().rev().skip(1).take(2).collect::<Vec<_>>().join(" ");
            lines.lines().skip(1).map(rest).collect::<Vec<_>>()
        };
        let rounded = space((100 << 12) + 512);
        assert_eq!(rests(&[rounded.clone(), space(40 << 12)]), ["B 0", "KiB 240.0", "KiB 240.0"]);
        assert_eq!(rests(&[rounded, space(110 << 12)]), ["B 0", "KiB -40.0", "KiB -40.0"]);
    }
}
