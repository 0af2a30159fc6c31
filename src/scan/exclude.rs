//! Rules that exclude entries from a scan because of their names.

use std::fmt::Debug;

/// Rule that decides which entries a scan neither reads nor counts. Several threads may consult the rule at once.
pub trait Exclude: Debug + Send + Sync {
    /// Returns `true` if the rule needs the path of the parent directory. Otherwise, the scan may pass an empty path.
    fn needs_paths(&self) -> bool;

    /// Returns `true` if the rule excludes the entry `name` in the directory at `path`, whatever the entry's kind.
    fn excludes(&self, path: &[u8], name: &[u8]) -> bool;

    /// Like [`Exclude::excludes`], but for a directory. Must return `true` whenever [`Exclude::excludes`] does.
    fn excludes_directory(&self, path: &[u8], name: &[u8]) -> bool;

    /// Returns command-line flags that exclude the same entries below a root as this rule. Returns `None` if there
    /// are no such flags, or if the excluded entries depend on the spelling of the root's path.
    fn flags(&self) -> Option<String> {
        None
    }
}
