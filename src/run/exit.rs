//! Exit codes of the program.
//!
//! Invariant: the code reports the most serious problem. All exit codes are defined here, except those of a process
//! that ends in response to a signal (`platform::terminal`).

use crate::scan::Outcome;
use crate::source::Source;
use crate::tree::{DirId, Entry, EntryState, Tree};

/// Exit code of the process. Larger codes are more serious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Everything was read and written. A closed pipe counts as success, because the reader needed no more output.
    Success = 0,
    /// Something could not be read or written, but everything else was.
    Incomplete = 1,
    /// The command line is invalid, or no root could be read.
    Failure = 2,
    /// SIGINT ended the run.
    Interrupted = 130,
}

impl Exit {
    pub const ALL: [Self; 4] = [Self::Success, Self::Incomplete, Self::Failure, Self::Interrupted];

    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the description shown in the help.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "everything was read and written",
            Self::Incomplete => "something could not be read or written",
            Self::Failure => "usage error, or no usable input",
            Self::Interrupted => "interrupted; the output is missing or incomplete",
        }
    }

    /// Returns the exit code of [`Exit::of_roots`], but [`Exit::Incomplete`] instead of [`Exit::Success`] if there are
    /// errors below the roots.
    pub fn of_everything(tree: &Tree) -> Self {
        match Self::of_roots(tree) {
            Self::Success if tree.totals(DirId::TOP).errors > 0 => Self::Incomplete,
            exit => exit,
        }
    }

    /// Returns the exit code, ignoring errors below the roots. Used, for example, by the browser, which has already
    /// shown these errors.
    pub fn of_roots(tree: &Tree) -> Self {
        let roots = tree.listing(DirId::TOP);
        let mut read = roots.entries().map(|(_, root)| was_read(tree, &root));
        // If a scan was stopped before it read any root, no root has failed.
        let Some(first) = read.next() else { return Self::Success };
        let (any, all) = read.fold((first, first), |(any, all), read| (any | read, all & read));
        match (any, all) {
            (_, true) => Self::Success,
            (true, false) => Self::Incomplete,
            (false, false) => Self::Failure,
        }
    }

    /// Returns the code for a source in which at least one export was not read to the end: [`Exit::Failure`] if the
    /// tree has no roots, otherwise [`Exit::Incomplete`].
    pub fn of_broken(tree: &Tree) -> Self {
        if tree.listing(DirId::TOP).is_empty() { Self::Failure } else { Self::Incomplete }
    }

    /// Ends the process without freeing memory, because the system frees it faster.
    pub fn end(self) -> ! {
        std::process::exit(i32::from(self.code()))
    }
}

/// Returns the exit code for a source that has been read.
pub(crate) fn exit_of(source: &Source, outcome: Option<&Outcome>) -> Exit {
    let ended = match outcome {
        Some(Outcome::Panicked(_)) => Exit::Incomplete,
        Some(Outcome::Broken(_)) => Exit::of_broken(source.tree()),
        _ => Exit::Success,
    };
    ended.max(Exit::of_everything(source.tree()))
}

fn was_read(tree: &Tree, root: &Entry<'_>) -> bool {
    match root.state {
        EntryState::Known(facts) => {
            facts.directory.is_none_or(|id| tree.status(id).errno.is_none() || !tree.listing(id).is_empty())
        }
        EntryState::Failed(_) | EntryState::Excluded(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::kind::Kind;
    use crate::tree::{Batch, Metadata};

    fn tree(roots: &[EntryState]) -> Tree {
        let (tree, mut batch) = (Tree::new(), Batch::default());
        for content in roots {
            batch.push(DirId::TOP, &Entry { name: b"root", kind: Kind::File, state: *content });
        }
        if let Some(sealed) = batch.seal(&tree, DirId::TOP) {
            tree.publish(&mut batch, DirId::TOP, &sealed);
        }
        tree
    }

    #[test]
    fn exit_codes_are_those_of_the_documents() {
        let codes =
            [Exit::Success, Exit::Incomplete, Exit::Failure, Exit::Interrupted].map(|exit| exit as u8);
        assert_eq!(codes, [0, 1, 2, 130]);
    }

    #[test]
    fn exit_codes_distinguish_no_root_from_some() {
        let (good, bad) = (EntryState::Known(Metadata::default()), EntryState::Failed(2));
        let cases: [(&[EntryState], Exit); 5] = [
            (&[], Exit::Success),
            (&[good, good], Exit::Success),
            (&[good, bad], Exit::Incomplete),
            (&[bad, good], Exit::Incomplete),
            (&[bad, bad], Exit::Failure),
        ];
        for (roots, exit) in cases {
            assert_eq!(Exit::of_roots(&tree(roots)), exit, "{roots:?}");
            assert_eq!(Exit::of_everything(&tree(roots)), exit, "{roots:?}");
        }
    }
}
