//! What there is to know of what was read, or could not be, in a few lines on standard error.
//!
//! A run as an ordinary person over a system disk meets thousands of locked directories: the first few are named, the
//! others counted. `--json` lists all. What needs one remedy is counted in one line: on macOS, every folder of a person's own
//! may be private.
//!
//! Invariant: however much could not be read, it takes a few lines.

use crate::message::say;
use crate::platform::{error_text, remedy};
use crate::scan::Outcome;
use crate::size::grouped;
use crate::text::escape;
use crate::tree::{Alias, DirId, Failure, Tree};

/// So many errors are named.
const NAMED: usize = 5;

/// Says what could not be read, and before that which of several roots add nothing.
pub(super) fn summarise(tree: &Tree, outcome: Option<&Outcome>) {
    for line in aliases(tree) {
        say(&line);
    }
    for line in lines(tree, tree.failures(), remedy) {
        say(&line);
    }
    match outcome {
        Some(Outcome::Panicked(reason)) => {
            say(&format!("a bug ended the scan early: {}", escape(reason.as_bytes())));
        }
        None => say("interrupted, and a system call hangs; what was read until then is printed"),
        Some(Outcome::Stopped) => say("interrupted; what was read until then is printed"),
        Some(Outcome::Broken(faults)) => {
            for fault in faults {
                say(fault);
            }
        }
        Some(Outcome::Complete) => {}
    }
}

fn aliases(tree: &Tree) -> Vec<String> {
    let roots = tree.listing(DirId::TOP);
    let line = |alias: &Alias<'_>| {
        let relation = if alias.is_root { "is the same as" } else { "lies in" };
        let name = escape(roots.name(alias.position)?);
        Some(format!("{name} {relation} {} and counts once", escape(alias.root)))
    };
    tree.aliases().iter().filter_map(line).collect()
}

/// What there is to say of `failures`: first what has a remedy, by the remedy.
fn lines(tree: &Tree, failures: Vec<Failure>, remedy: impl Fn(i32) -> Option<&'static str>) -> Vec<String> {
    let mut lines = Vec::new();
    let (curable, mut others): (Vec<_>, Vec<_>) =
        failures.into_iter().partition(|failure| remedy(failure.errno).is_some());
    // Usually there is one.
    let mut remedies: Vec<_> = curable.iter().filter_map(|failure| remedy(failure.errno)).collect();
    remedies.sort_unstable();
    remedies.dedup();
    for needed in remedies {
        let those = curable.iter().filter(|failure| remedy(failure.errno) == Some(needed));
        let (folders, entries) = those.fold((0_u64, 0_u64), |(folders, entries), failure| {
            let is_folder = u64::from(failure.entry.is_none());
            (folders + is_folder, entries + 1 - is_folder)
        });
        lines.push(match (folders, entries) {
            (1, 0) => format!("1 folder needs {needed}"),
            (_, 0) => format!("{} folders need {needed}", grouped(folders)),
            _ => format!("{} folders and files need {needed}", grouped(folders + entries)),
        });
    }
    // Those nearest to the roots say most; among them the order must not depend on threads.
    others
        .sort_by_cached_key(|failure| (tree.ancestry(failure.directory).count(), tree.failure_path(failure)));
    for failure in others.iter().take(NAMED) {
        lines.push(format!("{}: {}", escape(&tree.failure_path(failure)), error_text(failure.errno)));
    }
    if let Some(more) = others.len().checked_sub(NAMED).filter(|more| *more > 0) {
        lines.push(format!("and {} more that could not be read; --json lists all", grouped(more as u64)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{build, dir, failed, unreadable};

    #[test]
    fn what_needs_one_remedy_is_one_line_and_the_rest_is_named() {
        let (tree, _) = build(vec![dir("a", vec![unreadable("b"), unreadable("c")]), unreadable("d")]);
        let none = lines(&tree, tree.failures(), |_| None);
        assert_eq!(none, ["/r/d", "/r/a/b", "/r/a/c"].map(|path| format!("{path}: permission denied")));
        let all = lines(&tree, tree.failures(), |errno| (errno == 13).then_some("Full Disk Access"));
        assert_eq!(all, ["3 folders need Full Disk Access"]);
    }

    #[test]
    fn files_are_not_called_folders() {
        let remedy = |errno| (errno == 13).then_some("a key");
        let (tree, _) = build(vec![unreadable("a")]);
        assert_eq!(lines(&tree, tree.failures(), remedy), ["1 folder needs a key"]);
        let (tree, _) = build(vec![unreadable("a"), failed("b")]);
        assert_eq!(lines(&tree, tree.failures(), remedy), ["2 folders and files need a key"]);
    }

    #[test]
    fn however_many_there_are_it_takes_a_few_lines() {
        let (tree, _) = build((0..9).map(|number| unreadable(&number.to_string())).collect());
        let lines = lines(&tree, tree.failures(), |_| None);
        assert_eq!(lines.len(), NAMED + 1);
        assert_eq!(lines[NAMED], "and 4 more that could not be read; --json lists all");
    }
}
