//! Command that waits until the scan has found the entry to act on.

use super::keys::Command;
use crate::tree::DirId;

#[derive(Clone, Debug)]
pub struct WaitingCommand {
    pub command: Command,
    /// Directory that was shown when the key was pressed.
    pub directory: DirId,
    /// Name of the entry to act on; `None` if the command acts on all entries of the directory.
    pub name: Option<Vec<u8>>,
}
