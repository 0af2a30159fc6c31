//! Text output of `--top` and `--by`.

use std::io::{self, BufWriter, Write};

use jiff::tz::TimeZone;

use crate::base::format::{Measure, Units, count, percent, share, size};
use crate::base::text::escape;
use crate::output::json::{GroupTotal, Summary};
use crate::platform::process::users;
use crate::source::SourceKind;
use crate::table::column::Column;
use crate::table::row::{CellValue, NumberFormat, UserNames};
use crate::tree::{StorageClasses, Totals};

/// Prints the lists in `summary` as text. If the files are on this machine, owners are shown by name.
pub(crate) fn print(
    summary: &Summary,
    source_kind: SourceKind,
    whole: &Totals,
    (measure, units): (Measure, Units),
    out: &mut dyn Write,
) -> io::Result<()> {
    let whole = measure.of(whole.disk, whole.apparent);
    let mut out = BufWriter::new(out);
    let width = |column: Column| column.spec().widths[0].cells(units);
    let (frees, shared) = (width(Column::Frees), width(Column::Shared));
    let (zone, names, classes) = (TimeZone::UTC, UserNames::new(), StorageClasses::default());
    let format = NumberFormat { units, zone: &zone, users: &names, classes: &classes };
    for file in summary.largest.iter().flatten() {
        let own = measure.of(file.metadata.disk(), file.metadata.apparent);
        write!(out, "{}  {}  ", size(own, units), percent(share(own, whole)))?;
        if file.exclusive.is_some() {
            write!(out, "{:>frees$}  ", CellValue::frees(file.exclusive).text(frees, format))?;
            write!(out, "{:>shared$}  ", CellValue::shared(file.exclusive).text(shared, format))?;
        }
        writeln!(out, "{}", escape(&file.path))?;
    }
    let mut is_first = summary.largest.is_none();
    for sums in &summary.sums {
        if !std::mem::replace(&mut is_first, false) {
            writeln!(out)?;
        }
        for GroupTotal { name, uid, totals } in &sums.rows {
            let own = measure.of(totals.disk, totals.apparent);
            let (size, percent) = (size(own, units), percent(share(own, whole)));
            let user = uid.filter(|_| source_kind == SourceKind::Live).and_then(users::user);
            let name = user.as_ref().unwrap_or(name);
            writeln!(out, "{size}  {percent}  {}  {}", count(totals.items), escape(name.as_bytes()))?;
        }
    }
    out.flush()
}
