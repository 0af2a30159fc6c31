//! Regions of the screen. Each region has its own file. The table shows the minimum number of terminal lines
//! at which a region is shown.
//!
//! ```text
//! region                                                                                        minimum
//! header       /usr/share                                        1.2 GiB disk · 84,120 items    2 lines
//! tabs           1 List  2 Files  3 Types                                                       10 lines
//! titles             Disk▾  Share                Items   Name                                   6 lines
//! list            1.0 GiB  84.3% ████████▍      12,001  doc/
//!               120.0 MiB   9.8% ▉               4,242  icons/
//! status line  ? keys  Enter open  Space mark  d delete  / search  q quit           1 of 212   3 lines
//! ```
//!
//! Invariant: drawing changes only the frame and its hit map, and works in a terminal of any size.

pub mod columns;
mod df;
pub mod field;
mod frames;
mod half_blocks;
mod header;
mod hints;
mod list;
pub mod map;
pub mod overview;
mod parent;
mod preview;
pub mod row;
pub mod shape;
pub mod status_line;
pub mod status_line_texts;
pub mod strip;
mod table;
pub mod tabs;
pub mod treemap;

use ratatui::layout::Rect;

use super::component::Component;
use super::context::{Context, PaneLayout};
use super::hit_map::Canvas;
use super::view_state::BaseView;

/// Draws the view, with `page` or the preview beside it. If the page does not fit beside the view, draws only the page.
pub fn draw<'t>(cx: &Context<'t>, page: Option<&dyn Component<'t>>, screen: Rect, canvas: &mut Canvas<'_>) {
    let PaneLayout { right: beside, left, .. } = cx.regions((screen.width, screen.height));
    if page.is_none_or(|page| page.goes_beside() && beside.is_some()) {
        draw_view(cx, (screen.width, screen.height), canvas);
        if let Some(pane) = left {
            parent::draw(cx, pane, canvas);
        }
        if let Some(pane) = beside {
            preview::draw_edge(cx, pane, canvas.buffer);
        }
        if let Some(pane) = beside.filter(|_| page.is_none()) {
            preview::draw(cx, pane, canvas.buffer);
        }
    }
    if let Some(page) = page {
        canvas.hits.clear();
        page.draw(cx, screen, canvas);
    }
}

fn draw_view(cx: &Context<'_>, size: (u16, u16), canvas: &mut Canvas<'_>) {
    let layout = cx.regions(size).view;
    header::draw(cx, layout.header, canvas);
    tabs::draw(cx, layout.tabs, canvas);
    match (&cx.views.page, cx.views.base) {
        (Some(page), _) if !page.ledger.is_empty() => df::draw(cx, page, layout, canvas),
        (Some(page), _) => table::draw(cx, page, layout.titles, layout.list, canvas),
        (None, BaseView::Treemap) => treemap::draw(cx, layout.titles, layout.list, canvas),
        (None, BaseView::Overview) => overview::draw(cx, layout, canvas),
        (None, BaseView::List) => list::draw(cx, layout.titles, layout.list, canvas),
    }
}
