//! How the program ends, as a number for whoever called it.
//!
//! Invariant: the number says the worst that happened, and nothing else in the crate makes one up.

use crate::tree::{Content, DirId, Record, Tree};

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Everything was read and written. A reader who closes the pipe has had enough, which is fine too.
    Fine = 0,
    /// Something could not be read or written; the rest is there.
    Incomplete = 1,
    /// The command line makes no sense, or no root could be read.
    Useless = 2,
    /// Ended by SIGINT.
    Interrupted = 130,
}

impl Exit {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Fine, Self::Incomplete, Self::Useless, Self::Interrupted];

    /// The number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// What it says, as the help tells it.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Fine => "everything was read",
            Self::Incomplete => "something could not be read or written; the rest is there",
            Self::Useless => "wrong usage, or no PATH could be read",
            Self::Interrupted => "interrupted: what was read until then is printed",
        }
    }

    /// What there is to say of a scan: [`Exit::Incomplete`] if anything below the roots could not be read.
    pub fn of_everything(tree: &Tree) -> Self {
        match Self::of_roots(tree) {
            Self::Fine if tree.totals(DirId::TOP).errors > 0 => Self::Incomplete,
            exit => exit,
        }
    }

    /// What there is to say of the roots alone, as the browser does: it has shown the rest.
    pub fn of_roots(tree: &Tree) -> Self {
        let roots = tree.listing(DirId::TOP);
        let mut read = roots.entries().map(|(_, root)| was_read(tree, &root));
        // A scan that was left before it had looked at its roots knows nothing against them.
        let Some(first) = read.next() else { return Self::Fine };
        let (any, all) = read.fold((first, first), |(any, all), read| (any | read, all & read));
        match (any, all) {
            (_, true) => Self::Fine,
            (true, false) => Self::Incomplete,
            (false, false) => Self::Useless,
        }
    }

    /// What there is to say of exports that could not all be read to their end.
    pub fn of_broken(tree: &Tree) -> Self {
        if tree.listing(DirId::TOP).is_empty() { Self::Useless } else { Self::Incomplete }
    }

    /// Ends the process. What it holds is not freed: the system does that faster.
    pub fn end(self) -> ! {
        std::process::exit(i32::from(self.code()))
    }
}

fn was_read(tree: &Tree, root: &Record<'_>) -> bool {
    match root.content {
        Content::Known(facts) => {
            facts.directory.is_none_or(|id| tree.status(id).errno.is_none() || !tree.listing(id).is_empty())
        }
        Content::Failed(_) | Content::Excluded(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::tree::{Batch, Facts};

    fn tree(roots: &[Content]) -> Tree {
        let (tree, mut batch) = (Tree::new(), Batch::default());
        for content in roots {
            batch.push(DirId::TOP, &Record { name: b"root", kind: Kind::File, content: *content });
        }
        if let Some(sealed) = batch.seal(&tree, DirId::TOP) {
            tree.publish(&mut batch, DirId::TOP, &sealed);
        }
        tree
    }

    #[test]
    fn codes_are_those_of_the_readme() {
        let codes = [Exit::Fine, Exit::Incomplete, Exit::Useless, Exit::Interrupted].map(|exit| exit as u8);
        assert_eq!(codes, [0, 1, 2, 130]);
    }

    #[test]
    fn no_root_is_useless_and_some_are_incomplete() {
        let (good, bad) = (Content::Known(Facts::default()), Content::Failed(2));
        let cases: [(&[Content], Exit); 5] = [
            (&[], Exit::Fine),
            (&[good, good], Exit::Fine),
            (&[good, bad], Exit::Incomplete),
            (&[bad, good], Exit::Incomplete),
            (&[bad, bad], Exit::Useless),
        ];
        for (roots, exit) in cases {
            assert_eq!(Exit::of_roots(&tree(roots)), exit, "{roots:?}");
            assert_eq!(Exit::of_everything(&tree(roots)), exit, "{roots:?}");
        }
    }
}
