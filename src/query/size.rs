//! Comparisons of sizes in a query.

/// Comparison of a size with a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// More than this number of bytes.
    Above(u64),
    /// At least this number of bytes.
    AtLeast(u64),
    /// Less than this number of bytes.
    Below(u64),
    /// At most this number of bytes.
    AtMost(u64),
    /// Exactly this number of bytes.
    Is(u64),
}

impl Size {
    pub(crate) fn holds(self, bytes: u64) -> bool {
        match self {
            Self::Above(than) => bytes > than,
            Self::AtLeast(than) => bytes >= than,
            Self::Below(than) => bytes < than,
            Self::AtMost(than) => bytes <= than,
            Self::Is(exactly) => bytes == exactly,
        }
    }
}
