//! Preview of the row under the cursor: requests for its data, and background jobs.

use super::Context;
use crate::analysis::overview::breakdown;
use crate::analysis::search::Query;
use crate::analysis::survey::largest;
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::scan::head::head;
use crate::source::SourceKind;
use crate::table::outline::{OutlineRequest, outline};
use crate::tree::EntryId;
use crate::ui::entry_info::EntryInfo;
use crate::ui::loader::{Sources, TableRequest};
use crate::ui::preview::Previewed;
use crate::ui::views::Target;

/// Maximum number of files listed in the preview of a total.
const MOST_FILES: usize = 128;

impl Context<'_> {
    /// Returns the entry under the cursor, if the row represents a single existing entry.
    pub fn entry_under_cursor(&self) -> Option<EntryId> {
        let Some(view) = self.table() else {
            let position = self.location.rows().position(self.location.index())?;
            return Some(EntryId { directory: self.location.id, position });
        };
        match view.target()? {
            Target::Entry(entry) => Some(entry),
            Target::Change(row) => row.present(),
            Target::Recorded(..) => match view.entries(self.tree, view.index()).as_slice() {
                [entry] => Some(*entry),
                _ => None,
            },
            Target::Files { .. } | Target::Words { .. } => None,
        }
    }

    /// Returns the group of files in the row under the cursor of the top view, and the request for a list of its files.
    fn files_under_cursor(&self) -> Option<(Previewed, TableRequest)> {
        let target = self.table()?.target().filter(Target::is_of_files)?;
        let key = target.key()?;
        let Target::Files { label, query, .. } = target else { return None };
        let request = self.request(self.views.filter.clone().narrowed_by(&query));
        Some((Previewed::Files { label, key }, request))
    }

    pub fn collect_preview(&mut self) {
        let pane = self.regions(self.size).right;
        let subject = pane.and_then(|_| self.entry_under_cursor()).and_then(|entry| {
            let record = entry.record(self.tree)?;
            Some((entry, record.directory(), record.kind))
        });
        let files = pane.and_then(|_| self.files_under_cursor());
        let is_new = self.views.preview.show(match (&subject, &files) {
            (Some((entry, directory, _)), _) => Some(Previewed::Entry(*entry, *directory)),
            (None, Some((total, _))) => Some(total.clone()),
            (None, None) => None,
        });
        if let Some((_, request)) = files {
            let key = (request.from, request.order.by, self.tree.edition());
            self.views.preview.files.want(key, |one, other| one.0 == other.0);
        }
        let (Some((entry, directory, kind)), Some(pane)) = (subject, pane) else { return };
        let (order, sizes) = (self.order, self.sizes());
        let preview = &mut self.views.preview;
        if let Some(directory) = directory {
            let parts = u64::from(pane.width) * u64::from(pane.height);
            preview.breakdown.want((directory, self.tree.edition()), |one, other| one.0 == other.0);
            let request = OutlineRequest { directory, order, sizes, parts };
            preview.map.want(request, |one, other| one.directory == other.directory);
        }
        if is_new {
            preview.info = Some(EntryInfo::new(entry, self.source_kind));
            if kind == Kind::File && self.source_kind == SourceKind::Live {
                preview.head.want(entry, EntryId::eq);
            }
        }
    }

    /// Starts the background jobs that the preview needs, and collects their new results. Returns `true` if a result
    /// or the state of a job has changed.
    pub fn poll_preview(&mut self, sources: &Sources<'_>) -> bool {
        if !self.views.preview.can_start() {
            return false;
        }
        let request = self.request(Query::default());
        let files = self.views.preview.files.is_loading().then(|| self.files_under_cursor()).flatten();
        let now = self.views.clock;
        let preview = &mut self.views.preview;
        let counted = preview.breakdown.poll(|(from, _)| {
            let request = crate::analysis::search::Request { from, ..sources.request(&request) };
            Ok(Some(breakdown(sources.pool, request, now)?.into()))
        });
        let outlined = preview
            .map
            .poll(|request| Ok(Some(outline(sources.pool, Arc::clone(sources.tree), request)?.into())));
        let read = preview.head.poll(|entry| {
            let start = || head(sources.pool, Arc::clone(sources.tree), entry);
            Ok(sources.may_ask_system.then(start).transpose()?.map(Into::into))
        });
        let listed = preview.files.poll(|_| {
            let start = |(_, request)| largest(sources.pool, sources.request(&request), MOST_FILES);
            Ok(files.map(start).transpose()?.map(Into::into))
        });
        let inspected = preview.info.as_mut().is_some_and(|info| info.poll(sources));
        counted | outlined | read | listed | inspected
    }
}
