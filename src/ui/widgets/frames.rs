//! Frames drawn with lines, for the cells of a treemap. Adjacent frames share a line.
//!
//! ```text
//! ┌p cc1────╔c lib.rs═╗
//! │1.2 GiB  ║900 MiB  ║
//! ├p ld─────╚═════════╝
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::theme::{Role, Theme};

const ABOVE: u8 = 1;
const BELOW: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;
const BOLD: u8 = 16;

/// Lines of all frames in an area of the screen.
#[derive(Debug)]
pub struct Frames {
    area: Rect,
    /// Bits of each cell: one for each side to which a line leads from the center of the cell, and [`BOLD`].
    cells: Vec<u8>,
}

impl Frames {
    pub fn new(area: Rect) -> Self {
        Self { area, cells: vec![0; usize::from(area.width) * usize::from(area.height)] }
    }

    /// Adds lines along the edges of `frame`. In each cell, bold lines replace thin ones, regardless of the order.
    pub fn add(&mut self, frame: Rect, is_bold: bool) {
        let (right, bottom) = (frame.right().saturating_sub(1), frame.bottom().saturating_sub(1));
        let when = |condition: bool, side: u8| if condition { side } else { 0 };
        for position in frame.intersection(self.area).positions() {
            let (x, y) = (position.x, position.y);
            let mut sides = 0;
            if y == frame.y || y == bottom {
                sides |= when(x > frame.x, LEFT) | when(x < right, RIGHT);
            }
            if x == frame.x || x == right {
                sides |= when(y > frame.y, ABOVE) | when(y < bottom, BELOW);
            }
            let line = usize::from(y - self.area.y) * usize::from(self.area.width);
            let cell = &mut self.cells[line + usize::from(x - self.area.x)];
            match (is_bold && sides != 0, *cell & BOLD == 0) {
                (true, _) => *cell = sides | BOLD,
                (false, true) => *cell |= sides,
                (false, false) => {}
            }
        }
    }

    /// Draws the lines. Cells of `buffer` without a line are not changed.
    pub fn draw(&self, theme: Theme, buffer: &mut Buffer) {
        for (position, cell) in self.area.positions().zip(&self.cells).filter(|(_, cell)| **cell != 0) {
            let is_bold = *cell & BOLD != 0;
            let style = theme.style(if is_bold { Role::Accent } else { Role::Faint });
            buffer.set_string(position.x, position.y, theme.glyphs.frame(cell % BOLD, is_bold), style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Colors, Glyphs};

    fn drawn(glyphs: Glyphs) -> Vec<String> {
        let area = Rect::new(0, 0, 7, 4);
        let mut frames = Frames::new(area);
        frames.add(Rect::new(0, 0, 4, 4), false);
        frames.add(Rect::new(3, 0, 4, 3), true);
        // This frame touches the bold one, and ends outside the area.
        frames.add(Rect::new(3, 2, 9, 9), false);
        let mut buffer = Buffer::empty(area);
        frames.draw(Theme { colors: Colors::None, glyphs, ..Theme::default() }, &mut buffer);
        buffer
            .content
            .chunks(7)
            .map(|line| line.iter().map(ratatui::buffer::Cell::symbol).collect())
            .collect()
    }

    #[test]
    fn frames_share_lines_and_bold_ones_stay_whole() {
        assert_eq!(drawn(Glyphs::Unicode), ["┌──╔══╗", "│  ║  ║", "│  ╚══╝", "└──┤   "]);
        assert_eq!(drawn(Glyphs::Ascii), ["+--####", "|  #  #", "|  ####", "+--+   "]);
    }
}
