//! The line in which a search is typed, and what that means.
//!
//! Invariant: what is typed is what is looked for, with the next frame.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Effect, Mode};
use crate::search::Query;
use crate::ui::keys::{Command, View};
use crate::ui::layout::layout;
use crate::ui::sheet::Sheet;
use crate::ui::work::Ask;

/// What is said before anything is typed.
const EXAMPLES: &str = "type part of a name, or *.log  >1G  older:90d  type:video  -tmp";

impl App<'_> {
    /// What a key does while a search is typed; letters that are no command are what is searched for.
    pub(super) fn prompt_key(&mut self, event: KeyEvent, command: Option<Command>) -> Option<Effect> {
        let lines = layout(self.size).list_lines();
        match command {
            Some(Command::Move(motion)) => self.step_sheet(motion, lines),
            Some(Command::Accept) => self.accept(),
            Some(Command::Back) => self.clear_search(),
            _ if self.views.text.take(event, command) => self.search(),
            _ => {}
        }
        None
    }

    pub(super) fn begin_search(&mut self) {
        self.mode = Mode::Prompt;
        self.views.origin = None;
        self.search();
    }

    pub(super) fn clear_search(&mut self) {
        self.mode = Mode::List;
        self.clear_filter();
    }

    /// The search stays and its results get the keys, unless there is something to be said about it.
    pub(super) fn accept(&mut self) {
        if self.views.text.is_empty() {
            self.clear_search();
        } else if !self.views.filter.is_empty() {
            self.mode = Mode::List;
        }
    }

    /// Forgets what was searched for, and everything that was found.
    pub(super) fn leave_search(&mut self) {
        self.views.sheets.clear();
        self.views.text.clear();
        self.views.filter = Query::default();
        self.views.complaint = None;
        self.views.filtering = None;
    }

    /// Looks for what is typed by now.
    pub(super) fn search(&mut self) {
        let (filter, complaint) = match Query::parse(self.views.text.as_str(), self.clock()) {
            Ok(query) => {
                let unfinished = query.unfinished().map(|awaited| format!("unfinished: {awaited}"));
                (query, unfinished)
            }
            Err(complaint) => {
                let part = self.views.text.as_str().get(complaint.at.clone()).unwrap_or_default();
                (Query::default(), Some(format!("{part}: {complaint}")))
            }
        };
        let wish = self.wish(Ask::Search, filter.clone());
        self.views.filter = filter;
        if self.views.filtering.take().is_some() {
            // Another one takes its place when this search is kept.
            self.sort_anew();
        }
        let before = self.views.sheets.pop();
        let mut sheet = Sheet::new(View::Search, String::new(), wish);
        if self.views.filter.is_empty() {
            sheet.inquiry.say(complaint.clone().unwrap_or_else(|| EXAMPLES.to_owned()));
        } else {
            sheet.keep_showing(before.as_ref());
        }
        self.views.complaint = complaint;
        self.views.sheets = vec![sheet];
    }
}
