//! List of the marked entries, largest first, which replaces the view or appears in a pane beside it.
//!
//! ```text
//!  Marks                                    3 marked · 1.2 GiB
//!     1.0 GiB  /usr/share/doc/
//! ```

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::format::size;
use crate::base::kind::Kind;
use crate::base::sort::sort_by_key;
use crate::base::text::{escape, fit};
use crate::tree::{EntryName, Relocation};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::cursor::Cursor;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::keys::{Command, Scope};
use crate::ui::marks::{Mark, Marks};
use crate::ui::theme::Role;
use crate::ui::widgets::row::{draw_ends, select};
use crate::ui::widgets::status_line_texts::summary;
use crate::ui::window::totals_size;

/// Minimum width of the list, in terminal columns, at which sizes are shown beside the paths.
const WITH_SIZES: usize = 30;

#[derive(Debug)]
pub struct MarksList<'t> {
    marks: Vec<(EntryName<'t>, Mark)>,
    pub cursor: Cursor,
}

impl<'t> MarksList<'t> {
    pub fn new(cx: &Context<'t>) -> Self {
        let mut list = Self { marks: Vec::new(), cursor: Cursor::default() };
        list.refresh(cx);
        list
    }

    /// Updates the list after marks have changed.
    pub fn refresh(&mut self, cx: &Context<'t>) {
        self.marks = cx.marks().in_order(cx.tree);
        let size = |mark: &Mark| totals_size(&mark.totals(cx.tree, &cx.live), cx.order.measure);
        sort_by_key(&mut self.marks, |(_, mark)| std::cmp::Reverse(size(mark)));
        self.cursor.index = self.cursor.index.min(self.marks.len().saturating_sub(1));
    }

    pub fn selected(&self) -> Option<EntryName<'t>> {
        self.marks.get(self.cursor.index).map(|(name, _)| *name)
    }

    /// Returns the marks in the `lines` visible rows.
    pub fn visible(&self, lines: usize) -> impl Iterator<Item = &(EntryName<'t>, Mark)> {
        self.marks.iter().skip(self.shown(lines).offset).take(lines)
    }

    /// Returns the cursor, scrolled so that its row is one of the `lines` visible rows.
    fn shown(&self, lines: usize) -> Cursor {
        let mut cursor = self.cursor;
        cursor.show(lines.max(1), self.marks.len());
        cursor
    }
}

impl<'t> Component<'t> for MarksList<'t> {
    fn scope(&self) -> Scope {
        Scope::Marks
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        let lines = usize::from(cx.page_regions(cx.size).1.height);
        let effect = match (input, self.selected()) {
            (Input::Command(Command::Move(motion)), _) => {
                self.cursor.step(motion, lines, self.marks.len());
                None
            }
            (Input::Row(row), _) => {
                self.cursor.index = row;
                None
            }
            (Input::Command(Command::Mark), Some(name)) => {
                cx.unmark(name);
                self.refresh(cx);
                None
            }
            (Input::Command(Command::Open), Some(name)) => {
                cx.go_to_name(name);
                return Handled::Close(None);
            }
            (Input::Command(Command::PrintMarks), _) => cx.print_marks(),
            (Input::Command(Command::Mark | Command::Open), None) => None,
            (Input::Command(_), _) => return Handled::Close(None),
            _ => None,
        };
        self.cursor = self.shown(lines);
        Handled::Yes(effect)
    }

    fn goes_beside(&self) -> bool {
        true
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, (header, list)) = (cx.theme, cx.page_regions((screen.width, screen.height)));
        let lines = usize::from(list.height);
        let title = Line::styled(" Marks", theme.style(Role::Strong));
        draw_ends(&title, &Line::raw(summary(cx) + " "), header, canvas.buffer);
        if self.marks.is_empty() && !list.is_empty() {
            let text = format!("   No marks{}", cx.key_hint(Command::Mark, "marks an entry in the list"));
            let text = Span::styled(text, theme.style(Role::Faint));
            canvas.buffer.set_span(list.x, list.y, &text, list.width);
        }
        let cursor = self.shown(lines);
        let visible = self.visible(lines).zip(list.y..);
        for (row, (mark, y)) in (cursor.offset..).zip(visible) {
            let area = Rect { y, height: 1, ..list };
            canvas.buffer.set_line(area.x, y, &text(cx, mark, list), area.width);
            canvas.hits.add(area, Hit::Row(row));
            if row == cursor.index {
                select(cx, area, Rect::default(), canvas.buffer);
                canvas.hits.caret = Some((area.x, y));
            }
        }
    }

    fn relocate(&mut self, _: &mut Relocation<'t>, cx: &mut Context<'t>) -> bool {
        self.refresh(cx);
        true
    }

    fn position(&self) -> Option<(usize, usize)> {
        Some((self.cursor.index, self.marks.len()))
    }
}

fn text<'a>(cx: &Context<'_>, (name, mark): &(EntryName<'_>, Mark), area: Rect) -> Line<'a> {
    let room = usize::from(area.width);
    let bytes = totals_size(&mark.totals(cx.tree, &cx.live), cx.order.measure);
    let sign = mark.directory.map_or("", |id| cx.theme.glyphs.precision(cx.standing(id).1));
    let number =
        if room < WITH_SIZES { " ".to_owned() } else { format!("  {sign:1}{}  ", size(bytes, cx.units)) };
    let path = cx.shown_path(&Marks::path(cx.tree, *name));
    let suffix = if mark.kind == Kind::Directory && !path.ends_with(b"/") { "/" } else { "" };
    let room = room.saturating_sub(crate::base::text::width(&number) + suffix.len());
    let path = fit(&escape(&path), room, cx.theme.glyphs.gap()).into_owned() + suffix;
    let role = if mark.kind == Kind::Directory { Role::Strong } else { Role::Plain };
    Line::from(vec![Span::raw(number), Span::styled(path, cx.theme.style(role))])
}
