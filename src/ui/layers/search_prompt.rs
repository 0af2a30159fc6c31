//! Prompt for a search, which replaces the footer.
//!
//! The search filters all views, even after the prompt has closed. Up and Down move the cursor in the results,
//! or recall earlier searches as long as nothing has been typed.

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
use crate::ui::widgets::footer::{self, Top};
use crate::ui::widgets::row::draw_ends;

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
                cx.step_sheet(motion, layout(cx.size).list_lines());
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
        let top = Top { scope: self.scope(), may_retry: false, position: None };
        let area = layout((screen.width, screen.height)).footer;
        let room = usize::from(area.width);
        let mut spans = field::spans(cx.theme, " /", &cx.views.text, room.saturating_sub(2));
        let used: usize = spans.iter().map(Span::width).sum();
        let left = room.saturating_sub(used + 3);
        let is_said_above = cx.views.page.as_ref().is_some_and(|page| page.failure.is_some());
        match &cx.views.error_text {
            Some(error_text) if left >= 8 && !is_said_above => {
                let error_text = fit(error_text, left, cx.theme.glyphs.gap()).into_owned();
                spans.push(Span::styled(format!("   {error_text}"), cx.theme.style(Role::Warning)));
            }
            None if left >= 30 => {
                spans.push(Span::raw("  "));
                spans.extend(footer::keys(cx, top, left / 2).spans);
            }
            _ => {}
        }
        let line = Line::from(spans);
        let right = footer::page_place(cx, room.saturating_sub(line.width() + 1));
        draw_ends(&line, &right, area, canvas.buffer);
    }
}
