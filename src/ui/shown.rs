//! What a person wants to be shown beside names and sizes.
//!
//! Knows no screen: which of it there is room for is found by `view::columns`.

use crate::rows::Column;

/// What is drawn beside the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Graph {
    /// Percent and bar.
    #[default]
    Both,
    /// The bar.
    Bar,
    /// Percent.
    Percent,
    /// Nothing.
    None,
}

impl Graph {
    /// What the next press of the key gives.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Both => Self::Bar,
            Self::Bar => Self::Percent,
            Self::Percent => Self::None,
            Self::None => Self::Both,
        }
    }
}

/// Whether a column is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// If there is room.
    Yes,
    /// Not at all.
    No,
}

impl Wanted {
    /// The other one.
    pub fn toggle(&mut self) {
        *self = match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
        };
    }
}

/// What a full bar stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// All of the directory.
    #[default]
    Directory,
    /// The largest entry.
    Largest,
}

impl Scale {
    /// The other one.
    pub fn toggle(&mut self) {
        *self = match self {
            Self::Directory => Self::Largest,
            Self::Largest => Self::Directory,
        };
    }
}

/// Whether it is to be seen how entries have grown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compared {
    /// It is not.
    #[default]
    No,
    /// Beside their sizes, if there is room.
    Beside,
    /// Before everything else.
    First,
}

/// Which columns are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Bar and percent.
    pub graph: Graph,
    /// Number of items.
    pub items: Wanted,
    /// Time of last change.
    pub modified: Wanted,
    /// What hard links share.
    pub shared: Wanted,
    /// What a full bar stands for.
    pub scale: Scale,
    /// How entries have grown.
    pub growth: Compared,
}

impl Shown {
    /// Wants the column by which is sorted: an order that cannot be seen is none.
    pub fn show(&mut self, column: Column) {
        match column {
            Column::Items => self.items = Wanted::Yes,
            Column::Modified => self.modified = Wanted::Yes,
            Column::Shared => self.shared = Wanted::Yes,
            // Always there, or shown by who sorts by it.
            Column::Size | Column::Name | Column::Growth => {}
        }
    }
}
