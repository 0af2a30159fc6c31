//! Writes a file in the background.
//!
//! Invariant: no partial file is left.

use std::io;
use std::path::PathBuf;

use crate::base::job::{Job, Pool};
use crate::base::text::escape_path;
use crate::source::Source;
use crate::source::save::{Format, Overwrite, SaveError, write};

/// File that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// Path.
    pub path: PathBuf,
    /// Format.
    pub format: Format,
    /// Treatment of an existing file.
    pub old: Overwrite,
}

/// State of exports.
#[derive(Clone, Debug, Default)]
pub struct Exporting {
    /// Name that was typed last.
    pub name: String,
    /// File that is being written.
    pub order: Option<ExportRequest>,
}

/// Result of writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportMessage {
    /// Request.
    pub order: ExportRequest,
    /// Number of bytes, or the error.
    pub written: Result<u64, SaveError>,
}

impl ExportRequest {
    /// Returns the path of the file, in a form that is safe for a terminal.
    pub fn shown(&self) -> String {
        escape_path(&self.path)
    }
}

/// Starts to write the tree of `source` to a file.
///
/// # Errors
/// When no thread can be started.
pub fn begin(pool: &Pool, source: &Source, order: ExportRequest) -> io::Result<Job<Result<u64, SaveError>>> {
    let source = source.clone();
    pool.start(move |task| {
        task.publish(write(&source, &order.path, order.format, order.old, task.cancelled()));
    })
}
