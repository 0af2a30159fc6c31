//! Finds and reads the configuration file.
//!
//! Invariant: if a file given by the user cannot be read, the program ends. The default file may be missing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Config;
use crate::base::os_error::cannot_read;
use crate::base::text::escape_path;
use crate::platform::entry::secure_read::{Refused, read};

/// Maximum size of a configuration file in bytes.
pub const LIMIT: u64 = 1 << 20;

/// Location of the configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// No file is read.
    #[default]
    None,
    /// File given by the user.
    Named(PathBuf),
    /// File at the default location.
    Usual(PathBuf),
}

/// Result of reading the configuration file.
#[derive(Debug, Default)]
pub struct Found {
    /// Contents of the file; empty if no file was read.
    pub config: Config,
    /// Reason why the default file was not read although it exists, escaped for a terminal.
    pub problem: Option<String>,
}

impl Source {
    /// Returns the default location according to the XDG Base Directory Specification, which duke follows on macOS as
    /// well. A variable whose value is not an absolute path is ignored.
    pub fn usual(variable: impl Fn(&'static str) -> Option<OsString>) -> Self {
        let directory = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = directory("XDG_CONFIG_HOME").or_else(|| Some(directory("HOME")?.join(".config")));
        folder.map_or(Self::None, |folder| Self::Usual(folder.join("duke/config.toml")))
    }

    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::None => None,
            Self::Named(path) | Self::Usual(path) => Some(path),
        }
    }

    /// Reads the file, unless the location is [`Source::None`].
    ///
    /// # Errors
    /// Returns the reason why a file given by the user cannot be read, as one line escaped for a terminal.
    pub fn load(&self) -> Result<Found, String> {
        let Some(path) = self.path() else { return Ok(Found::default()) };
        match (read(path, LIMIT), self) {
            (Ok(bytes), _) => Ok(Found { config: Config::parse(&bytes), problem: None }),
            (Err(Refused::Missing(_)), Self::Usual(_)) => Ok(Found::default()),
            (Err(refused), Self::Usual(_)) => {
                let problem = Some(format!("{}; ignored", line(path, &refused)));
                Ok(Found { problem, ..Found::default() })
            }
            (Err(refused), _) => Err(line(path, &refused)),
        }
    }
}

/// Returns the reason why the file at `path` was not read, as one line escaped for a terminal.
pub fn line(path: &Path, refused: &Refused) -> String {
    format!("{}: {}", escape_path(path), reason(path, refused))
}

fn reason(path: &Path, refused: &Refused) -> String {
    match refused {
        Refused::Missing(error) | Refused::Failed(error) => cannot_read(error),
        Refused::NotRegular => "not a regular file".to_owned(),
        Refused::TooLong => "larger than 1 MiB".to_owned(),
        Refused::Foreign => "belongs to another user".to_owned(),
        Refused::Writable(position) if std::path::absolute(path).is_ok_and(|path| path == *position) => {
            changeable("it")
        }
        Refused::Writable(position) => changeable(&escape_path(position)),
    }
}

/// Returns the error message for a file that is refused because another user can change `path`.
fn changeable(path: &str) -> String {
    format!("another user can change {path}, and duke runs as root; use chown root or chmod go-w")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_location_follows_the_specification() {
        let usual = |variables: &[(&str, &str)]| {
            let variable =
                |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            Source::usual(variable).path().map(escape_path)
        };
        assert_eq!(usual(&[("HOME", "/h")]).as_deref(), Some("/h/.config/duke/config.toml"));
        let both = [("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")];
        assert_eq!(usual(&both).as_deref(), Some("/x/duke/config.toml"));
        let relative = [("HOME", "/h"), ("XDG_CONFIG_HOME", "x")];
        assert_eq!(usual(&relative).as_deref(), Some("/h/.config/duke/config.toml"));
        assert_eq!(usual(&[("HOME", "h")]), None);
        assert_eq!(usual(&[]), None);
    }
}
