//! Clickable areas of the last frame, recorded by the code that draws them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::keys::Key;
use crate::table::column::Column;

/// Part of the screen that a click has a meaning on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A row, counted from the first one, which may be above the screen.
    Row(usize),
    /// The title of a column.
    Column(Column),
    /// The hint at a key.
    Key(Key),
    /// A button of a dialog.
    Button(Button),
}

/// A button of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Does what is asked.
    Yes,
    /// Changes nothing; preselected if a Yes would lose something.
    No,
}

/// Areas of a frame with their meanings; of overlapping ones the last counts.
#[derive(Clone, Debug, Default)]
pub struct HitMap(Vec<(Rect, Hit)>);

impl HitMap {
    /// Adds an area, on top of those before.
    pub fn add(&mut self, area: Rect, hit: Hit) {
        self.0.push((area, hit));
    }

    /// Forgets everything: below a dialog nothing is clicked.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the meaning of a cell.
    pub fn at(&self, cell: Position) -> Option<Hit> {
        self.0.iter().rev().find(|(area, _)| area.contains(cell)).map(|(_, hit)| *hit)
    }
}

/// A frame that is being drawn.
#[derive(Debug)]
pub struct Canvas<'f> {
    /// Its cells.
    pub buffer: &'f mut Buffer,
    /// The parts that can be clicked.
    pub hits: &'f mut HitMap,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_area_counts_and_its_edges_belong_to_it() {
        let mut hits = HitMap::default();
        hits.add(Rect::new(0, 0, 10, 4), Hit::Row(0));
        hits.add(Rect::new(2, 1, 3, 1), Hit::Row(1));
        let at = |x, y| hits.at(Position { x, y });
        assert_eq!((at(2, 1), at(4, 1), at(5, 1)), (Some(Hit::Row(1)), Some(Hit::Row(1)), Some(Hit::Row(0))));
        assert_eq!((at(9, 3), at(10, 3), at(0, 4)), (Some(Hit::Row(0)), None, None));
    }
}
