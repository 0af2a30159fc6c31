//! Treemap: each entry of the directory is drawn as a rectangle whose area is proportional to its size. Nested
//! rectangles show the contents of directories.
//!
//! ```text
//!  music/  1.6 GiB  84.3%                                      the entry under the cursor
//!  music/              1.6 GiB  backup.tar
//!  albums/      900 MiB live/   400.0 MiB
//!  ■ program  ■ code  ■ archive  ■ document                     the colors
//! ```
//!
//! Without colors or half blocks, the rectangles are framed, and symbols replace the colors.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line as Text, Span};

use super::list::empty_text;
use super::map::Painter;
use super::row::draw_ends;
use super::shape::Shape;
use crate::analysis::search::Category;
use crate::base::format::{percent, plain_size, share};
use crate::base::kind::Kind;
use crate::base::text::{fit, width};
use crate::table::column::Column;
use crate::table::row::{CellValue, Row};
use crate::ui::cells;
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit};
use crate::ui::map_colors::ALL_EMPTY;
use crate::ui::theme::Role;
use crate::ui::treemap_layout::Tile;

/// Minimum width, in columns, of a title line that also states the meaning of the colors.
const LEAST_FOR_COLORS: u16 = 32;

pub fn draw(cx: &Context<'_>, titles: Rect, area: Rect, canvas: &mut Canvas<'_>) {
    let Canvas { buffer, hits } = canvas;
    let legend = cells::legend_area(area);
    // Without a legend, only the title line states the meaning of the colors.
    let has_room = legend.is_empty() && titles.width >= LEAST_FOR_COLORS;
    let colors = if has_room { format!("  {} ", cx.views.map_colors.title()) } else { String::new() };
    let title = title(cx, usize::from(titles.width).saturating_sub(width(&colors)));
    draw_ends(&title, &Text::styled(colors, cx.theme.style(Role::Faint)), titles, buffer);
    if cx.views.tiles.is_empty() && !area.is_empty() {
        let room = usize::from(area.width.saturating_sub(1));
        buffer.set_stringn(area.x + 1, area.y, empty(cx), room, cx.theme.style(Role::Faint));
    }
    let mut painter = Painter::new(cx, cx.views.map_colors, area);
    for Tile { index, area: tile } in &cx.views.tiles {
        let row = cx.window.lines.get(*index);
        let others = cx.window.rows - cx.window.lines.len();
        match row {
            Some(row) => painter.shape(&shape(cx, row, *index), *tile),
            None => painter.others(others as u64, *tile),
        }
        if row.is_some() {
            hits.add(tile.on_screen().intersection(area), Hit::Row(*index));
        }
    }
    let used = painter.used().to_vec();
    painter.draw(buffer);
    if !legend.is_empty() {
        let line = legend_line(cx, &used, usize::from(legend.width));
        buffer.set_line(legend.x, legend.y, &line, legend.width);
    }
}

/// Returns text that explains why there is nothing to draw.
fn empty(cx: &Context<'_>) -> String {
    let window = &cx.window;
    let has_only_empty = window.rows > 0 && window.is_complete && !window.is_partial && !cx.is_sorting();
    if has_only_empty { ALL_EMPTY.to_owned() } else { empty_text(cx) }
}

/// Returns the title line with the name and size of the entry under the cursor, because its rectangle may be too small
/// for them. Shortens the name to fit into `room` columns.
fn title(cx: &Context<'_>, room: usize) -> Text<'static> {
    let Some(line) = cx.window.selected() else { return Text::default() };
    let mut facts = String::new();
    if let Some(size) = line.size() {
        let whole = cx.window.size(cx.order.measure);
        let share = percent(share(size, whole));
        let sign = cx.theme.glyphs.precision(line.precision);
        facts = format!("  {sign}{}  {}", plain_size(size, cx.units), share.trim_start());
    }
    let of_color =
        cx.window.index.checked_sub(cx.window.offset).and_then(|index| color_text(cx, line, index));
    if let Some(text) = of_color.filter(|text| width(&line.label) + width(&facts) + width(text) + 2 < room) {
        facts += &text;
    }
    let label = fit(&line.label, room.saturating_sub(width(&facts) + 1), cx.theme.glyphs.gap());
    Text::from(vec![Span::styled(format!(" {label}"), cx.theme.style(Role::Strong)), Span::raw(facts)])
}

/// Returns the meaning of the color of a row's rectangle, such as `  video`. Returns `None` if the legend does not
/// contain the color, or if the row is a directory, because the contents of a directory have their own colors.
fn color_text(cx: &Context<'_>, row: &Row, index: usize) -> Option<String> {
    if row.kind == Some(Kind::Directory) {
        return None;
    }
    let colors = cx.views.map_colors;
    let role = shape(cx, row, index).role(colors, cx.clock());
    let (.., name) = colors.legend().iter().find(|(known, ..)| *known == role)?;
    Some(format!("  {name}"))
}

/// Returns the legend of the colors that are `used` in the treemap, or as much of it as fits.
fn legend_line(cx: &Context<'_>, used: &[Role], room: usize) -> Text<'static> {
    let (colors, faint) = (cx.views.map_colors, cx.theme.style(Role::Faint));
    let mut line = Text::from(Span::styled(format!(" {}:", colors.name()), faint));
    for (role, sign, name) in colors.legend().iter().filter(|(role, ..)| used.contains(role)) {
        let sign = if cx.theme.has_half_blocks() { '■' } else { *sign };
        if line.width() + width(name) + 4 > room {
            line.push_span(Span::styled(cx.theme.glyphs.gap(), faint));
            break;
        }
        line.push_span(Span::styled(
            format!(" {sign} "),
            Style::new().fg(cx.theme.style(*role).fg.unwrap_or_default()),
        ));
        line.push_span(Span::styled(*name, faint));
    }
    line
}

fn shape<'a>(cx: &'a Context<'_>, row: &'a Row, index: usize) -> Shape<'a> {
    let nodes = cx.views.map.value().map_or(&[][..], |level| &level.nodes);
    let node = nodes.iter().find(|node| Some(node.entry) == row.entry);
    let change = match row.cell(Column::Growth) {
        CellValue::Change(before, after) => Some(after.unwrap_or(0).cmp(&before.unwrap_or(0))),
        _ => None,
    };
    let mtime = match row.cell(Column::Modified) {
        CellValue::Time(time) => Some(time),
        _ => None,
    };
    let kind = row.kind.unwrap_or(Kind::Unknown);
    // A row may show a chain of directories. The label of such a row contains all names (`a/b/c`). If the contents are
    // drawn, only the first name is used, because the title line of the rectangle adds the other names.
    let label = node.filter(|node| !node.inner.nodes.is_empty()).map_or(&row.label, |node| &node.label);
    let of_name = || (kind == Kind::File).then(|| Category::of_name(row.label.as_bytes()));
    Shape {
        label: if row.is_marked {
            format!("{} {label}", cx.theme.glyphs.marked()).into()
        } else {
            label.into()
        },
        kind,
        category: node.and_then(|node| node.category).or_else(of_name),
        size: row.size().unwrap_or(0),
        mtime,
        change,
        inner: node.map(|node| &node.inner),
        is_selected: cx.window.offset + index == cx.window.index,
        precision: row.precision,
    }
}
