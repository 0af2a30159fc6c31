//! Output of `duke df`: the accounting of the first file system line by line, and a table if there are
//! several file systems.
//!
//! ```text
//! /home: /dev/sda2 (ext4)
//!  100.0 GiB  size
//!   60.0 GiB  used                          60.0%
//!   50.0 GiB    scanned here                123,456 entries
//!
//!      Size       Used  Available    Scanned       Rest  Path
//! 100.0 GiB   60.0 GiB   35.0 GiB   50.0 GiB   10.0 GiB  /home
//! ```
//!
//! Invariant: names are safe for a terminal, and the rest in the table is the used space minus the scanned
//! space.

use std::io::{self, BufWriter, Write};

use crate::base::format::{Units, size};
use crate::base::text::{advice, escape_path, pad, width};
use crate::df::rows::{Amount, Row, no_capacity, rows, title};
use crate::df::{FileSystemUsage, NotScanned, Report, Unexplained};

/// Minimum and maximum width of the labels of rows with a note. A longer label moves its own note to the
/// right.
const LABELS: std::ops::RangeInclusive<usize> = 44..=56;

/// Writes the report.
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
            writeln!(out, "\nTo scan all of it: {}", advice("duke df", point))?;
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
    let heads = ["Size", "Used", "Available", "Scanned", "Rest"].map(|head| format!("{head:>columns$}"));
    writeln!(out, "{}  Path", heads.join(" "))?;
    let mut total = Some([0_u64; 4]);
    for space in spaces {
        let figures = figures(space);
        total =
            total.zip(figures).map(|(sum, more)| std::array::from_fn(|at| sum[at].saturating_add(more[at])));
        let error = space.volume.capacity.err().map(|error| format!("  ({})", no_capacity(error)));
        let path = escape_path(&space.volume.path) + error.as_deref().unwrap_or_default();
        table_line(figures, units, &path, out)?;
    }
    table_line(total, units, "total", out)
}

/// Returns size, used, available and scanned; `None` if the file system does not report them.
fn figures(space: &FileSystemUsage) -> Option<[u64; 4]> {
    let capacity = space.volume.capacity.ok()?;
    Some([capacity.size, capacity.used(), capacity.available, space.scanned.disk])
}

fn table_line(figures: Option<[u64; 4]>, units: Units, path: &str, out: &mut dyn Write) -> io::Result<()> {
    let columns = units.width() + 1;
    let cells = match figures {
        None => [Amount::Unknown; 5],
        Some([size, used, available, scanned]) => {
            let rest =
                used.checked_sub(scanned).map_or(Amount::Less(scanned.saturating_sub(used)), Amount::Bytes);
            let [size, used, available, scanned] = [size, used, available, scanned].map(Amount::Bytes);
            [size, used, available, scanned, rest]
        }
    };
    let cells = cells.map(|cell| format!("{:>columns$}", amount(cell, units)));
    writeln!(out, "{}  {path}", cells.join(" "))
}
