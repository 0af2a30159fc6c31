//! An entry together with the information that the operating system reports about it.

use super::loader::{Loader, Sources};
use crate::base::sync::Arc;
use crate::scan::inspect::{Inspection, inspect};
use crate::source::SourceKind;
use crate::tree::EntryId;

#[derive(Debug)]
pub struct EntryInfo {
    pub entry: EntryId,
    pub inspection: Loader<Arc<Inspection>>,
}

impl EntryInfo {
    pub fn new(entry: EntryId, source_kind: SourceKind) -> Self {
        let inspection = match source_kind {
            SourceKind::Live => Loader::default(),
            // An entry of a snapshot or export might not exist on this machine, so it is not looked up.
            SourceKind::Recorded | SourceKind::Objects => Loader::given(None),
        };
        Self { entry, inspection }
    }

    /// Looks up the entry in the background. Returns `true` if there is a new result.
    pub fn poll(&mut self, sources: &Sources<'_>) -> bool {
        let entry = self.entry;
        self.inspection.poll(|| {
            let start = || inspect(sources.pool, Arc::clone(sources.tree), entry);
            Ok(sources.may_ask_system.then(start).transpose()?.map(Into::into))
        })
    }
}
