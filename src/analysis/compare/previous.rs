//! Earlier sizes of the entries in one directory, for a list that shows how much each entry has grown.
//!
//! The positions of the earlier entries are sorted by name for a binary search. The entries themselves are not copied.
//!
//! Invariant: the earlier state of an entry is unknown if the entry could not be read in the earlier or in the
//! current tree.

use super::Comparison;
use crate::analysis::compare::diff::Sizes;
use crate::analysis::compare::row::sizes_of_file;
use crate::base::sync::Arc;
use crate::tree::sort::{Names, sort};
use crate::tree::{DirId, Entry, Listing, Position, Tree};

/// Entries that a directory had in the earlier tree.
#[derive(Clone)]
pub struct PreviousListing {
    growth: Arc<Comparison>,
    directory: PreviousDirectory,
}

#[derive(Clone)]
enum PreviousDirectory {
    /// The directory is new, and so is everything in it.
    New,
    /// ID of the directory in the earlier tree, and the positions of its entries, sorted by the entries' names.
    Was(DirId, Box<[Position]>),
    /// The earlier entries are unknown: the directory was not compared, or the earlier scan could not read it.
    Unknown,
}

/// State of an entry in the earlier tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Previous {
    New,
    /// The entry was in the earlier tree, with these sizes.
    Was(Sizes),
}

impl std::fmt::Debug for PreviousListing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.directory {
            PreviousDirectory::New => formatter.write_str("New"),
            PreviousDirectory::Was(id, names) => write!(formatter, "Was({id:?}, {} names)", names.len()),
            PreviousDirectory::Unknown => formatter.write_str("Unknown"),
        }
    }
}

impl PreviousListing {
    /// Finds the entries that directory `id` of the new tree had in the old tree.
    pub fn of(growth: &Arc<Comparison>, new: &Tree, id: DirId) -> Self {
        let directory = match growth.was(id) {
            Some(was) if is_read(&growth.old, was) => {
                let rows = sort(&growth.old.listing(was), Names::Ascending, |_| Some(0));
                PreviousDirectory::Was(was, rows.into_iter().map(|row| row.position).collect())
            }
            // The list of roots needs no names: `became` finds a root by its ID, because the name of a root may differ
            // between the two trees.
            None if id == DirId::TOP => PreviousDirectory::Was(DirId::TOP, Box::default()),
            None if growth.is_new(new, id) => PreviousDirectory::New,
            Some(_) | None => PreviousDirectory::Unknown,
        };
        Self { growth: Arc::clone(growth), directory }
    }

    /// Returns the listing of the directory in the earlier tree, for use with [`PreviousListing::became`].
    pub fn listing(&self) -> Listing<'_> {
        match &self.directory {
            PreviousDirectory::Was(id, _) => self.growth.old.listing(*id),
            PreviousDirectory::New | PreviousDirectory::Unknown => Listing::default(),
        }
    }

    /// Returns the earlier state of an entry, if it is known. `listing` must come from [`PreviousListing::listing`].
    pub fn became(&self, new: &Tree, listing: &Listing<'_>, record: &Entry<'_>) -> Option<Previous> {
        let names = match &self.directory {
            PreviousDirectory::New => return Some(Previous::New),
            PreviousDirectory::Unknown => return None,
            PreviousDirectory::Was(_, names) => names,
        };
        if let Some(id) = record.directory() {
            if let Some(was) = self.growth.was(id) {
                let totals = self.growth.old.totals(was);
                let sizes = Sizes { disk: totals.disk, apparent: totals.apparent };
                return (new.is_comparable(id) && self.growth.old.is_comparable(was))
                    .then_some(Previous::Was(sizes));
            }
            return self.growth.new_directories.contains(&id).then_some(Previous::New);
        }
        sizes_of_file(&record.state)?;
        let name = |at: &Position| listing.name(*at).unwrap_or_default();
        match names.binary_search_by(|at| name(at).cmp(record.name)) {
            Ok(index) => match listing.record(names[index])? {
                was if was.directory().is_some() => Some(Previous::New),
                was => sizes_of_file(&was.state).map(Previous::Was),
            },
            Err(_) => self.is_all_there().then_some(Previous::New),
        }
    }

    /// Returns `true` if the earlier listing is complete, so that an entry missing from it is new. Returns `false` for
    /// the list of roots, because the names of a root may differ between the two trees.
    fn is_all_there(&self) -> bool {
        match self.directory {
            PreviousDirectory::Was(id, _) => id != DirId::TOP && self.growth.old.status(id).is_settled(),
            PreviousDirectory::New | PreviousDirectory::Unknown => false,
        }
    }
}

fn is_read(tree: &Tree, id: DirId) -> bool {
    tree.status(id).errno.is_none()
}
