//! How far a scan has come, for the tab and the taskbar: OSC 9;4, as `ConEmu` brought it up.
//!
//! Other terminals take OSC 9 for a message to show, so only those get it that are known to understand it.
//!
//! Knows no scan. Invariant: what was told is taken back before the terminal is.

use std::ffi::OsString;

/// Whether the terminal is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// It understands.
    Told,
    /// It might show it as text.
    #[default]
    Untold,
}

/// What a tab shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    #[default]
    Nothing,
    /// That something goes on.
    Going,
    /// So many of a hundred.
    Percent(u8),
}

impl Tab {
    /// Whether the terminal understands, as far as the environment tells. A multiplexer between keeps the variables of the
    /// terminal but not the sequence.
    pub fn detect(environment: impl Fn(&str) -> Option<OsString>) -> Self {
        let variable = |name| environment(name).unwrap_or_default().to_string_lossy().into_owned();
        let term = variable("TERM");
        let is_between = ["screen", "tmux", "linux", "dumb"].iter().any(|name| term.starts_with(name));
        let program = variable("TERM_PROGRAM");
        let understands = !variable("WT_SESSION").is_empty()
            || variable("ConEmuANSI") == "ON"
            || matches!(program.as_str(), "WezTerm" | "ghostty")
            // Terminals on VTE since 0.80 of 2025.
            || variable("VTE_VERSION").parse().is_ok_and(|version: u32| version >= 8000);
        if understands && !is_between { Self::Told } else { Self::Untold }
    }
}

impl Shown {
    /// The sequence that shows it.
    pub fn sequence(self) -> String {
        match self {
            Self::Nothing => "\x1b]9;4;0\x07".to_owned(),
            Self::Going => "\x1b]9;4;3\x07".to_owned(),
            Self::Percent(percent) => format!("\x1b]9;4;1;{percent}\x07"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(variables: &[(&str, &str)]) -> Tab {
        Tab::detect(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn only_terminals_that_understand_are_told() {
        assert_eq!(detect(&[("TERM", "xterm-256color")]), Tab::Untold);
        assert_eq!(detect(&[("TERM", "xterm-kitty"), ("TERM_PROGRAM", "kitty")]), Tab::Untold);
        for known in
            [("WT_SESSION", "1"), ("ConEmuANSI", "ON"), ("TERM_PROGRAM", "ghostty"), ("VTE_VERSION", "8000")]
        {
            assert_eq!(detect(&[known, ("TERM", "xterm-256color")]), Tab::Told, "{known:?}");
            assert_eq!(detect(&[known, ("TERM", "tmux-256color")]), Tab::Untold, "{known:?}");
        }
        assert_eq!(detect(&[("VTE_VERSION", "7600")]), Tab::Untold);
    }

    #[test]
    fn what_is_shown_is_taken_back_by_nothing() {
        assert_eq!(Shown::Percent(42).sequence(), "\x1b]9;4;1;42\x07");
        assert_eq!(Shown::default().sequence(), "\x1b]9;4;0\x07");
    }
}
