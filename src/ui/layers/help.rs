//! Help page: the whole key table under headings, in several columns if they fit.
//!
//! ```text
//!  Keys   Esc closes                                        1 to 23 of 57
//!  Move                                  Sort (again to reverse)
//!    Up k              up                  s        by size
//! ```

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::base::text::{pad, width};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::cursor::moved;
use crate::ui::hit_map::Canvas;
use crate::ui::keys::{Command, HelpGroup, Keymap, Scope, in_group};
use crate::ui::theme::{Glyphs, Role, Theme};
use crate::ui::widgets::row::draw_ends;

/// Gap between columns, in cells.
const GAP: usize = 2;
/// Maximum number of columns. More would be no easier to read.
const MOST_COLUMNS: usize = 3;

/// Page that lists all keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct HelpPage {
    /// First visible line; may exceed the scroll range.
    first: usize,
}

impl HelpPage {
    /// Returns the first visible line on a screen of this size, limited to the scroll range.
    pub fn first(self, keymap: &Keymap, screen: (u16, u16)) -> usize {
        self.first.min(scroll_limit(keymap, screen))
    }
}

impl<'t> Component<'t> for HelpPage {
    fn scope(&self) -> Scope {
        Scope::Help
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        match input {
            Input::Command(Command::Move(motion)) => {
                let limit = scroll_limit(&cx.keymap, cx.size);
                self.first = moved(self.first(&cx.keymap, cx.size), motion, page(cx.size), limit + 1);
                Handled::Yes(None)
            }
            Input::Command(_) => Handled::Close(None),
            _ => Handled::Yes(None),
        }
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let (theme, keymap, size) = (cx.theme, &cx.keymap, (screen.width, screen.height));
        let lines = lines(theme, keymap, usize::from(screen.width));
        let (first, page) = (self.first(keymap, size), page(size));
        let end = (first + page).min(lines.len());
        let mut place = screen;
        if page < usize::from(screen.height) {
            let left = title(theme, keymap);
            let right = if lines.len() > page {
                format!("{} to {end} of {} ", first + 1, lines.len())
            } else {
                String::new()
            };
            let right = Line::styled(right, theme.style(Role::Faint));
            draw_ends(&left, &right, Rect { height: 1, ..screen }, canvas.buffer);
            place = Rect { y: screen.y + 1, height: screen.height - 1, ..screen };
        }
        for (line, y) in lines[first.min(end)..end].iter().zip(place.y..place.bottom()) {
            canvas.buffer.set_line(place.x, y, line, place.width);
        }
    }
}

struct Section {
    heading: &'static str,
    /// Keys with their descriptions.
    lines: Vec<(String, &'static str)>,
}

/// Returns the number of scrolled lines on a screen of this size: all but the title line, unless the screen is
/// tiny.
fn page((_, lines): (u16, u16)) -> usize {
    usize::from(if lines > 2 { lines - 1 } else { lines })
}

/// Returns the maximum scroll position, at which the last line is visible.
fn scroll_limit(keymap: &Keymap, (columns, rows): (u16, u16)) -> usize {
    lines(Theme::default(), keymap, usize::from(columns)).len().saturating_sub(page((columns, rows)))
}

fn title<'a>(theme: Theme, keymap: &Keymap) -> Line<'a> {
    let title = Span::styled(" Keys", theme.style(Role::Strong));
    let closing = keymap.first(Command::Back, Scope::Help).map(|key| format!("   {key} closes"));
    Line::from(vec![title, Span::styled(closing.unwrap_or_default(), theme.style(Role::Faint))])
}

fn lines<'a>(theme: Theme, keymap: &Keymap, columns: usize) -> Vec<Line<'a>> {
    let groups = HelpGroup::ALL.into_iter().map(|group| section(keymap, group));
    let sections: Vec<Section> = groups.chain([marks(theme.glyphs), mouse()]).collect();
    let fits = |blocks: &Vec<Vec<Line<'_>>>| {
        let widths = blocks.iter().map(|block| widest(block));
        widths.sum::<usize>() + GAP * (blocks.len() - 1) <= columns
    };
    let blocks = (2..=MOST_COLUMNS).rev().map(|count| side_by_side(theme, &sections, count)).find(fits);
    let blocks = blocks.unwrap_or_else(|| {
        let whole = block(theme, &sections, usize::MAX);
        // If the keys and the description do not both fit, the list of keys is cut.
        let is_cut = widest(&whole) > columns;
        vec![if is_cut { block(theme, &sections, (columns / 2).saturating_sub(2)) } else { whole }]
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

/// Arranges the sections in at most `count` columns, in order, so that the longest column is as short as
/// possible.
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

/// Arranges sections below each other, with aligned descriptions. The keys get at most `most` columns.
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
        lines.push(Line::styled(format!(" {heading}"), theme.style(Role::Faint)));
        for (names, text) in texts {
            lines.push(Line::from(vec![
                Span::styled(
                    format!("  {}", pad(names, keys, theme.glyphs.gap())),
                    theme.style(Role::Strong),
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

/// Returns the section about the signs in rows.
fn marks(glyphs: Glyphs) -> Section {
    let line = |mark: &str, text| (mark.to_owned(), text);
    let lines = vec![
        line("!", "error here or below"),
        line(glyphs.at_least(), "at least"),
        line(glyphs.growing(), "still growing"),
        line(glyphs.marked(), "marked"),
    ];
    Section { heading: "Signs", lines }
}

/// Returns the section about the mouse.
fn mouse() -> Section {
    let line = |what: &str, text| (what.to_owned(), text);
    let lines = vec![line("click", "select; sort"), line("again", "open"), line("Shift", "select text")];
    Section { heading: "Mouse", lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::keys::KEYMAP;

    #[test]
    fn every_binding_is_on_the_page_in_full_at_any_width_that_holds_it() {
        for columns in [44, 80, 200] {
            let text: Vec<String> = lines(Theme::default(), &Keymap::default(), columns)
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
        let lines = lines(Theme::default(), &Keymap::default(), 80);
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            scroll_limit(&Keymap::default(), (80, 70)),
            0,
            "too wide for two columns:\n{}",
            text.join("\n")
        );
    }

    #[test]
    fn the_views_are_on_the_first_page_of_usual_windows() {
        for size in [(80, 24), (120, 36), (200, 50)] {
            let lines = lines(Theme::default(), &Keymap::default(), size.0.into());
            let text: Vec<String> = lines.iter().take(page(size)).map(ToString::to_string).collect();
            let is_view = |command| size.0 > 80 || matches!(command, Command::View(_));
            for (_, binding) in in_group(HelpGroup::View).filter(|(_, binding)| is_view(binding.command)) {
                assert!(text.iter().any(|line| line.contains(binding.help)), "{} at {size:?}", binding.help);
            }
        }
    }
}
