//! Navigation between directories, and displayed paths.
//!
//! Invariant: when the user returns to a directory, the cursor is where the user left it.

use std::collections::HashSet;

use super::Context;
use crate::base::kind::Kind;
use crate::source::SourceKind;
use crate::table::chain::{chain, only_directory};
use crate::tree::DirId;
use crate::ui::list_state::ListState;
use crate::ui::notice::Notice;
use crate::ui::title::roots_title;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

impl Context<'_> {
    /// Returns the displayed path of the shown directory or, in the list of several roots, the number of roots.
    pub fn location_path(&self) -> Vec<u8> {
        if self.location.id == DirId::TOP {
            return match self.roots.as_slice() {
                [(_, shown)] => shown.clone(),
                roots => roots_title(roots.len()).into_bytes(),
            };
        }
        self.shown_path(&self.tree.path(self.location.id))
    }

    /// Returns the absolute path of the shown directory; `None` in the list of roots, in a snapshot, and in an export.
    pub fn shown_directory(&self) -> Option<Vec<u8>> {
        (self.source_kind == SourceKind::Live && self.location.id != DirId::TOP).then(|| self.location_path())
    }

    /// Returns the displayed form of a path: the path of its root is replaced by the root's displayed path.
    pub fn shown_path(&self, path: &[u8]) -> Vec<u8> {
        let below = |given: &[u8]| {
            let below = path.strip_prefix(given)?;
            (below.is_empty() || given.ends_with(b"/") || below.starts_with(b"/")).then_some(below)
        };
        // Several nested roots may be prefixes of the path. The longest of these prefixes is the innermost root.
        let roots = self.roots.iter().filter_map(|(given, shown)| Some((given.len(), shown, below(given)?)));
        match roots.max_by_key(|(length, ..)| *length) {
            Some((_, shown, [])) => shown.clone(),
            Some((_, shown, below)) => {
                crate::tree::join([shown.as_slice(), below.strip_prefix(b"/").unwrap_or(below)])
            }
            None => path.to_vec(),
        }
    }

    /// Enters the only root, if it is a directory in the tree, because a list with a single root is useless.
    pub fn enter_only_root(&mut self) {
        if self.location.id != DirId::TOP || self.roots.len() != 1 {
            return;
        }
        let root = self.tree.listing(DirId::TOP).directories().next();
        if let Some(root) = root {
            self.enter(root);
        }
    }

    /// Returns the directories that have ceased to be roots since the last call. This happens if a root turns out to be
    /// an alias of a directory in another root.
    pub fn follow_roots(&mut self) -> Vec<DirId> {
        let roots: Vec<DirId> = self.tree.listing(DirId::TOP).directories().collect();
        if roots == self.known_roots {
            return Vec::new();
        }
        let mut replaced = std::mem::replace(&mut self.known_roots, roots);
        let roots: HashSet<DirId> = self.known_roots.iter().copied().collect();
        replaced.retain(|root| !roots.contains(root));
        replaced
    }

    pub fn pin(&mut self) {
        self.location.pin();
    }

    /// Returns `true` if the row under the cursor of the list is a directory that can be entered, now or as soon as the
    /// scan has found it.
    pub fn can_open(&self) -> bool {
        match self.location.entry() {
            Some(record) => record.directory().is_some(),
            None => self.location.recorded_entry().is_some_and(|record| record.kind == Kind::Directory),
        }
    }

    /// Returns `true` if the user can go up from the shown directory.
    pub fn can_go_up(&self) -> bool {
        self.above_shown().is_some() || self.above().is_some()
    }

    /// Enters the directory under the cursor or, if its row shows a chain (`a/b/c`), the last directory of the chain.
    pub fn open(&mut self) {
        let record = self.location.entry();
        match record.and_then(|record| record.directory()) {
            Some(id) => {
                self.pin();
                self.history.push(self.location.id);
                let collapses = self.shown.collapses && self.location.id != DirId::TOP;
                let end = collapses.then(|| chain(self.tree, self.order, id).last()).flatten();
                self.enter(end.map_or(id, |(_, id)| id));
            }
            None if record.is_some_and(|record| record.kind == Kind::Directory) => {
                self.notify(Notice::DirectoryNotRead);
            }
            None if record.is_some() => self.notify(Notice::NotADirectory),
            None => {}
        }
    }

    /// Goes up to the directory that [`Self::above_shown`] returns. Returns `false` at the top.
    pub fn leave(&mut self) -> bool {
        let Some(above) = self.above_shown() else { return false };
        let kept = self.history.iter().rposition(|id| *id == above).unwrap_or(0);
        self.history.truncate(kept);
        self.enter(above);
        true
    }

    /// Returns the directory that the user reaches by going up, or `None` at the top. This is the parent directory or,
    /// if the shown directory belongs to a chain in a single row (`a/b/c`), the directory whose list contains this row.
    pub fn above_shown(&self) -> Option<DirId> {
        let is_inside =
            |id: &&DirId| self.shown.collapses && only_directory(self.tree, self.order, **id).is_some();
        self.history.iter().rev().find(|id| !is_inside(id)).or(self.history.first()).copied()
    }

    /// Returns the number of levels from the shown directory up to the one that [`Self::above_shown`] returns.
    pub fn levels_up(&self) -> usize {
        let above = self.above_shown();
        self.tree.ancestry(self.location.id).take_while(|id| Some(*id) != above).count()
    }

    /// Returns the ancestors of `directory`, outermost first. Includes the list of roots if there are several roots.
    pub fn ancestors_of(&self, directory: DirId) -> Vec<DirId> {
        let mut ancestors: Vec<DirId> = self.tree.ancestry(directory).skip(1).collect();
        if self.roots.len() != 1 && directory != DirId::TOP {
            ancestors.push(DirId::TOP);
        }
        ancestors.reverse();
        ancestors
    }

    /// Goes up the given number of levels and closes the views of the current directory.
    pub fn go_up(&mut self, levels: usize) {
        let Some(above) = self.tree.ancestry(self.location.id).nth(levels) else { return };
        self.history = self.ancestors_of(above);
        self.views.tables.clear();
        self.views.return_to = None;
        self.enter(above);
    }

    /// Saves the cursor of the current directory, and enters directory `id`.
    pub fn enter(&mut self, id: DirId) {
        self.anchor = None;
        self.memories.insert(self.location.id, self.location.saved());
        self.enter_again(id);
    }

    /// Enters a directory and restores its saved cursor, without saving the cursor of the current directory.
    pub fn enter_again(&mut self, id: DirId) {
        let memory = self.memories.remove(&id).unwrap_or_default();
        self.location = ListState::new(id, memory);
        self.path = self.location_path();
        self.refresh_recorded();
        self.sort();
    }

    /// Returns the path of the directory above the only root. Returns `None` if there are several roots, if the root
    /// is `/`, or if the tree does not come from a file system of this machine.
    pub fn above(&self) -> Option<Vec<u8>> {
        let [(_, shown)] = self.roots.as_slice() else { return None };
        if self.source_kind != SourceKind::Live {
            return None;
        }
        let path = Path::new(OsStr::from_bytes(shown));
        // For a path that ends with `..`, `Path::parent` would return the wrong directory.
        let above = if path.file_name().is_some() { path.parent()?.to_owned() } else { path.join("..") };
        let is_top = path.parent().is_none();
        (!is_top).then(|| above.into_os_string().into_vec())
    }

    /// Moves the cursor to the entry with this name as soon as it exists, unless the user presses a key first.
    pub fn expect(&mut self, name: Vec<u8>) {
        self.expected = Some(name);
    }

    /// Moves the cursor to the entry that [`Self::expect`] was called for, if this entry now exists.
    pub fn go_to_expected(&mut self) {
        if self.pressed.is_some() {
            self.expected = None;
        }
        let Some(expected) = &self.expected else { return };
        let found = self.location.rows().find_name(self.location.listing(), expected);
        if let Some(index) = found {
            self.location.go_to(index);
            self.location.pin();
        }
        if found.is_some() || !self.is_scanning() {
            self.expected = None;
        }
    }
}
