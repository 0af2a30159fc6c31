//! Directory tree in memory: immutable listings for the entries, and one cache line per directory.
//!
//! ```text
//! Dir   64 bytes: subtree totals, addresses of its listing and its own entry, parent, number of pending tasks, state
//! bytes: listings back to back in an append-only arena; see `encoding`
//! ```
//!
//! Directory 0 is a virtual top: its listing contains the roots, with their paths as the user gave them. The tree can
//! be read at any time: a published listing never changes, and new entries are published in a longer listing that
//! replaces it.
//!
//! A tree can also be read from a file. In this case, directories and listings are loaded when they are first used, and
//! readers notice no difference; see `stored`.
//!
//! This loading is the only I/O in the module. Invariant: everything that a published listing refers to (records, child
//! directories) exists before the listing becomes visible.

mod aliases;
mod batch;
mod build;
mod devices;
mod directory;
#[doc(hidden)]
pub mod encoding;
mod entry;
mod entry_id;
mod exclusive;
#[doc(hidden)]
pub mod hard_links;
mod inode_index;
mod inodes;
mod listing;
mod listing_index;
mod live_totals;
mod numbering;
mod open_directories;
mod reading;
mod readings;
mod relocate;
mod replace;
#[doc(hidden)]
pub mod sort;
mod storage_classes;
#[doc(hidden)]
pub mod stored;
#[cfg(test)]
mod tests;
mod totals;
pub(crate) mod varint;
mod walk;

#[doc(hidden)]
pub use aliases::Alias;
pub use batch::{Batch, Page};
pub use build::Sealed;
pub use devices::{Devices, HostDevices};
pub use directory::{DirId, State, Status, Totals};
pub use entry::{DeviceIndex, Entry, EntryState, Exclusion, InodeKey, Links, Metadata, Owner, is_executable};
pub use entry_id::{EntryId, EntryName};
pub use exclusive::{
    Accuracy, Exclusive, ExclusiveCoverage, ExclusiveSizes, FileKey, Node, NodeNumbers, NodeSums,
};
pub use inode_index::InodeIndex;
pub use inodes::{LinkedName, UniqueSizes};
pub use listing::{Entries, Listing, Position};
pub use listing_index::Index;
pub use live_totals::LiveTotals;
pub use reading::{Failure, Tree, join};
pub use relocate::Relocation;
#[doc(hidden)]
pub use replace::Changes;
pub use storage_classes::{StorageClass, StorageClasses};
#[doc(hidden)]
pub use stored::ListingHead;
pub use walk::Walk;
