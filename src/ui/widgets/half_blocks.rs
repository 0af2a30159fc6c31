//! Picture made of half blocks: each cell of the terminal shows two colors, one above the other.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use crate::ui::treemap_layout::Area;

/// Colors of the half cells in an area of the screen.
#[derive(Debug)]
pub struct HalfBlocks {
    area: Rect,
    colors: Vec<Option<Color>>,
}

impl HalfBlocks {
    pub fn new(area: Rect) -> Self {
        // Vertical positions in half lines must fit in 16 bits. The height may use half of that range, and the
        // position of the area on the screen the other half.
        let area = Rect { height: area.height.min(u16::MAX / 4), ..area };
        Self { area, colors: vec![None; usize::from(area.width) * usize::from(area.height) * 2] }
    }

    /// Fills an area, whose vertical unit is half a line. [`Color::Reset`] fills it with the terminal's text color.
    pub fn fill(&mut self, area: Area, color: Color) {
        let top = self.area.y * 2;
        for y in area.y.max(top)..area.bottom().min(top + self.area.height * 2) {
            for x in area.x.max(self.area.x)..area.right().min(self.area.right()) {
                let at = usize::from(y - top) * usize::from(self.area.width) + usize::from(x - self.area.x);
                self.colors[at] = Some(color);
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
            match (self.colors[at], self.colors[at + width]) {
                (None, None) => {}
                // In `colors`, `Reset` means the terminal's text color. A cell with the background `Reset` would show
                // the terminal's background color, so the colors of the cell are reversed instead.
                (Some(Color::Reset), Some(Color::Reset)) => {
                    cell.set_symbol(" ").modifier.insert(Modifier::REVERSED);
                }
                (Some(above), Some(Color::Reset)) => {
                    cell.set_symbol("▄").set_fg(Color::Reset).set_bg(above);
                }
                (Some(above), Some(below)) if above == below => drop(cell.set_symbol(" ").set_bg(above)),
                (Some(above), Some(below)) => drop(cell.set_symbol("▀").set_fg(above).set_bg(below)),
                (Some(above), None) => drop(cell.set_symbol("▀").set_fg(above)),
                (None, Some(below)) => drop(cell.set_symbol("▄").set_fg(below)),
            }
        }
    }
}
