//! Pane with the parent directory, on the left of a very wide window. Clicking it opens the parent directory.

use ratatui::layout::Rect;

use super::columns::Columns;
use super::preview::draw_edge;
use super::row::{draw_rows, select_behind};
use crate::table::column::{Column, ColumnSet};
use crate::ui::context::Context;
use crate::ui::hit_map::{Canvas, Hit, HitMap};

/// Minimum width of the name column.
const NAME: usize = 8;

pub fn draw(cx: &Context<'_>, pane: Rect, canvas: &mut Canvas<'_>) {
    let (pane, edge) = (Rect { width: pane.width - 1, ..pane }, Rect { x: pane.right() - 1, ..pane });
    draw_edge(cx, edge, canvas.buffer);
    let Some(parent) = &cx.parent_list else { return };
    let wanted = ColumnSet::of(&[Column::Size, Column::Name]);
    let columns =
        Columns::fit(usize::from(pane.width.saturating_sub(1)), wanted, Column::Size, (NAME, NAME), cx.units);
    let window = &parent.window;
    // A click anywhere in the pane opens the parent directory, so the clickable areas of the rows are discarded.
    let rows = &mut Canvas { buffer: canvas.buffer, hits: &mut HitMap::default() };
    draw_rows(cx, &columns, (&window.lines, &[]), (window.offset, usize::MAX), pane, rows);
    let selected = window.index.checked_sub(window.offset).and_then(|line| u16::try_from(line).ok());
    if let Some(line) = selected.filter(|line| *line < pane.height) {
        select_behind(cx, Rect { y: pane.y + line, height: 1, ..pane }, canvas.buffer);
    }
    canvas.hits.add(pane, Hit::Level(cx.levels_up()));
}
