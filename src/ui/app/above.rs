//! Going above the directory in which the scan began: what is there has to be scanned first.
//!
//! Invariant: nothing is scanned that was not asked for.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::{About, App};
use crate::source::Nature;
use crate::ui::keys::Command;

impl App<'_> {
    /// Asks whether the directory above is to be scanned.
    pub(super) fn offer_above(&mut self) {
        if self.is_deleting() {
            // Leaving this tree would stop it midway.
            let stops = self.key_hint(Command::Back, "stops it");
            self.say(format!("Something is being deleted{stops}"));
        } else if let Some(order) = self.written() {
            self.say(format!("{} is still being written", order.shown()));
        } else if self.above().is_some() {
            self.ask(About::Above);
        } else {
            let has_more = self.roots.len() != 1 || self.nature == Nature::Recorded;
            let text = if has_more { "This is where the scan begins" } else { "There is nothing above" };
            self.say(text);
        }
    }

    /// The path of the directory above the only root. Several have none in common that could be meant, and what is above an
    /// export was not recorded.
    pub fn above(&self) -> Option<Vec<u8>> {
        let [(_, shown)] = self.roots.as_slice() else { return None };
        if self.nature == Nature::Recorded {
            return None;
        }
        let path = Path::new(OsStr::from_bytes(shown));
        // What is above `..` only the system knows.
        let above = if path.file_name().is_some() { path.parent()?.to_owned() } else { path.join("..") };
        let is_top = path.parent().is_none();
        (!is_top).then(|| above.into_os_string().into_vec())
    }

    /// Puts the cursor on the entry of this name as soon as there is one, unless somebody moves it before.
    pub fn expect(&mut self, name: Vec<u8>) {
        self.expected = Some(name);
    }

    /// Looks for the entry that is expected.
    pub(super) fn go_to_expected(&mut self) {
        if self.pressed.is_some() {
            self.expected = None;
        }
        let Some(expected) = &self.expected else { return };
        let listing = self.place.listing();
        let found =
            self.place.rows().positions().position(|at| listing.name(at) == Some(expected.as_slice()));
        if let Some(index) = found {
            self.place.go_to(index);
            self.place.pin();
        }
        if found.is_some() || !self.is_scanning() {
            self.expected = None;
        }
    }
}
