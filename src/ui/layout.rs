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
    pub footer: Rect,
}

impl Layout {
    /// Returns the area above the footer, or the whole screen if there is no room for a footer.
    pub fn above_footer(self, area: Rect) -> Rect {
        Rect { height: area.height.saturating_sub(self.footer.height), ..area }
    }

    pub fn list_lines(&self) -> usize {
        usize::from(self.list.height)
    }
}

pub fn layout((columns, lines): (u16, u16)) -> Layout {
    let header = u16::from(lines >= 2);
    let footer = u16::from(lines >= 3);
    let titles = u16::from(lines >= 6);
    let tabs = u16::from(lines >= 10);
    let list = lines - header - footer - tabs - titles;
    let region = |y, height| Rect { x: 0, y, width: columns, height };
    Layout {
        header: region(0, header),
        tabs: region(header, tabs),
        titles: region(header + tabs, titles),
        list: region(header + tabs + titles, list),
        footer: region(lines - footer, footer),
    }
}
