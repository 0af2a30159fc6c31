//! Requested order of the entries in a list.

use crate::base::format::Measure;
use crate::table::column::{Column, SortContext};
use crate::tree::sort::Names;
use crate::tree::{DirId, Entry, EntryState, Metadata, Totals};

/// Largest sort key for a number. The highest bit of a sort key is set only for directories that are sorted before
/// all other entries.
const LARGEST: u64 = u64::MAX >> 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Default direction of the column, such as largest first.
    #[default]
    Usual,
    /// Reverse of the default direction.
    Reversed,
}

impl Direction {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Usual => Self::Reversed,
            Self::Reversed => Self::Usual,
        }
    }
}

/// Position of directories relative to other entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Directories and other entries are sorted together.
    #[default]
    Mixed,
    /// Directories come before all other entries.
    DirectoriesFirst,
}

/// Visibility of hidden entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Hidden entries are shown like all others.
    #[default]
    Shown,
    /// Excluded entries and entries whose names begin with a dot are not shown.
    Omitted,
}

/// Sort settings of a list, and the visibility of its hidden entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub column: Column,
    pub direction: Direction,
    /// Measure used for sizes: disk usage or apparent size.
    pub measure: Measure,
    pub grouping: Grouping,
    pub hidden: Hidden,
}

impl Order {
    pub(super) fn names(self) -> Names {
        match (self.column, self.direction) {
            (Column::Name, Direction::Usual) => Names::Natural,
            (Column::Name, Direction::Reversed) => Names::NaturalReversed,
            _ => Names::Ascending,
        }
    }

    pub(super) fn leaves_out(self, id: DirId, record: &Entry<'_>) -> bool {
        // Roots are always shown, because the user asked for them.
        id != DirId::TOP && self.hides(record)
    }

    /// Returns `true` if the list leaves out hidden entries, and this entry is hidden: it is excluded, or its name
    /// begins with a dot. The entry must not be a root, because roots are always shown.
    pub fn hides(self, record: &Entry<'_>) -> bool {
        self.hidden == Hidden::Omitted
            && (record.name.starts_with(b".") || matches!(record.state, EntryState::Excluded(_)))
    }

    /// Returns `true` if the entries with the largest disk usage come first, and all entries are shown.
    pub(super) fn is_by_disk_usage(self) -> bool {
        self == Self::default()
    }

    /// Returns the size of an entry by the measure of this order. `totals` contains the totals of a directory.
    pub(super) fn size(self, totals: Option<&Totals>, metadata: &Metadata) -> u64 {
        match totals {
            Some(totals) => self.measure.of(totals.disk, totals.apparent),
            None => self.measure.of(metadata.disk(), metadata.apparent),
        }
    }

    /// Returns the sort key of an entry with known metadata; the largest key sorts first. If the column has numbers,
    /// the key is above zero. The caller uses the key zero for entries without metadata, so they are last in both
    /// directions.
    pub(super) fn key(self, context: &SortContext<'_>, metadata: &Metadata) -> u64 {
        let first = self.grouping == Grouping::DirectoriesFirst && metadata.directory.is_some();
        let number = match (self.column.spec().sort_key, self.direction) {
            (None, _) => 0,
            (Some(number), Direction::Usual) => number(context, metadata).min(LARGEST - 1) + 1,
            (Some(number), Direction::Reversed) => LARGEST - number(context, metadata).min(LARGEST - 1),
        };
        number | u64::from(first) << 63
    }
}
