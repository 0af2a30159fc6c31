//! Picture made of half blocks: each cell of the terminal shows two colors, one above the other, or one color in its
//! left half.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::ui::treemap_layout::Area;

/// Colors of the half cells in an area of the screen.
#[derive(Debug)]
pub struct HalfBlocks {
    area: Rect,
    halves: Vec<Option<Half>>,
}

/// Upper or lower half of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Half {
    color: Color,
    /// `true` if only the left half of it has the color.
    is_left: bool,
}

impl HalfBlocks {
    pub fn new(area: Rect) -> Self {
        // Vertical positions in half lines must fit in 16 bits. The height may use half of that range, and the
        // position of the area on the screen the other half.
        let area = Rect { height: area.height.min(u16::MAX / 4), ..area };
        Self { area, halves: vec![None; usize::from(area.width) * usize::from(area.height) * 2] }
    }

    /// Fills an area, whose vertical unit is half a line. [`Color::Reset`] fills it with the terminal's text color.
    pub fn fill(&mut self, area: Area, color: Color) {
        self.put(area, Half { color, is_left: false });
    }

    /// Fills an area except the right half of its last column, which separates it from the area to the right.
    pub fn fill_apart(&mut self, area: Area, color: Color) {
        let Some(whole) = area.width.checked_sub(1) else { return };
        self.fill(Area { width: whole, ..area }, color);
        self.put(Area { x: area.x + whole, width: 1, ..area }, Half { color, is_left: true });
    }

    fn put(&mut self, area: Area, half: Half) {
        let top = self.area.y * 2;
        for y in area.y.max(top)..area.bottom().min(top + self.area.height * 2) {
            for x in area.x.max(self.area.x)..area.right().min(self.area.right()) {
                let at = usize::from(y - top) * usize::from(self.area.width) + usize::from(x - self.area.x);
                self.halves[at] = Some(half);
            }
        }
    }

    /// Draws the picture. Cells without a color are not changed.
    pub fn draw(&self, buffer: &mut Buffer) {
        let width = usize::from(self.area.width);
        for position in self.area.positions() {
            let at =
                usize::from(position.y - self.area.y) * 2 * width + usize::from(position.x - self.area.x);
            let Some(cell) = buffer.cell_mut(position) else { continue };
            match (self.halves[at], self.halves[at + width]) {
                (None, None) => {}
                (Some(above), None) => {
                    cell.set_symbol(if above.is_left { "▘" } else { "▀" }).set_fg(above.color);
                }
                (None, Some(below)) => {
                    cell.set_symbol(if below.is_left { "▖" } else { "▄" }).set_fg(below.color);
                }
                // A cell has only two colors, so the left part has only one color beside the blank right part.
                (Some(above), Some(below)) if above.is_left && below.is_left => {
                    cell.set_symbol("▌").set_fg(above.color);
                }
                // If only one of the halves is whole, the other one becomes whole, too.
                (Some(above), Some(below)) => draw_both(cell, above.color, below.color),
            }
        }
    }
}

fn draw_both(cell: &mut Cell, above: Color, below: Color) {
    match (above, below) {
        // In a picture, `Reset` means the terminal's text color. A cell with the background `Reset` would show the
        // terminal's background color, so the colors of the cell are reversed instead.
        (Color::Reset, Color::Reset) => cell.set_symbol(" ").modifier.insert(Modifier::REVERSED),
        (above, Color::Reset) => drop(cell.set_symbol("▄").set_fg(Color::Reset).set_bg(above)),
        (above, below) if above == below => drop(cell.set_symbol(" ").set_bg(above)),
        (above, below) => drop(cell.set_symbol("▀").set_fg(above).set_bg(below)),
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
}
