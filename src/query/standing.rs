//! Effect of the directories above an entry on its search result.
//!
//! If a search selects a directory by name, type or size, all its contents are kept. If the name of a directory is
//! unwanted (`-node_modules`), its contents are not found. A walk passes this effect down from each directory to its
//! entries. A search that starts in the middle of a tree computes the effect from the ancestors.
//!
//! Invariant: both computations give the same result.

use crate::base::kind::Kind;
use crate::query::terms::{Query, Subject, push_name};
use crate::tree::{DirId, Entry, EntryState, Metadata, Tree};

/// Effect of an entry's ancestors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// `true` if the entry is kept because the search finds a directory above it.
    pub(crate) is_kept: bool,
    /// `true` if the search ignores the entry because a directory above it has an unwanted name.
    pub(crate) is_unwanted: bool,
}

impl Standing {
    /// Returns the effect on the contents of `directory`. `self` is the effect of its ancestors on `directory` itself.
    pub(crate) fn inside(self, query: &Query, directory: &Subject<'_>) -> Self {
        let (is_found, is_unwanted) = query.finds(directory, self.is_unwanted);
        Self { is_kept: self.is_kept || is_found && query.brings_contents(), is_unwanted }
    }
}

impl Query {
    /// Returns `true` if a filter keeps the entry. `standing` is the effect of the directories above the entry, and
    /// `above` is the path of the parent directory.
    pub(crate) fn keeps(&self, standing: Standing, above: &[u8], tree: &Tree, record: &Entry<'_>) -> bool {
        let mut path = Vec::new();
        if self.needs_paths() {
            path.extend_from_slice(above);
            push_name(&mut path, record.name);
        }
        let subject = Subject::of(tree, record, &path);
        (standing.is_kept || self.finds(&subject, standing.is_unwanted).0) && self.narrows_to(&subject)
    }

    /// Returns the effect of directory `id` and its ancestors on the contents of `id`.
    pub(crate) fn standing(&self, tree: &Tree, id: DirId) -> Standing {
        let origin = self.path_to_origin(tree);
        let mut way: Vec<DirId> = tree.ancestry(id).collect();
        way.reverse();
        let (mut path, mut standing) = (Vec::new(), Standing::default());
        for id in way {
            push_name(&mut path, tree.name(id));
            if origin.contains(&id) {
                continue;
            }
            let plain = Metadata { directory: Some(id), ..Metadata::default() };
            // Terms about names do not need the metadata of the directory itself.
            let metadata = if self.own.is_empty() { None } else { tree.own_metadata(id) };
            let state = EntryState::Known(metadata.unwrap_or(plain));
            let record = Entry { name: tree.name(id), kind: Kind::Directory, state };
            let record = if tree.parent(id) == Some(DirId::TOP) { as_root(record) } else { record };
            standing = standing.inside(self, &Subject::of(tree, &record, &path));
        }
        standing
    }
}

/// Replaces the name of a root, which is a path, with its last component, so that terms about names apply to that
/// component.
pub(crate) fn as_root(record: Entry<'_>) -> Entry<'_> {
    let name = record.name.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty());
    Entry { name: name.unwrap_or(record.name), ..record }
}
