//! First lines of a text file, for the preview.
//!
//! The file is opened without following links or blocking. Only regular files are read. Files are not read if their
//! contents are only in the cloud, or if their file system is on a network or is provided by a program or by the host
//! of a virtual machine. Reading such files may cause network traffic, and a request to an unresponsive server keeps
//! even a killed process alive. All reading is done in the background.

use std::io;

use crate::base::job::{Job, Pool};
use crate::base::sync::Arc;
use crate::platform::process::io_policy;
use crate::scan::reach_entry;
use crate::tree::{EntryId, Tree};

/// Maximum number of bytes to read.
const MOST: usize = 16 << 10;

/// Beginning of a file for the preview, or the reason why it is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileHead {
    /// First bytes of a text file.
    Text(Vec<u8>),
    /// The file is empty.
    Empty,
    /// The file is not a text file.
    Binary,
    /// The file is on a network or FUSE file system, or in a directory shared by the host of a virtual machine.
    Elsewhere,
    /// The file could not be read; contains the error number.
    Failed(i32),
}

/// Starts reading the beginning of a file.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn head(pool: &Pool, tree: Arc<Tree>, entry: EntryId) -> io::Result<Job<FileHead>> {
    pool.start(move |task| {
        // Disable downloads from the cloud. This affects only the current thread, which ends with the job.
        io_policy::refuse();
        task.publish(
            read(&tree, entry).unwrap_or_else(|error| FileHead::Failed(error.raw_os_error().unwrap_or(0))),
        );
    })
}

fn read(tree: &Tree, entry: EntryId) -> io::Result<FileHead> {
    let name = entry.name(tree).unwrap_or_default();
    let (directory, name) = reach_entry(tree, entry.directory, name)?;
    if directory.file_system()?.is_foreign() {
        return Ok(FileHead::Elsewhere);
    }
    let mut bytes = vec![0; MOST];
    let length = directory.read_start(&name, &mut bytes)?;
    bytes.truncate(length);
    Ok(head_of(bytes))
}

/// Classifies the bytes as empty, text or binary. Invalid UTF-8 and most control characters make a file binary.
fn head_of(mut bytes: Vec<u8>) -> FileHead {
    if bytes.is_empty() {
        return FileHead::Empty;
    }
    // Only the beginning of the file has been read, so the last character may be incomplete.
    let valid = match std::str::from_utf8(&bytes) {
        Err(error) if error.error_len().is_some() => return FileHead::Binary,
        Err(error) => error.valid_up_to(),
        Ok(text) => text.len(),
    };
    bytes.truncate(valid);
    let is_control = |byte: &u8| *byte < b' ' && !matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    if bytes.iter().any(is_control) { FileHead::Binary } else { FileHead::Text(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_distinguished_from_other_files() {
        let text = |text: &str| FileHead::Text(text.as_bytes().to_vec());
        assert_eq!(head_of(b"fn main() {}\n\tx\r\n".to_vec()), text("fn main() {}\n\tx\r\n"));
        assert_eq!(head_of("größe".as_bytes().to_vec()), text("größe"));
        assert_eq!(head_of("größ".as_bytes()[..5].to_vec()), text("grö"), "a character is cut off");
        assert_eq!(head_of(Vec::new()), FileHead::Empty);
        for bytes in [&b"\x7fELF\x02\x01\x00"[..], b"latin \xe9 text", b"a\0b"] {
            assert_eq!(head_of(bytes.to_vec()), FileHead::Binary);
        }
    }
}
