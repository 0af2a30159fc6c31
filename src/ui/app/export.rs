//! Export to a file, and its result.
//!
//! Invariant: only one file is written at a time, and an existing one is replaced only after a Yes.

use super::{App, Effect};
use crate::scan::Outcome;
use crate::source::save::{Old, Unwritten};
use crate::ui::export::{Order, Told};
use crate::ui::layers::Layer;
use crate::ui::layers::file_prompt::FilePrompt;
use crate::ui::layers::question::About;
use crate::ui::notice::Notice;

/// State of exports.
#[derive(Clone, Debug, Default)]
pub struct Exporting {
    /// Name typed last.
    pub name: String,
    /// File being written.
    pub order: Option<Order>,
}

impl App<'_> {
    /// Opens the prompt for a file name.
    pub(super) fn ask_for_file(&mut self) {
        if self.checked(self.check_export()).is_none() {
            return;
        }
        let before = self.export.name.as_str();
        let name = if before.is_empty() { self.usual_name() } else { before.to_owned() };
        self.layers.push(Layer::FileName(FilePrompt::new(name)));
    }

    /// Checks that a file can be written at present.
    fn check_export(&self) -> Result<(), Notice> {
        if let Some(order) = self.written() {
            return Err(Notice::StillWriting(order.path.clone()));
        }
        match self.scan.last.outcome {
            None => Err(Notice::ExportBeforeEnd),
            Some(Outcome::Complete) if self.rescan().is_some() || self.is_deleting() => {
                Err(Notice::RescanRunning)
            }
            Some(Outcome::Complete) => Ok(()),
            Some(_) => Err(Notice::ExportOfPart),
        }
    }

    /// Returns the file being written.
    pub fn written(&self) -> Option<&Order> {
        self.export.order.as_ref()
    }

    /// Returns a default name that describes the contents.
    fn usual_name(&self) -> String {
        let root = self.roots.first().map(|(_, shown)| shown.as_slice()).unwrap_or_default();
        let last = root.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or(b"root");
        let is_plain = |letter: &char| letter.is_alphanumeric() || ['-', '_', '.'].contains(letter);
        let name: String = String::from_utf8_lossy(last).chars().filter(is_plain).collect();
        let name = name.trim_start_matches(['-', '.']);
        // ncdu's format has one root directory.
        let ending = if self.roots.len() == 1 { "json.zst" } else { "duke" };
        format!("{}.{ending}", if name.is_empty() { "files" } else { name })
    }

    /// Starts to write a file.
    pub(in crate::ui) fn write_file(&mut self, order: Order) -> Option<Effect> {
        // An operation that has started since would change the contents.
        self.checked(self.check_export())?;
        self.notify(Notice::Writing(order.path.clone()));
        self.export.order = Some(order.clone());
        Some(Effect::Export(order))
    }

    /// Replaces an existing file after a Yes.
    pub(in crate::ui) fn replace_file(&mut self, order: Order) -> Option<Effect> {
        self.write_file(Order { old: Old::Replaced, ..order })
    }

    /// Processes the result.
    pub(super) fn take_export(&mut self, told: Told) {
        let Told { order, written } = told;
        let path = order.path.clone();
        self.export.order = None;
        self.unask_quit();
        let notice = match written {
            Ok(bytes) => Notice::Wrote(path, bytes),
            Err(Unwritten::Exists) => {
                // Does not interrupt the user, who may have opened something else.
                if self.layers.is_empty() {
                    self.ask(About::Replace(order));
                }
                Notice::FileExists(path)
            }
            Err(Unwritten::Stopped) => Notice::NotWritten(path),
            Err(Unwritten::Failed(reason)) => Notice::WriteFailed(path, reason),
        };
        self.notify(notice);
    }
}
