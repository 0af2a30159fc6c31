//! What a key does, by where it is pressed.
//!
//! Knows the commands of the list itself; those of sheets, marks, questions and the like are in their own files. Invariant: a key does what
//! the keymap says, and nothing else.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Effect, Mode};
use crate::delete::Deed;
use crate::rows::{Column, Grouping, Hidden};
use crate::size::Measure;
use crate::ui::cursor::moved;
use crate::ui::keys::{Command, Scope, View};
use crate::ui::view::help;

impl App<'_> {
    pub(super) fn key(&mut self, event: KeyEvent) -> Option<Effect> {
        self.notice = None;
        self.pressed = Some(self.scan.last.now);
        let scope = self.scope();
        let command = self.keymap.lookup(scope, event);
        let is_global = command.is_some_and(Command::is_global);
        match (scope, command) {
            (Scope::Prompt, _) if !is_global => self.prompt_key(event, command),
            (Scope::FileName, _) if !is_global => self.file_name_key(event, command),
            (Scope::Typing, _) if !is_global => self.typing_key(event, command),
            (_, Some(command)) => self.perform(command),
            (_, None) => {
                self.say_unknown(scope, event);
                None
            }
        }
    }

    /// Takes a text that was pasted. It is part of what is typed, but never of what has to be typed to confirm.
    pub(super) fn paste(&mut self, text: &str) {
        match self.scope() {
            Scope::Prompt => {
                self.views.text.paste(text);
                self.search();
            }
            Scope::FileName => self.paste_file_name(text),
            _ => {}
        }
    }

    /// Does what a key asks for where one is.
    pub(super) fn perform(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Suspend => Some(Effect::Suspend),
            Command::Repaint => Some(Effect::Repaint),
            Command::Interrupt => self.interrupt(),
            Command::Start(program) => self.start(program),
            Command::Delete => self.ask_to(Deed::Delete),
            Command::Trash => self.ask_to(Deed::Trash),
            Command::Restore => self.restore(),
            Command::Script => self.write_script(),
            Command::Inspect => {
                self.inspect();
                None
            }
            _ if self.question.is_some() => self.answer(command),
            _ => match self.mode {
                Mode::List if self.scope() == Scope::Sheet => self.sheet_command(command),
                Mode::List => self.command(command),
                Mode::Prompt => self.sheet_command(command),
                // All but what has a meaning everywhere was done before.
                Mode::FileName => None,
                Mode::Help(line) => {
                    self.read_help(line, command);
                    None
                }
                Mode::Marks => self.command_marks(command),
                Mode::Confirm => self.confirm_command(command),
                Mode::Failures => self.failures_command(command),
                Mode::Details => {
                    self.command_details(command);
                    None
                }
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
            Command::Items => self.shown.items.toggle(),
            Command::Modified => self.shown.modified.toggle(),
            Command::Shared => self.shown.shared.toggle(),
            Command::Scale => self.shown.scale.toggle(),
            Command::Graph => self.shown.graph = self.shown.graph.next(),
            Command::Help => self.mode = Mode::Help(0),
            Command::Back if self.end_range() || self.come_back() || self.clear_filter() => {}
            Command::Quit | Command::Back if self.views.base == View::Treemap => self.view_command(command),
            Command::View(_) | Command::Search | Command::Cell(_) => self.view_command(command),
            Command::Quit => return self.quit(),
            Command::Rescan => return self.read_again(),
            Command::RescanRoot => return self.read_root_again(),
            Command::Mark => self.mark(),
            Command::MarkRange => self.mark_range(),
            Command::MarkShown => self.mark_shown(),
            Command::InvertMarks => self.invert_marks(),
            Command::Marks => self.open_pane(),
            Command::PrintMarks => return self.print_marks(),
            Command::Export => self.ask_for_file(),
            Command::CopyPath => return self.copy_path(),
            Command::Back => return self.stop_deleting().or_else(|| self.stop_rescan()),
            // What has a meaning everywhere was done before, and the others are keys of the line in which a search is
            // typed.
            Command::Interrupt
            | Command::Suspend
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

    pub(super) fn read_help(&mut self, line: usize, command: Command) {
        match command {
            Command::Move(motion) => {
                let (limit, page) = (help::scroll_limit(&self.keymap, self.size), help::page(self.size));
                self.mode = Mode::Help(moved(line, motion, page, limit + 1));
            }
            _ => self.mode = Mode::List,
        }
    }
}
