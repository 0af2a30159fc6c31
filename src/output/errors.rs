//! Summary of read errors on standard error, in a few lines.
//!
//! An ordinary user who scans a system disk gets thousands of errors about unreadable directories. Only a few of them
//! are named, and the rest are counted; `--json` lists all of them. Errors with the same remedy share one line. On
//! macOS, for example, the privacy settings can deny access to every folder in a user's home.
//!
//! Invariant: the summary takes a few lines, regardless of the number of errors.

use crate::base::format::{counted, grouped};
use crate::base::os_error::OsError;
use crate::base::sort::sort_by_key;
use crate::base::text::escape;
use crate::platform::remedy;
use crate::scan::Outcome;
use crate::tree::{Alias, DirId, Failure, Tree};

/// Maximum number of errors that are listed individually. Errors with a known remedy do not count, because they are
/// grouped by remedy.
const NAMED: usize = 5;

/// Returns messages about a scan: the roots that are counted only once because they are repeated or lie inside other
/// roots, the read errors, and the reason if the scan ended early. `outcome` is `None` if the scan is still hanging
/// after an interrupt.
pub(crate) fn lines(tree: &Tree, outcome: Option<&Outcome>) -> Vec<String> {
    const HANGS: &str = "interrupted while a file system did not respond; the output is incomplete";
    let mut lines = aliases(tree);
    lines.extend(failures(tree, tree.failures(), remedy));
    match outcome {
        Some(Outcome::Panicked(reason)) => {
            lines.push(format!("internal error: scan ended early: {}", escape(reason.as_bytes())));
        }
        None => lines.push(HANGS.to_owned()),
        Some(Outcome::Stopped) => lines.push("interrupted; the output is incomplete".to_owned()),
        Some(Outcome::Broken(faults)) => lines.extend_from_slice(faults),
        Some(Outcome::Complete) => {}
    }
    lines
}

fn aliases(tree: &Tree) -> Vec<String> {
    let roots = tree.listing(DirId::TOP);
    let line = |alias: &Alias<'_>| {
        let relation = if alias.is_root { "is the same as" } else { "is inside" };
        let name = escape(roots.name(alias.position)?);
        Some(format!("{name} {relation} {} and is counted only once", escape(alias.root)))
    };
    tree.aliases().iter().filter_map(line).collect()
}

/// Returns the lines that report `failures`. Failures with a remedy come first, grouped by remedy.
fn failures(
    tree: &Tree,
    failures: Vec<Failure>,
    remedy: impl Fn(i32) -> Option<&'static str>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let (curable, mut others): (Vec<_>, Vec<_>) =
        failures.into_iter().partition(|failure| remedy(failure.errno).is_some());
    // One pass over all failures per remedy is fast enough, because there is usually only one remedy.
    let mut remedies: Vec<_> = curable.iter().filter_map(|failure| remedy(failure.errno)).collect();
    remedies.sort_unstable();
    remedies.dedup();
    for needed in remedies {
        let those = curable.iter().filter(|failure| remedy(failure.errno) == Some(needed));
        let (folders, entries) = those.fold((0_u64, 0_u64), |(folders, entries), failure| {
            let is_folder = u64::from(failure.entry.is_none());
            (folders + is_folder, entries + 1 - is_folder)
        });
        let unread = match (folders, entries) {
            (_, 0) => counted(folders, "directory", "directories"),
            (0, _) => counted(entries, "file", "files"),
            _ => format!("{} entries", grouped(folders + entries)),
        };
        lines.push(format!("cannot read {unread}: the terminal needs {needed}"));
    }
    // Errors near the roots matter most. Sorting also makes the order independent of the timing of the threads.
    sort_by_key(&mut others, |failure| {
        (tree.ancestry(failure.directory).count(), tree.failure_path(failure))
    });
    for failure in others.iter().take(NAMED) {
        lines.push(line(&tree.failure_path(failure), failure.errno));
    }
    if let Some(more) = others.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let errors = counted(more as u64, "more error", "more errors");
        lines.push(format!("{errors}; duke --json lists them all"));
    }
    lines
}

/// Returns the error message for an entry that could not be read.
pub fn line(path: &[u8], errno: i32) -> String {
    format!("{}: cannot read: {}", escape(path), OsError(errno))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{build, dir, failed, unreadable};

    #[test]
    fn errors_with_one_remedy_share_a_line_and_the_rest_is_named() {
        let (tree, _) = build(vec![dir("a", vec![unreadable("b"), unreadable("c")]), unreadable("d")]);
        let none = failures(&tree, tree.failures(), |_| None);
        assert_eq!(
            none,
            ["/r/d", "/r/a/b", "/r/a/c"].map(|path| format!("{path}: cannot read: permission denied"))
        );
        let all = failures(&tree, tree.failures(), |errno| (errno == 13).then_some("Full Disk Access"));
        assert_eq!(all, ["cannot read 3 directories: the terminal needs Full Disk Access"]);
    }

    #[test]
    fn files_are_not_called_folders() {
        let remedy = |errno| (errno == 13).then_some("a key");
        let (tree, _) = build(vec![unreadable("a")]);
        assert_eq!(
            failures(&tree, tree.failures(), remedy),
            ["cannot read 1 directory: the terminal needs a key"]
        );
        let (tree, _) = build(vec![unreadable("a"), failed("b")]);
        let line = "cannot read 2 entries: the terminal needs a key";
        assert_eq!(failures(&tree, tree.failures(), remedy), [line]);
    }

    #[test]
    fn the_summary_of_errors_takes_a_few_lines() {
        let (tree, _) = build((0..9).map(|number| unreadable(&number.to_string())).collect());
        let lines = failures(&tree, tree.failures(), |_| None);
        assert_eq!(lines.len(), NAMED + 1);
        assert_eq!(lines[NAMED], "4 more errors; duke --json lists them all");
    }
}
