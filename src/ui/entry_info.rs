//! Entry with what the system reports about it.

use super::loader::{Loader, Sources};
use crate::base::sync::Arc;
use crate::scan::inspect::{Inspection, inspect};
use crate::source::SourceKind;
use crate::tree::EntryId;

/// Entry, for the info page and the preview.
#[derive(Debug)]
pub struct EntryInfo {
    /// Address of the entry.
    pub entry: EntryId,
    /// Result of asking the system about the entry.
    pub inspection: Loader<Arc<Inspection>>,
}

impl EntryInfo {
    /// Creates the information about an entry.
    pub fn new(entry: EntryId, source_kind: SourceKind) -> Self {
        let inspection = match source_kind {
            SourceKind::Live => Loader::default(),
            // This system has no information about a recorded entry.
            SourceKind::Recorded => Loader::given(None),
        };
        Self { entry, inspection }
    }

    /// Asks the system about the entry. Returns `true` if there is something new.
    pub fn poll(&mut self, sources: &Sources<'_>) -> bool {
        let entry = self.entry;
        self.inspection.poll(|| {
            let start = || inspect(sources.pool, Arc::clone(sources.tree), entry);
            Ok(sources.may_ask_system.then(start).transpose()?.map(Into::into))
        })
    }
}
