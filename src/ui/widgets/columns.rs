//! Columns of a table that fit into the available width, and their clickable titles.
//!
//! ```text
//! !≥   1.0 GiB  84.3% ████████▍      12,001 2026-11-21 08:15   doc/
//! 11 1    9   1   6  1    8..48    1   7   1       16        3   the rest
//! ```
//!
//! The second line contains the widths of the symbols, columns and gaps of the first line.
//!
//! In a narrow window, the column with the lowest [`ColumnSpec::drop_rank`] becomes narrower and then disappears
//! before the next column becomes narrower. The main column disappears last.
//!
//! Invariant: the columns and the gaps between them never exceed the width.

use ratatui::layout::Rect;

use crate::base::format::{BRIEF, Units};
use crate::base::sort::sort_by_key;
use crate::base::text::{fit, pad, width};
use crate::table::column::{Align, COLUMNS, Column, ColumnSet, ColumnSpec, SIGNS, Width};
use crate::table::row::NEW;
use crate::ui::hit_map::{Hit, HitMap};

/// Minimum width of the name column, unless it is the only visible column.
pub const NAME: usize = 12;

/// Right-aligns `text` in `columns` terminal columns, cutting off the excess.
pub fn right(text: &str, columns: usize) -> String {
    let text = fit(text, columns, "");
    " ".repeat(columns - width(&text)) + &text
}

/// Aligns `text` in `columns` terminal columns, cutting off the excess.
pub fn aligned(text: &str, align: Align, columns: usize) -> String {
    match align {
        Align::Left => pad(text, columns, ""),
        Align::Right => right(text, columns),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    pub cells: Vec<(Column, usize)>,
    pub name: usize,
    /// `true` if some of the requested columns do not fit.
    pub is_cut: bool,
}

impl Columns {
    /// Returns the columns of `wanted` that fit into `width`. Narrows or drops columns if fewer than `least` cells are
    /// left for the name. The main column, `first`, is narrowed or dropped only if fewer than [`NAME`] cells are left
    /// even without the other columns. Widens the bar if more than `usual` cells are left.
    pub fn fit(
        width: usize,
        wanted: ColumnSet,
        first: Column,
        (least, usual): (usize, usize),
        units: Units,
    ) -> Self {
        let mut widths: [&[Width]; Column::COUNT] = [&[]; Column::COUNT];
        for spec in COLUMNS.iter().filter(|spec| wanted.has(spec.column)) {
            widths[spec.column as usize] = spec.widths;
        }
        let mut order: Vec<Column> = COLUMNS.iter().map(|spec| spec.column).collect();
        sort_by_key(&mut order, |column| (*column == first, column.spec().drop_rank));
        let mut columns = Self::of(&widths, units);
        for column in order {
            // The main column becomes narrower only if the name would otherwise have fewer than `NAME` cells.
            let least = if column == first { least.min(NAME) } else { least };
            while columns.before_name() + least > width && !widths[column as usize].is_empty() {
                widths[column as usize] = &widths[column as usize][1..];
                columns = Self::of(&widths, units);
            }
        }
        columns.is_cut = COLUMNS.iter().any(|spec| wanted.has(spec.column) && columns.lacks(spec));
        let spare = width.saturating_sub(columns.before_name() + usual);
        for (column, cells) in &mut columns.cells {
            if let Some(Width::Stretch(narrow, wide)) = widths[*column as usize].first() {
                // The bar gets a third of the free width, so that most of a wide window is left for the names.
                *cells = (narrow + spare / 3).min(*wide);
            }
        }
        columns.name = width.saturating_sub(columns.before_name());
        columns
    }

    fn of(widths: &[&[Width]; Column::COUNT], units: Units) -> Self {
        let cells =
            |spec: &ColumnSpec| Some((spec.column, widths[spec.column as usize].first()?.cells(units)));
        Self { cells: COLUMNS.iter().filter_map(cells).collect(), name: 0, is_cut: false }
    }

    /// Returns `true` if the column does not fit. The name column has no fixed width and always fits.
    fn lacks(&self, spec: &ColumnSpec) -> bool {
        !spec.widths.is_empty() && self.width(spec.column).is_none()
    }

    /// Returns the width of everything to the left of the name, including the gap before it.
    fn before_name(&self) -> usize {
        let widths: usize = self.cells.iter().map(|(_, width)| width).sum();
        widths + self.cells.len().saturating_sub(1) + self.gap().len()
    }

    /// Returns the width of a column, if the column is visible.
    pub fn width(&self, column: Column) -> Option<usize> {
        self.cells.iter().find(|(cell, _)| *cell == column).map(|(_, width)| *width)
    }

    /// Returns the part of `row` that the bar occupies; an empty area if there is no bar.
    pub fn bar(&self, row: Rect) -> Rect {
        let mut x = usize::from(row.x);
        for (column, width) in &self.cells {
            if *column == Column::Bar {
                let [x, width] = [x, *width].map(|cells| u16::try_from(cells).unwrap_or(u16::MAX));
                return Rect { x, width, ..row }.intersection(row);
            }
            x += width + 1;
        }
        Rect::default()
    }

    /// Returns the gap between the numbers and the name. In a marked row, the mark symbol replaces the blank in the
    /// middle of the gap. If the gap is empty, the symbol is omitted.
    pub fn gap(&self) -> &'static str {
        match self.cells.first() {
            Some((Column::Size, width)) if *width > SIGNS + BRIEF => "   ",
            Some((Column::Size | Column::Growth, _)) => " ",
            _ if self.width(Column::Items).is_some() => "  ",
            _ => "",
        }
    }

    /// Returns the line of titles, each aligned like the cells below it. `title(column, is_long)` returns a title. A
    /// growth column may have room for the word `new` after a size. The title is then aligned with the sizes, not with
    /// the word.
    pub fn title_line(&self, units: Units, title: impl Fn(Column, bool) -> String) -> String {
        let cell = |(column, width): &(Column, usize)| {
            let narrow = matches!(column.spec().widths, [.., Width::Cells(least)] if least >= width);
            let has_word = *column == Column::Growth && *width > units.width() + NEW.len();
            let word = if has_word { NEW.len() } else { 0 };
            aligned(&title(*column, !narrow), column.spec().align, width - word) + &" ".repeat(word)
        };
        let cells: Vec<String> = self.cells.iter().map(cell).collect();
        cells.join(" ") + self.gap() + &title(Column::Name, true)
    }

    /// Makes the titles clickable. The area of a title includes the blank after it. The area of the name column's
    /// title extends to the end of the line.
    pub fn add_hits(&self, titles: Rect, hits: &mut HitMap) {
        hits.add(titles, Hit::Column(Column::Name));
        let mut left = titles;
        for (column, width) in &self.cells {
            let width = u16::try_from(width + 1).unwrap_or(u16::MAX).min(left.width);
            hits.add(Rect { width, ..left }, Hit::Column(column.spec().sorts_by));
            left = Rect { x: left.x + width, width: left.width - width, ..left };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: Units = Units::Binary;

    fn all(width: usize, first: Column) -> Columns {
        let columns: Vec<Column> = COLUMNS.iter().map(|spec| spec.column).collect();
        Columns::fit(width, ColumnSet::of(&columns), first, (NAME, NAME), UNITS)
    }

    #[test]
    fn columns_disappear_in_order_as_the_window_narrows() {
        for first in [Column::Size, Column::Growth] {
            let mut before = all(300, first);
            assert_eq!((before.width(Column::Bar), before.width(Column::Modified)), (Some(48), Some(16)));
            let widths_left = |columns: &Columns| -> usize {
                let left = |(column, width): &(Column, usize)| {
                    let widths = column.spec().widths;
                    widths.len() - widths.iter().position(|it| it.cells(UNITS) <= *width).unwrap()
                };
                columns.cells.iter().map(left).sum()
            };
            for width in (0..300).rev() {
                let columns = all(width, first);
                assert!(columns.name <= width);
                assert!(columns.name >= NAME.min(width), "{width}: {columns:?}");
                let (now, then) = (widths_left(&columns), widths_left(&before));
                assert!(now <= then && then - now <= 1, "{width}");
                before = columns;
            }
            assert_eq!(before.cells, []);
        }
    }

    #[test]
    fn the_main_column_disappears_last() {
        assert_eq!(all(20, Column::Size).cells, [(Column::Size, SIGNS + BRIEF)]);
        assert_eq!(all(20, Column::Growth).cells, [(Column::Growth, 1 + BRIEF)]);
    }

    #[test]
    fn hidden_columns_take_no_room() {
        let columns = ColumnSet::of(&[Column::Size, Column::Name]);
        assert_eq!(Columns::fit(80, columns, Column::Size, (NAME, NAME), UNITS).name, 80 - SIGNS - 1 - 9 - 3);
    }
}
