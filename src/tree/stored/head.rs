//! Head of a listing: the largest entries of a long listing, which a snapshot stores in a block of their own.
//!
//! The browser shows these entries without loading the others.

use super::Stored;
use crate::base::sync::Ordering;
use crate::tree::directory::DirId;
use crate::tree::listing::Listing;
use crate::tree::reading::Tree;

/// Largest entries of a directory whose other entries have not been loaded.
#[derive(Clone, Debug)]
pub struct ListingHead<'t> {
    /// Entries with the largest disk usage, largest first. The whole listing starts with the same entries, so each of
    /// them has the same position in both listings.
    pub listing: Listing<'t>,
    /// Number of entries that are not in `listing`.
    pub others: u64,
}

#[doc(hidden)]
impl Tree {
    /// Returns the head of the listing of directory `id`. Returns `None` if the whole listing has been loaded, or if
    /// the head is missing or damaged; [`Tree::listing`] then returns all readable entries.
    pub fn head(&self, id: DirId) -> Option<ListingHead<'_>> {
        let Stored::Numbered(file) = self.stored.as_deref()? else { return None };
        if self.dir(id).listing.load(Ordering::Acquire) != 0 {
            return None;
        }
        let (node, others) = file.head(self, id)?;
        Some(ListingHead { listing: self.listing_at(node.to_bits()), others })
    }
}
