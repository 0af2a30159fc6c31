//! Execution of commands in the current scope.
//!
//! This file handles the commands of the list and of table views. Layers handle their own commands. Invariant: a key
//! performs only the command that the keymap binds to it.

use ratatui::crossterm::event::KeyEvent;

use super::App;
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
use crate::ui::layers::search_prompt::SearchPrompt;
use crate::ui::layout::layout;
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::table_page::is_of_table;
use crate::ui::view_state::BaseView;
use crate::ui::views::LIST;

impl App<'_> {
    /// Returns `true` if the owner column is already visible, or if the owner of a visible entry is known.
    fn can_show_owners(&self) -> bool {
        let has_owner = |row: &Row| matches!(row.cell(Column::Owner), CellValue::User(_));
        self.cx.shown.columns.has(Column::Owner) || self.cx.window.lines.iter().any(has_owner)
    }

    /// Handles a key press. `was_waiting` is `true` if this key press has already canceled a waiting command.
    /// [`Command::Back`] then has no further effect.
    pub(super) fn key(&mut self, event: KeyEvent, was_waiting: bool) -> Option<Effect> {
        self.cx.notice = None;
        self.cx.pressed = Some(self.cx.scan.last.now);
        let scope = self.scope();
        let command = self.cx.keymap.lookup(scope, event);
        let is_global = command.is_some_and(Command::is_global);
        match command {
            Some(Command::Back) if was_waiting => None,
            _ if scope.is_typed() && !is_global => self.offer(Input::Key(event, command)).effect(),
            Some(command) => self.perform(command),
            None => {
                self.cx.notify_unbound(scope, event);
                None
            }
        }
    }

    /// Passes pasted text to the open text field, if any. The name that confirms a deletion must be typed, not pasted.
    pub(super) fn paste(&mut self, text: &str) {
        if self.scope().is_typed() {
            // The returned effect is ignored, because text input never causes I/O.
            let _ = self.offer(Input::Paste(text));
        }
    }

    /// Performs the command that waits for the scan, once the scan has found the entries that the command acts on.
    /// Drops the command if a layer has opened in the meantime, because the layer would receive the command.
    pub(super) fn perform_waiting(&mut self) -> Option<Effect> {
        if !self.layers.is_empty() {
            self.cx.forget_waiting();
        }
        self.cx.take_ready().and_then(|command| self.perform(command))
    }

    pub(super) fn perform(&mut self, command: Command) -> Option<Effect> {
        if self.layers.is_empty() && self.cx.wait_for_scan(command) {
            return None;
        }
        match command {
            _ if self.scope() == Scope::Table
                && self.cx.table().is_some_and(|view| !is_of_table(view.spec, command)) =>
            {
                self.cx.notify_unavailable(command);
                None
            }
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
                self.layers
                    .push(Layer::Help(HelpPage::new(self.scope(), self.cx.table().map(|view| view.spec))));
                None
            }
            Command::Answer(answer) if self.is_yes(answer) && !self.accepts_yes() => None,
            Command::View(view) if *view == LIST && self.close_page() => self.perform(command),
            _ => match self.offer(Input::Command(command)) {
                Handled::No if self.scope() == Scope::Table => self.table_command(command),
                Handled::No => self.command(command),
                handled => handled.effect(),
            },
        }
    }

    pub(super) fn command(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Move(motion) if self.cx.views.is_overview() => self.cx.views.overview.go(motion),
            Command::Move(motion) => self.cx.step(motion),
            Command::Open if self.cx.views.is_overview() => {
                return self.cx.views.overview.selected().and_then(|view| self.perform(Command::View(view)));
            }
            Command::Open => self.cx.open(),
            Command::Parent => self.parent(),
            Command::Sort(Column::Growth) => self.cx.sort_by_growth(),
            Command::Sort(Column::Frees) => self.cx.sort_by_frees(),
            Command::Sort(column) => self.cx.sort_by(column),
            Command::DirectoriesFirst => {
                self.cx.order.grouping = match self.cx.order.grouping {
                    Grouping::Mixed => Grouping::DirectoriesFirst,
                    Grouping::DirectoriesFirst => Grouping::Mixed,
                };
                self.cx.sort();
            }
            Command::Measure => {
                self.cx.order.measure = match self.cx.order.measure {
                    Measure::Disk => Measure::Apparent,
                    Measure::Apparent => Measure::Disk,
                };
                self.cx.sort();
            }
            Command::Hidden => {
                self.cx.order.hidden = match self.cx.order.hidden {
                    Hidden::Shown => Hidden::Omitted,
                    Hidden::Omitted => Hidden::Shown,
                };
                self.cx.sort();
            }
            Command::Show(Column::Owner) if !self.can_show_owners() => self.cx.notify(Notice::NoOwners),
            Command::Show(Column::Growth) => self.cx.toggle_growth(),
            Command::Show(Column::Frees) => self.cx.toggle_frees(),
            Command::Show(column) => self.cx.shown.columns.toggle(column),
            Command::Scale => self.cx.shown.scale.toggle(),
            Command::Preview => self.cx.next_panes(),
            Command::OlderBaseline => self.cx.choose_baseline(|index| Some(index + 1)),
            Command::NewerBaseline => self.cx.choose_baseline(|index| index.checked_sub(1)),
            Command::MapColors => self.cx.next_map_colors(),
            // Without a percentage column, the command only shows or hides the bar.
            Command::Graph if self.cx.table().is_some_and(|view| !view.spec.columns.has(Column::Percent)) => {
                self.cx.shown.columns.toggle(Column::Bar);
            }
            Command::Graph => self.cx.shown.columns.next_graph(),
            Command::Back if self.cx.end_range() || self.cx.return_to_view() || self.cx.clear_filter() => {}
            Command::Quit | Command::Back if self.cx.views.base != BaseView::List => {
                self.view_command(command);
            }
            Command::View(_) | Command::Search | Command::Cell(_) => self.view_command(command),
            Command::Quit => return self.quit(),
            Command::Rescan => return self.cx.rescan_selected(),
            Command::RescanRoot => return self.cx.rescan_root(),
            Command::Mark => self.cx.mark(),
            Command::MarkRange => self.cx.mark_range(),
            Command::MarkShown => self.cx.mark_shown(),
            Command::InvertMarks => self.cx.invert_marks(),
            Command::Marks => self.layers.push(Layer::Marks(MarksList::new(&self.cx))),
            Command::PrintMarks => return self.cx.print_marks(),
            Command::Export => self.ask_for_file(),
            Command::CopyPath => return self.cx.copy_path(),
            Command::Back => return self.cx.stop_deleting().or_else(|| self.cx.stop_rescan()),
            // `perform` has already handled some of these commands. The others do nothing in the list.
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
            | Command::MarkCopies(_)
            | Command::MarkElsewhere
            | Command::Share
            | Command::Step(_)
            | Command::Erase(_) => {}
        }
        None
    }

    pub(super) fn begin_search(&mut self) {
        self.layers.push(Layer::Search(SearchPrompt));
        self.cx.views.return_to = None;
        self.cx.search();
    }

    pub(super) fn parent(&mut self) {
        if self.cx.return_upwards() {
            return;
        }
        if !self.cx.leave() {
            self.ask_to_scan_above();
        }
    }

    pub(super) fn table_command(&mut self, command: Command) -> Option<Effect> {
        let lines = layout(self.cx.size).list_lines();
        match command {
            Command::Move(motion) => self.cx.step_table(motion, lines),
            Command::Open => self.cx.follow(),
            Command::Inside => self.cx.open_in_place(),
            Command::Sort(column) => self.cx.sort_table(column),
            Command::Measure => {
                let effect = self.command(command);
                self.cx.switch_measure();
                return effect;
            }
            Command::MarkCopies(kept) => self.cx.mark_copies(kept),
            Command::MarkElsewhere => self.cx.mark_elsewhere(),
            Command::Share => self.ask_to_share(),
            Command::Back if self.cx.end_range() => {}
            Command::Back | Command::Quit | Command::View(_) | Command::Search => self.view_command(command),
            other => return self.command(other),
        }
        None
    }
}
