//! Clickable areas of the most recent frame, recorded by the code that draws them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::keys::Key;
use super::views::ViewSpec;
use crate::table::column::Column;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// Index of a row. The first row of the list has index 0, even if that row is not visible.
    Row(usize),
    Column(Column),
    /// Directory in the displayed path, given as the number of levels above the shown directory.
    Level(usize),
    /// Directories above the root in the displayed path.
    AboveRoot,
    View(&'static ViewSpec),
    Key(Key),
    Button(Button),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    Yes,
    /// Button that cancels. Every question preselects this button, with two exceptions: the deletion dialog if the
    /// settings preselect Yes, and the question about scanning the parent directory if nothing is marked.
    No,
}

/// Clickable areas of a frame. If areas overlap, a click hits the area that was added last.
#[derive(Clone, Debug, Default)]
pub struct HitMap {
    areas: Vec<(Rect, Hit)>,
    /// Column and line of the cursor in a text field, or of the selected row of a layer.
    pub caret: Option<(u16, u16)>,
}

impl HitMap {
    pub fn add(&mut self, area: Rect, hit: Hit) {
        self.areas.push((area, hit));
    }

    /// Removes all areas and the caret, so that nothing beneath a dialog can be clicked.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn at(&self, cell: Position) -> Option<Hit> {
        self.areas.iter().rev().find(|(area, _)| area.contains(cell)).map(|(_, hit)| *hit)
    }
}

#[derive(Debug)]
pub struct Canvas<'f> {
    pub buffer: &'f mut Buffer,
    pub hits: &'f mut HitMap,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_area_applies_including_its_edges() {
        let mut hits = HitMap::default();
        hits.add(Rect::new(0, 0, 10, 4), Hit::Row(0));
        hits.add(Rect::new(2, 1, 3, 1), Hit::Row(1));
        let at = |x, y| hits.at(Position { x, y });
        assert_eq!((at(2, 1), at(4, 1), at(5, 1)), (Some(Hit::Row(1)), Some(Hit::Row(1)), Some(Hit::Row(0))));
        assert_eq!((at(9, 3), at(10, 3), at(0, 4)), (Some(Hit::Row(0)), None, None));
    }
}
