//! Where the configuration is, and reading it.
//!
//! Invariant: a file that was asked for by name is read, or the program ends; the usual one may be missing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Config;
use crate::platform::trusted::{Refused, read};
use crate::platform::words;
use crate::text::escape_path;

/// The longest file that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// Where the configuration is to be read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Nowhere.
    #[default]
    None,
    /// A file asked for by name.
    Named(PathBuf),
    /// The usual place.
    Usual(PathBuf),
}

/// A configuration that was looked for.
#[derive(Debug, Default)]
pub struct Found {
    /// What it says.
    pub config: Config,
    /// Why the usual file was not read although it is there; safe for a terminal.
    pub refusal: Option<String>,
}

impl Source {
    /// The usual place, by the XDG base directory specification, on macOS too: a path there that is not absolute counts
    /// as none.
    pub fn usual(variable: impl Fn(&'static str) -> Option<OsString>) -> Self {
        let directory = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = directory("XDG_CONFIG_HOME").or_else(|| Some(directory("HOME")?.join(".config")));
        folder.map_or(Self::None, |folder| Self::Usual(folder.join("duke/config.toml")))
    }

    /// The file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::None => None,
            Self::Named(path) | Self::Usual(path) => Some(path),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// Why a file asked for by name cannot be read, in a line that is safe for a terminal.
    pub fn load(&self) -> Result<Found, String> {
        let Some(path) = self.path() else { return Ok(Found::default()) };
        match (read(path, LIMIT), self) {
            (Ok(bytes), _) => Ok(Found { config: Config::parse(&bytes), refusal: None }),
            (Err(Refused::Missing(_)), Self::Usual(_)) => Ok(Found::default()),
            (Err(refused), Self::Usual(_)) => {
                let refusal = Some(format!("{}; not read", told(path, &refused)));
                Ok(Found { refusal, ..Found::default() })
            }
            (Err(refused), _) => Err(told(path, &refused)),
        }
    }
}

fn told(path: &Path, refused: &Refused) -> String {
    let reason = match refused {
        Refused::Missing(error) | Refused::Failed(error) => words(error),
        Refused::NotRegular => "not a regular file".to_owned(),
        Refused::TooLong => "longer than 1 MiB".to_owned(),
        Refused::Foreign => "belongs to another user".to_owned(),
        Refused::Writable(place) if place == path => "this is root, and another user can write it".to_owned(),
        Refused::Writable(place) => {
            format!("this is root, and another user can write {}", escape_path(place))
        }
    };
    format!("{}: {reason}", escape_path(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_place_is_that_of_the_specification() {
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
