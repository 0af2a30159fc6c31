//! State of the browser, and the events that change it.
//!
//! [`App::update`] applies an event to the state. It does no I/O, but returns an [`Effect`] that requests the
//! I/O. At the end, it collects the visible rows of the directory and of the open views, so that drawing only
//! reads the state.
//!
//! During a scan, each tick reports the progress and may sort the rows again. Sorting pauses for a moment after
//! a key press, so that rows do not move while the user is pressing keys. The longer a sort takes, the less
//! often the rows are sorted ([`crate::table::rows`]).
//!
//! Invariant: after every update the cursor is on a visible row, if there are rows.

mod asking;
mod commands;
mod deleting;
mod details;
mod export;
mod mouse;
mod views;

use std::time::Duration;

use ratatui::crossterm::event::KeyEventKind;

use super::context::Context;
use super::hit_map::HitMap;
use super::layers::Layer;
use super::message::{Effect, Event};
use super::progress::ScanProgress;
use super::settings::Settings;
use crate::base::sync::Arc;
use crate::tree::{LiveTotals, Tree};

pub struct App<'t> {
    pub cx: Context<'t>,
    /// Layers above the view. The last one is on top and gets the keys.
    pub layers: Vec<Layer<'t>>,
    /// Clickable areas of the most recent frame.
    hits: HitMap,
    /// Row and time of the previous click, for double clicks.
    click: Option<(usize, Duration)>,
}

impl<'t> App<'t> {
    /// Creates the browser for `tree`, which may still be empty. `roots` contains two paths for each root: as given by
    /// the user, and as displayed.
    pub fn new(
        tree: &'t Tree,
        roots: Vec<(Vec<u8>, Vec<u8>)>,
        settings: &Settings,
        size: (u16, u16),
    ) -> Self {
        let cx = Context::new(tree, roots, settings, size);
        let mut app = Self { cx, layers: Vec::new(), hits: HitMap::default(), click: None };
        app.collect();
        app
    }

    pub fn update(&mut self, action: Event) -> Option<Effect> {
        // State before the event. If a question was open, a key, a click or pasted text restarts the delay before a Yes
        // is accepted. If the event changes the scope, the clickable areas are cleared.
        let (question_was_open, scope) = (self.has_open_question(), self.scope());
        if matches!(action, Event::Key(_) | Event::Mouse(..)) {
            self.cx.cancel_mark_total();
        }
        let was_waiting = action.is_pressed() && self.cx.forget_waiting();
        let effect = match action {
            Event::Key(event) => {
                // A key repeat restarts the delay before a Yes is accepted. Holding a key down thus never answers Yes.
                self.close_gates_if(event.kind == KeyEventKind::Repeat);
                let effect = self.key(event, was_waiting);
                self.close_gates_if(question_was_open);
                effect
            }
            Event::Mouse(event, now) => {
                let effect = self.mouse(event, now);
                self.close_gates_if(question_was_open);
                effect
            }
            Event::Idle(now) => {
                self.idle(now);
                return None;
            }
            Event::Resize(columns, lines) => {
                self.cx.size = (columns, lines);
                // Some terminals leave parts of the old screen visible after a resize, so everything is drawn again.
                Some(Effect::Repaint)
            }
            Event::ScanProgress(tick) => {
                self.tick(tick);
                self.perform_waiting()
            }
            Event::Clock(seconds) => {
                self.cx.set_clock(seconds);
                return None;
            }
            Event::Background(background) => {
                self.cx.theme.options.background = background;
                return None;
            }
            Event::Paste(text) => {
                self.paste(&text);
                self.close_gates_if(question_was_open);
                None
            }
            Event::Exported(ended) => {
                self.take_export(ended);
                None
            }
            Event::Rescan(message) => self.take_rescan(message),
            Event::Deletion(message) => self.take_deletion(message),
            Event::Notice(notice) => {
                self.cx.notify(notice);
                None
            }
        };
        self.collect();
        self.forget_hits_of_another(scope);
        effect
    }

    /// Collects the visible data, so that drawing only reads the state.
    fn collect(&mut self) {
        self.open_failures();
        self.cx.has_page_beside = self.layers.iter().any(|layer| layer.component().goes_beside());
        self.cx.collect();
    }

    fn tick(&mut self, tick: ScanProgress) {
        let was_scanning = self.cx.is_scanning();
        self.cx.scan.take(tick);
        let live = if was_scanning { LiveTotals::sample(self.cx.tree) } else { LiveTotals::default() };
        self.cx.live = Arc::new(live);
        self.cx.is_stale |= was_scanning;
        if was_scanning {
            let replaced = self.cx.follow_roots();
            if !replaced.is_empty() {
                self.relocate(replaced);
            }
        }
        self.cx.refresh_views(was_scanning);
        self.cx.enter_only_root();
        self.cx.refresh_recorded();
        let is_due = !self.cx.is_scanning() || self.cx.location.is_outdated(self.cx.tree);
        if self.cx.is_stale && is_due && self.cx.can_sort() {
            self.cx.sort();
            self.cx.add_up_marks();
        }
        self.cx.go_to_expected();
    }
}
