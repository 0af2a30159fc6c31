//! Number of colors that a terminal supports, and the user's color setting.

use std::ffi::OsString;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    /// Colors are used unless `NO_COLOR` is set to a non-empty value or `TERM` names a terminal without colors.
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    #[default]
    None,
    /// The sixteen ANSI colors, which the user may have redefined.
    Sixteen,
    Palette,
    /// Any color, given by its red, green and blue components.
    True,
}

/// Prefixes of `TERM` values that only terminals with 24-bit color use.
const TRUE_COLOR: [&str; 6] = ["alacritty", "contour", "foot", "wezterm", "xterm-ghostty", "xterm-kitty"];
/// Values of `TERM` for terminals without colors.
const MONOCHROME: [&str; 5] = ["vt52", "vt100", "vt102", "vt220", "vt320"];

impl Colors {
    /// Returns the colors to use, according to `choice`, `NO_COLOR`, `COLORTERM` and `TERM`. A program started by ssh
    /// usually gets `TERM` but not `COLORTERM`, so `COLORTERM` alone is not enough.
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
        } else if depth.contains("truecolor")
            || depth.contains("24bit")
            || term.contains("direct")
            || TRUE_COLOR.iter().any(|name| term.starts_with(name))
        {
            Self::True
        } else if term.contains("256") {
            Self::Palette
        } else if choice == ColorChoice::Auto && MONOCHROME.contains(&term.as_str()) {
            Self::None
        } else {
            Self::Sixteen
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(detect(ColorChoice::Auto, &[("TERM", "xterm-kitty")]), Colors::True);
        assert_eq!(detect(ColorChoice::Auto, &[("TERM", "vt100")]), Colors::None);
        assert_eq!(detect(ColorChoice::Always, &[("TERM", "vt100")]), Colors::Sixteen);
        assert_eq!(detect(ColorChoice::Auto, &[deep, ("NO_COLOR", "1")]), Colors::None);
        assert_eq!(detect(ColorChoice::Auto, &[term, ("NO_COLOR", "")]), Colors::Palette);
        assert_eq!(detect(ColorChoice::Always, &[term, ("NO_COLOR", "1")]), Colors::Palette);
        assert_eq!(detect(ColorChoice::Never, &[deep]), Colors::None);
    }
}
