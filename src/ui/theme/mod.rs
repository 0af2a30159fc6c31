//! Theme: colors, and characters for bars, arrows and frames.
//!
//! Only foreground colors are used, each legible on dark and on light backgrounds, and the selected row is
//! reversed. So duke need not know the background of the terminal, and colors never carry information alone.
//!
//! Invariant: every character is one column wide.

mod palette;

use std::ffi::OsString;

use ratatui::style::Style;

use crate::analysis::search::Category;
pub use palette::{Looks, Preset, Role, color, color_name, filled};

/// Use of colors requested by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    /// Use colors if the environment allows them.
    #[default]
    Auto,
    /// Use colors even if `NO_COLOR` is set.
    Always,
    /// Use no colors.
    Never,
}

/// Range of colors that a terminal supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// No colors.
    #[default]
    None,
    /// The sixteen ANSI colors, whose appearance depends on the terminal's color scheme.
    Sixteen,
    /// The 256 colors of xterm's palette.
    Palette,
    /// 24-bit colors.
    True,
}

impl Colors {
    /// Returns the colors to use, according to `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn detect(choice: ColorChoice, environment: impl Fn(&str) -> Option<OsString>) -> Self {
        let variable = |name| environment(name).unwrap_or_default().to_string_lossy().into_owned();
        let refused = match choice {
            ColorChoice::Never => true,
            ColorChoice::Auto => !variable("NO_COLOR").is_empty(),
            ColorChoice::Always => false,
        };
        let (depth, term) = (variable("COLORTERM"), variable("TERM"));
        if refused {
            Self::None
        } else if depth.contains("truecolor") || depth.contains("24bit") || term.contains("direct") {
            Self::True
        } else if term.contains("256") {
            Self::Palette
        } else {
            Self::Sixteen
        }
    }
}

/// Character set for drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Eighth blocks, arrows, and an ellipsis.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

impl Glyphs {
    /// Returns the character set that a terminal supports: ASCII if the locale's encoding is not UTF-8, and on
    /// the Linux console, whose font has few other characters. Without a locale, UTF-8 is assumed.
    pub fn detect(environment: impl Fn(&str) -> Option<OsString>) -> Self {
        let variable = |name| environment(name).unwrap_or_default().to_string_lossy().to_lowercase();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).into_iter().find(|value| !value.is_empty());
        let is_other = locale.is_some_and(|locale| !locale.contains("utf-8") && !locale.contains("utf8"));
        if is_other || variable("TERM") == "linux" { Self::Ascii } else { Self::Unicode }
    }

    /// Returns the sign for the omitted part of a text that is too long.
    pub fn gap(self) -> &'static str {
        self.pick("…", "~")
    }

    /// Returns the sign before a number that is a lower bound.
    pub fn at_least(self) -> &'static str {
        self.pick("≥", ">")
    }

    /// Returns the sign before a number that is still growing.
    pub fn growing(self) -> &'static str {
        self.pick("·", ".")
    }

    /// Returns the sign before the name of a marked entry.
    pub fn marked(self) -> &'static str {
        self.pick("●", "*")
    }

    /// Returns the separator between the facts in a line.
    pub fn dot(self) -> &'static str {
        self.pick("·", "-")
    }

    /// Returns the arrow for a descending order.
    pub fn descending(self) -> &'static str {
        self.pick("▾", "v")
    }

    /// Returns the arrow for an ascending order.
    pub fn ascending(self) -> &'static str {
        self.pick("▴", "^")
    }

    /// Returns the spinner's frame number `step`, modulo 8.
    pub fn spinner(self, step: u64) -> &'static str {
        const ROUND: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠛"];
        const PLAIN: [&str; 4] = ["|", "/", "-", "\\"];
        let step = usize::try_from(step % 8).unwrap_or(0);
        self.pick(ROUND[step], PLAIN[step % 4])
    }

    /// Returns a bar `columns` wide, filled to `thousandths` of its width. Any share above zero is visible.
    pub fn bar(self, thousandths: u16, columns: usize) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let parts = match self {
            Self::Unicode => 8,
            Self::Ascii => 1,
        };
        let thousandths = usize::from(thousandths.min(1000));
        let filled = (thousandths * columns * parts).div_ceil(1000).min(columns * parts);
        let (full, rest) = (filled / parts, filled % parts);
        let mut bar = self.pick("█", "#").repeat(full);
        bar.push_str(EIGHTHS[rest]);
        bar.push_str(&" ".repeat(columns - full - usize::from(rest > 0)));
        bar
    }

    fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }
}

/// Theme of a browser session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Range of colors that the terminal gets.
    pub colors: Colors,
    /// Character set for drawing.
    pub glyphs: Glyphs,
    /// Preset with the user's own colors.
    pub looks: Looks,
}

impl Theme {
    /// Returns the style of `role`.
    pub fn style(self, role: Role) -> Style {
        self.looks.style(role, self.colors)
    }

    /// Returns the style of a treemap cell for a file of this category.
    pub fn class(self, class: Category) -> Style {
        self.style(Role::of(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::width;

    fn detect(choice: ColorChoice, variables: &[(&str, &str)]) -> Colors {
        Colors::detect(choice, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn the_environment_determines_colors_unless_the_user_does() {
        let deep = ("COLORTERM", "truecolor");
        let term = ("TERM", "xterm-256color");
        assert_eq!(detect(ColorChoice::Auto, &[deep, term]), Colors::True);
        assert_eq!(detect(ColorChoice::Auto, &[term]), Colors::Palette);
        assert_eq!(detect(ColorChoice::Auto, &[("TERM", "linux")]), Colors::Sixteen);
        assert_eq!(detect(ColorChoice::Auto, &[deep, ("NO_COLOR", "1")]), Colors::None);
        assert_eq!(detect(ColorChoice::Auto, &[term, ("NO_COLOR", "")]), Colors::Palette);
        assert_eq!(detect(ColorChoice::Always, &[term, ("NO_COLOR", "1")]), Colors::Palette);
        assert_eq!(detect(ColorChoice::Never, &[deep]), Colors::None);
    }

    #[test]
    fn glyphs_follow_locale_and_terminal() {
        let detect = |variables: &[(&str, &str)]| {
            Glyphs::detect(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            })
        };
        for (variables, glyphs) in [
            (&[][..], Glyphs::Unicode),
            (&[("LANG", "de_DE.UTF-8")], Glyphs::Unicode),
            (&[("LANG", "C.utf8")], Glyphs::Unicode),
            (&[("LANG", "C")], Glyphs::Ascii),
            (&[("LANG", "de_DE.ISO-8859-15")], Glyphs::Ascii),
            (&[("LANG", "C"), ("LC_ALL", "en_GB.UTF-8")], Glyphs::Unicode),
            (&[("LANG", "en_GB.UTF-8"), ("LC_CTYPE", "POSIX")], Glyphs::Ascii),
            (&[("LANG", "en_GB.UTF-8"), ("TERM", "linux")], Glyphs::Ascii),
            (&[("LANG", "en_GB.UTF-8"), ("TERM", "screen-256color")], Glyphs::Unicode),
        ] {
            assert_eq!(detect(variables), glyphs, "{variables:?}");
        }
    }

    #[test]
    fn bars_fill_by_eighths_and_show_the_smallest_share() {
        assert_eq!(Glyphs::Unicode.bar(0, 4), "    ");
        assert_eq!(Glyphs::Unicode.bar(1, 4), "▏   ");
        assert_eq!(Glyphs::Unicode.bar(375, 4), "█▌  ");
        assert_eq!(Glyphs::Unicode.bar(1000, 4), "████");
        assert_eq!(Glyphs::Ascii.bar(375, 4), "##  ");
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            for thousandths in 0..=1001 {
                assert_eq!(width(&glyphs.bar(thousandths, 7)), 7);
            }
        }
        assert_eq!(Glyphs::Unicode.bar(500, 0), "");
    }
}
