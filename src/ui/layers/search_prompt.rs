//! Prompt for a search, shown in place of the status line.
//!
//! The search filters all views, even after the prompt has closed. Up and Down recall earlier searches. If no
//! search is left to recall, or if the user has typed or edited the text, these keys move the cursor in the results.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::text::fit;
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::layout::layout;
use crate::ui::theme::Role;
use crate::ui::widgets::field;
use crate::ui::widgets::row::draw_ends;
use crate::ui::widgets::status_line::{self, Top};

#[derive(Clone, Copy, Debug)]
pub struct SearchPrompt;

impl<'t> Component<'t> for SearchPrompt {
    fn scope(&self) -> Scope {
        Scope::Prompt
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        match input {
            Input::Row(_) => return Handled::No,
            Input::Key(_, Some(Command::Move(motion))) if cx.views.text.recall(motion) => cx.search(),
            Input::Command(Command::Move(motion)) | Input::Key(_, Some(Command::Move(motion))) => {
                cx.step_table(motion, layout(cx.size).list_lines());
            }
            Input::Command(Command::Accept) | Input::Key(_, Some(Command::Accept)) => {
                if cx.views.text.is_empty() {
                    cx.clear_filter();
                    return Handled::Close(None);
                }
                // The prompt stays open while the search is invalid.
                if cx.has_search() {
                    cx.views.text.remember();
                    return Handled::Close(None);
                }
            }
            Input::Key(_, Some(Command::Back)) => {
                cx.clear_filter();
                return Handled::Close(None);
            }
            Input::Key(event, command) => {
                if cx.views.text.take(event, command) {
                    cx.search();
                }
            }
            Input::Paste(text) => {
                cx.views.text.paste(text);
                cx.search();
            }
            Input::Command(_) => {}
        }
        Handled::Yes(None)
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let top = Top { scope: self.scope(), layer: Some(self), position: None };
        let area = layout((screen.width, screen.height)).status_line;
        let room = usize::from(area.width);
        // If the text was rejected, leave room for the reason.
        let most = if cx.views.error_text.is_some() { room / 3 } else { room.saturating_sub(field::LEAST) };
        let hints = status_line::keys(cx, top, most);
        let hints_width = u16::try_from(hints.width()).unwrap_or(u16::MAX);
        let rect = Rect { width: area.width.saturating_sub(hints_width), ..area };
        draw_ends(&Line::default(), &hints, area, canvas.buffer);
        let used = field::draw(cx.theme, " /", &cx.views.text, rect, canvas);
        let start = u16::try_from(used).unwrap_or(u16::MAX).min(rect.width);
        let free = Rect { x: rect.x + start, width: rect.width - start, ..rect };
        let left = usize::from(free.width).saturating_sub(3);
        let mut line = Line::default();
        let is_shown_above = cx.views.page.as_ref().is_some_and(|page| page.failure.is_some());
        match &cx.views.error_text {
            Some(error_text) if left >= 8 && !is_shown_above => {
                let error_text = fit(error_text, left, cx.theme.glyphs.gap()).into_owned();
                line.push_span(Span::styled(format!("   {error_text}"), cx.theme.style(Role::Warning)));
            }
            _ => {}
        }
        let right = status_line::table_position(cx, usize::from(free.width).saturating_sub(line.width()));
        draw_ends(&line, &right, free, canvas.buffer);
    }
}
