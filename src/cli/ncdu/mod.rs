//! ncdu's command line and configuration, as words of duke: `duke ncdu ...`, or duke under the name `ncdu`.
//!
//! Each flag of ncdu is one line of a table ([`flags::FLAGS`]). The words that result are parsed like those of duke, so
//! nothing else in the program knows about ncdu.

mod file;
mod flags;
#[cfg(test)]
mod tests;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::{Environment, UsageError};
use crate::cli::error::refusal;
pub use flags::markdown;
pub use words::{Translation, help};
use words::{given, translation};

/// Name of the subcommand, and name under which the command line is that of ncdu.
pub const NAME: &str = "ncdu";

/// Returns `true` if duke was started under the name of ncdu.
pub fn is_name(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new(NAME))
}

/// Translates a command line. The configuration files of ncdu come first, unless `--ignore-config` is given.
///
/// # Errors
/// When a word is wrong, on the command line or in a file.
pub fn translate(typed: &[OsString], environment: &Environment) -> Result<Translation, UsageError> {
    let typed = given(typed).map_err(refusal)?;
    let ignores = typed.iter().any(|(flag, _)| flag.is_some_and(|flag| flag.long == "ignore-config"));
    let mut all = if ignores { Vec::new() } else { file::flags(environment)? };
    all.extend(typed);
    translation(&all, true)
}

/// Translates the configuration files of ncdu.
///
/// # Errors
/// When a file cannot be read or a line is wrong.
pub fn configuration(environment: &Environment) -> Result<Translation, UsageError> {
    translation(&file::flags(environment)?, false)
}
