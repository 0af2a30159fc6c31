//! A text that is being typed, on one line behind a title; of a long one the end is shown.

use ratatui::text::Span;

use crate::text::{printable, width};
use crate::ui::app::App;
use crate::ui::field::Field;
use crate::ui::theme::Role;

/// The title and as much of the text as `room` columns hold. What is offered looks selected, as it would give way.
pub(super) fn spans<'a>(app: &App<'_>, title: &'static str, field: &Field, room: usize) -> Vec<Span<'a>> {
    let text = printable(field.as_str().as_bytes()).into_owned();
    // The end is what is being typed.
    let mut start = 0;
    while width(&text[start..]) + 2 > room.max(3) {
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    let (selected, plain) = (app.theme.style(Role::Selected), app.theme.style(Role::Plain));
    let (of_text, of_cursor) = if field.is_offered() { (selected, plain) } else { (plain, selected) };
    vec![
        Span::styled(title, app.theme.style(Role::Strong)),
        Span::styled(text[start..].to_owned(), of_text),
        Span::styled(" ", of_cursor),
    ]
}
