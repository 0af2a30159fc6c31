//! Nested rectangles of a treemap, with areas in proportion to sizes.
//!
//! ```text
//! lib/                 4.1 GiB  share/     821 MiB
//! gcc/    1.2 GiB llvm/ 900 MiB doc/        60 MiB
//! cc1    ▄lto1   ▄libLLVM.so  ▄ 197 more  ▄copying
//! ```
//!
//! A directory is drawn as a line with its name and size above its contents, if there is room. Other entries
//! are filled with a color. Edges are accurate to half a line. Each rectangle includes a gap: one column on its
//! right, and half a line at its bottom.

use std::cmp::Ordering;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use super::half_blocks::HalfBlocks;
use crate::analysis::search::Category;
use crate::base::format::{grouped, plain_size};
use crate::base::kind::Kind;
use crate::base::text::{fit, width};
use crate::table::outline::{Level, Node};
use crate::ui::context::Context;
use crate::ui::map_colors::MapColors;
use crate::ui::theme::{Role, ink, mixed};
use crate::ui::treemap_layout::{Area, layout};

/// Minimum size (columns, half lines) of a directory that shows its contents.
const OPEN: (u16, u16) = (8, 6);
/// Minimum size (columns, half lines) of a rectangle with shading.
const SHADED: (u16, u16) = (6, 8);
/// Ages in days at which the color changes.
const AGES: [i64; 4] = [30, 90, 365, 3 * 365];

#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    pub label: &'a str,
    pub kind: Kind,
    /// Category of a file, or main category of a directory, if known.
    pub category: Option<Category>,
    pub size: u64,
    /// Time of the last change, if known.
    pub mtime: Option<i64>,
    pub change: Option<Ordering>,
    pub inner: Option<&'a Level>,
    pub is_selected: bool,
}

impl<'a> Shape<'a> {
    fn of(node: &'a Node) -> Self {
        let Node { label, kind, size, mtime, change, category, inner, .. } = node;
        Self {
            label,
            kind: *kind,
            category: *category,
            size: *size,
            mtime: Some(*mtime),
            change: *change,
            inner: Some(inner),
            is_selected: false,
        }
    }
}

/// Text to be drawn over the rectangles.
struct Label {
    x: u16,
    y: u16,
    text: String,
    style: Style,
}

/// Picture in progress.
pub struct Painter<'a, 't> {
    cx: &'a Context<'t>,
    colors: MapColors,
    picture: HalfBlocks,
    labels: Vec<Label>,
    /// Screen column of the cursor rectangle's left edge. Set only while that rectangle is painted.
    edge: Option<u16>,
    /// Roles whose colors are in the picture.
    used: Vec<Role>,
}

impl<'a, 't> Painter<'a, 't> {
    pub fn new(cx: &'a Context<'t>, colors: MapColors, area: Rect) -> Self {
        Self { cx, colors, picture: HalfBlocks::new(area), labels: Vec::new(), edge: None, used: Vec::new() }
    }

    pub fn used(&self) -> &[Role] {
        &self.used
    }

    pub fn draw(self, buffer: &mut Buffer) {
        self.picture.draw(buffer);
        for Label { x, y, text, style } in self.labels {
            // The window may have become smaller since the rectangles were computed.
            if buffer.area.contains(Position { x, y }) {
                buffer.set_string(x, y, text, style);
            }
        }
    }

    pub fn level(&mut self, level: &Level, area: Area) {
        let mut weights: Vec<u64> = level.nodes.iter().map(|node| node.size).collect();
        weights.push(level.rest);
        for tile in layout(&weights, area) {
            match level.nodes.get(tile.index) {
                Some(node) => self.shape(&Shape::of(node), tile.area),
                None => self.others(level.others, tile.area),
            }
        }
    }

    pub fn shape(&mut self, shape: &Shape<'_>, area: Area) {
        if shape.is_selected {
            self.edge = Some(area.x);
        }
        let inner = shape.inner.filter(|inner| !inner.nodes.is_empty());
        match inner {
            Some(inner) if area.width >= OPEN.0 && area.height >= OPEN.1 => self.open(shape, inner, area),
            _ => self.leaf(shape, area),
        }
        if shape.is_selected {
            self.edge = None;
        }
    }

    /// Returns the start column and maximum width of a text in this area. The text must not cover the outline
    /// of the cursor's rectangle.
    fn beside_edge(&self, area: Area) -> (u16, usize) {
        let edge = u16::from(self.edge == Some(area.x));
        (area.x + edge, usize::from(area.width.saturating_sub(edge)))
    }

    /// Paints the rectangle for entries that have no rectangles of their own. `number` is their count.
    pub fn others(&mut self, number: u64, area: Area) {
        // A rectangle of one column has no gap, so its label would touch the next rectangle.
        let room = usize::from(area.width - 1);
        let (theme, area) = (self.cx.theme, inset(area));
        if let Some(color) = theme.style(Role::Track).bg {
            self.picture.fill(area, color);
        }
        let label = others_label(number, self.beside_edge(area).1.min(room));
        self.write(area, &label, "", theme.style(Role::Faint));
    }

    fn open(&mut self, shape: &Shape<'_>, inner: &Level, area: Area) {
        let theme = self.cx.theme;
        let color = if shape.is_selected { Some(self.accent()) } else { theme.style(Role::Selected).bg };
        let style = color.map_or(Style::new(), on);
        // The title needs a whole screen line.
        let line = area.y.div_ceil(2);
        let end = line * 2 + 2;
        let head = Area { height: end - area.y, width: area.width.max(2) - 1, ..area };
        if let Some(color) = color {
            self.picture.fill(head, color);
        }
        // If a directory contains only another directory, both share one title line.
        let (mut label, mut inner) = (shape.label.to_owned(), inner);
        while let ([only], 0) = (inner.nodes.as_slice(), inner.rest)
            && !only.inner.nodes.is_empty()
        {
            label.push_str(&only.label);
            inner = &only.inner;
        }
        let size = plain_size(shape.size, self.cx.units);
        let (start, room) = self.beside_edge(head);
        let name = fit(&label, room, theme.glyphs.gap()).into_owned();
        if width(&name) + width(&size) < room {
            let x = area.x + head.width - u16::try_from(width(&size)).unwrap_or(0);
            self.labels.push(Label { x, y: line, text: size, style });
        }
        let style = style.add_modifier(Modifier::BOLD);
        self.labels.push(Label { x: start, y: line, text: name, style });
        let content = Area { y: end, height: area.bottom() - end, ..area };
        self.level(inner, content);
        if shape.is_selected {
            self.outline(area);
        }
    }

    fn leaf(&mut self, shape: &Shape<'_>, area: Area) {
        let inside = inset(area);
        let color = self.use_color(shape);
        let ink = on(color);
        if inside.width >= SHADED.0 && inside.height >= SHADED.1 {
            for step in 0..inside.height {
                let line = Area { y: inside.y + step, height: 1, ..inside };
                self.picture.fill(line, mixed(color, shade(color), (step, 2 * inside.height)));
            }
        } else {
            self.picture.fill(inside, color);
        }
        if shape.is_selected {
            self.outline(area);
        }
        let style = if shape.is_selected { ink.add_modifier(Modifier::BOLD) } else { ink };
        self.write(inside, shape.label, &plain_size(shape.size, self.cx.units), style);
    }

    /// Returns the color of the outline and the title of the cursor's rectangle. If the theme has no color for them,
    /// they have the terminal's text color.
    fn accent(&self) -> Color {
        self.cx.theme.style(Role::Accent).fg.unwrap_or(Color::Reset)
    }

    fn outline(&mut self, area: Area) {
        let color = self.accent();
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for side in [
            Area { height: 1, ..area },
            Area { y: bottom, height: 1, ..area },
            Area { width: 1, ..area },
            Area { x: right, width: 1, ..area },
        ] {
            self.picture.fill(side, color);
        }
    }

    /// Writes a name and, below it, a size, as far as they fit.
    fn write(&mut self, area: Area, name: &str, size: &str, style: Style) {
        let (first, end) = (area.y.div_ceil(2), area.bottom() / 2);
        let (x, room) = self.beside_edge(area);
        if first >= end || room < width(name).min(3) {
            return;
        }
        let text = fit(name, room, self.cx.theme.glyphs.gap()).into_owned();
        self.labels.push(Label { x, y: first, text, style });
        if first + 1 < end && width(size) <= room {
            self.labels.push(Label { x, y: first + 1, text: size.to_owned(), style });
        }
    }

    /// Returns the color of an entry without visible contents, and adds its role to `used`. With colors by type,
    /// directories are darker than files of their main category.
    fn use_color(&mut self, shape: &Shape<'_>) -> Color {
        let (theme, role) = (self.cx.theme, self.role(shape));
        if !self.used.contains(&role) {
            self.used.push(role);
        }
        let color = theme.style(role).fg.unwrap_or(Color::Gray);
        match theme.style(Role::Track).bg {
            Some(below) if self.colors == MapColors::Type && shape.kind == Kind::Directory => {
                mixed(color, below, (1, 3))
            }
            _ => color,
        }
    }

    fn role(&self, shape: &Shape<'_>) -> Role {
        match self.colors {
            MapColors::Type => {
                let unknown = if shape.kind == Kind::Directory { Role::Directory } else { Role::Other };
                shape.category.map_or(unknown, Role::of)
            }
            MapColors::Age => {
                let roles = MapColors::Age.legend();
                let days = shape.mtime.map(|mtime| self.cx.clock().saturating_sub(mtime) / 86_400);
                match days.filter(|days| *days >= 0) {
                    Some(days) => roles[AGES.iter().filter(|age| days >= **age).count()].0,
                    None => Role::Other,
                }
            }
            MapColors::Growth => match shape.change {
                Some(Ordering::Greater) => Role::More,
                Some(Ordering::Less) => Role::Less,
                Some(Ordering::Equal) | None => Role::Other,
            },
        }
    }
}

/// Returns the longest label for `number` entries without rectangles of their own that fits in `room` columns.
pub fn others_label(number: u64, room: usize) -> String {
    let number = grouped(number);
    let labels = [format!("{number} more"), format!("+{number}"), number];
    labels.into_iter().find(|label| width(label) <= room).unwrap_or_default()
}

/// Returns the style of text on a rectangle of this color.
fn on(color: Color) -> Style {
    match color {
        // The rectangle is in reverse video already.
        Color::Reset => Style::new(),
        color => Style::new().fg(ink(color)),
    }
}

/// Returns the darker color at the lower edge of a shaded rectangle.
fn shade(color: Color) -> Color {
    mixed(color, Color::Rgb(0, 0, 0), (6, 10))
}

/// Returns an area without the gap at its right and bottom edges.
fn inset(area: Area) -> Area {
    let less = |length: u16| if length > 1 { length - 1 } else { length };
    Area { width: less(area.width), height: less(area.height), ..area }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_label_of_other_entries_keeps_the_number() {
        let labels = [12, 9, 8, 7, 6, 5, 4].map(|room| others_label(1234, room));
        assert_eq!(labels, ["1,234 more", "+1,234", "+1,234", "+1,234", "+1,234", "1,234", ""]);
    }
}
