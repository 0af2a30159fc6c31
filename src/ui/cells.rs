//! Cells of the treemap, and cursor movement between them.
//!
//! Invariant: the cursor can move from every cell to every other cell.

use ratatui::layout::Rect;

use super::keys::Side;
use super::theme::Theme;
use super::window::Window;
use crate::base::format::Measure;
use crate::ui::treemap_layout::{Area, Tile, Unit, layout};

/// Maximum number of entries that get their own tile in the treemap.
pub const MOST: usize = 200;

/// Maximum number of screen lines that the treemap uses.
const MOST_LINES: u16 = 1 << 13;
/// Minimum height in lines of a treemap with a legend.
const LEGEND: u16 = 8;

/// Returns the area of the treemap's legend: the last line, or an empty area if there is no legend.
pub fn legend_area(area: Rect) -> Rect {
    let height = u16::from(area.height >= LEGEND);
    Rect { y: area.bottom() - height, height, ..area }
}

pub fn map_area(area: Rect) -> Rect {
    Rect { height: area.height - legend_area(area).height, ..area }
}

/// Returns the unit to which the upper and lower edges of tiles are rounded: half a line if the theme has half blocks,
/// otherwise a whole line. Tiles rounded to whole lines have frames.
pub fn rounding_unit(theme: Theme) -> Unit {
    if theme.has_half_blocks() { Unit::HalfLine } else { Unit::Line }
}

/// Returns the area for the tiles of a treemap in `area`. If the tiles have frames, a tile includes only the left and
/// upper lines of its frame. The last column and the last line of `area` are then reserved for the right and lower
/// edges of the treemap.
pub fn tiles_area(area: Rect, theme: Theme) -> Area {
    let frame = u16::from(rounding_unit(theme) == Unit::Line);
    // The limit prevents overflow. No real screen is this high.
    let (y, lines) = (area.y.min(MOST_LINES), area.height.min(MOST_LINES).saturating_sub(frame));
    Area { x: area.x, y: y * 2, width: area.width.saturating_sub(frame), height: lines * 2 }
}

/// Returns the tiles of the rows in `window`. If the directory has more rows, an extra tile with the next index
/// represents all the remaining rows.
pub fn tiles(window: &Window, measure: Measure, area: Rect, theme: Theme) -> Vec<Tile> {
    let mut weights: Vec<u64> = window.lines.iter().map(|line| line.size().unwrap_or(0)).collect();
    if window.rows > window.lines.len() {
        let shown = weights.iter().fold(0, |sum: u64, weight| sum.saturating_add(*weight));
        weights.push(window.size(measure).saturating_sub(shown));
    }
    layout(&weights, tiles_area(area, theme), rounding_unit(theme))
}

/// Returns the index of the row whose cell is next to cell `index` on the given side; `None` at the edge of the
/// treemap.
pub fn neighbor(tiles: &[Tile], index: usize, side: Side) -> Option<usize> {
    let Some(from) = tiles.iter().find(|tile| tile.index == index) else {
        // The row is too small to have a cell. Returns the largest row instead.
        return tiles.first().map(|tile| tile.index);
    };
    let (from, middle) = (from.area, middle(from.area));
    let touches = |area: Area| match side {
        Side::Left => area.x + area.width == from.x,
        Side::Right => area.x == from.x + from.width,
        Side::Above => area.y + area.height == from.y,
        Side::Below => area.y == from.y + from.height,
    };
    let distance = |area: Area| match side {
        Side::Left | Side::Right => beyond(middle.1, area.y, area.height),
        Side::Above | Side::Below => beyond(middle.0, area.x, area.width),
    };
    let beside = tiles.iter().filter(|tile| tile.index < MOST && touches(tile.area));
    beside.min_by_key(|tile| (distance(tile.area), tile.index)).map(|tile| tile.index)
}

fn middle(area: Area) -> (u16, u16) {
    (area.x + area.width / 2, area.y + area.height / 2)
}

/// Returns the distance of `point` from the range `start..start + length`; 0 if the point is inside.
fn beyond(point: u16, start: u16, length: u16) -> u16 {
    start.saturating_sub(point).max(point.saturating_sub((start + length).saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_to_neighboring_cells_and_stop_at_the_edge() {
        // The left half is one cell; the right half is two quarters, one above the other.
        let area = Area { x: 0, y: 0, width: 40, height: 10 };
        let tiles = [
            Tile { index: 0, area: Area { width: 20, ..area } },
            Tile { index: 1, area: Area { x: 20, width: 20, height: 5, ..area } },
            Tile { index: 2, area: Area { x: 20, y: 5, width: 20, height: 5 } },
        ];
        let from = |index, side| neighbor(&tiles, index, side);
        assert_eq!(from(0, Side::Right), Some(2));
        assert_eq!(from(2, Side::Above), Some(1));
        assert_eq!(from(1, Side::Below), Some(2));
        assert_eq!((from(1, Side::Left), from(2, Side::Left)), (Some(0), Some(0)));
        assert_eq!((from(0, Side::Left), from(1, Side::Above), from(2, Side::Right)), (None, None, None));
        assert_eq!(from(9, Side::Right), Some(0), "what has no cell");
    }
}
