//! Prompt for a file name, which replaces the footer.

use std::path::PathBuf;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::text::{fit, width};
use crate::source::save::{ENDINGS, Format, Overwrite};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::field::Field;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::layout::layout;
use crate::ui::notice::Notice;
use crate::ui::operations::export::ExportRequest;
use crate::ui::theme::Role;
use crate::ui::widgets::field;
use crate::ui::widgets::row::draw_ends;

/// Minimum screen width for the title `Write to:`.
const WIDE: usize = 60;

#[derive(Clone, Debug)]
pub struct FilePrompt {
    pub name: Field,
    /// Reason for rejecting the name that was entered, if it was rejected.
    pub error_text: Option<Notice>,
}

impl FilePrompt {
    pub fn new(name: Field) -> Self {
        Self { name, error_text: None }
    }

    fn accept(&mut self, cx: &mut Context<'_>) -> Handled {
        let name = self.name.as_str().trim();
        let Some(format) = Format::of_name(name.as_bytes()) else {
            self.error_text = Some(Notice::UnknownEnding);
            return Handled::Yes(None);
        };
        if matches!(format, Format::Ncdu(_)) && cx.roots.len() != 1 {
            self.error_text = Some(Notice::OneRootOnly);
            return Handled::Yes(None);
        }
        let path = path(name);
        self.name.remember();
        Handled::Close(cx.write_file(ExportRequest { path, format, old: Overwrite::Kept }))
    }
}

/// Returns the path for a typed name. A leading `~/` means the home directory.
fn path(name: &str) -> PathBuf {
    let home = name.strip_prefix("~/").zip(std::env::home_dir());
    home.map_or_else(|| PathBuf::from(name), |(rest, home)| home.join(rest))
}

impl<'t> Component<'t> for FilePrompt {
    fn scope(&self) -> Scope {
        Scope::FileName
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        if matches!(input, Input::Key(..) | Input::Paste(_)) {
            self.error_text = None;
        }
        let handled = match input {
            Input::Key(_, Some(Command::Accept)) => self.accept(cx),
            Input::Key(_, Some(Command::Back)) => Handled::Close(None),
            Input::Key(event, command) => {
                // The prompt does not depend on changes of the text.
                let _ = self.name.take(event, command);
                Handled::Yes(None)
            }
            Input::Paste(text) => {
                self.name.paste(text);
                Handled::Yes(None)
            }
            Input::Command(_) | Input::Row(_) => Handled::Yes(None),
        };
        // The next prompt will offer the same name.
        cx.export.name = self.name.clone();
        handled
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let area = layout((screen.width, screen.height)).footer;
        let room = usize::from(area.width);
        let title = if room < WIDE { " >" } else { " Write to: " };
        let mut spans = field::spans(cx.theme, title, &self.name, room.saturating_sub(width(title)));
        let used: usize = spans.iter().map(Span::width).sum();
        let left = room.saturating_sub(used + 3);
        let endings = ENDINGS.join(" ");
        match &self.error_text {
            Some(error_text) => {
                let text = error_text.text(cx.display());
                let text = format!("   {}", fit(&text, left, cx.theme.glyphs.gap()));
                spans.push(Span::styled(text, cx.theme.style(Role::Warning)));
            }
            None if left >= width(&endings) => {
                spans.push(Span::styled(format!("   {endings}"), cx.theme.style(Role::Faint)));
            }
            None => {}
        }
        draw_ends(&Line::from(spans), &Line::default(), area, canvas.buffer);
    }
}
