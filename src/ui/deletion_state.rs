//! State of deletions: the running operation, its failures, and trashed items.

use crate::base::sync::Arc;
use crate::delete::{Failures, Group, Operation, OperationKind, Report, Selection, Trashed};
use crate::ui::notice::Notice;
use crate::ui::options::DeletePolicy;

/// State of deletions.
#[derive(Debug, Default)]
pub struct DeletionState {
    /// Running operation.
    pub running: Option<Running>,
    /// Failures of the last operation; taken when the list of failures is opened.
    pub failed: Option<Failed>,
    pub policy: DeletePolicy,
    /// Trashed items, the most recent ones last.
    pub trashed: Vec<Arc<Vec<Trashed>>>,
    /// Notice about the result, shown once the tree has been updated.
    pub outcome: Option<Notice>,
    /// Operation to confirm again once its changed entries have been rescanned.
    pub asked_again: Option<(OperationKind, Arc<Selection>)>,
    /// Directories that must be rescanned because they contain restored items.
    pub returned: Vec<Group>,
}

impl DeletionState {
    /// Creates the state of a session with this policy.
    pub fn new(policy: DeletePolicy) -> Self {
        Self { policy, ..Self::default() }
    }
}

/// Running operation.
#[derive(Clone, Debug)]
pub struct Running {
    /// Kind of the operation.
    pub kind: OperationKind,
    /// Expected numbers of names and bytes, as far as they are known.
    pub expected: (u64, u64),
    /// `true` if fewer bytes than expected may be freed, because files are compressed or share space.
    pub is_at_most: bool,
    /// Progress, as of the latest report.
    pub report: Arc<Report>,
    /// `true` if the user has requested a stop.
    pub is_stopping: bool,
    pub work: Operation,
}

/// Entries for which an operation failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Kind of the failed operation.
    pub kind: OperationKind,
    /// Failed entries, with the reasons.
    pub failures: Failures,
    /// Entries to retry; `None` if there are none.
    pub selection: Option<Arc<Selection>>,
}
