//! Layout of a treemap, in columns and half lines of a terminal.
//!
//! This is the squarified layout of Bruls, Huizing and van Wijk (2000). The weights are placed in rows along the
//! shorter side of the free rectangle, largest first. Weights are added to a row until the next weight would make the
//! row's rectangles less square. The layout is first computed with exact proportions. Then vertical edges are rounded
//! to columns, and horizontal edges to half lines, or to whole lines where half lines cannot be drawn. Neighbors share
//! an edge, so rounding leaves neither gaps nor overlaps, and moves no edge by more than half a rounding unit.
//!
//! Invariant: the tiles cover each cell of the area exactly once, unless all weights are zero. They depend only on
//! the weights, the area and the unit.

use ratatui::layout::Rect;

use crate::base::sort::sort_by_key;

/// Rectangle measured in half cells, which are about as high as they are wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// Position of the upper edge, in half lines.
    pub y: u16,
    /// Width in columns.
    pub width: u16,
    /// Height in half lines.
    pub height: u16,
}

impl Area {
    /// Returns the first column to the right of the area.
    pub fn right(self) -> u16 {
        self.x + self.width
    }

    /// Returns the position of the half line just below the area.
    pub fn bottom(self) -> u16 {
        self.y + self.height
    }

    /// Returns the area in whole lines of the screen. A line in which one area ends and another begins belongs to the
    /// upper area.
    pub fn on_screen(self) -> Rect {
        let (top, bottom) = (self.y.div_ceil(2), self.bottom().div_ceil(2));
        Rect { x: self.x, y: top, width: self.width, height: bottom - top }
    }
}

/// Unit to which horizontal edges are rounded. Vertical edges are rounded to columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    HalfLine,
    Line,
}

impl Unit {
    /// Returns the length of the unit in half lines.
    pub fn half_lines(self) -> u16 {
        match self {
            Self::HalfLine => 1,
            Self::Line => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Index of the tile's weight in the weights passed to [`layout`].
    pub index: usize,
    /// Area of the tile, which is never empty.
    pub area: Area,
}

/// Rectangle whose edges are not rounded to whole columns and half lines.
#[derive(Clone, Copy)]
struct Rectangle {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// Returns the tiles for `weights` in `area`, largest first. Equal weights keep their order. A weight whose
/// area rounds to zero has no tile. With [`Unit::Line`], the area must start and end at line boundaries.
pub fn layout(weights: &[u64], area: Area, unit: Unit) -> Vec<Tile> {
    let mut order: Vec<usize> = (0..weights.len()).filter(|index| weights[*index] != 0).collect();
    sort_by_key(&mut order, |index| std::cmp::Reverse(weights[*index]));
    let left = sums_from(weights, &order);
    let mut free = Rectangle {
        left: f64::from(area.x),
        top: f64::from(area.y),
        right: f64::from(area.x) + f64::from(area.width),
        bottom: f64::from(area.y) + f64::from(area.height),
    };
    let mut tiles = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let end = at + next_row(weights, &order[at..], left[at], free);
        // For the last row, the share is exactly 1, so the row fills the remaining area.
        let share = (left[at] - left[end]) / left[at];
        let along = free.shorter_side();
        let (strip, after) = free.cut(along.other(), share);
        place_row(weights, &order[at..end], along, strip, unit, &mut tiles);
        free = after;
        at = end;
    }
    tiles
}

/// Returns the suffix sums of the weights in `order`, followed by a zero. The sums are computed from the smallest
/// weight upward, so that rounding does not lose small weights next to a huge one.
fn sums_from(weights: &[u64], order: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; order.len() + 1];
    for at in (0..order.len()).rev() {
        sums[at] = sums[at + 1] + as_float(weights[order[at]]);
    }
    sums
}

/// Returns the number of weights to put in the next row so that its rectangles are as square as possible.
fn next_row(weights: &[u64], rest: &[usize], left: f64, free: Rectangle) -> usize {
    let (width, height) = (free.width(), free.height());
    let scale = width * height / left;
    let side = width.min(height);
    let largest = as_float(weights[rest[0]]) * scale;
    let mut sum = 0.0;
    let mut worst = f64::INFINITY;
    for (count, index) in rest.iter().enumerate() {
        let smallest = as_float(weights[*index]) * scale;
        sum += smallest;
        // Either the largest or the smallest rectangle of a row has the worst aspect ratio.
        let next = (side * side * largest / (sum * sum)).max(sum * sum / (side * side * smallest));
        if next > worst || next.is_nan() {
            return count.max(1);
        }
        worst = next;
    }
    rest.len()
}

fn place_row(
    weights: &[u64],
    row: &[usize],
    along: Side,
    strip: Rectangle,
    unit: Unit,
    tiles: &mut Vec<Tile>,
) {
    let sum: f64 = row.iter().map(|index| as_float(weights[*index])).sum();
    let mut start = 0.0;
    let mut done = 0.0;
    for (number, index) in row.iter().enumerate() {
        done += as_float(weights[*index]);
        let end = if number + 1 == row.len() { 1.0 } else { (done / sum).min(1.0) };
        let area = strip.part(along, start, end).rounded(unit);
        start = end;
        if area.width != 0 && area.height != 0 {
            tiles.push(Tile { index: *index, area });
        }
    }
}

/// Side along which a rectangle is divided. The cuts are perpendicular to this side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Width,
    Height,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Width => Self::Height,
            Self::Height => Self::Width,
        }
    }
}

impl Rectangle {
    fn width(self) -> f64 {
        self.right - self.left
    }

    fn height(self) -> f64 {
        self.bottom - self.top
    }

    fn shorter_side(self) -> Side {
        if self.width() > self.height() { Side::Height } else { Side::Width }
    }

    /// Splits the rectangle into two parts. The first part gets the fraction `share` of the length of `side`.
    fn cut(self, side: Side, share: f64) -> (Self, Self) {
        (self.part(side, 0.0, share), self.part(side, share, 1.0))
    }

    /// Returns the part of the rectangle between the fractions `from` and `to` along `side`.
    fn part(self, side: Side, from: f64, to: f64) -> Self {
        let between = |start: f64, end: f64, share: f64| {
            // If `share` is 1, the result is exactly `end`, so that adjacent rectangles have a common edge.
            if share >= 1.0 { end } else { (start + (end - start) * share).min(end) }
        };
        match side {
            Side::Width => Self {
                left: between(self.left, self.right, from),
                right: between(self.left, self.right, to),
                ..self
            },
            Side::Height => Self {
                top: between(self.top, self.bottom, from),
                bottom: between(self.top, self.bottom, to),
                ..self
            },
        }
    }

    fn rounded(self, unit: Unit) -> Area {
        let high = unit.half_lines();
        let line = |edge: f64| nearest(edge / f64::from(high)) * high;
        let (x, y) = (nearest(self.left), line(self.top));
        Area { x, y, width: nearest(self.right) - x, height: line(self.bottom) - y }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // edges lie within an area measured in `u16`
fn nearest(edge: f64) -> u16 {
    edge.round() as u16
}

#[allow(clippy::cast_precision_loss)] // 53 bits are precise enough for a share of an area
fn as_float(weight: u64) -> f64 {
    weight as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::cases;
    use proptest::prelude::*;

    fn area(width: u16, height: u16) -> Area {
        Area { x: 3, y: 2, width, height }
    }

    fn cells(area: Area) -> impl Iterator<Item = (u16, u16)> {
        (area.y..area.y + area.height)
            .flat_map(move |line| (area.x..area.x + area.width).map(move |column| (column, line)))
    }

    #[test]
    fn halves_and_quarters_are_exact() {
        let tiles = layout(&[1, 2, 1], area(40, 20), Unit::HalfLine);
        assert_eq!(tiles[0], Tile { index: 1, area: Area { x: 3, y: 2, width: 20, height: 20 } });
        assert_eq!(tiles[1], Tile { index: 0, area: Area { x: 23, y: 2, width: 10, height: 20 } });
        assert_eq!(tiles[2], Tile { index: 2, area: Area { x: 33, y: 2, width: 10, height: 20 } });
    }

    #[test]
    fn no_weights_or_no_area_give_no_tile() {
        assert_eq!(layout(&[], area(10, 10), Unit::HalfLine), []);
        assert_eq!(layout(&[0, 0], area(10, 10), Unit::HalfLine), []);
        assert_eq!(layout(&[1, 2], area(0, 10), Unit::HalfLine), []);
        assert_eq!(layout(&[1, 2], area(10, 0), Unit::HalfLine), []);
    }

    #[test]
    fn a_million_small_weights_are_laid_out_too() {
        let tiles = layout(&vec![1; 1_000_000], area(80, 24), Unit::HalfLine);
        assert!(tiles.len() <= 80 * 24);
    }

    #[test]
    fn equal_weights_look_like_squares() {
        for Tile { area, .. } in layout(&[7; 16], area(80, 80), Unit::HalfLine) {
            let ratio = f64::from(area.width) / f64::from(area.height);
            assert!((0.5..=2.0).contains(&ratio), "{area:?}");
        }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn tiles_cover_the_area_and_each_cell_once(
            weights in prop::collection::vec(prop_oneof![0..100_u64, Just(u64::MAX), 0..u64::MAX], 1..60),
            width in 0..200_u16,
            height in 0..60_u16,
        ) {
            let whole = area(width, height);
            let tiles = layout(&weights, whole, Unit::HalfLine);
            let mut covered: Vec<_> = tiles.iter().flat_map(|tile| cells(tile.area)).collect();
            covered.sort_unstable();
            let mut expected: Vec<_> = cells(whole).collect();
            expected.sort_unstable();
            if weights.iter().any(|weight| *weight != 0) {
                prop_assert_eq!(covered, expected);
            } else {
                prop_assert_eq!(covered, []);
            }
        }

        #[test]
        fn areas_are_proportional_except_for_rounding(
            weights in prop::collection::vec(1..1000_u64, 1..40),
            width in 1..200_u16,
            height in 1..60_u16,
        ) {
            let sum: u64 = weights.iter().sum();
            let whole = f64::from(width) * f64::from(height);
            for Tile { index, area } in layout(&weights, area(width, height), Unit::HalfLine) {
                let exact = as_float(weights[index]) / as_float(sum) * whole;
                let (w, h) = (f64::from(area.width), f64::from(area.height));
                // Each edge is off by at most half a cell, so each side is off by at most one cell.
                prop_assert!(exact <= (w + 1.0) * (h + 1.0) + 1e-6, "{} {:?}", exact, area);
                prop_assert!(exact >= (w - 1.0).max(0.0) * (h - 1.0).max(0.0) - 1e-6, "{} {:?}", exact, area);
            }
        }

        #[test]
        fn the_order_of_weights_moves_nothing_but_the_indices(
            mut weights in prop::collection::vec(1..1000_u64, 1..40),
        ) {
            let areas = |weights: &[u64]| -> Vec<_> {
                layout(weights, area(80, 24), Unit::HalfLine).iter().map(|tile| (weights[tile.index], tile.area)).collect()
            };
            let before = areas(&weights);
            weights.reverse();
            prop_assert_eq!(before, areas(&weights));
        }
    }
}
