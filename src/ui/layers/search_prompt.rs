//! Prompt for a search, in place of the footer.
//!
//! Its text filters all views, and is kept with them when the prompt closes.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::text::fit;
use crate::ui::app::App;
use crate::ui::component::{Component, Handled, Input};
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::layout::layout;
use crate::ui::theme::Role;
use crate::ui::view::{draw_ends, field, footer};

/// Prompt for a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchPrompt;

impl<'t> Component<'t> for SearchPrompt {
    fn scope(&self) -> Scope {
        Scope::Prompt
    }

    fn handle(&mut self, input: Input<'_>, app: &mut App<'t>) -> Handled {
        match input {
            Input::Row(_) => return Handled::No,
            Input::Command(Command::Move(motion)) | Input::Key(_, Some(Command::Move(motion))) => {
                app.step_sheet(motion, layout(app.size).list_lines());
            }
            Input::Command(Command::Accept) | Input::Key(_, Some(Command::Accept)) => {
                if app.views.text.is_empty() {
                    app.clear_filter();
                    return Handled::Close(None);
                }
                // An invalid search stays open to be corrected.
                if app.has_search() {
                    return Handled::Close(None);
                }
            }
            Input::Key(_, Some(Command::Back)) => {
                app.clear_filter();
                return Handled::Close(None);
            }
            Input::Key(event, command) => {
                if app.views.text.take(event, command) {
                    app.search();
                }
            }
            Input::Paste(text) => {
                app.views.text.paste(text);
                app.search();
            }
            Input::Command(_) => {}
        }
        Handled::Yes(None)
    }

    fn draw(&self, app: &App<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let area = layout((screen.width, screen.height)).footer;
        let room = usize::from(area.width);
        let mut spans = field::spans(app.theme, " /", &app.views.text, room.saturating_sub(2));
        let used: usize = spans.iter().map(Span::width).sum();
        let left = room.saturating_sub(used + 3);
        let is_said_above = app.views.page.as_ref().is_some_and(|page| page.failure.is_some());
        match &app.views.complaint {
            Some(complaint) if left >= 8 && !is_said_above => {
                let complaint = fit(complaint, left, app.theme.glyphs.gap()).into_owned();
                spans.push(Span::styled(format!("   {complaint}"), app.theme.style(Role::Warning)));
            }
            None if left >= 30 => {
                spans.push(Span::raw("  "));
                spans.extend(footer::keys(app, left / 2).spans);
            }
            _ => {}
        }
        let line = Line::from(spans);
        let right = footer::page_place(app, room.saturating_sub(line.width() + 1));
        draw_ends(&line, &right, area, canvas.buffer);
    }
}
