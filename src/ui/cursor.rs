//! Cursor in a scrolled list: its movement, and the scrolling that keeps it visible.
//!
//! Invariant: after [`Cursor::show`], the cursor is on a visible row, and lines are empty only if all rows are visible.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Row of the cursor; meaningless if there are no rows.
    pub index: usize,
    /// First visible row.
    pub offset: usize,
}

impl Cursor {
    /// Moves the cursor in a list of `rows` rows, of which `lines` are visible.
    pub fn step(&mut self, motion: Motion, lines: usize, rows: usize) {
        self.index = moved(self.index, motion, lines, rows);
    }

    /// Scrolls just enough to show the cursor. Leaves no empty lines at the bottom while rows are scrolled off the top.
    pub fn show(&mut self, lines: usize, rows: usize) {
        let lines = lines.max(1);
        self.index = self.index.min(rows.saturating_sub(1));
        let least = (self.index + 1).saturating_sub(lines);
        let most = self.index.min(rows.saturating_sub(lines));
        self.offset = self.offset.clamp(least, most);
    }
}

/// Returns the row that the cursor moves to from row `index`. The list has `count` rows, of which `lines` are visible.
pub fn moved(index: usize, motion: Motion, lines: usize, count: usize) -> usize {
    let page = lines.max(1);
    let half = (page / 2).max(1);
    let last = count.saturating_sub(1);
    let index = match motion {
        Motion::Up => index.saturating_sub(1),
        Motion::Down => index + 1,
        Motion::PageUp => index.saturating_sub(page),
        Motion::PageDown => index + page,
        Motion::HalfUp => index.saturating_sub(half),
        Motion::HalfDown => index + half,
        Motion::Top => 0,
        Motion::Bottom => last,
    };
    index.min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_stay_inside() {
        assert_eq!(moved(0, Motion::Up, 3, 10), 0);
        assert_eq!(moved(8, Motion::PageDown, 3, 10), 9);
        assert_eq!(moved(5, Motion::HalfUp, 1, 10), 4);
        assert_eq!(moved(0, Motion::Bottom, 3, 0), 0);
        assert_eq!(moved(0, Motion::Down, 0, 1), 0);
    }

    #[test]
    fn a_larger_window_and_deleted_rows_leave_no_empty_line() {
        let mut cursor = Cursor { index: 9, offset: 7 };
        cursor.show(5, 10);
        assert_eq!(cursor, Cursor { index: 9, offset: 5 });
        cursor.show(5, 4);
        assert_eq!(cursor, Cursor { index: 3, offset: 0 });
        cursor.show(0, 0);
        assert_eq!(cursor, Cursor::default());
    }
}
