//! Command that waits until the scan has found the entry to act on.

use super::keys::Command;
use crate::table::recorded::RecordedTree;
use crate::tree::{DirId, EntryId};

#[derive(Clone, Debug)]
pub struct WaitingCommand {
    pub command: Command,
    /// Directory that was shown when the key was pressed.
    pub directory: DirId,
    pub awaited: Awaited,
}

/// Entries that the scan must find before the command is performed.
#[derive(Clone, Debug)]
pub enum Awaited {
    /// All entries of the shown directory.
    Listing,
    /// The entry with this name in the shown directory.
    Name(Vec<u8>),
    /// Entries of a table row from the previous scan: the tree of that scan, the IDs of the entries, and the name of
    /// one of these entries that the running scan has not found yet.
    Row(RecordedTree, Vec<EntryId>, Vec<u8>),
}
