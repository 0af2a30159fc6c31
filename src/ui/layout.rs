//! The regions of the screen.
//!
//! Knows nothing of what is in them. Invariant: they cover the terminal, whatever its size, and none lies on another.

use ratatui::layout::Rect;

/// Where the regions of the list are; those without room have no lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where one stands.
    pub header: Rect,
    /// The titles of the columns.
    pub titles: Rect,
    /// The rows, or whatever stands in their place.
    pub list: Rect,
    /// Progress, keys, what there is to say.
    pub footer: Rect,
}

impl Layout {
    /// Everything above the footer, or the whole of a small screen.
    pub fn above_footer(self, area: Rect) -> Rect {
        Rect { height: area.height.saturating_sub(self.footer.height), ..area }
    }

    /// Lines for rows.
    pub fn list_lines(&self) -> usize {
        usize::from(self.list.height)
    }
}

/// The regions of a terminal with these columns and lines.
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
