//! Decides whether a query keeps or ignores an entry because of a directory above the entry.
//!
//! If a filter finds a directory by name, type or size, it keeps everything inside. If the name of a directory matches
//! a negated term (`-node_modules`), searches and filters find nothing inside. A walk passes these decisions down from
//! each directory to its entries. A walk that starts in the middle of a tree computes the decisions from the ancestors.
//!
//! Invariant: both computations give the same result.

use crate::base::kind::Kind;
use crate::query::terms::{Query, Subject, push_name};
use crate::tree::{DirId, Entry, EntryState, Metadata, Tree};

/// Decisions about an entry that follow from the directories above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// `true` if a filter keeps the entry because the entry is inside a matching directory; see
    /// [`Query::brings_contents`].
    pub(crate) is_kept: bool,
    /// `true` if the query does not find the entry because the name of a directory above it matches a negated term.
    pub(crate) is_unwanted: bool,
}

impl Standing {
    /// Returns the decisions about the contents of `directory`. `self` contains the decisions about `directory` itself.
    pub(crate) fn inside(self, query: &Query, directory: &Subject<'_>) -> Self {
        let (is_found, is_unwanted) = query.finds(directory, self.is_unwanted);
        Self { is_kept: self.is_kept || is_found && query.brings_contents(), is_unwanted }
    }
}

impl Query {
    /// Returns `true` if the query keeps the entry when used as a filter. `directory` is the entry's parent, `above` is
    /// the parent's path, and `standing` contains the decisions that follow from all directories above the entry.
    pub(crate) fn keeps(
        &self,
        standing: Standing,
        (directory, above): (DirId, &[u8]),
        tree: &Tree,
        record: &Entry<'_>,
    ) -> bool {
        let mut path = Vec::new();
        if self.needs_paths() {
            path.extend_from_slice(above);
            push_name(&mut path, record.name);
        }
        let subject = Subject::of(tree, directory, record, &path);
        (standing.is_kept || self.finds(&subject, standing.is_unwanted).0) && self.narrows_to(&subject)
    }

    /// Returns the [`Standing`] of the entries in directory `id`, computed from `id` and its ancestors.
    pub(crate) fn standing(&self, tree: &Tree, id: DirId) -> Standing {
        let origin = self.path_to_origin(tree);
        let mut ancestors: Vec<DirId> = tree.ancestry(id).collect();
        ancestors.reverse();
        let (mut path, mut standing) = (Vec::new(), Standing::default());
        for id in ancestors {
            push_name(&mut path, tree.name(id));
            if origin.contains(&id) {
                continue;
            }
            let plain = Metadata { directory: Some(id), ..Metadata::default() };
            // Only the terms in `unnamed` need the metadata of the directory. Terms about names and paths do not.
            let metadata = if self.unnamed.is_empty() { None } else { tree.own_metadata(id) };
            let state = EntryState::Known(metadata.unwrap_or(plain));
            let record = Entry { name: tree.name(id), kind: Kind::Directory, state };
            let record = if tree.parent(id) == Some(DirId::TOP) { as_root(record) } else { record };
            let above = tree.parent(id).unwrap_or(DirId::TOP);
            standing = standing.inside(self, &Subject::of(tree, above, &record, &path));
        }
        standing
    }
}

/// Replaces the name of a root, which is a path, with the last component of the path, so that query terms about names
/// test only this component.
pub(crate) fn as_root(record: Entry<'_>) -> Entry<'_> {
    let name = record.name.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty());
    Entry { name: name.unwrap_or(record.name), ..record }
}
