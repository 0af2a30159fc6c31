//! What the entries of one directory were: for the list that shows how each has grown.
//!
//! The earlier entries are found by name, among positions that are sorted by it, so that nothing is copied.
//!
//! Invariant: of what was not read on either side nothing is said.

use super::{Growth, extent};
use crate::sync::Arc;
use crate::tree::diff::Extent;
use crate::tree::order::{Names, sort};
use crate::tree::{DirId, Listing, Position, Record, Tree};

/// The earlier entries of a directory.
#[derive(Clone)]
pub struct Before {
    growth: Arc<Growth>,
    what: What,
}

#[derive(Clone)]
enum What {
    /// The directory is new, and everything in it.
    New,
    /// It was this one, which had these entries, in the order of their names.
    Was(DirId, Box<[Position]>),
    /// It was not compared.
    Unknown,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It is new.
    New,
    /// It took this before.
    Was(Extent),
}

impl std::fmt::Debug for Before {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.what {
            What::New => formatter.write_str("New"),
            What::Was(id, names) => write!(formatter, "Was({id:?}, {} names)", names.len()),
            What::Unknown => formatter.write_str("Unknown"),
        }
    }
}

impl Before {
    /// Of the directory `id` of the present tree.
    pub fn of(growth: &Arc<Growth>, new: &Tree, id: DirId) -> Self {
        let what = match growth.was(id) {
            Some(was) if is_read(&growth.old, was) => {
                let rows = sort(&growth.old.listing(was), Names::Ascending, |_| Some(0));
                What::Was(was, rows.into_iter().map(|row| row.position).collect())
            }
            // The roots have other names, and are found as directories.
            None if id == DirId::TOP => What::Was(DirId::TOP, Box::default()),
            None if growth.is_new(new, id) => What::New,
            Some(_) | None => What::Unknown,
        };
        Self { growth: Arc::clone(growth), what }
    }

    /// The earlier listing, to look entries up in.
    pub fn listing(&self) -> Listing<'_> {
        match &self.what {
            What::Was(id, _) => self.growth.old.listing(*id),
            What::New | What::Unknown => Listing::default(),
        }
    }

    /// What became of an entry; `listing` is [`Before::listing`].
    pub fn became(&self, new: &Tree, listing: &Listing<'_>, record: &Record<'_>) -> Option<Became> {
        let names = match &self.what {
            What::New => return Some(Became::New),
            What::Unknown => return None,
            What::Was(_, names) => names,
        };
        if let Some(id) = record.directory() {
            if let Some(was) = self.growth.was(id) {
                let is_whole = |tree: &Tree, id| tree.status(id).is_known();
                let totals = self.growth.old.totals(was);
                let extent = Extent { disk: totals.disk, apparent: totals.apparent };
                return (is_whole(new, id) && is_whole(&self.growth.old, was)).then_some(Became::Was(extent));
            }
            return self.growth.fresh.contains(&id).then_some(Became::New);
        }
        extent(&record.content)?;
        let name = |at: &Position| listing.name(*at).unwrap_or_default();
        match names.binary_search_by(|at| name(at).cmp(record.name)) {
            Ok(index) => match listing.record(names[index])? {
                was if was.directory().is_some() => Some(Became::New),
                was => extent(&was.content).map(Became::Was),
            },
            Err(_) => self.is_all_there().then_some(Became::New),
        }
    }

    /// Whether an entry that is not there was not there.
    fn is_all_there(&self) -> bool {
        match self.what {
            What::Was(id, _) => id != DirId::TOP && self.growth.old.status(id).is_settled(),
            What::New | What::Unknown => false,
        }
    }
}

fn is_read(tree: &Tree, id: DirId) -> bool {
    tree.status(id).errno.is_none()
}
