//! The order of rows: by a number that each entry brings along, or by path.
//!
//! The number is taken while the entry is looked at, so sorting needs no tree. By path is different: names stay in the
//! tree. So the largest are kept, and those are put in order directory by directory.
//!
//! Invariant: what has no number comes last, either way round.

use std::collections::HashMap;

use super::rows::Row;
use super::sweep::Entry;
use crate::size::Measure;
use crate::tree::order::{self, Names, compare_naturally};
use crate::tree::{Content, DirId, Tree};

/// What rows can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Disk usage, the most first.
    #[default]
    Disk,
    /// Apparent size, the largest first.
    Apparent,
    /// Time of last change, the newest first.
    Modified,
    /// Items below, or behind a row, the most first.
    Items,
    /// The path of the directory and then the name, numbers in them by what they are worth.
    Path,
}

impl From<Measure> for By {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Disk => Self::Disk,
            Measure::Apparent => Self::Apparent,
        }
    }
}

/// An order of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub by: By,
    /// Whether it is the other way round.
    pub reversed: bool,
}

impl Order {
    /// Whether names decide.
    pub(super) fn is_by_path(self) -> bool {
        self.by == By::Path
    }

    /// The number to sort an entry by, the largest first.
    pub(crate) fn key(self, entry: &Entry<'_>) -> u64 {
        let Content::Known(facts) = entry.record.content else { return 0 };
        let number = match self.by {
            By::Disk => entry.totals.disk,
            By::Apparent => entry.totals.apparent,
            By::Items => entry.totals.items,
            // The order of all times in numbers without a sign.
            By::Modified => facts.mtime.cast_unsigned() ^ 1 << 63,
            By::Path => return entry.totals.disk,
        };
        self.turned(number.min(u64::MAX - 1) + 1)
    }

    /// A number for which the largest comes first, or the smallest if it is the other way round.
    pub(crate) fn turned(self, number: u64) -> u64 {
        if self.reversed { u64::MAX - number.max(1) + 1 } else { number }
    }
}

/// Sorts rows by the path of their directory and then by name.
pub(crate) fn sort_by_path(tree: &Tree, rows: &mut Vec<Row>, order: Order) {
    let mut of_directories: HashMap<DirId, Vec<Row>> = HashMap::new();
    for row in rows.drain(..) {
        of_directories.entry(row.directory).or_default().push(row);
    }
    let mut directories: Vec<(Vec<u8>, DirId)> =
        of_directories.keys().map(|id| (tree.path(*id), *id)).collect();
    directories.sort_unstable_by(|(one, a), (other, b)| compare_naturally(one, other).then(a.cmp(b)));
    for (_, id) in directories {
        let of_directory = of_directories.remove(&id).unwrap_or_default();
        let mut named: Vec<order::Row> =
            of_directory.iter().map(|row| order::Row { key: 0, position: row.position }).collect();
        order::sort_by_name(&tree.listing(id), Names::Natural, &mut named);
        rows.extend(named.iter().map(|row| Row { directory: id, position: row.position, key: 0 }));
    }
    if order.reversed {
        rows.reverse();
    }
}
