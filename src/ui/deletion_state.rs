//! State of deletions: the running operation, its failures, and trashed items.

use crate::base::sync::Arc;
use crate::delete::{Failures, Group, Operation, OperationKind, Report, Selection, Trashed};
use crate::ui::notice::Notice;
use crate::ui::options::DeletePolicy;
use crate::ui::sentences::FreedAccuracy;

#[derive(Debug, Default)]
pub struct DeletionState {
    pub running: Option<Running>,
    /// Failures of the last operation; `None` if there were none, or if the list of failures has already been opened.
    pub failed: Option<Failed>,
    pub policy: DeletePolicy,
    /// Trashed items, most recent last.
    pub trashed: Vec<Arc<Vec<Trashed>>>,
    /// Notice about the result of an operation. It is shown once the tree has been updated.
    pub outcome: Option<Notice>,
    /// Operation for which the deletion dialog opens again once the changed entries have been rescanned.
    pub asked_again: Option<(OperationKind, Arc<Selection>)>,
    /// Directories that must still be rescanned because items were restored in them.
    pub returned: Vec<Group>,
}

impl DeletionState {
    pub fn new(policy: DeletePolicy) -> Self {
        Self { policy, ..Self::default() }
    }
}

#[derive(Clone, Debug)]
pub struct Running {
    pub kind: OperationKind,
    /// Number of entries and number of bytes that the operation is expected to affect; 0 if unknown.
    pub expected: (u64, u64),
    pub accuracy: FreedAccuracy,
    pub report: Arc<Report>,
    pub is_stopping: bool,
    pub work: Operation,
}

#[derive(Clone, Debug)]
pub struct Failed {
    pub kind: OperationKind,
    pub failures: Failures,
    /// Entries to retry, if there are any.
    pub selection: Option<Arc<Selection>>,
}
