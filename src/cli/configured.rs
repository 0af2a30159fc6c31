//! Configuration that applies to a command line: location of the file, settings and warnings.
//!
//! Invariant: all warnings are printed, sorted by their positions in the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::FromArgMatches;
use clap::error::ErrorKind;

use super::{Environment, UsageError};
use crate::base::sort::sort_by_key;
use crate::base::text::escape_path;
use crate::cli::args::{Arguments, Cli};
use crate::cli::config::Config;
use crate::cli::config::file::{Found, Source};
use crate::cli::error::usage_error;
use crate::cli::settings;
use crate::run::streams::print_error;

/// Configuration that applies to a command line.
#[derive(Debug, Default)]
pub struct Configured {
    /// Contents of the configuration file.
    pub config: Config,
    /// Settings converted to command-line words, which go before the words that the user typed.
    pub words: Vec<OsString>,
    /// Notice for the browser: the only warning, or the number of warnings if there are several; `None` if there are
    /// no warnings. Unlike the printed warning, the notice names the configuration file without its folder.
    pub notice: Option<String>,
}

impl Configured {
    /// Reads the configuration and prints its warnings to standard error.
    pub fn read(source: &Source, typed: &[OsString], environment: &Environment) -> Result<Self, UsageError> {
        let Found { config, problem } = source.load().map_err(UsageError::Usage)?;
        let (words, wrong) = settings::arguments(&config.settings, typed, environment);
        let mut warnings = [config.warnings.clone(), wrong].concat();
        sort_by_key(&mut warnings, |warning| warning.at);
        let file = source.path().map(escape_path).unwrap_or_default();
        let line = warnings.iter().map(|warning| warning.line(&file));
        let warnings: Vec<String> = problem.into_iter().chain(line).collect();
        for warning in &warnings {
            print_error(warning);
        }
        Ok(Self { config, words, notice: notice(source, &warnings) })
    }
}

/// Returns the configuration for a subcommand that does not accept `--config`.
pub fn configured(environment: &Environment) -> Result<Configured, UsageError> {
    Configured::read(&source(None, false, environment), &[], environment)
}

/// Returns the flags set in the configuration.
pub fn flags_of_file(environment: &Environment) -> Result<Arguments, UsageError> {
    understood(&configured(environment)?.words, &[])
}

/// Parses the arguments from the configuration together with the arguments typed by the user.
pub fn understood(configured: &[OsString], typed: &[OsString]) -> Result<Arguments, UsageError> {
    let line = settings::line(configured, typed);
    let matches = settings::command().try_get_matches_from(&line).map_err(|error| match error.kind() {
        // The help text comes from `Cli`, which also describes the subcommands.
        ErrorKind::DisplayHelp => usage_error(Cli::understand(&line).err().unwrap_or(error)),
        _ => usage_error(error),
    })?;
    Arguments::from_arg_matches(&matches).map_err(usage_error)
}

/// Returns the location of the configuration file: the path `named` from the command line, otherwise the value of
/// `DUKE_CONFIG`, otherwise the default location. Returns [`Source::None`] if `is_unwanted` is `true`, or if there is
/// no default location either.
pub fn source(named: Option<PathBuf>, is_unwanted: bool, environment: &Environment) -> Source {
    if is_unwanted {
        return Source::None;
    }
    let named = named.or_else(|| environment.variable("DUKE_CONFIG").map(PathBuf::from));
    named.map_or_else(|| Source::usual(|name| environment.variable(name).cloned()), Source::Named)
}

fn notice(source: &Source, warnings: &[String]) -> Option<String> {
    let folder =
        source.path().and_then(Path::parent).map(|folder| escape_path(folder) + "/").unwrap_or_default();
    let first = warnings.first()?;
    let first = first.strip_prefix(&folder).unwrap_or(first);
    Some(match warnings.len() {
        1 => first.to_owned(),
        several => format!("{several} configuration warnings; see the terminal after quitting"),
    })
}
