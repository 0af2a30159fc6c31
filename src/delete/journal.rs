//! Journal of deletions and other operations: JSON lines in a file that only its owner can read.
//!
//! Each item gets two lines: one with the result `begun` before the operation, and one with the actual result after it.
//! A crash in between can therefore be recognized.
//!
//! If the disk is full, a line may be cut off. The next JSON object still begins on a new line.
//!
//! Invariant: every JSON object begins at the start of a line, and nothing is written to a file or directory of another
//! user.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::base::json::JsonWriter;
use crate::base::os_error::io_error_text;
use crate::base::state_folder;
use crate::base::text::escape_path;
use crate::platform::entry::safe_path::{PrivateFolder, UnsafePath};
use crate::platform::entry::secure_read::open_own;

/// Name of the journal file.
const NAME: &str = "deleted.jsonl";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Permanent deletion.
    Delete,
    /// Permanent deletion of a directory's contents.
    Empty,
    /// Move to the trash.
    Trash,
    /// Restoration from the trash.
    Restore,
    /// Sharing of data with an identical file.
    Share,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    pub kind: OperationKind,
    /// Absolute path of the item.
    pub path: Vec<u8>,
    /// Number of names deleted, if the line reports the result of a deletion.
    pub entries: Option<u64>,
    /// Bytes freed or shared if the line reports the result of a deletion or sharing; otherwise, the item's disk usage.
    pub bytes: u64,
    /// Result: `begun`, `done`, `cancelled`, or a description of the failure.
    pub result: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    directory: PathBuf,
}

impl Journal {
    /// Returns the journal of this process: `duke/deleted.jsonl` in `$XDG_STATE_HOME` or, by default, in
    /// `$HOME/.local/state`. Returns `None` if neither variable contains an absolute path.
    pub fn of_process() -> Option<Self> {
        state_folder::folder_of_process().map(Self::in_directory)
    }

    pub fn in_directory(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub fn path(&self) -> PathBuf {
        self.directory.join(NAME)
    }

    /// Appends lines and waits until they are on disk.
    ///
    /// # Errors
    /// Returns an error if the lines cannot be written, or if the file or its folder belongs to another user. Nothing
    /// is created in another user's folder.
    pub fn append(&self, lines: &[JournalLine]) -> io::Result<()> {
        let mut file = self.open()?;
        let mut bytes = Vec::new();
        if is_torn(&file)? {
            bytes.push(b'\n');
        }
        let mut writer = JsonWriter::new(&mut bytes);
        let time = crate::base::calendar::utc_now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        for line in lines {
            line.write(&time, &mut writer);
        }
        writer.finish()?;
        file.write_all(&bytes)?;
        file.sync_data()
    }

    /// Returns the message for an error of [`Journal::append`]. The message names the journal or the unsafe path,
    /// escaped for a terminal.
    pub(super) fn message(&self, error: &io::Error) -> String {
        let reason = io_error_text(error);
        // If the error contains the unsafe path, `reason` already names this path.
        let blocked = error.get_ref().and_then(|inner| inner.downcast_ref::<UnsafePath>());
        if blocked.is_some_and(|blocked| blocked.path.is_some()) {
            reason
        } else {
            format!("{}: {reason}", escape_path(&self.path()))
        }
    }

    fn open(&self) -> io::Result<File> {
        let folder = PrivateFolder::find(&self.directory)?.make()?;
        open_own(&folder.path().join(NAME))
    }
}

/// Returns `true` if the last line is incomplete, for example after a write to a full disk.
fn is_torn(mut file: &File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

impl JournalLine {
    fn write(&self, time: &str, writer: &mut JsonWriter<'_>) {
        writer.raw("{\"time\":\"");
        writer.raw(time);
        writer.raw("\",\"action\":\"");
        writer.raw(match self.kind {
            OperationKind::Delete => "delete",
            OperationKind::Empty => "empty",
            OperationKind::Trash => "trash",
            OperationKind::Restore => "restore",
            OperationKind::Share => "share",
        });
        writer.raw("\",");
        writer.name("path", &self.path);
        if let Some(entries) = self.entries {
            writer.raw(",\"entries\":");
            writer.number(entries);
        }
        writer.raw(",\"bytes\":");
        writer.number(self.bytes);
        writer.raw(",\"result\":");
        writer.string(self.result.as_bytes());
        writer.raw("}\n");
    }
}
