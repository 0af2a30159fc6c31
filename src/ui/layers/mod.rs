//! Layers above the view: pages, prompts and dialogs. The top layer gets the keys.

pub mod confirm_delete;
mod dialog;
pub mod failures;
pub mod file_prompt;
pub mod help;
mod help_texts;
pub mod info;
mod info_notes;
mod info_texts;
pub mod marks_list;
pub mod question;
pub mod search_prompt;

use super::component::Component;
use confirm_delete::DeleteDialog;
pub use dialog::bordered;
use failures::FailuresList;
use file_prompt::FilePrompt;
use help::HelpPage;
use info::InfoPage;
use marks_list::MarksList;
use question::QuestionDialog;
use search_prompt::SearchPrompt;

#[derive(Debug)]
pub enum Layer<'t> {
    Help(HelpPage),
    Info(InfoPage),
    Marks(MarksList<'t>),
    Failures(FailuresList),
    Search(SearchPrompt),
    FileName(FilePrompt),
    ConfirmDelete(DeleteDialog),
    Question(QuestionDialog),
}

impl<'t> Layer<'t> {
    pub fn component(&self) -> &dyn Component<'t> {
        match self {
            Self::Help(page) => page,
            Self::Info(page) => page,
            Self::Marks(list) => list,
            Self::Failures(list) => list,
            Self::Search(prompt) => prompt,
            Self::FileName(prompt) => prompt,
            Self::ConfirmDelete(dialog) => dialog,
            Self::Question(dialog) => dialog,
        }
    }

    pub fn component_mut(&mut self) -> &mut dyn Component<'t> {
        match self {
            Self::Help(page) => page,
            Self::Info(page) => page,
            Self::Marks(list) => list,
            Self::Failures(list) => list,
            Self::Search(prompt) => prompt,
            Self::FileName(prompt) => prompt,
            Self::ConfirmDelete(dialog) => dialog,
            Self::Question(dialog) => dialog,
        }
    }

    /// Returns `true` if the layer is a page, which covers the view or is drawn in a pane beside it.
    pub fn is_page(&self) -> bool {
        matches!(self, Self::Help(_) | Self::Info(_) | Self::Marks(_) | Self::Failures(_))
    }

    /// Returns `true` if the layer replaces the status line.
    pub fn covers_status_line(&self) -> bool {
        matches!(self, Self::Help(_) | Self::Search(_) | Self::FileName(_))
    }
}
