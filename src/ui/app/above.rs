//! Going above the directory in which the scan began, which requires another scan.
//!
//! Invariant: nothing is scanned without a Yes.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::App;
use crate::source::SourceKind;
use crate::ui::layers::question::About;
use crate::ui::notice::Notice;

impl App<'_> {
    /// Asks for a scan of the directory above.
    pub(super) fn offer_above(&mut self) {
        if self.is_deleting() {
            // Leaving this tree would interrupt the deletion.
            self.notify(Notice::Deleting);
        } else if let Some(order) = self.written() {
            self.notify(Notice::StillWriting(order.path.clone()));
        } else if self.above().is_some() {
            self.ask(About::Above);
        } else {
            let has_more = self.roots.len() != 1 || self.nature == SourceKind::Recorded;
            self.notify(if has_more { Notice::ScanRoot } else { Notice::NothingAbove });
        }
    }

    /// Returns the path of the directory above the only root. Several roots have no common parent that could
    /// be meant, and the parent of an export is unknown.
    pub fn above(&self) -> Option<Vec<u8>> {
        let [(_, shown)] = self.roots.as_slice() else { return None };
        if self.nature == SourceKind::Recorded {
            return None;
        }
        let path = Path::new(OsStr::from_bytes(shown));
        // Only the system knows the parent of `..`.
        let above = if path.file_name().is_some() { path.parent()?.to_owned() } else { path.join("..") };
        let is_top = path.parent().is_none();
        (!is_top).then(|| above.into_os_string().into_vec())
    }

    /// Moves the cursor to the entry of this name as soon as it exists, unless the user moves it before.
    pub fn expect(&mut self, name: Vec<u8>) {
        self.expected = Some(name);
    }

    /// Looks for the expected entry.
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
