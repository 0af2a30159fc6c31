//! Output of `duke subvolumes`: one row per subvolume, and the bytes freed by deleting the selected subvolumes.
//!
//! ```text
//!       Data  Exclusive    ID  Subvolume
//!    3.0 GiB    1.0 GiB     5  (top level)
//!    2.0 GiB        0 B   256  home
//!    2.0 GiB    4.0 MiB   257  snapshots/monday  (snapshot)
//!
//!    2.0 GiB  freed by deleting subvolumes 256, 257
//!    3.0 GiB  data in 3 subvolumes; sizes are exact
//! ```
//!
//! Invariant: names are safe for a terminal.

use std::io::{self, BufWriter, Write};

use crate::base::format::{Units, counted, size};
use crate::base::json::JsonWriter;
use crate::base::text::escape;
use crate::df::Subvolume;
use crate::df::subvolumes::Subvolumes;
use crate::output::json::accuracy;
use crate::tree::Accuracy;

/// Writes the table. `deleted` contains the indexes of the subvolumes that would be deleted together.
pub(crate) fn write_table(
    found: &Subvolumes,
    deleted: &[usize],
    units: Units,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let columns = units.width() + 1;
    let bytes = |bytes| format!("{:>columns$}", size(bytes, units));
    writeln!(out, "{:>columns$} {:>columns$} {:>6}  Subvolume", "Data", "Exclusive", "ID")?;
    for row in &found.rows {
        let (data, exclusive) = (bytes(row.data), bytes(row.exclusive));
        writeln!(out, "{data} {exclusive} {:>6}  {}", row.subvolume.id, label(&row.subvolume))?;
    }
    writeln!(out)?;
    if !deleted.is_empty() {
        let ids: Vec<String> = deleted.iter().map(|it| found.rows[*it].subvolume.id.to_string()).collect();
        let noun = if ids.len() == 1 { "subvolume" } else { "subvolumes" };
        writeln!(
            out,
            "{}  would be freed by deleting {noun} {}",
            bytes(found.freed(deleted)),
            ids.join(", ")
        )?;
    }
    let count = counted(found.rows.len() as u64, "subvolume", "subvolumes");
    writeln!(out, "{}  data in {count}; {}", bytes(found.data), found.accuracy.text(units))?;
    out.flush()
}

fn label(subvolume: &Subvolume) -> String {
    let note = match (subvolume.is_deleted, subvolume.is_snapshot()) {
        (true, _) => "  (being deleted)",
        (false, true) => "  (snapshot)",
        (false, false) => "",
    };
    if subvolume.is_top_level() {
        return "(top level)".to_owned();
    }
    format!("{}{note}", escape(&subvolume.path))
}

/// Writes the JSON document. `deleted` contains the indexes of the subvolumes that would be deleted together.
pub(crate) fn write_json(found: &Subvolumes, deleted: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = JsonWriter::new(out);
    let json = &mut writer;
    json.head("duke-subvolumes/1");
    json.boolean(found.accuracy == Accuracy::Exact);
    accuracy(json, found.accuracy);
    json.field(",\"data\":", found.data);
    if !deleted.is_empty() {
        json.field(",\"freed\":", found.freed(deleted));
    }
    json.raw(",\n\"subvolumes\":[");
    for (index, row) in found.rows.iter().enumerate() {
        json.raw(if index == 0 { "\n" } else { ",\n" });
        json.field("{\"id\":", row.subvolume.id);
        json.raw(",");
        json.name("path", &row.subvolume.path);
        json.raw(",\"snapshot\":");
        json.boolean(row.subvolume.is_snapshot());
        if row.subvolume.is_deleted {
            json.raw(",\"deleted\":true");
        }
        json.field(",\"data\":", row.data);
        json.field(",\"exclusive\":", row.exclusive);
        json.raw("}");
        json.spill()?;
    }
    json.raw("]}\n");
    writer.finish()
}
