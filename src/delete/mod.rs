//! Giving space back: what would go, why it may not, and then exactly that.
//!
//! ```text
//! marks -> Selection -> probe: a walk that looks       -> what a person is asked
//!                    -> remove: the same walk, removing -> counters, failures
//!                    -> trash: a rename for each item   -> what was moved where
//! ```
//!
//! A [`Selection`] is made from the tree once and says by device and inode what is meant; from then on only the file system
//! is asked. The tree is not touched here: when something has gone, `scan` looks again at what was selected.
//!
//! Invariant: nothing but what is selected, and what lies in selected directories on the same mount, is ever removed or
//! moved, whoever changes the file system meanwhile.

pub mod deed;
pub mod journal;
mod names;
pub mod probe;
pub mod refusal;
pub mod remove;
pub mod script;
pub mod selection;
pub mod trash;
mod walk;

use crate::platform::{Errno, error_text};

pub use deed::{Report, Work, carry_out};
pub use journal::{Deed, Journal};
pub use probe::{Probe, probe};
pub use refusal::{Concern, Refusal};
pub use remove::{ItemRemoval, Removal, remove};
pub use selection::{Extent, Group, Item, Selection};
pub use trash::{Owner, Trashed, Trashing, restore, trash};

/// Why something stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The system's error number.
    System(i32),
    /// It is not what was selected any more.
    Changed,
    /// Something is mounted there or in what is to be moved, or what it is to be moved to is on another mount.
    Mount,
    /// There is no trash on the same mount that can be used.
    NoTrash(Unusable),
    /// It is not done, whoever asks.
    Refused(Refusal),
}

impl Reason {
    /// It in words.
    pub fn words(self) -> String {
        match self {
            Self::System(errno) => error_text(errno),
            Self::Changed => Refusal::Changed.words().to_owned(),
            Self::Mount => Refusal::Mount.words().to_owned(),
            Self::NoTrash(why) => why.words(),
            Self::Refused(refusal) => refusal.words().to_owned(),
        }
    }

    /// Whether it says that the thing is not there any more.
    fn is_gone(self) -> bool {
        [Errno::ENOENT, Errno::ESTALE].iter().any(|error| self == Self::System(*error as i32))
    }
}

/// Why a trash cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// There can be none on the same file system.
    Nowhere,
    /// It would be in what belongs to somebody else, or does itself.
    Foreign,
    /// Where it would be there is something else.
    NoDirectory,
    /// It cannot be opened or made: the system's error number.
    System(i32),
}

impl Unusable {
    /// It in words.
    fn words(self) -> String {
        match self {
            Self::Nowhere => "no trash on the same file system".to_owned(),
            Self::Foreign => "the trash belongs to somebody else".to_owned(),
            Self::NoDirectory => "the trash is no directory".to_owned(),
            Self::System(errno) => format!("no trash can be used: {}", error_text(errno)),
        }
    }
}

impl From<Errno> for Unusable {
    fn from(error: Errno) -> Self {
        match error {
            Errno::EXDEV => Self::Nowhere,
            Errno::ELOOP | Errno::ENOTDIR => Self::NoDirectory,
            error => Self::System(error as i32),
        }
    }
}

impl From<Errno> for Reason {
    fn from(error: Errno) -> Self {
        match error {
            Errno::EXDEV => Self::Mount,
            error => Self::System(error as i32),
        }
    }
}

/// Something that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its path, the root as given.
    pub path: Vec<u8>,
    /// Why.
    pub reason: Reason,
}

/// What stays: all are counted, the first are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<Failure>,
}

impl Failures {
    /// The most that are named: more than anybody reads.
    pub const MOST: usize = 1000;

    fn push(&mut self, path: impl FnOnce() -> Vec<u8>, reason: Reason) {
        self.count += 1;
        if self.first.len() < Self::MOST {
            self.first.push(Failure { path: path(), reason });
        }
    }
}
