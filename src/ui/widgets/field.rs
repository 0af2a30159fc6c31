//! Text field on one line, after a title. If the text is long, its end is shown.

use ratatui::text::Span;

use crate::base::text::{printable, width};
use crate::ui::field::Field;
use crate::ui::theme::{Role, Theme};

/// Returns the title and the part of the text that fits into `room` columns. A default text looks selected,
/// because typing replaces it.
pub fn spans<'a>(theme: Theme, title: &'static str, field: &Field, room: usize) -> Vec<Span<'a>> {
    let text = printable(field.as_str().as_bytes()).into_owned();
    // The end is where the user types.
    let mut start = 0;
    while width(&text[start..]) + 2 > room.max(3) {
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    let (selected, plain) = (theme.style(Role::Selected), theme.style(Role::Plain));
    let (of_text, of_cursor) = if field.is_offered() { (selected, plain) } else { (plain, selected) };
    vec![
        Span::styled(title, theme.style(Role::Strong)),
        Span::styled(text[start..].to_owned(), of_text),
        Span::styled(" ", of_cursor),
    ]
}
