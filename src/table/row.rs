//! Rows of tables as plain data, drawn by the browser and printed by `output`.
//!
//! Invariant: the text of a cell is no wider than its column.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use crate::analysis::compare::trend::Trend;
use crate::base::calendar::{DATE, date, date_and_time};
use crate::base::format::{BRIEF, Units, brief_size, change, count, percent, share, size};
use crate::base::kind::Kind;
use crate::base::text::{fit, printable};
use crate::table::column::{Column, RANGE, shared};
use crate::tree::{DirId, EntryId, Exclusive, Metadata, StorageClass, StorageClasses, Totals, Tree};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// The number is exact.
    #[default]
    Exact,
    /// The number may still grow, because reading has not ended.
    Growing,
    /// The number comes from the previous scan, because the running scan has not confirmed it yet.
    Recorded,
    /// The number is a lower bound, because something below the entry was not read or the number is too large to store.
    AtLeast,
}

impl Precision {
    /// Returns the precision of `size`, one of the totals of directory `id`. During a scan, the totals of a complete
    /// directory with hard links may still change, because the sizes of repeated links are subtracted only when the
    /// scan ends.
    pub fn of(tree: &Tree, id: DirId, totals: &Totals, size: u64) -> Self {
        let status = tree.status(id);
        if !status.is_complete() || tree.is_preliminary(id) {
            Self::Growing
        } else if status.partial || totals.errors > 0 || size == u64::MAX {
            Self::AtLeast
        } else {
            Self::Exact
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellValue {
    #[default]
    None,
    /// Size in bytes.
    Bytes(u64),
    /// Sizes in bytes before and after a change; `None` if the entry did not exist at that time.
    Change(Option<u64>, Option<u64>),
    /// Minimum and maximum number of bytes freed; the maximum is `None` if no limit is known.
    Frees(u64, Option<u64>),
    /// Number of entries.
    Count(u64),
    /// Share of a total or of the largest size, in thousandths.
    Share(u16),
    /// Time in seconds since 1970.
    Time(i64),
    User(u32),
    StorageClass(StorageClass),
    /// Chart of the entry's size over time.
    Trend(Trend),
    /// Words in place of a number, in full and abbreviated.
    Words([&'static str; 2]),
}

/// User names by ID.
pub type UserNames = BTreeMap<u32, String>;

/// Settings for formatting numbers.
#[derive(Clone, Copy, Debug)]
pub struct NumberFormat<'a> {
    pub units: Units,
    /// Time zone in which times are shown.
    pub zone: &'a TimeZone,
    /// Known names of users.
    pub users: &'a UserNames,
    pub classes: &'a StorageClasses,
}

impl CellValue {
    /// Returns the bytes that deletion frees, if they are known.
    pub fn frees(exclusive: Option<Exclusive>) -> Self {
        exclusive.map_or(Self::None, |exclusive| Self::Frees(exclusive.at_least, exclusive.at_most))
    }

    /// Returns the number of bytes shared with other entries, or [`Self::None`] if it is 0 or unknown.
    pub fn shared(exclusive: Option<Exclusive>) -> Self {
        match exclusive.map_or(0, |exclusive| exclusive.shared) {
            0 => Self::None,
            shared => Self::Bytes(shared),
        }
    }

    /// Returns the text for a column of `width` cells, abbreviated if the column is narrow.
    pub fn text(self, width: usize, format: NumberFormat<'_>) -> String {
        let units = format.units;
        match self {
            // The chart is drawn later, with the characters of the theme.
            Self::None | Self::Trend(_) => String::new(),
            Self::Bytes(bytes) if width >= units.width() => size(bytes, units),
            Self::Bytes(bytes) => brief_size(bytes, units),
            Self::Change(None, Some(after)) if width > units.width() + NEW.len() => {
                change(0, after, units) + NEW
            }
            Self::Change(before, after) if width > units.width() + NEW.len() => {
                full_change(before, after, units) + "    "
            }
            Self::Change(before, after) if width > units.width() => full_change(before, after, units),
            Self::Change(before, after) => brief_change(before, after, units),
            Self::Frees(least, most) => frees(least, most, width, units),
            Self::Count(number) => count(number),
            Self::Share(thousandths) => percent(thousandths),
            Self::Time(time) if width > DATE => date_and_time(time, format.zone),
            Self::Time(time) => date(time, format.zone),
            Self::User(id) => {
                let name = format
                    .users
                    .get(&id)
                    .map_or_else(|| id.to_string(), |name| printable(name.as_bytes()).into_owned());
                fit(&name, width, "~").into_owned()
            }
            Self::StorageClass(class) => {
                let name = format.classes.name(class);
                fit(&printable(name.as_bytes()), width, "~").into_owned()
            }
            Self::Words([full, _]) if width >= units.width() => full.to_owned(),
            Self::Words([_, brief]) => brief.to_owned(),
        }
    }
}

/// Formats the number of bytes that deletion frees: `  1.2 GiB` for an exact number, `> 1.2 GiB` for a minimum without
/// a maximum, and `  1.2 GiB..3.4G` for a range. A narrow column shows only the minimum of a range: `~ 1.2 GiB`.
fn frees(least: u64, most: Option<u64>, width: usize, units: Units) -> String {
    let is_wide = width > units.width() + RANGE.len() + BRIEF;
    let number = if width > units.width() { size(least, units) } else { brief_size(least, units) };
    let (sign, most) = match most {
        Some(most) if most == least => (' ', None),
        Some(most) if is_wide => (' ', Some(most)),
        Some(_) => ('~', None),
        None => ('>', None),
    };
    let end = match most {
        Some(most) => format!("{RANGE}{}", brief_size(most, units).trim_start()),
        None => String::new(),
    };
    format!("{sign}{number}{end}")
}

/// Word after the size of a new entry in a very wide column. Other changes are followed by four spaces instead, so that
/// the sizes line up.
pub const NEW: &str = " new";

/// Formats a change, such as `+1.2 GiB`, for a wide column.
fn full_change(before: Option<u64>, after: Option<u64>, units: Units) -> String {
    match (before, after) {
        (None, _) => "new".to_owned(),
        (Some(before), None) => change(before, 0, units),
        (Some(before), Some(after)) if before == after => "=".to_owned(),
        (Some(before), Some(after)) => change(before, after, units),
    }
}

/// Formats a change for a narrow column: `+1.2G`, `-1.2G`, or `=` for no change. A new entry is shown as `*`
/// and its size, a deleted entry as `x` and its former size.
fn brief_change(before: Option<u64>, after: Option<u64>, units: Units) -> String {
    let (sign, bytes) = match (before, after) {
        (None, after) => ('*', after.unwrap_or(0)),
        (Some(before), None) => ('x', before),
        (Some(before), Some(after)) if before == after => return "=".to_owned(),
        (Some(before), Some(after)) => (if before < after { '+' } else { '-' }, before.abs_diff(after)),
    };
    format!("{sign}{}", brief_size(bytes, units).trim_start())
}

/// Style of a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowStyle {
    /// Text without a style of its own, such as the name of a regular file.
    #[default]
    Plain,
    /// Heading, group or total.
    Strong,
    Directory,
    Link,
    /// Device, pipe or socket.
    Special,
    /// Entry that is excluded, deleted, or known only from the previous scan.
    Faint,
    /// Message about an error or a possible problem.
    Warning,
}

/// Note shown after a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowNote {
    pub text: String,
    /// `true` if the note reports an error.
    pub is_warning: bool,
}

impl RowNote {
    /// Returns a note that is not a warning.
    pub fn plain(text: String) -> Self {
        Self { text, is_warning: false }
    }
}

impl RowStyle {
    /// Returns the style for the name of an entry.
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Directory => Self::Directory,
            Kind::Symlink => Self::Link,
            Kind::Fifo | Kind::Socket | Kind::BlockDevice | Kind::CharDevice => Self::Special,
            Kind::File | Kind::Unknown => Self::Plain,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Entry that the row shows; `None` for a total.
    pub entry: Option<EntryId>,
    /// Kind of the entry; `None` for a total.
    pub kind: Option<Kind>,
    /// Directory to show when the user opens the row.
    pub directory: Option<DirId>,
    /// Name, path or description, escaped for the terminal.
    pub label: String,
    pub style: RowStyle,
    pub is_marked: bool,
    /// `true` if the entry, or any entry below it, could not be read.
    pub has_errors: bool,
    pub precision: Precision,
    /// Contents of the cells, indexed by column.
    pub cells: [CellValue; Column::COUNT],
    pub note: Option<RowNote>,
}

impl Row {
    /// Returns a row that has only a label.
    pub fn of_words(label: String, style: RowStyle) -> Self {
        Self { label, style, ..Self::default() }
    }

    /// Returns the row of a total. Only the cells for the size and the number of items are set.
    pub fn of_sum(label: String, size: u64, items: u64) -> Self {
        Self::of_words(label, RowStyle::Plain)
            .with(Column::Size, CellValue::Bytes(size))
            .with(Column::Items, CellValue::Count(items))
    }

    /// Returns the row with the cell of `column` set to `value`.
    #[must_use]
    pub fn with(mut self, column: Column, value: CellValue) -> Self {
        self.cells[column as usize] = value;
        self
    }

    pub fn cell(&self, column: Column) -> CellValue {
        self.cells[column as usize]
    }

    /// Returns the row with cells for the bytes that deleting the entry frees, and for the bytes that the entry shares.
    #[must_use]
    pub fn with_exclusive(self, tree: &Tree, metadata: &Metadata, exclusive: Option<Exclusive>) -> Self {
        let shared = Some(shared(tree, metadata, exclusive)).filter(|bytes| *bytes > 0);
        self.with(Column::Frees, CellValue::frees(exclusive))
            .with(Column::Shared, shared.map_or(CellValue::None, CellValue::Bytes))
    }

    /// Returns the size of the row in bytes, if it is known.
    pub fn size(&self) -> Option<u64> {
        match self.cell(Column::Size) {
            CellValue::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the number of items, if the row has one.
    pub fn items(&self) -> Option<u64> {
        match self.cell(Column::Items) {
            CellValue::Count(items) => Some(items),
            _ => None,
        }
    }

    /// Sets the percentage cell to the ratio of the row's size to `whole`, and the bar cell to its ratio to `full`. If
    /// the bar cell contains bytes, as in the growth view, sets only this cell, to the ratio of the bytes to `full`.
    pub fn add_shares(&mut self, whole: u64, full: u64) {
        if let CellValue::Bytes(bytes) = self.cell(Column::Bar) {
            self.cells[Column::Bar as usize] = CellValue::Share(share(bytes, full));
        } else if let Some(size) = self.size() {
            self.cells[Column::Percent as usize] = CellValue::Share(share(size, whole));
            self.cells[Column::Bar as usize] = CellValue::Share(share(size, full));
        }
    }
}
