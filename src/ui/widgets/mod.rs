//! Regions of the screen, one file per region.
//!
//! ```text
//! header     /usr/share                                        1.2 GiB disk · 84,120 items     from 2 lines on
//! titles           Disk▾  Share                Items   Name                                   from 6 lines on
//! list          1.0 GiB  84.3% ████████▍      12,001  doc/
//!             120.0 MiB   9.8% ▉               4,242  icons/
//! footer     ? help  q quit  Enter open  Left parent  s size                       1 of 212    from 3 lines on
//! ```
//!
//! Invariant: drawing changes only the hit map, and works for any size of the terminal.

pub mod columns;
mod df;
pub mod field;
pub mod footer;
mod header;
mod list;
pub mod row;
mod table;
pub mod treemap;

use super::context::Context;
use super::hit_map::Canvas;
use super::layout::Layout;

/// Draws the view that is open: a page, the treemap or the list.
pub fn draw(cx: &Context<'_>, layout: Layout, canvas: &mut Canvas<'_>) {
    header::draw(cx, layout.header, canvas.buffer);
    match (&cx.views.page, cx.views.is_treemap) {
        (Some(page), _) if !page.ledger.is_empty() => df::draw(cx, page, layout, canvas),
        (Some(page), _) => table::draw(cx, page, layout.titles, layout.list, canvas),
        (None, true) => treemap::draw(cx, layout.titles, layout.list, canvas),
        (None, false) => list::draw(cx, layout.titles, layout.list, canvas),
    }
}
