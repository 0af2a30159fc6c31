//! Deletion: preview, guards, and the deletion itself.
//!
//! ```text
//! marks -> Selection -> preview: a walk that only reads    -> confirmation dialog
//!                    -> remove: the same walk, deleting    -> counters, failures
//!                    -> trash: a rename for each item      -> items with their paths in the trash
//! ```
//!
//! A [`Selection`] is copied from the tree once. It identifies each entry by its inode and, if the tree has it, its
//! device. When the dialog opens, the preview records the birth time, size and last change of each entry. From then on,
//! this module reads only the file system. It never changes the tree: after a deletion, `scan` rechecks the selected
//! entries.
//!
//! Invariant: only selected entries, and entries on the same mount below selected directories, are deleted or moved, no
//! matter what other processes change in the meantime.

mod copies;
mod copy_files;
mod failures;
mod group;
pub mod guard;
pub mod journal;
mod link_tracker;
pub mod operation;
pub mod preview;
mod reason;
pub mod remove;
pub mod script;
pub mod seen;
pub mod selection;
mod share;
pub mod trash;
mod walk;

pub use copy_files::{CopyName, SelectedItems};
pub use failures::{Failure, Failures, Kept};
pub use group::{DeleteScope, Group, Item};
pub use guard::DeleteWarning;
pub use journal::{Journal, OperationKind};
pub use operation::{Operation, Report, start};
pub use preview::{Preview, preview};
pub use reason::{Blocked, NoTrash, ONLY_ON_LINUX, Reason};
pub use remove::{Removal, remove};
pub use selection::Selection;
pub use share::CopySharing;
pub use trash::{Owner, Trashed, Trashing, restore, trash};
