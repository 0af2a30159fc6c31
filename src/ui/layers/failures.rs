//! List of the entries for which an operation failed.
//!
//! ```text
//!  Could not delete 3 entries
//!  Reason                     Path
//!  permission denied          /home/me/closed/file
//! ```
//!
//! If the reason and path of the entry under the cursor do not fit in their row, they are shown in full below
//! the list.

use std::collections::HashSet;

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::base::format::{counted, grouped};
use crate::base::sync::Arc;
use crate::base::text::{escape, fit, pad, width, wrap};
use crate::delete::{Failures, OperationKind, Reason, Selection};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::cursor::Cursor;
use crate::ui::deletion_state::Failed;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::layout::layout;
use crate::ui::notice::Notice;
use crate::ui::theme::Role;
use crate::ui::widgets::row::{draw_ends, select};

/// Minimum width of the reason column. The maximum is `REASON_IN_TEN` tenths of the screen width.
const REASON: usize = 28;
const REASON_IN_TEN: usize = 6;
/// Minimum screen width at which the reasons have their own column.
const WIDE: usize = 60;

fn title(failed: &Failed) -> String {
    let verb = match failed.kind {
        OperationKind::Delete | OperationKind::Empty => "delete",
        OperationKind::Trash => "trash",
        OperationKind::Restore => "restore",
        OperationKind::Share => "share the data of",
    };
    let Failures { count, first } = &failed.failures;
    let stored = first.len() as u64;
    let part = format!("; the first {} are listed", grouped(stored));
    let part = if *count > stored { part } else { String::new() };
    format!(" Could not {verb} {}{part}", counted(*count, "entry", "entries"))
}

#[derive(Clone, Debug)]
pub struct FailuresList {
    pub failed: Failed,
    cursor: Cursor,
}

impl FailuresList {
    pub fn new(failed: Failed) -> Self {
        Self { failed, cursor: Cursor::default() }
    }

    /// Asks the user to confirm the operation again for the failed entries only.
    fn retry(&mut self, cx: &mut Context<'_>) -> Handled {
        if cx.checked(cx.check_changes()).is_none() {
            return Handled::Yes(None);
        }
        // Entries that failed because they had changed are selected again in their current state, which the user now
        // confirms.
        let first = self.failed.failures.first.iter();
        let changed: HashSet<&[u8]> = first
            .filter(|failure| failure.reason == Reason::Changed)
            .map(|failure| failure.path.as_slice())
            .collect();
        let renewed = |selection: &Arc<Selection>| selection.renewed(cx.tree, |path| changed.contains(path));
        let selection = self.failed.selection.as_ref().map(renewed).filter(|selection| selection.count() > 0);
        let Some(selection) = selection else {
            cx.notify(Notice::EntryMissing);
            return Handled::Close(None);
        };
        Handled::Confirm(self.failed.kind, selection)
    }
}

impl<'t> Component<'t> for FailuresList {
    fn scope(&self) -> Scope {
        Scope::Failures
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        let (lines, count) = (layout(cx.size).list_lines(), self.failed.failures.first.len());
        match input {
            Input::Command(Command::Move(motion)) => {
                self.cursor.step(motion, lines, count);
                self.cursor.show(lines.max(1), count);
                Handled::Yes(None)
            }
            Input::Command(Command::Retry) => self.retry(cx),
            Input::Command(_) => Handled::Close(None),
            _ => Handled::Yes(None),
        }
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, layout) = (cx.theme, layout((screen.width, screen.height)));
        let first = &self.failed.failures.first;
        let title = Line::styled(title(&self.failed), theme.style(Role::Strong));
        draw_ends(&title, &Line::default(), layout.header, canvas.buffer);
        let room = usize::from(layout.list.width);
        let gap = theme.glyphs.gap();
        let widest = first.iter().map(|failure| width(&failure.reason.text())).max().unwrap_or(0);
        let reason = widest.min(room * REASON_IN_TEN / 10).max(REASON);
        let selected = first
            .get(self.cursor.index)
            .map(|failure| (failure.reason.text(), escape(&cx.shown_path(&failure.path)).into_owned()));
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
        // Keep at least half of the lines for the list.
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
            let path = escape(&cx.shown_path(&failure.path)).into_owned();
            let line = if room >= WIDE {
                let path = fit(&path, room.saturating_sub(reason + 4), gap).into_owned();
                format!(" {}  {path}", pad(&failure.reason.text(), reason, gap))
            } else {
                let text = format!("{path}: {}", failure.reason.text());
                format!(" {}", fit(&text, room.saturating_sub(2), gap))
            };
            canvas.buffer.set_line(layout.list.x, y, &Line::raw(line), layout.list.width);
            if index == cursor.index {
                select(cx, Rect { y, height: 1, ..layout.list }, Rect::default(), canvas.buffer);
                canvas.hits.caret = Some((layout.list.x, y));
            }
        }
    }

    fn position(&self) -> Option<(usize, usize)> {
        Some((self.cursor.index, self.failed.failures.first.len()))
    }
}
