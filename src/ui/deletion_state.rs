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
    /// Failures of the last operation, until they are shown.
    pub failed: Option<Failed>,
    pub policy: DeletePolicy,
    /// Trashed items; those trashed last are at the end.
    pub trashed: Vec<Arc<Vec<Trashed>>>,
    /// Notice that is shown when the tree is up to date.
    pub outcome: Option<Notice>,
    /// Operation for which the question is asked again when changed entries were rescanned.
    pub asked_again: Option<(OperationKind, Arc<Selection>)>,
    /// Directories that must be rescanned because they contain restored items.
    pub returned: Vec<Group>,
}

impl DeletionState {
    /// Creates the state with this policy.
    pub fn new(policy: DeletePolicy) -> Self {
        Self { policy, ..Self::default() }
    }
}

/// Running operation.
#[derive(Clone, Debug)]
pub struct Running {
    /// Kind of the operation.
    pub kind: OperationKind,
    /// Expected number of names, as far as it is known, and expected number of bytes.
    pub expected: (u64, u64),
    /// `true` if fewer bytes than expected may be freed, because files are compressed or share space.
    pub is_at_most: bool,
    /// Progress.
    pub report: Arc<Report>,
    /// `true` if it was asked to stop.
    pub is_stopping: bool,
    pub work: Operation,
}

/// Entries for which an operation failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Operation.
    pub kind: OperationKind,
    /// Failed entries, with the reasons.
    pub failures: Failures,
    /// Entries for another attempt.
    pub selection: Option<Arc<Selection>>,
}
