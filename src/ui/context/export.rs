//! Export to a file: the check that an export can start now, the default file name, and the request to write it.

use super::Context;
use crate::base::format::share;
use crate::base::sync::Arc;
use crate::scan::Outcome;
use crate::source::save::{ENDINGS, Overwrite};
use crate::tree::DirId;
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::operations::export::ExportRequest;

impl Context<'_> {
    /// Checks that an export can start now.
    pub fn check_export(&self) -> Result<(), Notice> {
        if let Some(request) = self.written() {
            return Err(Notice::StillWriting(request.path.clone()));
        }
        match self.scan.last.outcome {
            None => Err(Notice::ExportBeforeEnd),
            Some(Outcome::Complete) if self.is_deleting() => Err(Notice::Deleting),
            Some(Outcome::Complete) if self.rescan().is_some() => Err(Notice::RescanRunning),
            Some(Outcome::Complete) => Ok(()),
            Some(_) => Err(Notice::ExportOfPart),
        }
    }

    pub fn written(&self) -> Option<&ExportRequest> {
        self.export.request.as_ref()
    }

    /// Returns the share of the entries that the running export has written, in thousandths. The export also writes
    /// excluded entries, which do not count as items. With many excluded entries, the share reaches 1,000 too early.
    pub fn written_share(&self) -> u16 {
        let entries = self.tree.totals(DirId::TOP).items;
        share(self.export.written.count().min(entries), entries)
    }

    /// Returns the default file name, which is derived from the path of the first root.
    pub fn usual_name(&self) -> String {
        let root = self.roots.first().map(|(_, shown)| shown.as_slice()).unwrap_or_default();
        let last = root.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or(b"root");
        let is_plain = |letter: &char| letter.is_alphanumeric() || ['-', '_', '.'].contains(letter);
        let name: String = String::from_utf8_lossy(last).chars().filter(is_plain).collect();
        let name = name.trim_start_matches(['-', '.']);
        // The root of an import has the name of the imported file. The ending of that name is removed.
        let without_ending = ENDINGS.iter().filter_map(|ending| name.strip_suffix(ending));
        let name = without_ending.min_by_key(|name| name.len()).unwrap_or(name);
        // ncdu's format supports only one root.
        let ending = if self.roots.len() == 1 { "json.zst" } else { "duke" };
        format!("{}.{ending}", if name.is_empty() { "files" } else { name })
    }

    /// Requests an export, or shows a notice if it cannot start now.
    pub fn write_file(&mut self, request: ExportRequest) -> Option<Effect> {
        // An operation that would change the exported tree may have started while the prompt was open.
        self.checked(self.check_export())?;
        self.export.request = Some(request.clone());
        self.export.written = Arc::default();
        Some(Effect::Export(request))
    }

    /// Requests an export that replaces an existing file. The user has already confirmed this.
    pub fn replace_file(&mut self, request: ExportRequest) -> Option<Effect> {
        self.write_file(ExportRequest { old: Overwrite::Replace, ..request })
    }
}
