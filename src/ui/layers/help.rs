//! Help page: all keys, grouped under headings, in as many columns as fit on the screen.
//!
//! ```text
//!  Keys   Esc closes                                        1 to 23 of 57
//!  Move                                  Sort (again to reverse)
//!    Up k              up                  s        by size
//! ```

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::help_texts::{
    NO_MATCHES, Section, mouse, position, search_hints, search_title, signs, title, title_hints,
};
use crate::base::text::{pad, width};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::cursor::moved;
use crate::ui::field::Field;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Answer, Command, HelpGroup, Keymap, Scope, in_group};
use crate::ui::theme::{Role, Theme};
use crate::ui::views::{RowMarks, TableSpec};
use crate::ui::widgets::field;
use crate::ui::widgets::row::draw_ends;

/// Number of blank cells between columns.
const GAP: usize = 2;
/// Maximum number of columns. More columns would be hard to read.
const MOST_COLUMNS: usize = 3;

#[derive(Clone, Debug)]
pub struct HelpPage {
    /// Index of the first visible line. The value can be too large; [`Self::first()`] limits it to the scroll range.
    first: usize,
    /// Groups shown first, because they are most useful in the view or layer from which the page was opened.
    groups: &'static [HelpGroup],
    /// Search text. Only lines that contain it are visible.
    search: Field,
    is_typing: bool,
}

impl HelpPage {
    /// Creates the page. The keys most useful in this scope and table come first.
    pub fn new(scope: Scope, table: Option<&TableSpec>) -> Self {
        use HelpGroup as G;
        let groups: &[G] = match (scope, table) {
            (Scope::List, _) => &[G::Move, G::Show, G::Sort],
            (Scope::Table, Some(table)) if table.is_of_changes() => &[G::Growth],
            (Scope::Table, Some(table)) => match table.marks {
                RowMarks::Own => &[G::Mark],
                RowMarks::Entries | RowMarks::Files => &[G::Mark, G::Delete],
                RowMarks::None => &[G::Move],
            },
            (Scope::Treemap | Scope::Overview, _) => &[G::Treemap],
            (Scope::Marks, _) => &[G::Mark, G::Delete],
            (Scope::Failures, _) => &[G::Delete],
            (Scope::Details, _) => &[G::Program],
            _ => &[G::View],
        };
        Self { first: 0, groups, search: Field::default(), is_typing: false }
    }

    /// Returns the first visible line on a screen of this size, limited to the scroll range.
    pub fn first(&self, keymap: &Keymap, screen: (u16, u16)) -> usize {
        self.first.min(self.scroll_limit(keymap, screen))
    }

    /// Returns the maximum scroll position, at which the last line of the page is visible.
    fn scroll_limit(&self, keymap: &Keymap, (columns, rows): (u16, u16)) -> usize {
        let lines = self.lines(Theme::default(), keymap, usize::from(columns));
        lines.len().saturating_sub(page((columns, rows)))
    }

    /// Draws the text field for the search, and next to it the keys that end the input.
    fn draw_field(&self, cx: &Context<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let room = usize::from(area.width);
        let title = search_title(room);
        let most = room.saturating_sub(width(title) + field::LEAST);
        let mut hints = search_hints(&cx.keymap).into_iter();
        let ends = hints.find(|text| width(text) <= most).unwrap_or_default();
        let rect = Rect { width: area.width - u16::try_from(width(&ends)).unwrap_or(0), ..area };
        field::draw(cx.theme, title, &self.search, rect, canvas);
        let ends = Line::styled(ends, cx.theme.style(Role::Faint));
        draw_ends(&Line::default(), &ends, area, canvas.buffer);
    }

    /// Returns the title, with as many key hints as fit into `room` terminal columns, but at least the first hint.
    fn title<'a>(&self, theme: Theme, keymap: &Keymap, room: usize) -> Line<'a> {
        let title = title(self.search.as_str());
        let [mut hints, more] = title_hints(keymap, self.search.as_str());
        if width(&title) + width(&hints) + width(&more) <= room {
            hints += &more;
        }
        Line::from(vec![
            Span::styled(title, theme.style(Role::Strong)),
            Span::styled(hints, theme.style(Role::Faint)),
        ])
    }

    fn lines<'a>(&self, theme: Theme, keymap: &Keymap, columns: usize) -> Vec<Line<'a>> {
        let others = HelpGroup::ALL.into_iter().filter(|group| !self.groups.contains(group));
        let groups = self.groups.iter().copied().chain(others).map(|group| section(keymap, group));
        let mut sections: Vec<Section> = groups.chain([signs(theme.glyphs), mouse()]).collect();
        let wanted = self.search.as_str().to_lowercase();
        for section in &mut sections {
            section.lines.retain(|(names, text)| {
                names.to_lowercase().contains(&wanted) || text.to_lowercase().contains(&wanted)
            });
        }
        sections.retain(|section| !section.lines.is_empty());
        if sections.is_empty() {
            return vec![Line::styled(NO_MATCHES, theme.style(Role::Faint))];
        }
        arranged(theme, &sections, columns)
    }
}

impl<'t> Component<'t> for HelpPage {
    fn scope(&self) -> Scope {
        if self.is_typing { Scope::Typing } else { Scope::Help }
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        match input {
            Input::Command(Command::Move(motion)) => {
                let limit = self.scroll_limit(&cx.keymap, cx.size);
                self.first = moved(self.first(&cx.keymap, cx.size), motion, page(cx.size), limit + 1);
                Handled::Yes(None)
            }
            Input::Command(Command::Search) => {
                self.is_typing = true;
                Handled::Yes(None)
            }
            Input::Command(Command::Back) if !self.search.is_empty() => {
                self.search.clear();
                Handled::Yes(None)
            }
            Input::Command(_) => Handled::Close(None),
            Input::Key(event, command) => {
                match command {
                    Some(Command::Answer(Answer::No)) => self.search.clear(),
                    Some(Command::Answer(_)) => {}
                    _ => {
                        // Every key typed into the search field scrolls to the top, even if the text stays the same.
                        let _ = self.search.take(event, command);
                        self.first = 0;
                        return Handled::Yes(None);
                    }
                }
                self.is_typing = false;
                Handled::Yes(None)
            }
            Input::Paste(text) => {
                self.search.paste(text);
                Handled::Yes(None)
            }
            Input::Row(_) => Handled::Yes(None),
        }
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, keymap, size) = (cx.theme, &cx.keymap, (screen.width, screen.height));
        let lines = self.lines(theme, keymap, usize::from(screen.width));
        let (first, page) = (self.first(keymap, size), page(size));
        let end = (first + page).min(lines.len());
        let mut rect = screen;
        if page < usize::from(screen.height) {
            let first_line = Rect { height: 1, ..screen };
            let position = || format!(" {}", position(first..end, lines.len()));
            let right = if lines.len() > page { position() } else { String::new() };
            let room = usize::from(screen.width);
            let left = self.title(theme, keymap, room.saturating_sub(right.len()));
            let right = if left.width() + right.len() <= room { right } else { String::new() };
            let right = Line::styled(right, theme.style(Role::Faint));
            if self.is_typing {
                self.draw_field(cx, first_line, canvas);
            } else {
                draw_ends(&left, &right, first_line, canvas.buffer);
            }
            rect = Rect { y: screen.y + 1, height: screen.height - 1, ..screen };
        }
        for (line, y) in lines[first.min(end)..end].iter().zip(rect.y..rect.bottom()) {
            canvas.buffer.set_line(rect.x, y, line, rect.width);
        }
    }
}

/// Returns the number of screen lines below the title line. A screen of at most two lines has no title line.
fn page((_, lines): (u16, u16)) -> usize {
    usize::from(if lines > 2 { lines - 1 } else { lines })
}

/// Arranges the sections in as many columns as fit.
fn arranged<'a>(theme: Theme, sections: &[Section], columns: usize) -> Vec<Line<'a>> {
    let fits = |blocks: &Vec<Vec<Line<'_>>>| {
        let widths = blocks.iter().map(|block| widest(block));
        widths.sum::<usize>() + GAP * (blocks.len() - 1) <= columns
    };
    let blocks = (2..=MOST_COLUMNS).rev().map(|count| side_by_side(theme, sections, count)).find(fits);
    let blocks = blocks.unwrap_or_else(|| {
        let whole = block(theme, sections, usize::MAX);
        // If the keys and their descriptions do not fit side by side, the key names are truncated.
        let is_cut = widest(&whole) > columns;
        vec![if is_cut { block(theme, sections, (columns / 2).saturating_sub(2)) } else { whole }]
    });
    let height = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines = vec![Line::default(); height];
    let mut start = 0;
    for block in blocks {
        let next = start + widest(&block) + GAP;
        for (line, part) in lines.iter_mut().zip(block) {
            line.push_span(" ".repeat(start - line.width()));
            line.spans.extend(part.spans);
        }
        start = next;
    }
    lines
}

/// Arranges the sections in order in at most `count` columns, with the longest column as short as possible.
fn side_by_side<'a>(theme: Theme, sections: &[Section], count: usize) -> Vec<Vec<Line<'a>>> {
    let total: usize = sections.iter().map(|section| section.lines.len() + 2).sum();
    let columns = |limit: usize| {
        let mut columns = vec![Vec::new()];
        let mut height = 0;
        for section in sections {
            let more = section.lines.len() + 2;
            if height > 0 && height + more > limit {
                columns.push(Vec::new());
                height = 0;
            }
            height += more;
            columns.last_mut().into_iter().for_each(|column| column.push(section));
        }
        columns
    };
    let lowest = (total.div_ceil(count)..=total).map(columns).find(|columns| columns.len() <= count);
    let columns = lowest.unwrap_or_default();
    columns.into_iter().map(|sections| block(theme, sections, usize::MAX)).collect()
}

fn widest(lines: &[Line<'_>]) -> usize {
    lines.iter().map(Line::width).max().unwrap_or(0)
}

/// Arranges sections one below the other, with aligned descriptions and a key column of at most `most` cells.
fn block<'a, 's>(
    theme: Theme,
    sections: impl IntoIterator<Item = &'s Section> + Clone,
    most: usize,
) -> Vec<Line<'a>> {
    let names =
        sections.clone().into_iter().flat_map(|section| &section.lines).map(|(names, _)| width(names));
    let keys = names.max().unwrap_or(0).min(most);
    let mut lines = Vec::new();
    for Section { heading, lines: texts } in sections {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Span::styled(format!(" {heading}"), theme.style(Role::Strong)).into());
        for (names, text) in texts {
            lines.push(Line::from(vec![
                Span::styled(
                    format!("  {}", pad(names, keys, theme.glyphs.gap())),
                    theme.style(Role::Accent),
                ),
                Span::raw(format!("  {text}")),
            ]));
        }
    }
    lines
}

fn section(keymap: &Keymap, group: HelpGroup) -> Section {
    let lines = in_group(group).map(|(line, binding)| (keymap.names(line), binding.help));
    // Commands without a key are not shown.
    let lines = lines.filter(|(names, _)| !names.is_empty()).collect();
    Section { heading: group.name(), lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::keys::KEYMAP;

    #[test]
    fn every_binding_is_on_the_page_in_full_at_any_width_that_holds_it() {
        for columns in [44, 80, 200] {
            let text: Vec<String> = HelpPage::new(Scope::List, None)
                .lines(Theme::default(), &Keymap::default(), columns)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert!(text.iter().all(|line| width(line) <= columns), "{columns}");
            for (number, binding) in KEYMAP.iter().enumerate() {
                let (keys, help) = (Keymap::default().names(number), binding.help);
                let is_there =
                    text.iter().any(|line| line.contains(&format!(" {keys} ")) && line.contains(help));
                assert!(is_there, "{keys} {help} at {columns}");
            }
        }
    }

    #[test]
    fn the_help_fits_large_windows_and_usual_ones_in_columns() {
        let lines = HelpPage::new(Scope::List, None).lines(Theme::default(), &Keymap::default(), 80);
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            HelpPage::new(Scope::List, None).scroll_limit(&Keymap::default(), (80, 75)),
            0,
            "too wide for two columns:\n{}",
            text.join("\n")
        );
    }

    #[test]
    fn the_keys_for_the_shown_view_come_first() {
        use crate::ui::views::{cleanup, duplicates, growth, types};
        let heading = |scope, table| {
            let page = HelpPage::new(scope, table);
            page.lines(Theme::default(), &Keymap::default(), 40)[0].to_string().trim().to_owned()
        };
        for (scope, table, group) in [
            (Scope::List, None, HelpGroup::Move),
            (Scope::Treemap, None, HelpGroup::Treemap),
            (Scope::Table, Some(&duplicates::TABLE), HelpGroup::Mark),
            (Scope::Table, Some(&cleanup::TABLE), HelpGroup::Mark),
            (Scope::Table, Some(&types::TABLE), HelpGroup::Mark),
            (Scope::Table, Some(&growth::TABLE), HelpGroup::Growth),
        ] {
            assert_eq!(heading(scope, table), group.name(), "{scope:?}");
        }
    }

    #[test]
    fn the_position_is_shown_even_in_a_narrow_window() {
        let page = HelpPage::new(Scope::List, None);
        let title = page.title(Theme::default(), &Keymap::default(), 25).to_string();
        assert_eq!(title, " Keys   Esc closes");
    }
}
