//! List of failed entries, and the progress of a deletion for the footer.
//!
//! ```text
//!  Could not delete 3 entries
//!  Reason                     Path
//!  permission denied          /home/me/closed/file
//! ```
//!
//! Below the list stand the reason and the path under the cursor if the list has no room for all of them.

use std::collections::HashSet;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::format::{grouped, plain_size};
use crate::base::sync::Arc;
use crate::base::text::{escape, fit, pad, width, wrap};
use crate::delete::{Failures, OperationKind, Reason, Selection};
use crate::ui::app::{App, Running};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::cursor::Cursor;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::layout::layout;
use crate::ui::notice::Notice;
use crate::ui::theme::Role;
use crate::ui::view::draw_ends;
use crate::ui::view::line::select;

/// Smallest width of a reason; the largest is `REASON` of ten columns.
const REASON: usize = 28;
const REASON_IN_TEN: usize = 6;
/// Smallest width at which the reason has its own column.
const WIDE: usize = 60;

/// The list of entries that an operation failed on.
#[derive(Clone, Debug)]
pub struct FailuresList {
    /// Operation.
    pub deed: OperationKind,
    /// Failed entries with reasons.
    pub failures: Failures,
    cursor: Cursor,
    /// Entries to retry.
    selection: Option<Arc<Selection>>,
}

impl FailuresList {
    /// Creates the list of an operation on a selection.
    pub fn new(deed: OperationKind, failures: Failures, selection: Option<Arc<Selection>>) -> Self {
        Self { deed, failures, cursor: Cursor::default(), selection }
    }

    /// Asks about the failed entries again.
    fn retry(&mut self, app: &mut App<'_>) -> Handled {
        if app.checked(app.check_changes()).is_none() {
            return Handled::Yes(None);
        }
        // Changed entries were rechecked, and are asked about in their present state.
        let first = self.failures.first.iter();
        let changed: HashSet<&[u8]> = first
            .filter(|failure| failure.reason == Reason::Changed)
            .map(|failure| failure.path.as_slice())
            .collect();
        let renewed = |selection: &Arc<Selection>| selection.renewed(app.tree, |path| changed.contains(path));
        let selection = self.selection.as_ref().map(renewed).filter(|selection| selection.count() > 0);
        let Some(selection) = selection else {
            app.notify(Notice::EntryGone);
            return Handled::Close(None);
        };
        Handled::Close(Some(app.ask_about(self.deed, selection)))
    }
}

impl<'t> Component<'t> for FailuresList {
    fn scope(&self) -> Scope {
        Scope::Failures
    }

    fn handle(&mut self, input: Input<'_>, app: &mut App<'t>) -> Handled {
        let (lines, count) = (layout(app.size).list_lines(), self.failures.first.len());
        match input {
            Input::Command(Command::Move(motion)) => {
                self.cursor.step(motion, lines, count);
                self.cursor.show(lines.max(1), count);
                Handled::Yes(None)
            }
            Input::Command(Command::Retry) => self.retry(app),
            Input::Command(_) => Handled::Close(None),
            _ => Handled::Yes(None),
        }
    }

    fn draw(&self, app: &App<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, layout) = (app.theme, layout((screen.width, screen.height)));
        let verb = match self.deed {
            OperationKind::Delete | OperationKind::Empty => "delete",
            OperationKind::Trash => "trash",
            OperationKind::Restore => "restore",
        };
        let Failures { count, first } = &self.failures;
        let entries = if *count == 1 { "entry" } else { "entries" };
        let title = format!(" Could not {verb} {} {entries}", grouped(*count));
        let title = Line::styled(title, theme.style(Role::Strong));
        draw_ends(&title, &Line::default(), layout.header, canvas.buffer);
        let room = usize::from(layout.list.width);
        let gap = theme.glyphs.gap();
        let widest = first.iter().map(|failure| width(&failure.reason.words())).max().unwrap_or(0);
        let reason = widest.min(room * REASON_IN_TEN / 10).max(REASON);
        let selected = first
            .get(self.cursor.index)
            .map(|failure| (failure.reason.words(), escape(&app.shown_path(&failure.path)).into_owned()));
        let is_cut = |(words, path): &(String, String)| {
            if room >= WIDE {
                width(words) > reason || width(path) + reason + 4 > room
            } else {
                width(words) + width(path) + 4 > room
            }
        };
        let detail = selected.filter(is_cut).map(|(words, path)| format!("{path}: {words}"));
        let detail =
            detail.as_deref().map_or_else(Vec::new, |text| wrap(text, room.saturating_sub(2).max(1)));
        let lines = usize::from(layout.list.height);
        // Most of a small screen is for the list.
        let detail = &detail[..detail.len().min(lines / 2)];
        let end = layout.list.bottom() - u16::try_from(detail.len()).unwrap_or(0);
        for (text, y) in detail.iter().zip(end..) {
            let line = Line::styled(format!(" {}", text.trim_end()), theme.style(Role::Strong));
            canvas.buffer.set_line(layout.list.x, y, &line, layout.list.width);
        }
        let mut cursor = self.cursor;
        cursor.show((lines - detail.len()).max(1), first.len());
        let visible = first.iter().enumerate().skip(cursor.offset);
        for ((index, failure), y) in visible.zip(layout.list.y..end) {
            let path = escape(&app.shown_path(&failure.path)).into_owned();
            let line = if room >= WIDE {
                let path = fit(&path, room.saturating_sub(reason + 4), gap).into_owned();
                format!(" {}  {path}", pad(&failure.reason.words(), reason, gap))
            } else {
                let text = format!("{path}: {}", failure.reason.words());
                format!(" {}", fit(&text, room.saturating_sub(2), gap))
            };
            canvas.buffer.set_line(layout.list.x, y, &Line::raw(line), layout.list.width);
            if index == cursor.index {
                select(app, Rect { y, height: 1, ..layout.list }, canvas.buffer);
            }
        }
    }

    fn position(&self) -> Option<(usize, usize)> {
        Some((self.cursor.index, self.failures.first.len()))
    }
}

/// Returns the word for a running operation.
pub(in crate::ui) fn doing(deed: OperationKind) -> &'static str {
    match deed {
        OperationKind::Delete | OperationKind::Empty => "deleting",
        OperationKind::Trash => "moving to the trash",
        OperationKind::Restore => "restoring",
    }
}

/// Returns the progress of the operation.
pub(in crate::ui) fn progress<'a>(app: &App<'_>, running: &Running, room: usize) -> Line<'a> {
    let theme = app.theme;
    let spinner = app.spinner();
    let dot = theme.glyphs.dot();
    let doing = doing(running.deed);
    let report = &running.report;
    let (entries, bytes) = running.expected;
    let left = grouped(entries.saturating_sub(report.entries));
    let bytes = plain_size(bytes.saturating_sub(report.freed), app.units);
    let stay = match report.failures.count {
        0 => String::new(),
        count => format!(" {dot} {} failed", grouped(count)),
    };
    let end =
        if running.is_stopping { " (stopping)".to_owned() } else { app.key_hint(Command::Back, "stops") };
    let texts = [
        format!("{doing} {dot} {left} entries, {bytes} left{stay}{end}"),
        format!("{doing} {dot} {left} left{stay}{end}"),
        format!("{doing} {dot} {left} left"),
    ];
    let text = texts.iter().find(|text| width(text) + 4 <= room).unwrap_or(&texts[2]);
    Line::from(vec![
        Span::styled(format!(" {spinner} "), theme.style(Role::Bar)),
        Span::raw(fit(text, room.saturating_sub(4), theme.glyphs.gap()).into_owned()),
    ])
}
