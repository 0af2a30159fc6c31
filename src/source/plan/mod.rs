//! Plan that divides a tree into parts, which are scanned separately, on one machine or on many.
//!
//! Part 0 is the rest: its scan starts at the plan's path, but does not enter the directories of the other parts. All
//! parts use the flags of the plan, so that the merged tree equals the tree of a single scan.
//!
//! Invariant: no directory of a plan is inside another one, and all are below the plan's path.

mod balance;
mod file;

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub use balance::parts;

use crate::base::absolute::split;
use crate::scan::{BadPattern, ExcludePatterns, Mounts, Options, OtherParts};

/// Plan that divides the directories of a tree among parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanPlan {
    /// Absolute path of the root of the tree.
    pub path: Vec<u8>,
    /// Flags for the scan of each part.
    pub flags: ScanFlags,
    /// Parts of the tree. The first part contains everything that is in no other part.
    pub parts: Vec<ScanPart>,
}

/// Part of a plan, scanned on its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanPart {
    /// Expected number of entries in the part.
    pub entries: u64,
    /// Absolute paths of the part's directories. Empty for part 0, which is the rest of the tree.
    pub paths: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // the flags are independent
pub struct ScanFlags {
    /// `true` if the scan uses `-x`.
    pub one_file_system: bool,
    /// `true` if the scan uses `--skip-network`.
    pub skip_network: bool,
    /// `true` if the scan uses `--exclude-caches`.
    pub exclude_caches: bool,
    /// `true` if the scan also reads the owner, group and mode of every entry (`-e`).
    pub extended: bool,
    /// Patterns given with `--exclude`.
    pub exclude: Vec<String>,
    /// Name that `--fs-id` gives to the file system of the scanned directory; `None` without this flag.
    pub fs_id: Option<String>,
}

impl ScanFlags {
    /// Returns the options of a scan with these flags.
    ///
    /// # Errors
    /// Returns an error if a pattern is invalid.
    pub fn options(&self, threads: Option<usize>) -> Result<Options, BadPattern> {
        Ok(Options {
            threads,
            mounts: if self.one_file_system { Mounts::None } else { Mounts::Real },
            filter: ExcludePatterns::filter(&self.exclude)?,
            skip_caches: self.exclude_caches,
            skip_network: self.skip_network,
            owners: self.extended,
            ..Options::default()
        })
    }
}

impl ScanPlan {
    /// Returns the roots of part `index`: for part 0, the path of the plan; for any other part, its directories.
    /// Returns no roots if the plan has no such part.
    pub fn roots(&self, index: usize) -> Vec<PathBuf> {
        let own = [self.path.as_slice()];
        let paths: Vec<&[u8]> = match self.parts.get(index) {
            _ if index == 0 => own.to_vec(),
            part => part.into_iter().flat_map(|part| &part.paths).map(Vec::as_slice).collect(),
        };
        paths.into_iter().map(|path| Path::new(std::ffi::OsStr::from_bytes(path)).to_owned()).collect()
    }

    /// Returns the directories that part `index` must not enter.
    pub fn other_parts(&self, index: usize) -> OtherParts {
        // Only part 0 can reach the directories of other parts. The root of part 0 is the plan's path. The directories
        // of the other parts are below this path, but never inside one another.
        let others = self.parts.iter().filter(|_| index == 0);
        OtherParts::at(others.flat_map(|part| &part.paths).map(Vec::as_slice))
    }

    /// Checks the plan, including the invariant of this module, because the file may not have been written by duke.
    fn check(&self) -> Result<(), &'static str> {
        if self.path.first() != Some(&b'/') {
            return Err("\"path\" is not an absolute path");
        }
        if self.parts.first().is_none_or(|rest| !rest.paths.is_empty()) {
            return Err("part 0 must exist and must not list paths");
        }
        let all = || self.parts.iter().flat_map(|part| &part.paths).map(Vec::as_slice);
        let known: HashSet<&[u8]> = all().collect();
        if known.len() != all().count() {
            return Err("a path is listed more than once");
        }
        let is_fine = |path: &[u8]| {
            let mut names = above(path).map(|(_, name)| name);
            names.all(|name| name != b"." && name != b".." && !name.contains(&0))
                && above(path).all(|(parent, _)| !known.contains(parent))
                && above(path).any(|(parent, _)| parent == self.path)
                && above(path).last().is_some_and(|(parent, _)| parent == b"/")
        };
        if all().all(is_fine) {
            Ok(())
        } else {
            Err(
                "a path of a part is inside another one, is not below \"path\", or contains a name that is empty, '.' or '..'",
            )
        }
    }
}

/// Returns the ancestors of an absolute path, nearest first, each with the name of its child on the way to `path`.
/// The last ancestor is `/`, unless the path contains an empty name, as in `/a//b`.
fn above(path: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::successors(split(path), |(parent, _)| split(parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(path: &str, parts: &[&[&str]]) -> ScanPlan {
        let part = |paths: &&[&str]| ScanPart {
            entries: 1,
            paths: paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
        };
        ScanPlan { path: path.into(), flags: ScanFlags::default(), parts: parts.iter().map(part).collect() }
    }

    #[test]
    fn paths_are_below_the_plan_and_outside_of_one_another() {
        let fine = [
            plan("/d", &[&[], &["/d/a", "/d/b/c"], &["/d/b/d", "/d/ab"]]),
            plan("/", &[&[], &["/a"]]),
            plan("/d", &[&[]]),
        ];
        for plan in &fine {
            assert_eq!(plan.check(), Ok(()), "{plan:?}");
        }
        let bad = [
            plan("d", &[&[]]),
            plan("/d", &[]),
            plan("/d", &[&["/d/a"]]),
            plan("/d", &[&[], &["/d/a"], &["/d/a"]]),
            plan("/d", &[&[], &["/d/a"], &["/d/a/b"]]),
            plan("/d", &[&[], &["/d"]]),
            plan("/d", &[&[], &["/da"]]),
            plan("/d", &[&[], &["d/a"]]),
            plan("/d", &[&[], &["/d/../e"]]),
            plan("/d", &[&[], &["/d//e"]]),
            plan("/d", &[&[], &["/d/a/"]]),
            plan("/d", &[&[], &["/d/a\0b"]]),
        ];
        for plan in &bad {
            assert!(plan.check().is_err(), "{plan:?}");
        }
    }

    #[test]
    fn only_the_rest_must_not_enter_directories_of_other_parts() {
        let plan = plan("/d", &[&[], &["/d/a"], &["/d/b"]]);
        assert_eq!(plan.roots(0), [PathBuf::from("/d")]);
        assert_eq!(plan.roots(2), [PathBuf::from("/d/b")]);
        let names =
            |index| format!("{:?}", plan.other_parts(index)) == format!("{:?}", OtherParts::default());
        assert!(!names(0) && names(1));
    }
}
