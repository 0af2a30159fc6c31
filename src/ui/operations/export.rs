//! Export to a file in the background.
//!
//! Invariant: a failed or cancelled export leaves no partial file.

use std::io;
use std::path::PathBuf;

use crate::base::job::{Job, Pool};
use crate::base::text::escape_path;
use crate::source::Source;
use crate::source::save::{Format, Overwrite, SaveError, write};
use crate::ui::field::Field;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    pub path: PathBuf,
    pub format: Format,
    /// Treatment of an existing file.
    pub old: Overwrite,
}

#[derive(Clone, Debug, Default)]
pub struct Exporting {
    /// Last file name typed, which is the default of the next prompt. Includes the names typed before.
    pub name: Field,
    /// Request for the file being written, if there is one.
    pub order: Option<ExportRequest>,
}

/// Result of writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportMessage {
    pub order: ExportRequest,
    /// Number of bytes written, or the error.
    pub written: Result<u64, SaveError>,
}

impl ExportRequest {
    /// Returns the path of the file, escaped for the terminal.
    pub fn shown(&self) -> String {
        escape_path(&self.path)
    }
}

/// Starts the job that writes the tree of `source` to a file.
///
/// # Errors
/// If no thread can be started.
pub fn begin(pool: &Pool, source: &Source, order: ExportRequest) -> io::Result<Job<Result<u64, SaveError>>> {
    let source = source.clone();
    pool.start(move |task| {
        task.publish(write(&source, &order.path, order.format, order.old, task.cancelled()));
    })
}
