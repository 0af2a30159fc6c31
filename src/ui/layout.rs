//! Regions of the screen.
//!
//! Invariant: they cover the terminal, whatever its size, without overlapping.

use ratatui::layout::Rect;

/// Regions of the list; a region that does not fit has zero lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Path and totals.
    pub header: Rect,
    /// Titles of the columns.
    pub titles: Rect,
    /// Rows, or a message in their place.
    pub list: Rect,
    /// Progress, keys and notices.
    pub footer: Rect,
}

impl Layout {
    /// Returns everything above the footer, or all of a small screen.
    pub fn above_footer(self, area: Rect) -> Rect {
        Rect { height: area.height.saturating_sub(self.footer.height), ..area }
    }

    /// Returns the number of lines available for rows.
    pub fn list_lines(&self) -> usize {
        usize::from(self.list.height)
    }
}

/// Returns the regions of a terminal with these columns and lines.
pub fn layout((columns, lines): (u16, u16)) -> Layout {
    let header = u16::from(lines >= 2);
    let footer = u16::from(lines >= 3);
    let titles = u16::from(lines >= 6);
    let list = lines - header - footer - titles;
    let region = |y, height| Rect { x: 0, y, width: columns, height };
    Layout {
        header: region(0, header),
        titles: region(header, titles),
        list: region(header + titles, list),
        footer: region(header + titles + list, footer),
    }
}
