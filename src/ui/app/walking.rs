//! Going from one directory to another, and what that is called.
//!
//! Invariant: on the way back every directory is as it was left.

use super::App;
use crate::tree::{Content, DirId};
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

    /// A path of the tree as it is shown: its root not as given.
    pub fn shown_path(&self, path: &[u8]) -> Vec<u8> {
        let below = |given: &[u8]| {
            let below = path.strip_prefix(given)?;
            (below.is_empty() || given.ends_with(b"/") || below.starts_with(b"/")).then_some(below)
        };
        // Of roots in one another, the path begins with the longest.
        let roots = self.roots.iter().filter_map(|(given, shown)| Some((given.len(), shown, below(given)?)));
        match roots.max_by_key(|(length, ..)| *length) {
            Some((_, shown, [])) => shown.clone(),
            Some((_, shown, below)) => {
                crate::tree::join([shown.as_slice(), below.strip_prefix(b"/").unwrap_or(below)])
            }
            None => path.to_vec(),
        }
    }

    /// Goes to the only root as soon as it is there: the level above it has nothing to show.
    pub(super) fn enter_only_root(&mut self) {
        if self.place.id != DirId::TOP || self.roots.len() != 1 {
            return;
        }
        let root = self.tree.listing(DirId::TOP).directories().next();
        if let Some(root) = root {
            self.enter(root);
        }
    }

    pub(super) fn pin(&mut self) {
        self.place.pin();
    }

    pub(super) fn open(&mut self) {
        let record = self.place.entry();
        let directory = record.and_then(|record| match record.content {
            Content::Known(facts) => facts.directory,
            _ => None,
        });
        match directory {
            Some(id) => {
                self.pin();
                self.trail.push(self.place.id);
                self.enter(id);
            }
            None if record.is_some() => self.say("Not a directory"),
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

    /// Enters a directory as it is remembered; how the one left is to be remembered was said before.
    pub(super) fn enter_again(&mut self, id: DirId) {
        let memory = self.memories.remove(&id).unwrap_or_default();
        self.place = Place::new(id, memory);
        self.path = self.place_path();
        self.sort();
    }
}
