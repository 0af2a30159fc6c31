//! Which columns are wanted, and which there is room for.
//!
//! ```text
//! !≥   1.0 GiB  84.3% ████████▍      12,001 2026-11-21 08:15   doc/
//! 11 1    9   1   6  1    6..24    1   7   1       16        3   the rest
//! ```
//!
//! Columns go in a fixed order when the name has less than `NAME` columns left: the time of day, the date, what is shared, the
//! items, the bar, the percentage; then the growth gets brief and goes, and so does the size. Where growth is what it is about, the size
//! goes before it.
//!
//! The line of titles is made here too, and which of them is at a place on the screen.
//!
//! Knows no entries. Invariant: the columns and their gaps never take more than there is.

use crate::rows::Column;
use crate::size::{BRIEF, COUNT, DATE, DATE_AND_TIME, PERCENT, Units};
use crate::text::{fit, pad, width};
use crate::ui::shown::{Compared, Graph, Shown, Wanted};

/// Columns a name should have at least.
const NAME: usize = 12;
/// Columns of the two marks and, before a size in full, their gap.
const MARKS: usize = 2;
const SHORTEST_BAR: usize = 6;
const LONGEST_BAR: usize = 24;

/// How a size is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeColumn {
    /// With its unit in full.
    Full,
    /// In four columns.
    Brief,
    /// Not at all.
    None,
}

/// How a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeColumn {
    /// Date and time of day.
    Full,
    /// The date.
    Date,
    /// Not at all.
    None,
}

/// A cell of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Signs and the size.
    Size,
    /// How much it has grown.
    Growth,
    /// The share in percent.
    Percent,
    /// The share as a bar.
    Bar,
    /// The number of items.
    Items,
    /// What hard links share.
    Shared,
    /// The time of last change.
    Time,
    /// The name.
    Name,
}

impl Cell {
    /// What a line is sorted by to have these in order.
    pub fn column(self) -> Column {
        match self {
            Self::Size | Self::Percent | Self::Bar => Column::Size,
            Self::Growth => Column::Growth,
            Self::Items => Column::Items,
            Self::Shared => Column::Shared,
            Self::Time => Column::Modified,
            Self::Name => Column::Name,
        }
    }
}

/// `text` at the right end of `columns`.
pub fn right(text: &str, columns: usize) -> String {
    let text = fit(text, columns, "");
    " ".repeat(columns - width(&text)) + &text
}

/// The columns of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The size.
    pub size: SizeColumn,
    /// How it has grown, written like the size.
    pub growth: SizeColumn,
    /// The share of the directory in percent.
    pub percent: bool,
    /// How wide the bar is; zero for none.
    pub bar: usize,
    /// The number of items.
    pub items: bool,
    /// What hard links share.
    pub shared: bool,
    /// The time of last change.
    pub time: TimeColumn,
    /// How wide the name is.
    pub name: usize,
}

impl Columns {
    /// The columns that fit into `width`.
    pub fn new(width: usize, shown: Shown, units: Units) -> Self {
        let mut columns = Self {
            size: SizeColumn::Full,
            growth: if shown.growth == Compared::No { SizeColumn::None } else { SizeColumn::Full },
            percent: matches!(shown.graph, Graph::Both | Graph::Percent),
            bar: if matches!(shown.graph, Graph::Both | Graph::Bar) { SHORTEST_BAR } else { 0 },
            items: shown.items == Wanted::Yes,
            shared: shown.shared == Wanted::Yes,
            time: if shown.modified == Wanted::Yes { TimeColumn::Full } else { TimeColumn::None },
            name: 0,
        };
        let sizes: [fn(&mut Self); 2] =
            [|columns| columns.size = SizeColumn::Brief, |columns| columns.size = SizeColumn::None];
        let growth: [fn(&mut Self); 2] = [
            |columns| {
                if columns.growth == SizeColumn::Full {
                    columns.growth = SizeColumn::Brief;
                }
            },
            |columns| columns.growth = SizeColumn::None,
        ];
        let drops: [fn(&mut Self); 6] = [
            |columns| {
                if columns.time == TimeColumn::Full {
                    columns.time = TimeColumn::Date;
                }
            },
            |columns| columns.time = TimeColumn::None,
            |columns| columns.shared = false,
            |columns| columns.items = false,
            |columns| columns.bar = 0,
            |columns| columns.percent = false,
        ];
        let last = match shown.growth {
            Compared::First => [sizes, growth],
            Compared::No | Compared::Beside => [growth, sizes],
        };
        for drop in drops.into_iter().chain(last.into_iter().flatten()) {
            if columns.before_name(units) + NAME <= width {
                break;
            }
            drop(&mut columns);
        }
        let spare = width.saturating_sub(columns.before_name(units) + NAME);
        if columns.bar > 0 {
            // A fifth of what is left, so that names profit most from a wide window.
            columns.bar = (SHORTEST_BAR + spare / 5).min(LONGEST_BAR);
        }
        columns.name = width.saturating_sub(columns.before_name(units));
        columns
    }

    /// Columns to the left of the name, its gap included.
    fn before_name(&self, units: Units) -> usize {
        let cells = self.cells(units);
        let widths: usize = cells.iter().map(|(_, width)| width).sum();
        widths + cells.len().saturating_sub(1) + self.gap().len()
    }

    /// What stands before the name, from the left on, and how wide it is.
    pub fn cells(&self, units: Units) -> Vec<(Cell, usize)> {
        let size = match self.size {
            SizeColumn::Full => MARKS + 1 + units.width(),
            SizeColumn::Brief => MARKS + BRIEF,
            SizeColumn::None => 0,
        };
        let growth = match self.growth {
            SizeColumn::Full => 1 + units.width(),
            SizeColumn::Brief => 1 + BRIEF,
            SizeColumn::None => 0,
        };
        let time = match self.time {
            TimeColumn::Full => DATE_AND_TIME,
            TimeColumn::Date => DATE,
            TimeColumn::None => 0,
        };
        let cells = [
            (Cell::Size, size),
            (Cell::Growth, growth),
            (Cell::Percent, if self.percent { PERCENT } else { 0 }),
            (Cell::Bar, self.bar),
            (Cell::Items, if self.items { COUNT } else { 0 }),
            (Cell::Shared, if self.shared { units.width() } else { 0 }),
            (Cell::Time, time),
        ];
        cells.into_iter().filter(|(_, width)| *width > 0).collect()
    }

    /// What stands between the numbers and the name: blanks, and in the middle of them the sign of what is marked.
    pub fn gap(&self) -> &'static str {
        match self.size {
            SizeColumn::Full => "   ",
            SizeColumn::Brief => " ",
            SizeColumn::None if self.growth != SizeColumn::None => " ",
            SizeColumn::None if self.items => "  ",
            SizeColumn::None => "",
        }
    }

    /// The line of titles: those of numbers to the right, as the numbers are.
    pub fn title_line(&self, units: Units, title: impl Fn(Cell) -> String) -> String {
        let cell = |(cell, width)| match cell {
            Cell::Bar | Cell::Time => pad(&title(cell), width, ""),
            _ => right(&title(cell), width),
        };
        let cells: Vec<String> = self.cells(units).into_iter().map(cell).collect();
        cells.join(" ") + self.gap() + &title(Cell::Name)
    }

    /// What the column at `x` is sorted by.
    pub fn column_at(&self, x: usize, units: Units) -> Column {
        let mut end = 0;
        for (cell, width) in self.cells(units) {
            end += width + 1;
            if x < end {
                return cell.column();
            }
        }
        Column::Name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::shown::Scale;

    const ALL: Shown = Shown {
        graph: Graph::Both,
        items: Wanted::Yes,
        modified: Wanted::Yes,
        shared: Wanted::Yes,
        scale: Scale::Directory,
        growth: Compared::Beside,
    };

    #[test]
    fn columns_go_one_after_another_as_the_window_narrows() {
        let mut before = Columns::new(300, ALL, Units::Binary);
        assert_eq!((before.bar, before.time), (LONGEST_BAR, TimeColumn::Full));
        let rank = |columns: &Columns| {
            let size = match columns.size {
                SizeColumn::Full => 2,
                SizeColumn::Brief => 1,
                SizeColumn::None => 0,
            };
            let growth = match columns.growth {
                SizeColumn::Full => 2,
                SizeColumn::Brief => 1,
                SizeColumn::None => 0,
            };
            let time = match columns.time {
                TimeColumn::Full => 2,
                TimeColumn::Date => 1,
                TimeColumn::None => 0,
            };
            size + growth
                + time
                + [columns.percent, columns.items, columns.shared, columns.bar > 0]
                    .iter()
                    .filter(|has| **has)
                    .count()
        };
        for width in (0..300).rev() {
            let columns = Columns::new(width, ALL, Units::Binary);
            assert!(columns.name <= width);
            assert!(columns.name >= NAME.min(width), "{width}: {columns:?}");
            assert!(rank(&columns) <= rank(&before) && rank(&before) - rank(&columns) <= 1, "{width}");
            before = columns;
        }
        assert_eq!(rank(&before), 0);
    }

    #[test]
    fn what_is_not_wanted_takes_no_room() {
        let none = Shown {
            graph: Graph::None,
            items: Wanted::No,
            modified: Wanted::No,
            shared: Wanted::No,
            growth: Compared::No,
            ..ALL
        };
        assert_eq!(Columns::new(80, none, Units::Binary).name, 80 - MARKS - 1 - 9 - 3);
    }
}
