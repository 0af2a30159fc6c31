//! Columns of tables. Each column has one element in [`COLUMNS`], which defines how the column is drawn and sorted,
//! which keys sort by it or show it, and how `--sort` and `--columns` name it.
//!
//! Invariant: the element of a column is at the index `column as usize` in [`COLUMNS`].

use crate::analysis::compare::trend::POINTS;
use crate::base::calendar::{DATE, DATE_AND_TIME};
use crate::base::format::{BRIEF, COUNT, PERCENT, Units};
pub use crate::table::column_set::ColumnSet;
use crate::tree::{Exclusive, Metadata, Totals, Tree};

/// Columns in display order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// Size of an entry, preceded by two symbols: one for errors and one for the precision.
    #[default]
    Size,
    /// Change in size since an earlier scan.
    Growth,
    /// Chart of the sizes in earlier scans and the current size.
    Trend,
    /// Size as a percentage of the directory's size or, in other views, of the total of all results.
    Percent,
    /// Share as a bar; [`Scale`] defines the full length.
    Bar,
    Items,
    /// Size including all subdirectories, shown next to the size without them.
    Total,
    /// Bytes that deleting an entry frees.
    Frees,
    /// Bytes shared by hard links and, if exclusive sizes are known, also by copies or file-system snapshots.
    Shared,
    /// User who owns an entry.
    Owner,
    /// Storage class of an object in an object store. Shown only if the tree has storage classes.
    StorageClass,
    /// Modification time (mtime).
    Modified,
    /// Name, path or description.
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Fixed number of terminal cells.
    Cells(usize),
    /// Width of a formatted size, plus the given number of cells.
    Size(usize),
    /// Minimum and maximum number of cells. The width is the minimum plus a third of the free width, up to the maximum.
    Stretch(usize, usize),
}

impl Width {
    /// Returns the minimum width in cells.
    pub fn cells(self, units: Units) -> usize {
        match self {
            Self::Cells(cells) | Self::Stretch(cells, _) => cells,
            Self::Size(more) => units.width() + more,
        }
    }
}

/// Key that sorts by a column, or shows or hides it.
#[derive(Clone, Copy, Debug)]
pub struct ColumnKey {
    /// Letter of the default key.
    pub letter: char,
    pub name: &'static str,
    /// Description on the help page.
    pub help: &'static str,
    /// Rank and text of the key's hint, if any. If there is little room, only hints with low ranks are shown.
    pub hint: Option<(u8, &'static str)>,
    /// `true` if the key works only in the list of a directory.
    pub only_in_list: bool,
}

/// Data for computing an entry's sort key.
#[derive(Clone, Copy)]
pub struct SortContext<'a> {
    pub tree: &'a Tree,
    /// Totals of the entry, if it is a directory.
    pub totals: Option<Totals>,
    /// Disk usage or apparent size of the entry, depending on the measure shown.
    pub size: u64,
    /// Absolute difference from the entry's earlier size, if known.
    pub change: Option<u64>,
    /// Exclusive size of the entry; `None` if it is unknown, or if the sort column does not need it.
    pub exclusive: Option<Exclusive>,
}

/// Function that returns the number by which an entry is sorted. The largest number comes first.
pub type SortKey = fn(&SortContext<'_>, &Metadata) -> u64;

#[derive(Clone, Copy, Debug)]
pub struct ColumnSpec {
    pub column: Column,
    /// Name for `--sort`, and its help text; `None` if `--sort` does not accept this column.
    pub option: Option<(&'static str, &'static str)>,
    /// Name for `--columns`, and its help text; `None` if users cannot choose the column.
    pub choice: Option<(&'static str, &'static str)>,
    /// Titles for a wide column and for a narrow one.
    pub titles: [&'static str; 2],
    /// Key that sorts by the column.
    pub sort: Option<ColumnKey>,
    /// Key that shows or hides the column.
    pub show: Option<ColumnKey>,
    pub align: Align,
    /// Possible widths, widest first; empty for the name column, which takes the remaining space.
    pub widths: &'static [Width],
    /// Rank. If space is short, columns of lower rank are narrowed and dropped before those of higher rank.
    pub drop_rank: u8,
    /// Column that a click on the title sorts by.
    pub sorts_by: Column,
    /// Sort key; `None` for the name column, and for columns whose `sorts_by` is another column.
    pub sort_key: Option<SortKey>,
}

/// Text between the two sizes of a range.
pub const RANGE: &str = "..";
/// Width in cells of the two symbols before a size: one for errors and one for the precision.
pub const SIGNS: usize = 2;

const fn key(letter: char, name: &'static str, help: &'static str) -> ColumnKey {
    ColumnKey { letter, name, help, hint: None, only_in_list: false }
}

impl ColumnKey {
    const fn hint(self, rank: u8, word: &'static str) -> Self {
        Self { hint: Some((rank, word)), ..self }
    }

    const fn in_list(self) -> Self {
        Self { only_in_list: true, ..self }
    }
}

const PLAIN: ColumnSpec = ColumnSpec {
    column: Column::Name,
    option: None,
    choice: None,
    titles: [""; 2],
    sort: None,
    show: None,
    align: Align::Right,
    widths: &[],
    drop_rank: 0,
    sorts_by: Column::Name,
    sort_key: None,
};

/// All columns in display order.
pub static COLUMNS: [ColumnSpec; Column::COUNT] = [
    ColumnSpec {
        column: Column::Size,
        option: Some(("size", "Largest first")),
        choice: Some(("size", "Size; always shown")),
        titles: ["Disk", "Size"],
        sort: Some(key('s', "sort-size", "by size").hint(9, "size")),
        widths: &[Width::Size(SIGNS + 1), Width::Cells(SIGNS + BRIEF)],
        drop_rank: 7,
        sorts_by: Column::Size,
        sort_key: Some(|context, _| context.size),
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Growth,
        choice: Some(("growth", "Growth since an earlier snapshot")),
        titles: ["Growth", "Grow"],
        sort: Some(key('W', "sort-growth", "by growth")),
        show: Some(key('T', "show-growth", "growth").in_list()),
        // The largest width has room for the sign before the size and for ` new` after it.
        widths: &[Width::Size(5), Width::Size(1), Width::Cells(1 + BRIEF)],
        drop_rank: 6,
        sorts_by: Column::Growth,
        sort_key: Some(|context, _| context.change.map_or(0, |change| change.saturating_add(1))),
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Trend,
        titles: ["Trend"; 2],
        align: Align::Left,
        widths: &[Width::Cells(POINTS)],
        sorts_by: Column::Growth,
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Percent,
        choice: Some(("share", "Share of the directory's size in percent")),
        titles: ["Share"; 2],
        widths: &[Width::Cells(PERCENT)],
        drop_rank: 5,
        sorts_by: Column::Size,
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Bar,
        choice: Some(("bar", "Share as a bar")),
        align: Align::Left,
        widths: &[Width::Stretch(8, 48)],
        drop_rank: 4,
        sorts_by: Column::Size,
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Items,
        option: Some(("count", "Most items first")),
        choice: Some(("count", "Number of items")),
        titles: ["Items"; 2],
        sort: Some(key('C', "sort-count", "by number of items")),
        show: Some(key('c', "show-count", "number of items")),
        widths: &[Width::Cells(COUNT)],
        drop_rank: 3,
        sorts_by: Column::Items,
        sort_key: Some(|context, _| context.totals.map_or(0, |totals| totals.items)),
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Total,
        titles: ["Total"; 2],
        widths: &[Width::Size(1), Width::Cells(1 + BRIEF)],
        drop_rank: 3,
        sorts_by: Column::Size,
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Frees,
        choice: Some(("frees", "Space freed by deletion; requires reading the extents of all files")),
        titles: ["Frees"; 2],
        sort: Some(key('F', "sort-frees", "by space freed").in_list()),
        show: Some(key('f', "show-frees", "space freed")),
        widths: &[Width::Size(1 + RANGE.len() + BRIEF), Width::Size(1), Width::Cells(1 + BRIEF)],
        drop_rank: 6,
        sorts_by: Column::Frees,
        sort_key: Some(|context, _| {
            context.exclusive.map_or(0, |exclusive| exclusive.at_least.saturating_add(1))
        }),
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Shared,
        choice: Some(("shared", "Disk usage shared by hard links, copies or file-system snapshots")),
        titles: ["Shared"; 2],
        sort: Some(key('S', "sort-shared", "by shared size").in_list()),
        show: Some(key('u', "show-shared", "shared size")),
        widths: &[Width::Size(0)],
        drop_rank: 2,
        sorts_by: Column::Shared,
        sort_key: Some(|context, metadata| shared(context.tree, metadata, context.exclusive)),
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Owner,
        choice: Some(("owner", "Owner; requires --extended")),
        titles: ["Owner"; 2],
        show: Some(key('O', "show-owner", "owner (needs -e)").in_list()),
        align: Align::Left,
        widths: &[Width::Cells(12), Width::Cells(8)],
        drop_rank: 1,
        sorts_by: Column::Size,
        ..PLAIN
    },
    ColumnSpec {
        column: Column::StorageClass,
        titles: ["Storage"; 2],
        align: Align::Left,
        widths: &[Width::Cells(12), Width::Cells(8)],
        drop_rank: 1,
        sorts_by: Column::Size,
        ..PLAIN
    },
    ColumnSpec {
        column: Column::Modified,
        option: Some(("mtime", "Most recently changed first")),
        choice: Some(("mtime", "Last change")),
        titles: ["Modified"; 2],
        sort: Some(key('M', "sort-mtime", "by last change")),
        show: Some(key('m', "show-mtime", "last change")),
        align: Align::Left,
        widths: &[Width::Cells(DATE_AND_TIME), Width::Cells(DATE)],
        drop_rank: 1,
        sorts_by: Column::Modified,
        // The clamp prevents an overflow. Times beyond the limits cannot be shown as dates anyway.
        sort_key: Some(|_, metadata| (metadata.mtime.clamp(-1 << 61, 1 << 61) + (1 << 61)).cast_unsigned()),
    },
    ColumnSpec {
        column: Column::Name,
        option: Some(("name", "By name, with numbers in numeric order")),
        titles: ["Name"; 2],
        sort: Some(key('n', "sort-name", "by name").hint(10, "name")),
        align: Align::Left,
        ..PLAIN
    },
];

/// Columns by which the user can sort, in the order of the help page.
pub const SORTABLE: [Column; 7] = [
    Column::Size,
    Column::Name,
    Column::Items,
    Column::Modified,
    Column::Shared,
    Column::Frees,
    Column::Growth,
];

/// Columns that a key can show or hide, in the order of the help page.
pub const OPTIONAL: [Column; 6] =
    [Column::Items, Column::Modified, Column::Frees, Column::Shared, Column::Owner, Column::Growth];

impl Column {
    pub const COUNT: usize = 13;

    pub fn spec(self) -> &'static ColumnSpec {
        &COLUMNS[self as usize]
    }

    /// Returns `true` if the values of the column depend on [`Exclusive`].
    pub fn is_exclusive(self) -> bool {
        matches!(self, Self::Frees | Self::Shared)
    }
}

/// Returns the shared disk usage in bytes. If `exclusive` is known, returns the number of bytes that other entries also
/// hold or may hold. Otherwise, for a directory, returns the bytes shared among its entries; for a file with several
/// names, returns its whole disk usage.
pub fn shared(tree: &Tree, metadata: &Metadata, exclusive: Option<Exclusive>) -> u64 {
    if let Some(exclusive) = exclusive {
        return exclusive.shared;
    }
    match metadata.directory {
        Some(id) => tree.shared(id),
        None if metadata.links.is_some() => metadata.disk(),
        None => 0,
    }
}

/// Size represented by a full bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Size of the directory.
    Directory,
    /// Size of the largest entry.
    #[default]
    Largest,
}

impl Scale {
    pub fn toggle(&mut self) {
        *self = match self {
            Self::Directory => Self::Largest,
            Self::Largest => Self::Directory,
        };
    }
}

/// Appearance of the rows of a list, as chosen by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOptions {
    /// Columns to show if there is room.
    pub columns: ColumnSet,
    pub scale: Scale,
    /// `true` if one row shows a whole chain of directories, each of which contains nothing but the next.
    pub collapses: bool,
}

impl RowOptions {
    /// Returns the default appearance with these columns, plus the size and the name.
    pub fn with(columns: &[Column]) -> Self {
        let columns = ColumnSet::of(columns).or(ColumnSet::of(&[Column::Size, Column::Name]));
        Self { columns, scale: Scale::default(), collapses: true }
    }
}

impl Default for RowOptions {
    fn default() -> Self {
        Self::with(&[Column::Percent, Column::Bar, Column::Items])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_at_their_own_indexes() {
        for (index, spec) in COLUMNS.iter().enumerate() {
            assert_eq!(spec.column as usize, index);
            let (is_sortable, is_optional) =
                (SORTABLE.contains(&spec.column), OPTIONAL.contains(&spec.column));
            assert_eq!((spec.sort.is_some(), spec.show.is_some()), (is_sortable, is_optional), "{index}");
            assert!(spec.sorts_by.spec().sort.is_some());
        }
    }
}
