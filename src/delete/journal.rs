//! What was deleted, written down: one line of JSON for each item, in a file that only its owner can read.
//!
//! A line says `begun` before anything happens, and how it went afterwards, so that a crash in between can be told.
//!
//! Invariant: lines are appended whole, and a file or directory that is not this user's is never written to.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use jiff::Timestamp;

use crate::json::Writer;
use crate::platform::state;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Removed.
    Delete,
    /// What lies in it was removed.
    Empty,
    /// Moved to the trash.
    Trash,
    /// Moved back from there.
    Restore,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What is done.
    pub deed: Deed,
    /// The path, made absolute where the root was not.
    pub path: Vec<u8>,
    /// Names that went, where it is known.
    pub entries: Option<u64>,
    /// Bytes that it took, or that were freed.
    pub bytes: u64,
    /// How it went: `begun`, `done`, or the reason why not.
    pub result: String,
}

/// The file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    directory: PathBuf,
}

impl Journal {
    /// The file in the folder of this process, `$XDG_STATE_HOME/duke/deleted.jsonl`. None without a home.
    pub fn of_process() -> Option<Self> {
        state::folder_of_process().map(Self::in_directory)
    }

    /// The file in this directory.
    pub fn in_directory(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.directory.join("deleted.jsonl")
    }

    /// Appends lines, and does not return before they are on the disk.
    ///
    /// # Errors
    /// When they cannot be written, or the file or its folder is not this user's. Nothing is made then.
    pub fn append(&self, lines: &[Line]) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes);
        let time = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        for line in lines {
            line.write(&time, &mut writer);
        }
        writer.finish()?;
        let mut file = self.open()?;
        file.write_all(&bytes)?;
        file.sync_data()
    }

    fn open(&self) -> io::Result<File> {
        let foreign = |what: &str| io::Error::new(io::ErrorKind::PermissionDenied, what);
        if !state::is_ours(&self.directory)? {
            return Err(foreign("its folder belongs to somebody else"));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open(self.path())?;
        let found = file.metadata()?;
        if !found.is_file() || found.uid() != nix::unistd::geteuid().as_raw() {
            return Err(foreign("it belongs to somebody else"));
        }
        if found.mode() & 0o077 != 0 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
}

impl Line {
    fn write(&self, time: &str, writer: &mut Writer<'_>) {
        writer.raw("{\"time\":\"");
        writer.raw(time);
        writer.raw("\",\"action\":\"");
        writer.raw(match self.deed {
            Deed::Delete => "delete",
            Deed::Empty => "empty",
            Deed::Trash => "trash",
            Deed::Restore => "restore",
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
