//! The list of what could not be deleted, in the place of the list, and how a deletion goes on, for the footer.
//!
//! ```text
//!  Not deleted                                          3 entries stay
//!  Reason                     Path
//!  permission denied          /home/me/closed/file
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw_ends;
use super::line::select;
use crate::delete::{Deed, Failures};
use crate::size::{grouped, plain_size};
use crate::text::{escape, fit, pad, width};
use crate::ui::app::{App, Failed, Running};
use crate::ui::keys::Command;
use crate::ui::layout::Layout;
use crate::ui::theme::Role;

/// Columns of a reason at least; at most it takes this much of ten columns.
const REASON: usize = 28;
const REASON_IN_TEN: usize = 6;
/// Columns from which on there is one beside the path.
const WIDE: usize = 60;

pub(super) fn draw(app: &App<'_>, failed: &Failed, layout: Layout, buffer: &mut Buffer) {
    let theme = app.theme;
    let title = match failed.deed {
        Deed::Delete | Deed::Empty => " Not deleted",
        Deed::Trash => " Not moved to the trash",
        Deed::Restore => " Not moved back",
    };
    let Failures { count, first } = &failed.failures;
    let stay =
        if *count == 1 { "1 entry stays ".to_owned() } else { format!("{} entries stay ", grouped(*count)) };
    draw_ends(&Line::styled(title, theme.style(Role::Strong)), &Line::raw(stay), layout.header, buffer);
    let room = usize::from(layout.list.width);
    let gap = theme.glyphs.gap();
    let widest = first.iter().map(|failure| width(&failure.reason.words())).max().unwrap_or(0);
    let reason = widest.min(room * REASON_IN_TEN / 10).max(REASON);
    let visible = first.iter().enumerate().skip(failed.cursor.offset);
    for ((index, failure), y) in visible.zip(layout.list.y..layout.list.bottom()) {
        let path = escape(&app.shown_path(&failure.path)).into_owned();
        let line = if room >= WIDE {
            let path = fit(&path, room.saturating_sub(reason + 4), gap).into_owned();
            format!(" {}  {path}", pad(&failure.reason.words(), reason, gap))
        } else {
            format!(" {}", fit(&format!("{path}: {}", failure.reason.words()), room.saturating_sub(2), gap))
        };
        buffer.set_line(layout.list.x, y, &Line::raw(line), layout.list.width);
        if index == failed.cursor.index {
            select(app, Rect { y, height: 1, ..layout.list }, buffer);
        }
    }
}

/// What is being done.
pub(super) fn doing(deed: Deed) -> &'static str {
    match deed {
        Deed::Delete | Deed::Empty => "deleting",
        Deed::Trash => "moving to the trash",
        Deed::Restore => "moving back",
    }
}

/// How it goes on.
pub(super) fn progress<'a>(app: &App<'_>, running: &Running, room: usize) -> Line<'a> {
    let theme = app.theme;
    let spinner = theme.glyphs.spinner(u64::try_from(app.scan.last.now.as_millis() / 125).unwrap_or(0));
    let dot = theme.glyphs.dot();
    let doing = doing(running.deed);
    let report = &running.report;
    let (entries, bytes) = running.expected;
    let left = grouped(entries.saturating_sub(report.entries));
    let bytes = plain_size(bytes.saturating_sub(report.freed), app.units);
    let stay = match report.failures.count {
        0 => String::new(),
        count => format!(" {dot} {} stay", grouped(count)),
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
