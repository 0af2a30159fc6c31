//! Nested rectangles of a treemap, with areas in proportion to sizes.
//!
//! ```text
//! lib/                 4.1 GiB  share/     821 MiB
//! gcc/    1.2 GiB llvm/ 900 MiB doc/        60 MiB
//! cc1    ▄lto1   ▄libLLVM.so  ▄ 197 more  ▄copying
//! ```
//!
//! A directory is drawn as a title line with its name and size, and its contents below, if there is room. Other entries
//! are filled with a color. Each rectangle includes a gap of half a column on its right. Unless the rectangle is only
//! half a line high, it also includes a gap of half a line at its bottom. Text ends one column before the right edge.
//!
//! A rectangle, including title and gap, gets its share of the area below the title of the parent directory. Rounding
//! changes the width by at most one column and the height by at most half a line. Areas can therefore be compared among
//! the entries of one directory, but not between directories: a directory with many levels loses more area to titles.
//!
//! Without colors or half blocks, each rectangle has a frame, whose upper line begins with the name. A symbol before
//! the name replaces the color. Adjacent frames share a line. A rectangle includes the upper and the left line of its
//! frame.
//!
//! ```text
//! +lib/----------4.1 GiB+share/----+
//! +gcc/-----+llvm/------+doc/------+
//! +p cc1----+p libLLVM--+t copying-+
//! |33 MiB   |56 MiB     |9.1 MiB   |
//! ```

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use super::frames::Frames;
use super::half_blocks::HalfBlocks;
use super::shape::Shape;
use crate::base::kind::Kind;
use crate::base::text::{beginning, fit, width};
use crate::table::outline::Level;
use crate::ui::cells::rounding_unit;
use crate::ui::context::Context;
use crate::ui::map_colors::{MapColors, others_label};
use crate::ui::theme::{Colors, Role, ink, mixed};
#[cfg(test)]
use crate::ui::treemap_layout::Tile;
use crate::ui::treemap_layout::{Area, Unit, layout};

/// Minimum size (columns, half lines) of a rectangle in which the contents of a directory are drawn.
const OPEN: (u16, u16) = (8, 6);
/// Minimum size (columns, half lines) of a rectangle whose color becomes darker from top to bottom. The size includes
/// the gaps.
const SHADED: (u16, u16) = (6, 8);
/// Minimum width of a shortened name. With fewer columns, the name could not be recognized.
const SHORTEST: usize = 6;
/// Minimum width at which a long name is shortened in the middle. In a narrower space, the name is cut off at its end.
const FROM_BOTH_ENDS: usize = 10;
/// Color of the outline and the title of the cursor's rectangle: the terminal's text color, which no category has.
const OUTLINE: Color = Color::Reset;

/// Text to be drawn over the rectangles.
struct Label {
    x: u16,
    y: u16,
    text: String,
    style: Style,
}

/// Tiles of one directory, with the sizes and the area from which they were computed.
#[cfg(test)]
pub struct LaidOut {
    pub sizes: Vec<u64>,
    pub area: Area,
    pub tiles: Vec<Tile>,
}

/// Painter of a treemap. Collects colors, frames and labels, which [`Painter::draw`] then puts on the screen.
pub struct Painter<'a, 't> {
    cx: &'a Context<'t>,
    colors: MapColors,
    /// Colors of the treemap. Unused if rectangles have frames.
    blocks: HalfBlocks,
    frames: Option<Frames>,
    labels: Vec<Label>,
    /// Screen column of the left edge of the cursor's rectangle. Set only while that rectangle is painted.
    edge: Option<u16>,
    /// Roles whose colors occur in the treemap.
    used: Vec<Role>,
    #[cfg(test)]
    pub laid_out: Vec<LaidOut>,
    /// Areas of the rectangles that show a single entry and are not divided into its contents.
    #[cfg(test)]
    pub leaves: Vec<Area>,
}

impl<'a, 't> Painter<'a, 't> {
    pub fn new(cx: &'a Context<'t>, colors: MapColors, area: Rect) -> Self {
        let frames = (rounding_unit(cx.theme) == Unit::Line).then(|| Frames::new(area));
        let blocks = HalfBlocks::new(area);
        Self {
            cx,
            colors,
            blocks,
            frames,
            labels: Vec::new(),
            edge: None,
            used: Vec::new(),
            #[cfg(test)]
            laid_out: Vec::new(),
            #[cfg(test)]
            leaves: Vec::new(),
        }
    }

    pub fn used(&self) -> &[Role] {
        &self.used
    }

    pub fn draw(self, buffer: &mut Buffer) {
        self.blocks.draw(buffer);
        if let Some(frames) = &self.frames {
            frames.draw(self.cx.theme, buffer);
        }
        for Label { x, y, text, style } in self.labels {
            // The window may have become smaller since the rectangles were computed.
            if buffer.area.contains(Position { x, y }) {
                // The reset prevents a label on a frame line from inheriting the style of that line.
                let style = if self.frames.is_some() { Style::reset().patch(style) } else { style };
                buffer.set_string(x, y, text, style);
            }
        }
    }

    pub fn level(&mut self, level: &Level, area: Area) {
        let mut weights: Vec<u64> = level.nodes.iter().map(|node| node.size).collect();
        weights.push(level.rest);
        let tiles = layout(&weights, area, rounding_unit(self.cx.theme));
        #[cfg(test)]
        self.laid_out.push(LaidOut { sizes: weights, area, tiles: tiles.clone() });
        for tile in tiles {
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

    /// Returns the first column and the maximum width of text in this area that does not cover the cursor's outline.
    fn beside_edge(&self, area: Area) -> (u16, usize) {
        let edge = u16::from(self.edge == Some(area.x));
        (area.x + edge, usize::from(area.width.saturating_sub(edge)))
    }

    /// Paints the rectangle for entries that have no rectangles of their own. `number` is their count.
    pub fn others(&mut self, number: u64, area: Area) {
        self.frame(area, false);
        let theme = self.cx.theme;
        if let Some(color) = theme.style(Role::Track).bg {
            self.fill(above_gap(area), color);
        }
        let inside = self.inset(area);
        let label = others_label(number, self.beside_edge(inside).1);
        let style = theme.style(Role::Faint);
        self.write(inside, (&label, style), ("", style));
    }

    fn open(&mut self, shape: &Shape<'_>, inner: &Level, area: Area) {
        self.frame(area, false);
        let theme = self.cx.theme;
        let color = match theme.colors {
            _ if shape.is_selected => Some(OUTLINE),
            // With sixteen colors, titles of unselected rectangles have no background. A blue background would look too
            // similar to the light blue of program files.
            Colors::Sixteen => None,
            _ => theme.style(Role::Selected).bg,
        };
        let style = self.ink(color, shape);
        // The title takes a whole line of the screen, but areas are measured in half lines.
        let line = area.y.div_ceil(2);
        let end = line * 2 + 2;
        if let Some(color) = color {
            self.fill(Area { y: line * 2, height: 2, ..area }, color);
        }
        let head = self.inset(area);
        // If the only entry of a directory is a directory with visible contents, both share one title line.
        let (mut label, mut inner) = (shape.label.clone().into_owned(), inner);
        while let ([only], 0) = (inner.nodes.as_slice(), inner.rest)
            && !only.inner.nodes.is_empty()
        {
            label.push_str(&only.label);
            inner = &only.inner;
        }
        let size = shape.size_text(self.cx);
        let (start, room) = self.beside_edge(head);
        let name = fit(&label, room, theme.glyphs.gap()).into_owned();
        if width(&name) + width(&size) < room {
            let x = head.right() - u16::try_from(width(&size)).unwrap_or(0);
            self.labels.push(Label { x, y: line, text: size, style });
        }
        let style = match color {
            None if self.frames.is_none() => theme.style(Role::Directory),
            _ => style.add_modifier(Modifier::BOLD),
        };
        self.labels.push(Label { x: start, y: line, text: name, style });
        let content = Area { y: end, height: area.bottom() - end, ..area };
        self.level(inner, content);
        if shape.is_selected {
            self.outline(area);
        }
    }

    fn leaf(&mut self, shape: &Shape<'_>, area: Area) {
        #[cfg(test)]
        self.leaves.push(area);
        self.frame(area, false);
        let inside = self.inset(area);
        let color = self.use_color(shape);
        let style = self.ink(Some(color), shape);
        let filled = above_gap(area);
        if area.width >= SHADED.0 && area.height >= SHADED.1 {
            for step in 0..filled.height {
                let half_line = Area { y: filled.y + step, height: 1, ..filled };
                self.fill(half_line, mixed(color, shade(color), (step, 2 * filled.height)));
            }
        } else {
            self.fill(filled, color);
        }
        if shape.is_selected {
            self.outline(area);
            if self.frames.is_none() {
                self.blocks.fill(Area { height: 1, ..area }, OUTLINE);
            }
        }
        let mut label = shape.label.clone();
        if self.frames.is_some() {
            let sign = self.colors.sign(self.role(shape));
            // A symbol fits even if the rectangle is too narrow for the name.
            let named = format!("{sign} {label}");
            let is_narrow = usize::from(inside.width) < width(&named).min(SHORTEST);
            label = if is_narrow { sign.to_string() } else { named }.into();
        }
        let mut title = style;
        if shape.is_selected {
            title = title.add_modifier(Modifier::BOLD);
            if let Some(line) = lines_of(inside).next().filter(|_| self.frames.is_none()) {
                self.fill(Area { y: line * 2, height: 2, ..area }, OUTLINE);
                title = self.ink(Some(OUTLINE), shape).add_modifier(Modifier::BOLD);
            }
        }
        self.write(inside, (&label, title), (&shape.size_text(self.cx), style));
    }

    /// Returns the style for the text on the rectangle `shape`, which is filled with `color`. If rectangles have
    /// frames instead of filled areas, the color of the text shows the role of the entry.
    fn ink(&self, color: Option<Color>, shape: &Shape<'_>) -> Style {
        match color {
            _ if self.frames.is_some() && shape.is_selected => self.cx.theme.style(Role::Accent).reversed(),
            // The frame may be dimmed, but the text written over its top line must be legible.
            _ if self.frames.is_some() => {
                self.cx.theme.style(self.role(shape)).remove_modifier(Modifier::DIM)
            }
            // The text needs no color here: a rectangle without a color is not filled, and `Reset` is drawn in
            // reverse video, which also reverses the text.
            None | Some(Color::Reset) => Style::new(),
            Some(color) => Style::new().fg(ink(color)),
        }
    }

    /// Fills a rectangle except the gap on its right. Does nothing if rectangles have frames.
    fn fill(&mut self, area: Area, color: Color) {
        if self.frames.is_none() {
            self.blocks.fill_apart(area, color);
        }
    }

    fn frame(&mut self, area: Area, is_bold: bool) {
        if let Some(frames) = &mut self.frames {
            let inside = area.on_screen();
            frames.add(Rect { width: inside.width + 1, height: inside.height + 1, ..inside }, is_bold);
        }
    }

    /// Returns the part of a rectangle's area that is available for text. Without frames, this excludes the last
    /// column and the gap at the bottom. With frames, it excludes the left line of the frame, but not the top line,
    /// because the name is written over the top line.
    fn inset(&self, area: Area) -> Area {
        match self.frames {
            None => Area { width: area.width - 1, ..above_gap(area) },
            Some(_) => Area { x: area.x + 1, width: area.width - 1, ..area },
        }
    }

    fn outline(&mut self, area: Area) {
        if self.frames.is_some() {
            return self.frame(area, true);
        }
        self.blocks.enclose(area, OUTLINE);
        self.blocks.fill(Area { y: area.bottom() - 1, height: 1, ..area }, OUTLINE);
    }

    /// Writes a name, shortened if necessary, and a size below it. Omits the size, or both, if there is no room.
    fn write(&mut self, area: Area, (name, of_name): (&str, Style), (size, of_size): (&str, Style)) {
        let mut lines = lines_of(area);
        let (x, room) = self.beside_edge(area);
        let Some(y) = lines.next().filter(|_| room >= width(name).min(SHORTEST)) else { return };
        // In a narrow rectangle, a name is cut off at its end, because its beginning is more informative than a few
        // letters from both ends.
        let cut = if room < FROM_BOTH_ENDS { beginning } else { fit };
        let text = cut(name, room, self.cx.theme.glyphs.gap()).into_owned();
        self.labels.push(Label { x, y, text, style: of_name });
        if let Some(y) = lines.next().filter(|_| width(size) <= room) {
            self.labels.push(Label { x, y, text: size.to_owned(), style: of_size });
        }
    }

    /// Returns the color for an entry whose contents are not drawn, and adds the entry's role to `used`. If colors
    /// show types, a directory is fainter than files of its main category.
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
        shape.role(self.colors, self.cx.clock())
    }
}

/// Returns the lines of the screen that lie completely in the area.
fn lines_of(area: Area) -> Range<u16> {
    area.y.div_ceil(2)..area.bottom() / 2
}

/// Returns the part of a rectangle above the gap at its bottom.
fn above_gap(area: Area) -> Area {
    Area { height: if area.height > 1 { area.height - 1 } else { area.height }, ..area }
}

/// Returns a darker version of `color`. The color of a shaded rectangle changes from top to bottom. It starts with
/// `color`, and ends about halfway to the darker version.
fn shade(color: Color) -> Color {
    mixed(color, Color::Rgb(0, 0, 0), (6, 10))
}
