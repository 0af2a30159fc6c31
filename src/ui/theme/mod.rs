//! Theme: colors, and characters for bars, arrows and frames.
//!
//! Text has the terminal's own background color, except in the selected row, the header, the status line and treemap
//! cells, where the theme sets both the text color and the background color. Everything remains readable without
//! colors.
//!
//! Invariant: every character is one column wide.

mod colors;
mod palette;

use std::ffi::OsString;

use ratatui::style::{Color, Style};
use ratatui::text::Span;

use crate::analysis::compare::trend::Trend;
use crate::table::row::Precision;

pub use colors::{ColorChoice, Colors};
pub use palette::{Background, Preset, Role, ThemeOptions, color, color_name, filled, ink, mixed};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Unicode blocks, arrows, and ellipsis.
    #[default]
    Unicode,
    Ascii,
}

impl Glyphs {
    /// Returns the set of characters that the terminal can show. This is ASCII if the locale's encoding is not UTF-8,
    /// or on the Linux console, whose font has few other characters. Without a locale, assumes UTF-8.
    pub fn detect(environment: impl Fn(&str) -> Option<OsString>) -> Self {
        let variable = |name| environment(name).unwrap_or_default().to_string_lossy().to_lowercase();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).into_iter().find(|value| !value.is_empty());
        let is_other = locale.is_some_and(|locale| !locale.contains("utf-8") && !locale.contains("utf8"));
        if is_other || variable("TERM") == "linux" { Self::Ascii } else { Self::Unicode }
    }

    /// Returns the symbol that replaces text that has been cut off.
    pub fn gap(self) -> &'static str {
        self.pick("…", "~")
    }

    /// Returns the symbol shown before a lower bound.
    pub fn at_least(self) -> &'static str {
        self.pick("≥", ">")
    }

    /// Returns the symbol shown before a number that may still change during the scan.
    pub fn growing(self) -> &'static str {
        self.pick("·", ".")
    }

    /// Returns the symbol shown before a number from the previous scan.
    pub fn recorded(self) -> &'static str {
        "~"
    }

    /// Returns the symbol shown before a number of this precision; empty for an exact number.
    pub fn precision(self, precision: Precision) -> &'static str {
        match precision {
            Precision::Exact => "",
            Precision::Growing => self.growing(),
            Precision::Recorded => self.recorded(),
            Precision::AtLeast => self.at_least(),
        }
    }

    /// Returns the symbol shown in front of the row under the cursor.
    pub fn cursor(self) -> &'static str {
        self.pick("▌", ">")
    }

    /// Returns the symbol shown before the name of a marked entry.
    pub fn marked(self) -> &'static str {
        self.pick("●", "*")
    }

    /// Returns the symbol shown on each row of a range that has been started but not marked yet.
    pub fn ranged(self) -> &'static str {
        self.pick("│", "|")
    }

    /// Returns the symbol shown before a row that can be folded or unfolded.
    pub fn fold(self, is_folded: bool) -> &'static str {
        if is_folded { self.pick("▸", "+") } else { self.pick("▾", "-") }
    }

    /// Returns the symbol that separates the parts of a line, such as a size and a count.
    pub fn dot(self) -> &'static str {
        self.pick("·", "-")
    }

    pub fn descending(self) -> &'static str {
        self.pick("▾", "v")
    }

    pub fn ascending(self) -> &'static str {
        self.pick("▴", "^")
    }

    /// Returns a frame of the spinner. Frames repeat after 8 steps.
    pub fn spinner(self, step: u64) -> &'static str {
        const ROUND: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠛"];
        const PLAIN: [&str; 4] = ["|", "/", "-", "\\"];
        let step = usize::try_from(step % 8).unwrap_or(0);
        self.pick(ROUND[step], PLAIN[step % 4])
    }

    /// Returns a bar of `columns` columns, filled to `thousandths` of its width. Any value above zero is visible.
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

    /// Returns the character for a cell in which frame lines meet. `sides` has bit 0 for a line above, bit 1 below, bit
    /// 2 on the left, and bit 3 on the right.
    pub fn frame(self, sides: u8, is_bold: bool) -> &'static str {
        const THIN: [&str; 16] =
            [" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"];
        const BOLD: [&str; 16] =
            [" ", "║", "║", "║", "═", "╝", "╗", "╣", "═", "╚", "╔", "╠", "═", "╩", "╦", "╬"];
        let sides = usize::from(sides % 16);
        match (is_bold, sides) {
            (true, _) => self.pick(BOLD[sides], "#"),
            (false, 0) => " ",
            (false, 1..=3) => self.pick(THIN[sides], "|"),
            (false, 4 | 8 | 12) => self.pick(THIN[sides], "-"),
            (false, _) => self.pick(THIN[sides], "+"),
        }
    }

    /// Returns a chart of sizes over time. A height of 0 is drawn as a blank.
    pub fn chart(self, heights: Trend) -> String {
        let characters: [char; 9] = match self {
            // A full block would touch the chart in the line above.
            Self::Unicode => [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '▇'],
            Self::Ascii => [' ', '_', '_', '.', '-', '-', '=', '+', '#'],
        };
        heights.iter().map(|height| characters[usize::from((*height).min(8))]).collect()
    }

    fn pick(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }
}

/// Number of colors in a bar of medium length (`STEPS` to `STEPS * CELLS_PER_COLOR` filled cells). A shorter bar has
/// one color per filled cell. Each color adds about 20 bytes of output.
const STEPS: u16 = 8;
/// Approximate number of filled cells per color in a long bar. A bar is long if it has more than
/// `STEPS * CELLS_PER_COLOR` filled cells.
const CELLS_PER_COLOR: usize = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    pub colors: Colors,
    pub glyphs: Glyphs,
    /// Color preset, and the colors that the user has chosen.
    pub options: ThemeOptions,
    /// `true` if the terminal can probably report its background color.
    pub can_report_background: bool,
}

impl Theme {
    /// Returns `true` if the terminal can show two colors in one cell, one above the other.
    pub fn has_half_blocks(self) -> bool {
        self.glyphs == Glyphs::Unicode
            && self.colors != Colors::None
            && self.style(Role::Program).fg.is_some()
    }

    /// Returns `true` if the colors depend on the background, and the terminal can probably report its background.
    pub fn adapts(self) -> bool {
        self.can_report_background && self.colors != Colors::None && self.options.preset.adapts()
    }

    pub fn style(self, role: Role) -> Style {
        self.options.style(role, self.colors)
    }

    fn bar_style(self, role: Role) -> Style {
        Style { bg: self.style(Role::Track).bg, ..self.style(role) }
    }

    /// Returns a bar like [`Self::bar`], but in the color of `role`, for example the role of a file category.
    pub fn bar_of<'a>(self, role: Role, thousandths: u16, columns: usize) -> Vec<Span<'a>> {
        match role {
            Role::Bar => self.bar(thousandths, columns),
            _ => vec![Span::styled(self.glyphs.bar(thousandths, columns), self.bar_style(role))],
        }
    }

    /// Returns a bar of exactly `columns` columns, filled to `thousandths` of its width. In true-color
    /// terminals, the color of the filled part changes in steps from left to right.
    pub fn bar<'a>(self, thousandths: u16, columns: usize) -> Vec<Span<'a>> {
        let style = self.bar_style(Role::Bar);
        let text = self.glyphs.bar(thousandths, columns);
        let (Some(Color::Rgb(..)), Some(start)) = (style.fg, self.style(Role::BarStart).fg) else {
            return vec![Span::styled(text, style)];
        };
        let cells: Vec<char> = text.chars().collect();
        let (filled, blank) = cells.split_at(cells.iter().take_while(|cell| **cell != ' ').count());
        let steps = filled.len().min(usize::from(STEPS)).max(filled.len() / CELLS_PER_COLOR);
        let steps = u16::try_from(steps).unwrap_or(STEPS);
        let step = |step: u16| {
            let edge = |step: u16| filled.len() * usize::from(step) / usize::from(steps);
            let text: String = filled[edge(step)..edge(step + 1)].iter().collect();
            let color = mixed(start, style.fg.unwrap_or(start), (step, steps.max(2) - 1));
            Span::styled(text, style.fg(color))
        };
        (0..steps).map(step).chain([Span::styled(blank.iter().collect::<String>(), style)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::width;

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
    fn a_terminal_with_any_colors_is_asked_for_its_background() {
        let asks = |colors, can_report_background, preset| {
            let mut theme = Theme { colors, can_report_background, ..Theme::default() };
            theme.options.preset = preset;
            theme.adapts()
        };
        for colors in [Colors::Sixteen, Colors::Palette, Colors::True] {
            assert!(asks(colors, true, Preset::Default));
            assert!(!asks(colors, false, Preset::Default), "the Linux console");
            assert!(!asks(colors, true, Preset::Dark));
        }
        assert!(!asks(Colors::None, true, Preset::Default));
    }

    #[test]
    fn the_gradient_runs_over_the_filled_part_of_a_bar() {
        let theme = Theme { colors: Colors::True, ..Theme::default() };
        let [start, end] = [Role::BarStart, Role::Bar].map(|role| theme.style(role).fg);
        for (thousandths, filled) in [(500, 20), (50, 2), (1000, 40)] {
            let bar = theme.bar(thousandths, 40);
            let shown: Vec<_> = bar.iter().filter(|span| !span.content.trim().is_empty()).collect();
            assert_eq!(shown.iter().map(|span| width(&span.content)).sum::<usize>(), filled);
            assert_eq!((shown[0].style.fg, shown[shown.len() - 1].style.fg), (start, end));
            assert_eq!(bar.iter().map(|span| width(&span.content)).sum::<usize>(), 40);
        }
        assert_eq!(theme.bar(1, 40)[0].style.fg, start);
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
