//! Names used in the configuration for the lines of the key table.
//!
//! Invariant: each line has a unique name.

use super::{Answer, Binding, Command, Program, Scope, Side, TextMotion};
use crate::duplicates::KeptCopy;
use crate::ui::cursor::Motion;

impl Binding {
    pub fn name(&self) -> &'static str {
        let only = match self.scopes {
            [scope] => Some(*scope),
            _ => None,
        };
        match (self.command, only) {
            (Command::Back, Some(Scope::Table)) => "back",
            (Command::Back, Some(Scope::Prompt)) => "clear-search",
            (Command::Back, Some(Scope::FileName)) => "close-file-prompt",
            (Command::Accept, Some(Scope::FileName)) => "write-file",
            (Command::Back, Some(Scope::Marks)) => "close-marks",
            (Command::Back, Some(Scope::Help)) => "close-help",
            (Command::Back, Some(Scope::Details)) => "close-info",
            (Command::Open, Some(Scope::Treemap)) => "open-cell",
            (Command::Search, Some(Scope::Help)) => "search-help",
            (Command::Open, Some(Scope::Overview)) => "open-view",
            (Command::Open, Some(Scope::Table)) => "go-to-entry",
            (Command::Parent, Some(Scope::Treemap)) => "treemap-parent",
            (Command::Move(Motion::Up), _) if self.scopes.contains(&Scope::Prompt) => "up-in-results",
            (Command::Move(Motion::Down), _) if self.scopes.contains(&Scope::Prompt) => "down-in-results",
            (command, _) => command.name(),
        }
    }
}

impl Command {
    fn name(self) -> &'static str {
        match self {
            Self::Move(motion) => motion.name(),
            Self::Open => "open",
            Self::Inside => "enter-directory",
            Self::Parent => "parent",
            Self::Sort(column) => column.spec().sort.map_or("", |key| key.name),
            Self::Show(column) => column.spec().show.map_or("", |key| key.name),
            Self::Measure => "apparent",
            Self::Scale => "bar-scale",
            Self::DirectoriesFirst => "directories-first",
            Self::Hidden => "show-hidden",
            Self::Graph => "bars",
            Self::Preview => "preview",
            Self::OlderBaseline => "older-snapshot",
            Self::NewerBaseline => "newer-snapshot",
            Self::MapColors => "map-colors",
            Self::Help => "help",
            Self::Back => "close",
            Self::Quit => "quit",
            Self::Interrupt => "interrupt",
            Self::Suspend => "suspend",
            Self::Repaint => "repaint",
            Self::Answer(answer) => answer.name(),
            Self::View(view) => view.name,
            Self::Search => "search",
            Self::Cell(side) => side.name(),
            Self::Accept => "keep-results",
            Self::Step(motion) => motion.step_name(),
            Self::Erase(motion) => motion.erase_name(),
            Self::Rescan => "rescan",
            Self::RescanRoot => "rescan-root",
            Self::Mark => "mark",
            Self::MarkRange => "mark-range",
            Self::MarkShown => "mark-shown",
            Self::InvertMarks => "invert-marks",
            Self::MarkCopies(KeptCopy::Newest) => "mark-older-copies",
            Self::MarkCopies(KeptCopy::Oldest) => "mark-newer-copies",
            Self::MarkElsewhere => "mark-copies-elsewhere",
            Self::Share => "share-copies",
            Self::Marks => "marks",
            Self::PrintMarks => "print-marks",
            Self::Export => "export",
            Self::CopyPath => "copy-path",
            Self::Delete => "delete",
            Self::Trash => "trash",
            Self::Restore => "restore",
            Self::Script => "rm-script",
            Self::Empty => "delete-contents",
            Self::Retry => "retry",
            Self::Inspect => "info",
            Self::Start(Program::Shell) => "shell",
            Self::Start(Program::Pager) => "view-file",
            Self::Start(Program::Opener) => "open-in-app",
        }
    }
}

impl Motion {
    fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::PageUp => "page-up",
            Self::PageDown => "page-down",
            Self::HalfUp => "half-page-up",
            Self::HalfDown => "half-page-down",
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }
}

impl TextMotion {
    fn step_name(self) -> &'static str {
        match self {
            Self::Left => "step-left",
            Self::Right => "step-right",
            Self::WordLeft => "word-left",
            Self::WordRight => "word-right",
            Self::Start => "text-start",
            Self::End => "text-end",
        }
    }

    fn erase_name(self) -> &'static str {
        match self {
            Self::Left => "erase",
            Self::Right => "erase-next",
            Self::WordLeft => "erase-word",
            Self::WordRight => "erase-next-word",
            Self::Start => "erase-to-start",
            Self::End => "erase-to-end",
        }
    }
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "cell-left",
            Self::Right => "cell-right",
            Self::Above => "cell-above",
            Self::Below => "cell-below",
        }
    }
}

impl Answer {
    fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Leave => "no-or-quit",
            Self::Other => "other-button",
            Self::Selected => "press-button",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::ui::keys::KEYMAP;

    #[test]
    fn every_line_of_the_table_has_a_name_of_its_own() {
        let mut names = BTreeSet::new();
        for binding in KEYMAP {
            assert!(names.insert(binding.name()), "{} ({}) twice", binding.name(), binding.help);
        }
    }
}
