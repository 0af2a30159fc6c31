//! Commands of the keys, by scope.
//!
//! Contains the commands of the list; those of sheets and layers are in their own files. Invariant: a key
//! does what the keymap says, and nothing else.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Effect};
use crate::base::format::Measure;
use crate::delete::OperationKind;
use crate::table::column::Column;
use crate::table::row::{CellValue, Row};
use crate::table::rows::{Grouping, Hidden};
use crate::ui::component::{Handled, Input};
use crate::ui::keys::{Command, Scope};
use crate::ui::layers::Layer;
use crate::ui::layers::help::HelpPage;
use crate::ui::layers::marks_list::MarksList;
use crate::ui::notice::Notice;
use crate::ui::views::LIST;

impl App<'_> {
    /// Returns `true` if the owners of the shown entries are recorded, or their column can be hidden.
    fn may_show_owners(&self) -> bool {
        let has_owner = |row: &Row| matches!(row.cell(Column::Owner), CellValue::User(_));
        self.shown.columns.has(Column::Owner) || self.window.lines.iter().any(has_owner)
    }

    pub(super) fn key(&mut self, event: KeyEvent) -> Option<Effect> {
        self.notice = None;
        self.pressed = Some(self.scan.last.now);
        let scope = self.scope();
        let command = self.keymap.lookup(scope, event);
        let is_global = command.is_some_and(Command::is_global);
        match command {
            _ if scope.is_typed() && !is_global => self.offer(Input::Key(event, command)).effect(),
            Some(command) => self.perform(command),
            None => {
                self.say_unknown(scope, event);
                None
            }
        }
    }

    /// Takes a pasted text. It is added to typed text, but never to a name that confirms.
    pub(super) fn paste(&mut self, text: &str) {
        if self.scope().is_typed() {
            // Typing has no effect outside.
            let _ = self.offer(Input::Paste(text));
        }
    }

    /// Performs the command of a key.
    pub(super) fn perform(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Suspend => Some(Effect::Suspend),
            Command::Repaint => Some(Effect::Repaint),
            Command::Interrupt => self.interrupt(),
            Command::Start(program) => self.start(program),
            Command::Delete => self.ask_to(OperationKind::Delete),
            Command::Trash => self.ask_to(OperationKind::Trash),
            Command::Restore => self.restore(),
            Command::Script => self.write_script(),
            Command::Inspect => {
                self.inspect();
                None
            }
            Command::Help => {
                self.layers.push(Layer::Help(HelpPage::default()));
                None
            }
            Command::Answer(answer) if self.is_yes(answer) && !self.may_say_yes() => None,
            Command::View(view) if *view == LIST && self.close_page() => self.perform(command),
            _ => match self.offer(Input::Command(command)) {
                Handled::No if self.scope() == Scope::Sheet => self.sheet_command(command),
                Handled::No => self.command(command),
                handled => handled.effect(),
            },
        }
    }

    pub(super) fn command(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Move(motion) => {
                self.place.step(motion, self.lines_here());
                self.pin();
            }
            Command::Open => self.open(),
            Command::Parent => self.parent(),
            Command::Sort(Column::Growth) => self.sort_by_growth(),
            Command::Sort(column) => self.sort_by(column),
            Command::DirectoriesFirst => {
                self.order.grouping = match self.order.grouping {
                    Grouping::Mixed => Grouping::DirectoriesFirst,
                    Grouping::DirectoriesFirst => Grouping::Mixed,
                };
                self.sort();
            }
            Command::Measure => {
                self.order.measure = match self.order.measure {
                    Measure::Disk => Measure::Apparent,
                    Measure::Apparent => Measure::Disk,
                };
                self.sort();
            }
            Command::Hidden => {
                self.order.hidden = match self.order.hidden {
                    Hidden::Shown => Hidden::LeftOut,
                    Hidden::LeftOut => Hidden::Shown,
                };
                self.sort();
            }
            Command::Show(Column::Owner) if !self.may_show_owners() => self.notify(Notice::NoOwners),
            Command::Show(column) => self.shown.columns.toggle(column),
            Command::Scale => self.shown.scale.toggle(),
            Command::Graph => self.shown.columns.turn_graph(),
            Command::Back if self.end_range() || self.come_back() || self.clear_filter() => {}
            Command::Quit | Command::Back if self.views.is_treemap => self.view_command(command),
            Command::View(_) | Command::Search | Command::Cell(_) => self.view_command(command),
            Command::Quit => return self.quit(),
            Command::Rescan => return self.read_again(),
            Command::RescanRoot => return self.read_root_again(),
            Command::Mark => self.mark(),
            Command::MarkRange => self.mark_range(),
            Command::MarkShown => self.mark_shown(),
            Command::InvertMarks => self.invert_marks(),
            Command::Marks => self.layers.push(Layer::Marks(MarksList::new(self.tree, &self.marks))),
            Command::PrintMarks => return self.print_marks(),
            Command::Export => self.ask_for_file(),
            Command::CopyPath => return self.copy_path(),
            Command::Back => return self.stop_deleting().or_else(|| self.stop_rescan()),
            // Commands with a meaning everywhere were performed before, and the others are keys of the search
            // prompt.
            Command::Interrupt
            | Command::Suspend
            | Command::Help
            | Command::Repaint
            | Command::Inspect
            | Command::Start(_)
            | Command::Delete
            | Command::Trash
            | Command::Restore
            | Command::Script
            | Command::Answer(_)
            | Command::Accept
            | Command::Empty
            | Command::Retry
            | Command::Inside
            | Command::Erase
            | Command::EraseAll => {}
        }
        None
    }
}
