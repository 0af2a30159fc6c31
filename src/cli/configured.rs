//! Reading the configuration for a command line: where it is, what of it holds, what is to be said of it.
//!
//! Invariant: everything that is wrong is said, in the order of the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Environment, Refusal, defaults};
use crate::config::Config;
use crate::config::file::{Found, Source};
use crate::message::say;
use crate::text::escape_path;

/// What the configuration means for a command line.
#[derive(Debug, Default)]
pub(super) struct Configured {
    /// Its looks and keys.
    pub(super) config: Config,
    /// What it puts before the words that were typed.
    pub(super) words: Vec<OsString>,
    /// What is wrong with it, in the line that the browser has for it: the first, without the way to the file.
    pub(super) notice: Option<String>,
}

impl Configured {
    /// Reads it, and says on standard error what is wrong with it.
    pub(super) fn read(
        source: &Source,
        typed: &[OsString],
        environment: &Environment,
    ) -> Result<Self, Refusal> {
        let Found { config, refusal } = source.load().map_err(Refusal::Usage)?;
        let (words, wrong) = defaults::words(&config.settings, typed, environment);
        let mut warnings = [config.warnings.clone(), wrong].concat();
        warnings.sort_by_key(|warning| warning.at);
        let file = source.path().map(escape_path).unwrap_or_default();
        let told = warnings.iter().map(|warning| warning.told(&file));
        let warnings: Vec<String> = refusal.into_iter().chain(told).collect();
        for warning in &warnings {
            say(warning);
        }
        Ok(Self { config, words, notice: notice(source, &warnings) })
    }
}

/// Where the configuration is to be read from.
pub(super) fn source(named: Option<PathBuf>, is_unwanted: bool, environment: &Environment) -> Source {
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
        several => format!("{first} (and {} more)", several - 1),
    })
}
