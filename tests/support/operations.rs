//! Functions that run previews and operations on selected entries, and wait until they are complete.

use std::sync::Arc;
use std::time::Duration;

use duke::base::job::{JobEnd, Pool};
use duke::testing::delete::{self, Operation, Preview, Report, Selection};

const LONG: Duration = Duration::from_secs(60);

/// Returns the complete preview of a deletion.
pub fn asked(selection: Selection) -> Preview {
    let job = delete::preview(&Pool::new(2).unwrap(), Arc::new(selection), 0).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    Preview::clone(&job.latest().unwrap())
}

/// Runs an operation until it is complete, and returns its report.
pub fn carried_out(work: Operation) -> Report {
    let job = delete::start(&Pool::new(2).unwrap(), work, None).unwrap();
    assert_eq!(job.wait(LONG), Some(JobEnd::Complete));
    Report::clone(&job.latest().unwrap())
}
