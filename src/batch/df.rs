//! What `duke df` prints: the accounting of the first file system, line by line, and where there are several, a table of them.
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
//! Invariant: names are safe for a terminal, and the rest in the table is what is used less what was scanned.

use std::io::{self, BufWriter, Write};

use crate::size::{Units, size};
use crate::space::rows::{Amount, Row, rows, title};
use crate::space::{Report, Space};
use crate::text::{escape_path, pad, width};

/// Columns before labels are cut into by what stands behind them.
const LABELS: usize = 44;

/// Writes all of it.
pub(super) fn write(report: &Report, units: Units, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    if let Some(space) = report.spaces.first() {
        writeln!(out, "{}", title(space))?;
        for row in rows(space, units) {
            writeln!(out, "{}", line(&row, units))?;
        }
    }
    if report.spaces.len() > 1 {
        writeln!(out)?;
        table(&report.spaces, units, &mut out)?;
    }
    out.flush()
}

fn line(row: &Row, units: Units) -> String {
    let columns = units.width() + 1;
    let amount = amount(row.amount, units);
    let label = format!("{}{}", "  ".repeat(row.depth), row.label);
    match &row.note {
        Some(note) => {
            let label = if width(&label) > LABELS { label } else { pad(&label, LABELS, "") };
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

fn table(spaces: &[Space], units: Units, out: &mut dyn Write) -> io::Result<()> {
    let columns = units.width() + 1;
    let heads = ["Size", "Used", "Available", "Scanned", "Rest"].map(|head| format!("{head:>columns$}"));
    writeln!(out, "{}  Path", heads.join(" "))?;
    let mut total = Some([0_u64; 4]);
    for space in spaces {
        let figures = figures(space);
        total =
            total.zip(figures).map(|(sum, more)| std::array::from_fn(|at| sum[at].saturating_add(more[at])));
        table_line(figures, units, &escape_path(&space.volume.path), out)?;
    }
    table_line(total, units, "total", out)
}

/// Size, used, available and scanned; nothing if the file system does not tell.
fn figures(space: &Space) -> Option<[u64; 4]> {
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
