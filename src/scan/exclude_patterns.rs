//! Exclude patterns of a scan, given with `--exclude` and `-X`.
//!
//! A pattern without a slash is matched against the name of an entry. A pattern with a slash is matched against the
//! last components of the path. `*` and `?` do not match a slash, but `**` does. A pattern with a trailing slash
//! matches only directories. Names are matched as bytes.
//!
//! Invariant: an invalid pattern is reported before the scan and never ignored.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::exclude::Exclude;
use crate::base::sync::Arc;
use crate::base::text::escape;

/// Compiled exclude patterns of a scan.
#[derive(Clone, Debug, Default)]
pub struct ExcludePatterns {
    anything: Patterns,
    directories: Patterns,
    /// Command-line flags for [`Exclude::flags`], one per pattern, sorted so that the order of patterns is irrelevant.
    flags: String,
}

/// Compiled patterns for entries of every kind, or for directories only, to be matched against names or paths.
#[derive(Clone, Debug, Default)]
struct Patterns {
    names: GlobSet,
    paths: GlobSet,
}

/// Invalid exclude pattern, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// Pattern as the user gave it; empty if the error concerns all patterns together.
    pub pattern: String,
    /// Error message of the glob parser.
    pub reason: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "pattern '{}': {}", escape(self.pattern.as_bytes()), self.reason)
    }
}

impl ExcludePatterns {
    /// Checks a single pattern without compiling it.
    ///
    /// # Errors
    /// Returns an error if the pattern is not a valid glob.
    pub fn check(pattern: &str) -> Result<(), BadPattern> {
        glob(pattern).map(|_| ())
    }

    /// Compiles `patterns`. An entry that matches any of them is excluded.
    ///
    /// # Errors
    /// Returns an error if a pattern is not a valid glob.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, BadPattern> {
        let sorted: BTreeSet<&str> = patterns.into_iter().collect();
        let flags: Vec<String> = sorted.iter().map(|pattern| format!("--exclude {pattern:?}")).collect();
        let (directories, anything): (Vec<&str>, Vec<&str>) =
            sorted.into_iter().partition(|pattern| pattern.ends_with('/'));
        Ok(Self {
            anything: Patterns::new(&anything)?,
            directories: Patterns::new(&directories)?,
            flags: flags.join(" "),
        })
    }

    /// Compiles `patterns` for [`Options::filter`](super::Options::filter). Returns `None` if there are none.
    ///
    /// # Errors
    /// Returns an error if a pattern is not a valid glob.
    pub fn filter(patterns: &[String]) -> Result<Option<Arc<dyn Exclude>>, BadPattern> {
        if patterns.is_empty() {
            return Ok(None);
        }
        Ok(Some(Arc::new(Self::new(patterns.iter().map(String::as_str))?)))
    }
}

impl Exclude for ExcludePatterns {
    fn needs_paths(&self) -> bool {
        !self.anything.paths.is_empty() || !self.directories.paths.is_empty()
    }

    fn excludes(&self, path: &[u8], name: &[u8]) -> bool {
        self.anything.match_any(path, name)
    }

    fn excludes_directory(&self, path: &[u8], name: &[u8]) -> bool {
        self.excludes(path, name) || self.directories.match_any(path, name)
    }

    fn flags(&self) -> Option<String> {
        // `None` if there are path patterns, because their matches also depend on the root paths given by the user.
        (!self.needs_paths()).then(|| self.flags.clone())
    }
}

impl Patterns {
    fn new(patterns: &[&str]) -> Result<Self, BadPattern> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let set = if is_for_paths(pattern) { &mut paths } else { &mut names };
            set.add(glob(pattern)?);
        }
        let whole = |set: GlobSetBuilder| {
            set.build().map_err(|error| BadPattern { pattern: String::new(), reason: error.to_string() })
        };
        Ok(Self { names: whole(names)?, paths: whole(paths)? })
    }

    fn match_any(&self, path: &[u8], name: &[u8]) -> bool {
        let matches = |set: &GlobSet, bytes: &[u8]| !set.is_empty() && set.is_match(OsStr::from_bytes(bytes));
        matches(&self.names, name)
            || !self.paths.is_empty() && matches(&self.paths, &crate::tree::join([path, name]))
    }
}

/// Returns `true` if the pattern is matched against paths, that is, if it contains a slash other than at its end.
fn is_for_paths(pattern: &str) -> bool {
    pattern.trim_end_matches('/').contains('/')
}

fn glob(pattern: &str) -> Result<Glob, BadPattern> {
    let trimmed = pattern.trim_end_matches('/');
    let whole = if is_for_paths(pattern) {
        format!("**/{}", trimmed.trim_start_matches('/'))
    } else {
        trimmed.to_owned()
    };
    let built = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(true).build();
    built.map_err(|error| BadPattern { pattern: pattern.to_owned(), reason: error.kind().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(pattern: &str, path: &str, name: &[u8]) -> bool {
        ExcludePatterns::new([pattern]).unwrap().excludes(path.as_bytes(), name)
    }

    #[test]
    fn a_pattern_without_a_slash_matches_the_name() {
        assert!(excluded("*.o", "any/where", b"main.o"));
        assert!(!excluded("*.o", "a.o", b"main.c"));
        assert!(!excluded("main", "", b"main.c"));
        assert!(excluded("bad*", "", b"bad\xffname"));
        assert!(excluded(".*", "", b".git"));
    }

    #[test]
    fn a_pattern_with_a_slash_matches_the_end_of_the_path() {
        assert!(excluded("src/*.o", "/home/me/src", b"main.o"));
        assert!(!excluded("src/*.o", "/home/me/xsrc", b"main.o"));
        assert!(!excluded("src/*.o", "/home/me/src/deep", b"main.o"));
        assert!(excluded("src/**/*.o", "/home/me/src/deep", b"main.o"));
        assert!(excluded("/home/me", "/home", b"me"));
    }

    #[test]
    fn a_trailing_slash_matches_only_directories() {
        let filter = ExcludePatterns::new(["target/", "src/gen/", "*.o"]).unwrap();
        assert!(filter.needs_paths());
        for (path, name) in [("crate", "target"), ("crate/src", "gen")] {
            let (path, name) = (path.as_bytes(), name.as_bytes());
            assert!(filter.excludes_directory(path, name) && !filter.excludes(path, name));
        }
        assert!(filter.excludes_directory(b"", b"main.o") && filter.excludes(b"", b"main.o"));
        assert!(!filter.excludes_directory(b"crate", b"gen"));
        assert!(ExcludePatterns::filter(&[]).unwrap().is_none());
        assert!(ExcludePatterns::filter(&["dir/".to_owned()]).unwrap().is_some());
    }

    #[test]
    fn an_invalid_pattern_is_named_in_the_error() {
        let error = ExcludePatterns::new(["fine", "a[b"]).unwrap_err();
        assert_eq!(error.pattern, "a[b");
        assert!(error.reason.contains("unclosed"), "{}", error.reason);
    }

    #[test]
    fn patterns_are_flags_unless_they_depend_on_the_path_of_the_root() {
        let flags = |patterns: &[&str]| ExcludePatterns::new(patterns.iter().copied()).unwrap().flags();
        assert_eq!(
            flags(&["b", "a \"b", "b", "c/"]).unwrap(),
            r#"--exclude "a \"b" --exclude "b" --exclude "c/""#
        );
        assert_eq!(flags(&["b", "x/y"]), None);
        assert_eq!(flags(&["x/y/"]), None);
    }
}
