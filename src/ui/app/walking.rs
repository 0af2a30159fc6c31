//! Going from one directory to another, and displayed paths.
//!
//! Invariant: on the way back every directory is as the user left it.

use std::collections::HashSet;

use super::App;
use crate::tree::{DirId, EntryState};
use crate::ui::notice::Notice;
use crate::ui::place::Place;

impl App<'_> {
    pub(super) fn place_path(&self) -> Vec<u8> {
        if self.place.id == DirId::TOP {
            return match self.roots.as_slice() {
                [(_, shown)] => shown.clone(),
                roots => format!("{} roots", roots.len()).into_bytes(),
            };
        }
        self.shown_path(&self.tree.path(self.place.id))
    }

    /// Returns a path of the tree with its root as shown.
    pub fn shown_path(&self, path: &[u8]) -> Vec<u8> {
        let below = |given: &[u8]| {
            let below = path.strip_prefix(given)?;
            (below.is_empty() || given.ends_with(b"/") || below.starts_with(b"/")).then_some(below)
        };
        // Of nested roots, the longest that fits is the beginning of the path.
        let roots = self.roots.iter().filter_map(|(given, shown)| Some((given.len(), shown, below(given)?)));
        match roots.max_by_key(|(length, ..)| *length) {
            Some((_, shown, [])) => shown.clone(),
            Some((_, shown, below)) => {
                crate::tree::join([shown.as_slice(), below.strip_prefix(b"/").unwrap_or(below)])
            }
            None => path.to_vec(),
        }
    }

    /// Enters the only root as soon as it exists, since the level above it has nothing to show.
    pub(super) fn enter_only_root(&mut self) {
        if self.place.id != DirId::TOP || self.roots.len() != 1 {
            return;
        }
        let root = self.tree.listing(DirId::TOP).directories().next();
        if let Some(root) = root {
            self.enter(root);
        }
    }

    /// Follows roots found inside other roots: each becomes the directory there, and its former directory
    /// stays empty.
    pub(super) fn follow_roots(&mut self) {
        let roots: Vec<DirId> = self.tree.listing(DirId::TOP).directories().collect();
        if roots == self.known_roots {
            return;
        }
        let mut replaced = std::mem::replace(&mut self.known_roots, roots);
        let roots: HashSet<DirId> = self.known_roots.iter().copied().collect();
        replaced.retain(|root| !roots.contains(root));
        if !replaced.is_empty() {
            self.renew(replaced);
        }
    }

    pub(super) fn pin(&mut self) {
        self.place.pin();
    }

    pub(super) fn open(&mut self) {
        let record = self.place.entry();
        let directory = record.and_then(|record| match record.state {
            EntryState::Known(facts) => facts.directory,
            _ => None,
        });
        match directory {
            Some(id) => {
                self.pin();
                self.trail.push(self.place.id);
                self.enter(id);
            }
            None if record.is_some() => self.notify(Notice::NotADirectory),
            None => {}
        }
    }

    pub(super) fn parent(&mut self) {
        if self.come_back_up() {
            return;
        }
        match self.trail.pop() {
            Some(id) => self.enter(id),
            None => self.offer_above(),
        }
    }

    pub(super) fn enter(&mut self, id: DirId) {
        self.anchor = None;
        self.memories.insert(self.place.id, self.place.memory());
        self.enter_again(id);
    }

    /// Enters a directory with its remembered cursor; the state of the one left was saved before.
    pub(super) fn enter_again(&mut self, id: DirId) {
        let memory = self.memories.remove(&id).unwrap_or_default();
        self.place = Place::new(id, memory);
        self.path = self.place_path();
        self.sort();
    }
}
