//! Meanings of treemap colors.

use super::theme::Role;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapColors {
    #[default]
    Type,
    /// Time since the last change.
    Age,
    /// Change since the baseline.
    Growth,
}

impl MapColors {
    pub fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Age => "age",
            Self::Growth => "growth",
        }
    }

    /// Returns the next meaning in the cycle, which skips growth if there is no baseline.
    #[must_use]
    pub fn next(self, can_grow: bool) -> Self {
        match self {
            Self::Type => Self::Age,
            Self::Age if can_grow => Self::Growth,
            Self::Age | Self::Growth => Self::Type,
        }
    }

    pub fn legend(self) -> &'static [(Role, &'static str)] {
        match self {
            Self::Type => &[
                (Role::Program, "program"),
                (Role::Code, "code"),
                (Role::Archive, "archive"),
                (Role::Document, "document"),
                (Role::Data, "data"),
                (Role::Media, "media"),
                (Role::Video, "video"),
                (Role::Directory, "directory"),
                (Role::Other, "other"),
            ],
            Self::Age => &[
                (Role::Program, "< 30 days"),
                (Role::Document, "< 90 days"),
                (Role::Code, "< 1 year"),
                (Role::Archive, "< 3 years"),
                (Role::Video, "older"),
                (Role::Other, "unknown"),
            ],
            Self::Growth => &[(Role::More, "grew"), (Role::Less, "shrank"), (Role::Other, "same or unknown")],
        }
    }
}
