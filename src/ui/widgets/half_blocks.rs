//! Picture made of half blocks: each cell of the terminal shows two colors, one above the other or side by side.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::ui::treemap_layout::Area;

/// Colors of the half cells in an area of the screen.
#[derive(Debug)]
pub struct HalfBlocks {
    area: Rect,
    halves: Vec<Half>,
}

/// Upper or lower half of a cell, with the colors of its left and right part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Half {
    left: Option<Color>,
    right: Option<Color>,
}

impl HalfBlocks {
    pub fn new(area: Rect) -> Self {
        // A vertical position in half lines must fit in 16 bits. Half of this range is for the height of the area, and
        // the other half is for the position of the area on the screen.
        let area = Rect { height: area.height.min(u16::MAX / 4), ..area };
        Self { area, halves: vec![Half::default(); usize::from(area.width) * usize::from(area.height) * 2] }
    }

    /// Fills an area, given in columns and half lines. [`Color::Reset`] fills it with the terminal's text color.
    pub fn fill(&mut self, area: Area, color: Color) {
        self.change(area, |half| *half = Half { left: Some(color), right: Some(color) });
    }

    /// Fills an area except the right half of its last column, which remains a gap before the next area.
    pub fn fill_apart(&mut self, area: Area, color: Color) {
        let Some(whole) = area.width.checked_sub(1) else { return };
        self.fill(Area { width: whole, ..area }, color);
        let last = Area { x: area.x + whole, width: 1, ..area };
        self.change(last, |half| *half = Half { left: Some(color), right: None });
    }

    /// Draws lines along the left and right edges of an area. Each line is half a column wide. The right line fills
    /// the gap that [`Self::fill_apart`] leaves.
    pub fn enclose(&mut self, area: Area, color: Color) {
        let right = Area { x: area.right() - 1, width: 1, ..area };
        self.change(right, |half| half.right = Some(color));
        self.change(Area { width: 1, ..area }, |half| half.left = Some(color));
    }

    fn change(&mut self, area: Area, change: impl Fn(&mut Half)) {
        let top = self.area.y * 2;
        for y in area.y.max(top)..area.bottom().min(top + self.area.height * 2) {
            for x in area.x.max(self.area.x)..area.right().min(self.area.right()) {
                let at = usize::from(y - top) * usize::from(self.area.width) + usize::from(x - self.area.x);
                change(&mut self.halves[at]);
            }
        }
    }

    /// Draws the picture, with at most two colors for each cell. Cells without a color are not changed.
    pub fn draw(&self, buffer: &mut Buffer) {
        let width = usize::from(self.area.width);
        for position in self.area.positions() {
            let at =
                usize::from(position.y - self.area.y) * 2 * width + usize::from(position.x - self.area.x);
            let Some(cell) = buffer.cell_mut(position) else { continue };
            let (above, below) = (self.halves[at], self.halves[at + width]);
            match (above.left.or(below.left), above.right.or(below.right)) {
                (None, None) => {}
                (Some(left), None) => {
                    let symbol = match (above.left, below.left) {
                        (Some(_), None) => "▘",
                        (None, _) => "▖",
                        _ => "▌",
                    };
                    cell.set_symbol(symbol).set_fg(left);
                }
                (None, Some(right)) => drop(cell.set_symbol("▐").set_fg(right)),
                // If the upper or the lower half has the same color on both sides, the cell is divided into an upper
                // and a lower part. The other half then shows only its left color.
                (Some(_), Some(_)) if above.is_whole() || below.is_whole() => {
                    draw_both(cell, above.left, below.left);
                }
                // In a picture, `Reset` means the terminal's text color. As a background, `Reset` would mean the
                // terminal's background color. The right half is therefore drawn as the foreground.
                (Some(left), Some(Color::Reset)) => {
                    cell.set_symbol("▐").set_fg(Color::Reset).set_bg(left);
                }
                (Some(left), Some(right)) => drop(cell.set_symbol("▌").set_fg(left).set_bg(right)),
            }
        }
    }
}

impl Half {
    fn is_whole(self) -> bool {
        self.left.is_some() && self.left == self.right
    }
}

fn draw_both(cell: &mut Cell, above: Option<Color>, below: Option<Color>) {
    match (above, below) {
        (None, None) => {}
        (Some(above), None) => drop(cell.set_symbol("▀").set_fg(above)),
        (None, Some(below)) => drop(cell.set_symbol("▄").set_fg(below)),
        // In a picture, `Reset` means the terminal's text color. As the background of a cell, `Reset` would mean the
        // terminal's background color. `Reset` is therefore drawn as the foreground, or in reverse video if both halves
        // are `Reset`.
        (Some(Color::Reset), Some(Color::Reset)) => cell.set_symbol(" ").modifier.insert(Modifier::REVERSED),
        (Some(above), Some(Color::Reset)) => drop(cell.set_symbol("▄").set_fg(Color::Reset).set_bg(above)),
        (Some(above), Some(below)) if above == below => drop(cell.set_symbol(" ").set_bg(above)),
        (Some(above), Some(below)) => drop(cell.set_symbol("▀").set_fg(above).set_bg(below)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_apart_do_not_touch() {
        let area = |x, y, width, height| Area { x, y, width, height };
        let mut blocks = HalfBlocks::new(Rect::new(0, 0, 6, 2));
        blocks.fill_apart(area(0, 0, 1, 3), Color::Red);
        blocks.fill_apart(area(1, 0, 1, 4), Color::Green);
        blocks.fill_apart(area(2, 1, 2, 3), Color::Blue);
        blocks.fill(area(4, 0, 1, 2), Color::Cyan);
        blocks.fill_apart(area(4, 2, 1, 1), Color::Red);
        blocks.fill_apart(area(4, 3, 1, 1), Color::Blue);
        blocks.fill_apart(area(5, 2, 1, 1), Color::Red);
        blocks.fill(area(5, 3, 1, 1), Color::Blue);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 2));
        blocks.draw(&mut buffer);
        let lines: Vec<String> =
            buffer.content.chunks(6).map(|line| line.iter().map(Cell::symbol).collect()).collect();
        assert_eq!(lines, ["▌▌▄▖  ", "▘▌ ▌▌▀"]);
        assert_eq!((buffer[(2, 1)].bg, buffer[(4, 0)].bg), (Color::Blue, Color::Cyan));
        assert_eq!((buffer[(5, 1)].fg, buffer[(5, 1)].bg), (Color::Red, Color::Blue));
    }

    #[test]
    fn an_enclosed_area_keeps_its_colors() {
        let area = Area { x: 0, y: 0, width: 3, height: 4 };
        let mut blocks = HalfBlocks::new(Rect::new(0, 0, 3, 2));
        blocks.fill_apart(Area { height: 3, ..area }, Color::Red);
        blocks.enclose(area, Color::Reset);
        blocks.fill(Area { y: 3, height: 1, ..area }, Color::Reset);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 2));
        blocks.draw(&mut buffer);
        let cell = |x, y| {
            let cell: &Cell = &buffer[(x, y)];
            (cell.symbol(), cell.fg, cell.bg)
        };
        assert_eq!(cell(0, 0), ("▌", Color::Reset, Color::Red));
        assert_eq!(cell(1, 0), (" ", Color::Reset, Color::Red));
        assert_eq!(cell(2, 0), ("▐", Color::Reset, Color::Red));
        assert_eq!(cell(1, 1), ("▄", Color::Reset, Color::Red));
    }
}
