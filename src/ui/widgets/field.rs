//! Text field on one line, after a title. If the text is too long, only the part around the cursor is visible.

use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;

use crate::base::text::{beginning, printable, width};
use crate::ui::field::Field;
use crate::ui::theme::{Role, Theme};

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
    let (selected, plain) = (theme.style(Role::Selected), theme.style(Role::Plain));
    let (of_text, of_cursor) = if field.is_offered() { (selected, plain) } else { (plain, selected) };
    vec![
        Span::styled(title, theme.style(Role::Strong)),
        Span::styled(before.to_owned(), of_text),
        Span::styled(under.to_owned(), of_cursor),
        Span::styled(rest.into_owned(), of_text),
    ]
}
