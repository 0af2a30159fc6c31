//! Translates ncdu's command line and configuration into a duke command line. Used for `duke ncdu ...` and when duke is
//! started under the name `ncdu`.
//!
//! Each flag of ncdu is one line of a table ([`flags::FLAGS`]). The resulting words are parsed like duke's own, so no
//! other module needs to know ncdu's flags.

mod file;
mod flags;
#[cfg(test)]
mod tests;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::{Environment, UsageError};
pub use flags::markdown;
pub use words::{Translation, help};
use words::{given, translation};

/// Name of the subcommand. If duke is started under this name, it accepts ncdu's command line.
pub const NAME: &str = "ncdu";

/// Returns `true` if duke was started under the name `ncdu`.
pub fn is_name(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new(NAME))
}

/// Translates an ncdu command line. The flags in ncdu's configuration files are put before the typed flags, unless
/// `--ignore-config` is given.
///
/// # Errors
/// Returns an error if a word on the command line or in a file is invalid.
pub fn translate(typed: &[OsString], environment: &Environment) -> Result<Translation, UsageError> {
    let typed = given(typed)?;
    let ignores = typed.iter().any(|(flag, _)| flag.is_some_and(|flag| flag.long == "ignore-config"));
    let mut all = if ignores { Vec::new() } else { file::flags(environment)? };
    all.extend(typed);
    translation(&all, true)
}

/// Translates ncdu's configuration files.
///
/// # Errors
/// Returns an error if a file cannot be read or a line is invalid.
pub fn configuration(environment: &Environment) -> Result<Translation, UsageError> {
    translation(&file::flags(environment)?, false)
}
