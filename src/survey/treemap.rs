//! Where the rectangles of a treemap go, in cells of a terminal.
//!
//! The squarified layout of Bruls, Huizing and van Wijk (2000): weights are laid, the largest first, in rows along the
//! shorter side of what is left, and a row takes another weight as long as that makes its rectangles more like
//! squares. It is computed in exact proportions; then every edge is rounded to whole cells. Neighbours share an edge, so
//! rounding leaves neither gap nor overlap, and no edge is off by more than half a cell.
//!
//! Knows no colours and no names. Invariant: the tiles cover the area, each cell once, and depend on nothing but the weights.

/// A cell is so many times as high as it is wide, about, in every terminal.
const CELL_HEIGHT: f64 = 2.0;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First line.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
}

/// The place of one weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Which of the weights.
    pub index: usize,
    /// Where it is: at least one cell.
    pub area: Area,
}

/// A rectangle in fractions of cells, by its edges.
#[derive(Clone, Copy)]
struct Rectangle {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// Places for `weights` in `area`, the largest weight first, equal ones in the order given. Weights whose place would round
/// to nothing have no tile.
pub fn layout(weights: &[u64], area: Area) -> Vec<Tile> {
    let mut order: Vec<usize> = (0..weights.len()).filter(|index| weights[*index] != 0).collect();
    order.sort_by_key(|index| std::cmp::Reverse(weights[*index]));
    let sum: f64 = order.iter().map(|index| as_float(weights[*index])).sum();
    let mut free = Rectangle {
        left: f64::from(area.x),
        top: f64::from(area.y),
        right: f64::from(area.x) + f64::from(area.width),
        bottom: f64::from(area.y) + f64::from(area.height),
    };
    let mut tiles = Vec::new();
    let mut rest = order.as_slice();
    let mut left = sum;
    while !rest.is_empty() {
        let (row, others) = rest.split_at(next_row(weights, rest, left, free));
        let of_row: f64 = row.iter().map(|index| as_float(weights[*index])).sum();
        // The last row takes what is left, whatever the rounding of sums did.
        let share = if others.is_empty() { 1.0 } else { of_row / left };
        let along = free.shorter_side();
        let (strip, after) = free.cut(along.other(), share);
        place_row(weights, row, along, strip, &mut tiles);
        free = after;
        left -= of_row;
        rest = others;
    }
    tiles
}

/// How many of the next weights make the best row.
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
        // The more slender of the largest and the smallest rectangle of the row, as length through breadth.
        let next = (side * side * largest / (sum * sum)).max(sum * sum / (side * side * smallest));
        if next > worst || next.is_nan() {
            return count.max(1);
        }
        worst = next;
    }
    rest.len()
}

/// Lays the weights of a row along its strip.
fn place_row(weights: &[u64], row: &[usize], along: Side, strip: Rectangle, tiles: &mut Vec<Tile>) {
    let sum: f64 = row.iter().map(|index| as_float(weights[*index])).sum();
    let mut start = 0.0;
    let mut done = 0.0;
    for (number, index) in row.iter().enumerate() {
        done += as_float(weights[*index]);
        let end = if number + 1 == row.len() { 1.0 } else { done / sum };
        let area = strip.part(along, start, end).cells();
        start = end;
        if area.width != 0 && area.height != 0 {
            tiles.push(Tile { index: *index, area });
        }
    }
}

/// A direction.
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

    /// Its height in widths of a cell.
    fn height(self) -> f64 {
        (self.bottom - self.top) * CELL_HEIGHT
    }

    fn shorter_side(self) -> Side {
        if self.width() > self.height() { Side::Height } else { Side::Width }
    }

    /// The part up to a share of one side, and the rest.
    fn cut(self, side: Side, share: f64) -> (Self, Self) {
        (self.part(side, 0.0, share), self.part(side, share, 1.0))
    }

    /// The part between two shares of one side.
    fn part(self, side: Side, from: f64, to: f64) -> Self {
        let between = |start: f64, end: f64, share: f64| {
            // Exactly the end at 1, so that neighbours agree on their edge.
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

    fn cells(self) -> Area {
        let (x, y) = (cell(self.left), cell(self.top));
        Area { x, y, width: cell(self.right) - x, height: cell(self.bottom) - y }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // edges lie within an area of u16 cells
fn cell(edge: f64) -> u16 {
    edge.round() as u16
}

#[allow(clippy::cast_precision_loss)] // a share of an area needs no more than 53 bits
fn as_float(weight: u64) -> f64 {
    weight as f64
}
