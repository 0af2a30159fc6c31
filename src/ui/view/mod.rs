//! Regions of the screen, one file each.
//!
//! ```text
//! header     /usr/share                                        1.2 GiB disk · 84,120 items     from 2 lines on
//! titles           Disk▾  Share                Items   Name                                   from 6 lines on
//! list          1.0 GiB  84.3% ████████▍      12,001  doc/
//!             120.0 MiB   9.8% ▉               4,242  icons/
//! footer     ? help  q quit  Enter open  Left parent  s size                       1 of 212    from 3 lines on
//! ```
//!
//! Invariant: drawing changes nothing but the hit map, and works for any size of the terminal.

pub mod columns;
pub(super) mod field;
pub(super) mod footer;
mod header;
pub(super) mod line;
mod list;
mod sheet;
mod space;
pub mod treemap;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::app::App;
use super::hit_map::{Canvas, HitMap};
use super::layers::Layer;
use super::layout::{Layout, layout};

/// Draws the whole screen.
pub fn draw(app: &App<'_>, frame: &mut Frame<'_>, hits: &mut HitMap) {
    let area = frame.area();
    let canvas = &mut Canvas { buffer: frame.buffer_mut(), hits };
    let page = app.layers.iter().rposition(Layer::is_page);
    let (pages, above) = app.layers.split_at(page.map_or(0, |page| page + 1));
    let layout = layout((area.width, area.height));
    match pages.last() {
        Some(page) => page.component().draw(app, area, canvas),
        None => draw_directory(app, layout, canvas),
    }
    if !app.layers.iter().any(Layer::covers_footer) {
        footer::draw(app, pages.last(), layout.footer, canvas);
    }
    for layer in above {
        layer.component().draw(app, area, canvas);
    }
}

fn draw_directory(app: &App<'_>, layout: Layout, canvas: &mut Canvas<'_>) {
    header::draw(app, layout.header, canvas.buffer);
    match (&app.views.page, app.views.is_treemap) {
        (Some(page), _) if !page.ledger.is_empty() => space::draw(app, page, layout, canvas),
        (Some(page), _) => sheet::draw(app, page, layout.titles, layout.list, canvas),
        (None, true) => treemap::draw(app, layout.titles, layout.list, canvas),
        (None, false) => list::draw(app, layout.titles, layout.list, canvas),
    }
}

/// Draws `left` at the beginning of the line and `right` at its end.
pub(super) fn draw_ends(left: &Line<'_>, right: &Line<'_>, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    buffer.set_line(area.x, area.y, left, area.width);
    let width = u16::try_from(right.width()).unwrap_or(u16::MAX);
    if let Some(start) = area.width.checked_sub(width) {
        buffer.set_line(area.x + start, area.y, right, width);
    }
}
