//! Output of `duke duplicates`: the groups, each with its copies, and the files that were not compared.
//!
//! ```text
//!  620.0 MiB  2 directories, each 620.0 MiB in 1,234 non-empty files
//!             /srv/a/
//!             /srv/b/
//!   20.0 MiB  3 files, 20.0 MiB each
//!             /srv/x
//!             /srv/y  (shares its data with another copy)
//!             /srv/z  (shares its data with another copy)
//!  640.0 MiB  wasted in 2 groups
//! ```
//!
//! Invariant: names are safe for a terminal.

use std::io::{self, BufWriter, Write};

use crate::base::format::{Units, counted, grouped, size};
use crate::base::text::escape;
use crate::duplicates::{DuplicateKind, Duplicates, SkipReason, Skipped};
use crate::tree::Tree;

/// Maximum number of skipped files that are named per reason.
const NAMED: usize = 5;

/// Writes the groups, and the sum of their wasted bytes.
pub(crate) fn write_table(
    tree: &Tree,
    found: &Duplicates,
    units: Units,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let columns = units.width() + 1;
    for group in &found.groups {
        writeln!(out, "{:>columns$}  {}", size(group.wasted, units), group.text(units))?;
        for copy in &group.copies {
            let path = copy.entry.path(tree).unwrap_or_default();
            let slash = if group.kind == DuplicateKind::File { "" } else { "/" };
            let note = copy.note().map(|note| format!("  ({note})")).unwrap_or_default();
            writeln!(out, "{:columns$}  {}{slash}{note}", "", escape(&path))?;
        }
    }
    if found.groups.is_empty() {
        writeln!(out, "No duplicates")?;
    } else {
        let groups = counted(found.groups.len() as u64, "group", "groups");
        writeln!(out, "{:>columns$}  wasted in {groups}", size(found.wasted(), units))?;
    }
    out.flush()
}

/// Returns the messages about the files that were not compared. For each reason, the first [`NAMED`] files are named,
/// and the others are counted. Files on network or virtual file systems are only counted.
pub(crate) fn skipped_lines(tree: &Tree, found: &Duplicates) -> Vec<String> {
    let is = |wanted: fn(SkipReason) -> bool| {
        found.skipped.iter().filter(move |skipped| wanted(skipped.reason)).collect()
    };
    let reasons: [Vec<&Skipped>; 3] = [
        is(|reason| matches!(reason, SkipReason::Failed(_))),
        is(|reason| reason == SkipReason::Changing),
        is(|reason| reason == SkipReason::Special),
    ];
    let mut lines = Vec::new();
    for skipped in &reasons {
        lines.extend(skipped.iter().take(NAMED).map(|skipped| line(tree, skipped)));
        if let more @ 1.. = skipped.len().saturating_sub(NAMED) {
            let files = counted(more as u64, "more file was", "more files were");
            lines.push(format!("{files} not compared"));
        }
    }
    match found.unopened {
        0 => {}
        1 => lines.push("1 file on a network or virtual file system was not compared".to_owned()),
        files => {
            let files = grouped(files);
            lines.push(format!("{files} files on network or virtual file systems were not compared"));
        }
    }
    lines
}

fn line(tree: &Tree, skipped: &Skipped) -> String {
    let path = skipped.entry.path(tree).unwrap_or_default();
    let reason = skipped.reason.text();
    format!("{}: {reason}", escape(&path))
}
