//! Browser options from the command line, other than keys and theme.

use std::ffi::OsString;

use crate::delete::Journal;

/// Policy for deletions: which deletions are permitted, and how the user confirms them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeletePolicy {
    pub mode: DeleteMode,
    /// Size in bytes above which the user must type the name of the entry to confirm a deletion.
    pub typed_over: u64,
    pub selects_yes: bool,
    pub journal: Option<Journal>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeleteMode {
    /// Operations are carried out after a confirmation.
    #[default]
    Confirm,
    /// Dry run: previews and questions are shown, but nothing is changed.
    DryRun,
    /// No operation can be requested.
    ReadOnly,
}

impl Default for DeletePolicy {
    /// Returns a policy without a journal. The user confirms without typing a name, except when deleting a home
    /// directory.
    fn default() -> Self {
        Self { mode: DeleteMode::default(), typed_over: u64::MAX, selects_yes: false, journal: None }
    }
}

/// Condition for asking the user before quitting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quitting {
    /// Ask only if quitting would discard the result of a long scan, or stop an operation or an export.
    #[default]
    AskIfLost,
    /// Ask even if quitting would lose nothing.
    AlwaysAsk,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseCapture {
    /// The browser handles clicks and the wheel. With Shift held, the terminal selects text.
    #[default]
    On,
    /// Mouse events are left to the terminal.
    Off,
}

/// Use of the progress indicator in the terminal's tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TabProgress {
    /// The progress indicator is used, because the terminal supports it.
    On,
    /// The progress indicator is not used, because the terminal might print the indicator's escape sequence as text.
    #[default]
    Off,
}

impl TabProgress {
    /// Returns [`TabProgress::On`] if environment variables identify a terminal that supports the progress indicator.
    /// Inside a multiplexer, returns `Off`: multiplexers pass on these variables, but not the escape sequence.
    pub fn detect(environment: impl Fn(&str) -> Option<OsString>) -> Self {
        let variable = |name| environment(name).unwrap_or_default().to_string_lossy().into_owned();
        let term = variable("TERM");
        let is_multiplexed = ["screen", "tmux", "linux", "dumb"].iter().any(|name| term.starts_with(name));
        let program = variable("TERM_PROGRAM");
        let understands = !variable("WT_SESSION").is_empty()
            || variable("ConEmuANSI") == "ON"
            || matches!(program.as_str(), "WezTerm" | "ghostty")
            // VTE 0.80 (2025) and later versions set `VTE_VERSION` to 8000 or more.
            || variable("VTE_VERSION").parse().is_ok_and(|version: u32| version >= 8000);
        if understands && !is_multiplexed { Self::On } else { Self::Off }
    }
}

/// Panes beside the list in a wide window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panes {
    /// Preview of the selected entry.
    #[default]
    Preview,
    /// Both panes: the preview and the parent directory.
    Both,
    /// No pane, only the list.
    None,
}

/// View that is shown first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// List in the configured order (by default, largest first).
    #[default]
    Sizes,
    Growth,
    Overview,
    Treemap,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(variables: &[(&str, &str)]) -> TabProgress {
        TabProgress::detect(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn only_supporting_terminals_get_progress() {
        assert_eq!(detect(&[("TERM", "xterm-256color")]), TabProgress::Off);
        assert_eq!(detect(&[("TERM", "xterm-kitty"), ("TERM_PROGRAM", "kitty")]), TabProgress::Off);
        for known in
            [("WT_SESSION", "1"), ("ConEmuANSI", "ON"), ("TERM_PROGRAM", "ghostty"), ("VTE_VERSION", "8000")]
        {
            assert_eq!(detect(&[known, ("TERM", "xterm-256color")]), TabProgress::On, "{known:?}");
            assert_eq!(detect(&[known, ("TERM", "tmux-256color")]), TabProgress::Off, "{known:?}");
        }
        assert_eq!(detect(&[("VTE_VERSION", "7600")]), TabProgress::Off);
    }
}
