//! Texts of the treemap, including the meanings of its colors and the signs that replace the colors in framed treemaps.

use super::theme::Role;
use crate::base::format::grouped;
use crate::base::text::width;

/// Text shown instead of the treemap if no entry has a size.
pub const ALL_EMPTY: &str = "All entries are empty";

/// Returns a label for `number` entries without rectangles of their own: the longest one that fits in `room` columns.
pub fn others_label(number: u64, room: usize) -> String {
    let number = grouped(number);
    let labels = [format!("{number} more"), format!("+{number}"), number];
    labels.into_iter().find(|label| width(label) <= room).unwrap_or_default()
}

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

    /// Returns text such as `by type`.
    pub fn title(self) -> String {
        format!("by {}", self.name())
    }

    /// Returns the role, the sign and the name of every color.
    pub fn legend(self) -> &'static [(Role, char, &'static str)] {
        match self {
            Self::Type => &[
                (Role::Program, 'p', "program"),
                (Role::Code, 'c', "code"),
                (Role::Archive, 'a', "archive"),
                (Role::Document, 't', "document"),
                (Role::Data, 'd', "data"),
                (Role::Media, 'm', "media"),
                (Role::Video, 'v', "video"),
                (Role::Other, 'o', "other"),
            ],
            Self::Age => &[
                (Role::Age1, '1', "< 30 days"),
                (Role::Age2, '2', "< 90 days"),
                (Role::Age3, '3', "< 1 year"),
                (Role::Age4, '4', "< 3 years"),
                (Role::Age5, '5', "older"),
                (Role::Other, '?', "unknown"),
            ],
            Self::Growth => &[
                (Role::More, '+', "grew"),
                (Role::Less, '-', "shrank"),
                (Role::Other, '=', "same or unknown"),
            ],
        }
    }

    /// Returns the next coloring in the order type, age, growth, type. Skips growth if `can_grow` is `false`.
    #[must_use]
    pub fn next(self, can_grow: bool) -> Self {
        match self {
            Self::Type => Self::Age,
            Self::Age if can_grow => Self::Growth,
            Self::Age | Self::Growth => Self::Type,
        }
    }

    /// Returns the character that is shown in place of the color of `role`.
    pub fn sign(self, role: Role) -> char {
        self.legend().iter().find(|(known, ..)| *known == role).map_or('?', |(_, sign, _)| *sign)
    }
}

/// Returns the sign of the type or age that has this name in the legend.
pub fn sign_of(name: &str) -> Option<char> {
    let legends = [MapColors::Type, MapColors::Age].into_iter().flat_map(MapColors::legend);
    legends.filter(|(_, _, known)| *known == name).map(|(_, sign, _)| *sign).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_label_of_other_entries_keeps_the_number() {
        let labels = [12, 9, 8, 7, 6, 5, 4].map(|room| others_label(1234, room));
        assert_eq!(labels, ["1,234 more", "+1,234", "+1,234", "+1,234", "+1,234", "1,234", ""]);
    }

    #[test]
    fn types_have_only_colors_that_are_checked_against_each_other() {
        assert!(MapColors::Type.legend().iter().all(|(role, ..)| role.is_category()));
        assert!(MapColors::Age.legend().iter().all(|(role, ..)| !role.is_category() || *role == Role::Other));
    }

    #[test]
    fn every_color_has_a_sign_of_its_own() {
        for colors in [MapColors::Type, MapColors::Age, MapColors::Growth] {
            let mut signs: Vec<char> = colors.legend().iter().map(|(_, sign, _)| *sign).collect();
            signs.sort_unstable();
            signs.dedup();
            assert_eq!(signs.len(), colors.legend().len());
        }
    }
}
