//! Export of the tree to a file: the prompt for the name, and the result.
//!
//! Invariant: only one file is written at a time, and an existing file is replaced only after the user answers Yes.

use super::App;
use crate::source::save::SaveError;
use crate::ui::field::Field;
use crate::ui::layers::Layer;
use crate::ui::layers::file_prompt::FilePrompt;
use crate::ui::layers::question::Question;
use crate::ui::notice::Notice;
use crate::ui::operations::export::ExportMessage;

impl App<'_> {
    pub(super) fn ask_for_file(&mut self) {
        if self.cx.checked(self.cx.check_export()).is_none() {
            return;
        }
        let before = &self.cx.export.name;
        let name = if before.is_empty() { self.cx.usual_name() } else { before.as_str().to_owned() };
        let name = Field::offering(name).with_past_of(before);
        self.layers.push(Layer::FileName(FilePrompt::new(name)));
    }

    pub(super) fn take_export(&mut self, message: ExportMessage) {
        let ExportMessage { request, written } = message;
        let path = request.path.clone();
        self.cx.export.request = None;
        self.withdraw_quit();
        let notice = match written {
            Ok(bytes) => Notice::Wrote(path, bytes),
            Err(SaveError::Exists) => {
                // Ask only if no layer is open, so as not to interrupt the user.
                if self.layers.is_empty() {
                    self.ask(Question::Replace(request));
                }
                Notice::FileExists(path)
            }
            Err(SaveError::Stopped) => Notice::NotWritten(path),
            Err(SaveError::Failed(reason)) => Notice::WriteFailed(path, reason),
        };
        self.cx.notify(notice);
    }
}
