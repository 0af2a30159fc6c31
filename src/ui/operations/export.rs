//! Export to a file in the background.
//!
//! Invariant: a failed or canceled export leaves no partial file.

use std::io;
use std::path::PathBuf;

use crate::base::job::{Job, Pool};
use crate::base::sync::Arc;
use crate::base::text::escape_path;
use crate::formats::WrittenEntries;
use crate::source::Source;
use crate::source::save::{Format, Overwrite, SaveError, write};
use crate::ui::field::Field;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    pub path: PathBuf,
    pub format: Format,
    /// Action taken if there is already a file at `path`.
    pub old: Overwrite,
}

#[derive(Clone, Debug, Default)]
pub struct Exporting {
    /// Text field of the latest export prompt. The next prompt offers its text as the default, and Up and Down recall
    /// earlier file names.
    pub name: Field,
    /// Request for the export that is running, if any.
    pub request: Option<ExportRequest>,
    /// Progress of the export that is running.
    pub written: Arc<WrittenEntries>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportMessage {
    pub request: ExportRequest,
    pub written: Result<u64, SaveError>,
}

impl ExportRequest {
    pub fn shown(&self) -> String {
        escape_path(&self.path)
    }
}

/// Starts the job that writes the tree of `source` to a file. `count` counts the entries written so far.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn begin(
    pool: &Pool,
    source: &Source,
    request: ExportRequest,
    count: Arc<WrittenEntries>,
) -> io::Result<Job<Result<u64, SaveError>>> {
    let source = source.clone();
    pool.start(move |task| {
        task.publish(write(&source, &request.path, request.format, request.old, task.cancelled(), &count));
    })
}
