//! Text field on one line, after a title. If the text is too long, only the part around the cursor is visible.

use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::base::text::{beginning, printable, width};
use crate::ui::field::Field;
use crate::ui::hit_map::Canvas;
use crate::ui::theme::{Role, Theme};

/// Minimum width of a field in columns. Key hints on the same line are omitted to leave this space.
pub const LEAST: usize = 8;

/// Draws the title and the text, and records the position of the text cursor. Returns the total width drawn.
pub fn draw(theme: Theme, title: &'static str, field: &Field, area: Rect, canvas: &mut Canvas<'_>) -> usize {
    let spans = spans(theme, title, field, usize::from(area.width).saturating_sub(width(title)));
    record_caret(&spans, area, canvas);
    let line = Line::from(spans);
    if !area.is_empty() {
        canvas.buffer.set_line(area.x, area.y, &line, area.width);
    }
    line.width()
}

/// Records the position of the text cursor of a field that begins at the left edge of `area`.
pub fn record_caret(spans: &[Span<'_>], area: Rect, canvas: &mut Canvas<'_>) {
    let before: usize = spans.iter().take(2).map(Span::width).sum();
    let x = area.x.saturating_add(u16::try_from(before).unwrap_or(u16::MAX));
    if area.contains(Position { x, y: area.y }) {
        canvas.hits.caret = Some((x, area.y));
    }
}

/// Returns the title and the part of the text that fits into `room` columns. A default text is drawn as if
/// selected, because typing replaces it.
pub fn spans<'a>(theme: Theme, title: &'static str, field: &Field, room: usize) -> Vec<Span<'a>> {
    let (before, after) = field.halves();
    let (before, after) = (printable(before.as_bytes()), printable(after.as_bytes()));
    // The cursor covers the next character, or a blank at the end of the text.
    let under = after.graphemes(true).next().unwrap_or(" ");
    let rest = after.strip_prefix(under).unwrap_or_default();
    let room = room.max(3).saturating_sub(width(under) + 1);
    let mut letters = before.chars();
    while width(letters.as_str()) > room && letters.next().is_some() {}
    let before = letters.as_str();
    let rest = beginning(rest, room.saturating_sub(width(before)), theme.glyphs.gap());
    let (plain, selected) = (theme.style(Role::Plain), theme.style(Role::Selected));
    let of_text = if field.is_offered() { selected } else { plain };
    // On reversed text, the cursor is not reversed, so that it stands out.
    let is_reversed = of_text.add_modifier.contains(Modifier::REVERSED);
    let of_cursor = if is_reversed { plain } else { plain.reversed() };
    vec![
        Span::styled(title, theme.style(Role::Strong)),
        Span::styled(before.to_owned(), of_text),
        Span::styled(under.to_owned(), of_cursor),
        Span::styled(rest.into_owned(), of_text),
    ]
}
