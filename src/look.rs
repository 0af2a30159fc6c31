//! How results are shown, as a person chose on the command line: what the browser begins with and the table is made by.
//!
//! Knows neither. Invariant: plain values, no behaviour.

use crate::size::{Measure, Units};

/// How results are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Which size counts.
    pub measure: Measure,
    /// How sizes are written.
    pub units: Units,
    /// What entries are sorted by.
    pub column: Column,
    /// Whether colours are used.
    pub colors: Colors,
    /// What bars and marks are drawn with.
    pub glyphs: Glyphs,
}

/// What entries are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Column {
    /// Largest first, by the [`Measure`] that is shown.
    #[default]
    Size,
    /// By the bytes of the name.
    Name,
    /// Most items first.
    Count,
    /// Last changed first.
    Mtime,
}

/// Whether colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// Yes.
    #[default]
    Used,
    /// No.
    Unused,
}

/// What bars and marks are drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Blocks and symbols.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}
