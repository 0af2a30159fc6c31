//! ncdu's configuration files, which have one flag per line.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::words::{Given, given, translation};
use crate::base::text::escape_path;
use crate::cli::config::file::{LIMIT, line};
use crate::cli::environment::Environment;
use crate::cli::error::UsageError;
use crate::platform::entry::secure_read::{Refused, read};
use crate::run::streams::print_error;

/// Returns the flags of all configuration files, in the order in which ncdu reads them.
///
/// # Errors
/// Returns an error if a file exists but cannot be read, or if a line is invalid. An invalid line that begins with
/// `@` is skipped instead. A file refused as [`Refused::Foreign`] or [`Refused::Writable`] is also skipped, and a
/// message is printed.
pub fn flags(environment: &Environment) -> Result<Vec<Given>, UsageError> {
    let home = environment.variable("HOME");
    let own = environment.variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(Path::new(home?).join(".config")));
    let own = own.map(|folder| folder.join("ncdu/config"));
    let mut all = Vec::new();
    for path in [PathBuf::from("/etc/ncdu.conf")].into_iter().chain(own) {
        match read(&path, LIMIT) {
            Ok(text) => all.extend(flags_of(&text, &path, home.map(OsString::as_os_str))?),
            Err(Refused::Missing(_)) => {}
            // As with duke's own configuration, a file that could contain another user's settings is ignored.
            Err(refused @ (Refused::Foreign | Refused::Writable(_))) => {
                print_error(&format!("{}; ignored", line(&path, &refused)));
            }
            Err(refused) => return Err(UsageError::Usage(line(&path, &refused))),
        }
    }
    Ok(all)
}

/// Returns the flags in `text`, which was read from the file at `path`.
fn flags_of(text: &[u8], path: &Path, home: Option<&OsStr>) -> Result<Vec<Given>, UsageError> {
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let (line, is_optional) = line.strip_prefix(b"@").map_or((line, false), |line| (line, true));
        match checked(&words_of(line, home)) {
            Ok(flags) => all.extend(flags),
            Err(_) if is_optional => {}
            Err(reason) => {
                let line_number = format!("{}:{number}", escape_path(path));
                let skip = "(to skip the line, begin it with @)";
                return Err(UsageError::Usage(format!("{line_number}: {reason} {skip}")));
            }
        }
    }
    Ok(all)
}

/// Parses the words of a line, or returns the reason why they cannot be used.
fn checked(words: &[OsString]) -> Result<Vec<Given>, String> {
    let flags = given(words).map_err(UsageError::reason)?;
    if flags.iter().any(|(flag, _)| flag.is_none()) {
        return Err(
            "expected one flag per line, followed by a value only if the flag takes a value".to_owned()
        );
    }
    translation(&flags, false).map_err(UsageError::reason)?;
    Ok(flags)
}

/// Splits a line at the first blank or `=` into a flag and its value. Expands `~/` at the start of the value.
fn words_of(line: &[u8], home: Option<&OsStr>) -> Vec<OsString> {
    let end = line.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'=');
    let Some(end) = end else { return vec![OsString::from_vec(line.to_vec())] };
    let (flag, value) = (&line[..end], line[end + 1..].trim_ascii());
    let value = match (value.strip_prefix(b"~/"), home) {
        (Some(rest), Some(home)) => [home.as_bytes(), b"/", rest].concat(),
        _ => value.to_vec(),
    };
    vec![OsString::from_vec(flag.to_vec()), OsString::from_vec(value)]
}
