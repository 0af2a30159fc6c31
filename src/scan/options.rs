//! Options of a scan: the file systems to enter, the entries to exclude, and the details to record.

use std::time::Duration;

use super::exclude::Exclude;
use super::other_parts::OtherParts;
use crate::base::sync::Arc;
use crate::platform::process::limits;

/// Kinds of file systems that a scan enters at mount points below a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounts {
    /// All mounts except kernel file systems.
    #[default]
    Real,
    /// All mounts, including kernel file systems.
    All,
    /// No mounts: the scan stays on the file system of each root.
    None,
}

/// Options of a scan.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // the flags are independent
pub struct Options {
    /// Number of worker threads; `None` for [`default_threads`].
    pub threads: Option<usize>,
    /// File systems to enter below a root.
    pub mounts: Mounts,
    /// Rule that selects the entries to exclude, such as `ExcludePatterns` (feature `formats`); `None` for no rule.
    pub filter: Option<Arc<dyn Exclude>>,
    /// `true` to exclude directories that contain a CACHEDIR.TAG file.
    pub skip_caches: bool,
    /// `true` to exclude network file systems below a root.
    pub skip_network: bool,
    /// `true` to record an error for each file system that does not respond within two seconds, instead of waiting for
    /// it. Applies only to file systems mounted below a root.
    pub skip_silent: bool,
    /// `true` to record a symbolic link to a file with the sizes of that file.
    pub follow_symlinks: bool,
    /// `true` to record the uid, gid and mode of every entry.
    pub owners: bool,
    /// Maximum time for which the workers wait after the roots have been read, so that they do not slow down the first
    /// frame of the browser. [`super::Scan::end_head_start`] ends the wait.
    pub head_start: Duration,
    /// Directories that are listed but not entered: directories that belong to another part of a plan (`duke plan`)
    /// and, in the scan that creates a plan, directories below a certain depth.
    pub other_parts: OtherParts,
}

impl Options {
    /// Returns `true` if the entry `name` in the directory at `path` is excluded regardless of its kind.
    pub(crate) fn excludes(&self, path: &[u8], name: &[u8]) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.excludes(path, name))
    }

    /// Returns `true` if the directory `name` in the directory at `path` is excluded.
    pub(crate) fn excludes_directory(&self, path: &[u8], name: &[u8]) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.excludes_directory(path, name))
    }

    /// Returns the command-line flags that select the same entries as these options. Scans with the same flags are
    /// comparable. Returns `None` if entries are excluded by path patterns: the matches of such patterns also depend on
    /// the paths that the user gave for the roots.
    pub fn scope(&self) -> Option<String> {
        let mounts = match (self.mounts, self.skip_network) {
            (Mounts::None, _) => "-x",
            (Mounts::Real, false) => "",
            (Mounts::Real, true) => "--skip-network",
            (Mounts::All, false) => "--include-kernfs",
            (Mounts::All, true) => "--include-kernfs --skip-network",
        };
        let caches = if self.skip_caches { "--exclude-caches" } else { "" };
        let links = if self.follow_symlinks { "-L" } else { "" };
        let patterns = self.filter.as_ref().map_or(Some(String::new()), |filter| filter.flags())?;
        let flags = [mounts, caches, links, &patterns].into_iter().filter(|flag| !flag.is_empty());
        Some(flags.collect::<Vec<_>>().join(" "))
    }
}

/// Returns the default number of worker threads: twice the number of processors, but at least 8 and at most
/// `MOST_THREADS`, which is 64, or 8 on macOS.
///
/// With a cold cache, more threads are faster, because a disk serves many requests at a time. With a warm cache,
/// additional threads have no measurable cost (docs/performance.md).
pub fn default_threads() -> usize {
    (limits::processors() * 2).clamp(8, limits::MOST_THREADS)
}
