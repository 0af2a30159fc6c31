//! Info page: everything known about one entry, shown in place of the view or in a pane beside it.
//!
//! ```text
//!  Info
//!  Path        /usr/lib/x86_64-linux-gnu/libexample.so.3
//!  Type        file
//!  Disk        1.4 MiB (1,470,464 bytes)
//!  Note        sparse: 12.0 MiB of holes
//! ```
//!
//! The page first shows the data in the tree, and adds data from the system as soon as that is available. In a
//! narrow window, labels have lines of their own.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::info_texts::{InfoLine, TITLE, info_lines, title_end};
use crate::base::text::{pad, wrap};
use crate::source::SourceKind;
use crate::tree::{EntryId, Relocation};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::cursor::moved;
use crate::ui::entry_info::EntryInfo;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, Scope};
use crate::ui::notice::Notice;
use crate::ui::theme::Role;
use crate::ui::widgets::row::draw_ends;

const LABEL: usize = 12;
/// Minimum width, in columns, at which a label and its text share a line.
const MIN_SHARED_LINE: usize = 36;

#[derive(Debug)]
pub struct InfoPage {
    /// Entry, with the information that the system reports about it.
    pub info: EntryInfo,
    /// Index of the first visible line. Clamped on each use, because the text or the window size may have changed.
    pub offset: usize,
}

impl InfoPage {
    /// Creates the info page for an entry. For an entry of a snapshot or export, the page does not query the system.
    pub fn new(entry: EntryId, source_kind: SourceKind) -> Self {
        Self { info: EntryInfo::new(entry, source_kind), offset: 0 }
    }
}

/// Returns all lines of the info page for an entry, wrapped to `columns`.
pub fn lines(cx: &Context<'_>, info: &EntryInfo, columns: usize) -> Vec<Line<'static>> {
    let is_narrow = columns < MIN_SHARED_LINE;
    let (label_width, room) = if is_narrow { (0, 2) } else { (LABEL, LABEL + 2) };
    let room = columns.saturating_sub(room).max(1);
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String, role| {
        let label = Span::styled(format!(" {}", pad(label, label_width, "")), cx.theme.style(Role::Faint));
        lines.push(Line::from(vec![label, Span::styled(text, cx.theme.style(role))]));
    };
    for InfoLine { label, text, role } in info_lines(cx, info) {
        let mut label = label;
        if is_narrow && !label.is_empty() {
            add("", label.to_owned(), Role::Faint);
            label = "";
        }
        for line in wrap(&text, room) {
            add(label, if is_narrow { format!(" {line}") } else { line.to_owned() }, role);
            label = "";
        }
    }
    lines
}

impl<'t> Component<'t> for InfoPage {
    fn scope(&self) -> Scope {
        Scope::Details
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        match input {
            Input::Command(Command::Move(motion)) => {
                let area = cx.page_regions(cx.size).1;
                let height = usize::from(area.height);
                let rows = lines(cx, &self.info, usize::from(area.width)).len();
                let last = rows.saturating_sub(height.max(1));
                self.offset = moved(self.offset.min(last), motion, height, last + 1);
                if last == 0 {
                    cx.notify(Notice::NoMoreLines);
                }
                Handled::Yes(None)
            }
            Input::Command(_) => Handled::Close(None),
            _ => Handled::Yes(None),
        }
    }

    fn goes_beside(&self) -> bool {
        true
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, (header, list)) = (cx.theme, cx.page_regions((screen.width, screen.height)));
        let (height, room) = (usize::from(list.height), usize::from(list.width));
        let rows = lines(cx, &self.info, room);
        let offset = self.offset.min(rows.len().saturating_sub(height.max(1)));
        let title = Line::styled(TITLE, theme.style(Role::Strong));
        let visible = offset..(offset + height).min(rows.len());
        let right = title_end(self.info.inspection.is_loading(), visible, rows.len(), theme.glyphs);
        let right = Line::styled(right, theme.style(Role::Faint));
        draw_ends(&title, &right, header, canvas.buffer);
        for (row, y) in rows.iter().skip(offset).zip(list.y..list.bottom()) {
            canvas.buffer.set_line(list.x, y, row, list.width);
        }
    }

    fn relocate(&mut self, moved: &mut Relocation<'t>, cx: &mut Context<'t>) -> bool {
        let name = self.info.entry.name(cx.tree);
        let directory = moved.find(self.info.entry.directory);
        let found =
            directory.zip(name).and_then(|(directory, name)| EntryId::named(cx.tree, directory, name));
        match found {
            Some(entry) => {
                let offset = self.offset;
                *self = Self { offset, ..Self::new(entry, cx.source_kind) };
            }
            None => cx.notify(Notice::EntryMissing),
        }
        found.is_some()
    }
}
