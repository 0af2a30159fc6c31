//! Options of a scan.

use super::exclude::ExcludePatterns;
use crate::platform::process::limits;

/// Mounted file systems that a scan enters below its roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounts {
    /// All except kernel file systems.
    #[default]
    Real,
    /// All.
    All,
    /// Only the file system of each root.
    None,
}

/// Options of a scan.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub struct Options {
    /// Number of worker threads; `None` for [`default_threads`].
    pub threads: Option<usize>,
    /// File systems to enter below a root.
    pub mounts: Mounts,
    /// Exclude patterns.
    pub filter: ExcludePatterns,
    /// Exclude directories that hold a CACHEDIR.TAG.
    pub skip_caches: bool,
    /// Exclude network file systems below a root.
    pub skip_network: bool,
    /// Do not wait for file systems below a root that do not answer within two seconds: each is an error.
    pub skip_silent: bool,
    /// Record uid, gid and mode of every entry.
    pub owners: bool,
}

impl Options {
    /// Returns the exclusions as the flags that request them: scans of the same scope can be compared. `None`
    /// if flags alone do not describe them.
    pub fn scope(&self) -> Option<&'static str> {
        let is_whole = self.filter.is_empty() && !self.skip_caches;
        is_whole.then_some(match (self.mounts, self.skip_network) {
            (Mounts::None, _) => "-x",
            (Mounts::Real, false) => "",
            (Mounts::Real, true) => "--skip-network",
            (Mounts::All, false) => "--include-kernfs",
            (Mounts::All, true) => "--include-kernfs --skip-network",
        })
    }
}

/// Returns the default number of worker threads: twice the processors, and at least eight.
///
/// A cold disk serves many requests at a time, and idle workers cost a warm scan nothing measurable
/// (docs/performance.md).
pub fn default_threads() -> usize {
    (limits::processors() * 2).clamp(8, 64)
}
