//! Regions of the screen.
//!
//! Invariant: the regions cover a terminal of any size, without overlapping.

use ratatui::layout::Rect;

/// Regions of the screen. If there is no room for a region, its height is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Path and totals.
    pub header: Rect,
    pub tabs: Rect,
    pub titles: Rect,
    /// Rows, or a message if there are none.
    pub list: Rect,
    /// Progress, keys and notices.
    pub status_line: Rect,
}

impl Layout {
    /// Returns the area above the status line, or the whole screen if there is no room for a status line.
    pub fn above_status_line(self, area: Rect) -> Rect {
        Rect { height: area.height.saturating_sub(self.status_line.height), ..area }
    }

    pub fn list_lines(&self) -> usize {
        usize::from(self.list.height)
    }
}

pub fn layout((columns, lines): (u16, u16)) -> Layout {
    let header = u16::from(lines >= 2);
    let status_line = u16::from(lines >= 3);
    let titles = u16::from(lines >= 6);
    let tabs = u16::from(lines >= 10);
    let list = lines - header - status_line - tabs - titles;
    let region = |y, height| Rect { x: 0, y, width: columns, height };
    Layout {
        header: region(0, header),
        tabs: region(header, tabs),
        titles: region(header + tabs, titles),
        list: region(header + tabs + titles, list),
        status_line: region(lines - status_line, status_line),
    }
}
