//! Parts of the process environment that affect the command line.
//!
//! Invariant: no other module of `cli` reads environment variables.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::UsageError;
use crate::base::state_folder;
use crate::base::text::escape;

/// Inputs that, together with the command line, determine the `Invocation`.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `true` if standard output is a terminal.
    pub is_terminal: bool,
    /// Values of the [`VARIABLES`] that are set and not empty.
    pub variables: HashMap<&'static str, OsString>,
}

/// Environment variables that `cli` reads. Other modules read further variables, such as `SHELL` and `XDG_DATA_HOME`.
pub const VARIABLES: [&str; 18] = [
    "TERM",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "COLORFGBG",
    "COLORTERM",
    "NO_COLOR",
    "TERM_PROGRAM",
    "WT_SESSION",
    "ConEmuANSI",
    "VTE_VERSION",
    "DUKE_THREADS",
    "DUKE_COLOR",
    "DUKE_ASCII",
    "DUKE_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "HOME",
];

impl Environment {
    pub fn of_process() -> Self {
        let variable = |name| Some((name, std::env::var_os(name).filter(|value| !value.is_empty())?));
        Self {
            is_terminal: io::stdout().is_terminal(),
            variables: VARIABLES.into_iter().filter_map(variable).collect(),
        }
    }

    /// Returns the value of a variable, if it is set. `name` must be one of [`VARIABLES`].
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name)
    }

    /// Parses the variable `name`, if it is set.
    pub fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, UsageError> {
        let Some(value) = self.variable(name) else { return Ok(None) };
        let refused =
            |reason: &str| UsageError::Usage(format!("{name}={}: {reason}", escape(value.as_bytes())));
        let word = value.to_str().ok_or_else(|| refused("not UTF-8"))?;
        parse(word).map(Some).map_err(|reason| refused(&reason))
    }

    /// Returns the folder for automatic snapshots; `None` if neither `XDG_STATE_HOME` nor `HOME` is an absolute path.
    pub fn snapshot_folder(&self) -> Option<PathBuf> {
        let variable = |name| self.variable(name).map(OsString::as_os_str);
        state_folder::folder(variable("XDG_STATE_HOME"), variable("HOME"))
    }

    /// Returns `true` if `TERM` is `dumb`. Such a terminal cannot move its cursor, so the browser cannot be drawn.
    pub fn is_dumb(&self) -> bool {
        self.variable("TERM").is_some_and(|term| term == "dumb")
    }
}
