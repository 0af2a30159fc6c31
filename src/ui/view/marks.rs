//! The list of the marks, in the place of the list.
//!
//! ```text
//!  Marks                               3 marked · 1.2 GiB disk
//!         Disk  Path
//!     1.0 GiB  /usr/share/doc/
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw_ends;
use super::line::select;
use crate::kind::Kind;
use crate::size::{grouped, plain_size, size};
use crate::text::{escape, fit};
use crate::ui::app::{App, PaneLine};
use crate::ui::keys::Command;
use crate::ui::layout::Layout;
use crate::ui::theme::Role;
use crate::ui::window::totals_size;

/// Columns below which a path says more than a size.
const NARROW: usize = 30;

pub(super) fn draw(app: &App<'_>, layout: Layout, buffer: &mut Buffer) {
    let theme = app.theme;
    let title = Line::styled(" Marks", theme.style(Role::Strong));
    draw_ends(&title, &Line::raw(summary(app) + " "), layout.header, buffer);
    let pane = app.pane();
    if pane.lines.is_empty() && !layout.list.is_empty() {
        let text = format!("   nothing is marked{}", app.key_hint(Command::Mark, "marks"));
        let text = Span::styled(text, theme.style(Role::Faint));
        buffer.set_span(layout.list.x, layout.list.y, &text, layout.list.width);
    }
    for (index, (line, y)) in pane.lines.iter().zip(layout.list.y..layout.list.bottom()).enumerate() {
        buffer.set_line(layout.list.x, y, &text(app, line, layout.list), layout.list.width);
        if index + pane.cursor.offset == pane.cursor.index {
            select(app, Rect { y, height: 1, ..layout.list }, buffer);
        }
    }
}

fn text<'a>(app: &App<'_>, line: &PaneLine, area: Rect) -> Line<'a> {
    let room = usize::from(area.width);
    let number = if room < NARROW { " ".to_owned() } else { format!("   {}  ", size(line.size, app.units)) };
    let suffix = if line.kind == Kind::Directory && !line.path.ends_with(b"/") { "/" } else { "" };
    let room = room.saturating_sub(crate::text::width(&number) + suffix.len());
    let path = fit(&escape(&line.path), room, app.theme.glyphs.gap()).into_owned() + suffix;
    let role = if line.kind == Kind::Directory { Role::Strong } else { Role::Plain };
    Line::from(vec![Span::raw(number), Span::styled(path, app.theme.style(role))])
}

/// How many are marked, and what they take up.
pub(super) fn summary(app: &App<'_>) -> String {
    let marks = app.marks();
    let size = plain_size(totals_size(&marks.totals(), app.order.measure), app.units);
    format!("{} {} {size}", how_many(app), app.theme.glyphs.dot())
}

/// How many are marked.
pub(super) fn how_many(app: &App<'_>) -> String {
    format!("{} marked", grouped(app.marks().count()))
}
