//! Prompt for a file name, shown in place of the status line.

use std::path::PathBuf;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::text::width;
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
use crate::ui::widgets::status_line::{self, Top};

/// Minimum screen width for the title `Write to:`.
const WIDE: usize = 60;

#[derive(Clone, Debug)]
pub struct FilePrompt {
    pub name: Field,
    /// Reason why the entered name was rejected, if it was.
    pub error_text: Option<Notice>,
}

impl FilePrompt {
    pub fn new(name: Field) -> Self {
        Self { name, error_text: None }
    }

    fn accept(&mut self, cx: &mut Context<'_>) -> Handled {
        let name = self.name.as_str().trim();
        let has_one_root = cx.roots.len() == 1;
        let Some(format) = Format::of_name(name.as_bytes()) else {
            self.error_text = Some(Notice::UnknownEnding(if has_one_root { ".json" } else { ".duke" }));
            return Handled::Yes(None);
        };
        if matches!(format, Format::Ncdu(_)) && !has_one_root {
            self.error_text = Some(Notice::OneRootOnly);
            return Handled::Yes(None);
        }
        let path = path(name);
        self.name.remember();
        Handled::Close(cx.write_file(ExportRequest { path, format, old: Overwrite::Refuse }))
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
                // The result is ignored, because the prompt does not react to changes to the text.
                let _ = self.name.take(event, command);
                Handled::Yes(None)
            }
            Input::Paste(text) => {
                self.name.paste(text);
                Handled::Yes(None)
            }
            Input::Command(_) | Input::Row(_) => Handled::Yes(None),
        };
        // Keep the name as the default for the next prompt.
        cx.export.name = self.name.clone();
        handled
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let area = layout((screen.width, screen.height)).status_line;
        let room = usize::from(area.width);
        let title = if room < WIDE { " >" } else { " Write to: " };
        let top = Top { scope: self.scope(), layer: Some(self), position: None };
        let most = if self.error_text.is_some() { room / 3 } else { room.saturating_sub(field::LEAST) };
        let hints = status_line::keys(cx, top, most);
        let hints_width = u16::try_from(hints.width()).unwrap_or(u16::MAX);
        let rect = Rect { width: area.width.saturating_sub(hints_width), ..area };
        let used = field::draw(cx.theme, title, &self.name, rect, canvas);
        let left = usize::from(rect.width).saturating_sub(used + 3);
        let endings = ENDINGS.join(" ");
        let note = match &self.error_text {
            Some(error_text) => {
                Span::styled(error_text.text(cx.display(left)), cx.theme.style(Role::Warning))
            }
            None if left >= width(&endings) => Span::styled(endings, cx.theme.style(Role::Faint)),
            None => Span::default(),
        };
        let mut right = Line::from(vec![note, Span::raw(" ")]);
        right.spans.extend(hints.spans);
        draw_ends(&Line::default(), &right, area, canvas.buffer);
    }
}
