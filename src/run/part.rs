//! Checks that run before a part of a scan plan is scanned.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::base::text::escape_path;
use crate::formats::snapshot::{PlanParts, open};
use crate::run::exit::Exit;
use crate::run::streams::print_error;

/// Part of a scan plan, identified by the digest of the plan and the number of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartOfPlan {
    /// Digest of the plan.
    pub plan: u64,
    /// Number of the part. Part 0 contains everything that is in no other part.
    pub number: u64,
}

impl From<PartOfPlan> for PlanParts {
    fn from(PartOfPlan { plan, number }: PartOfPlan) -> Self {
        Self { plan, numbers: vec![number] }
    }
}

/// Returns an exit code if the part should not be scanned, because its snapshot already exists at `to`, or because one
/// of its roots is a mount point. The roots of part 0 may be mount points.
pub(crate) fn settled(part: PartOfPlan, roots: &[PathBuf], to: Option<&Path>) -> Option<Exit> {
    if let Some(exit) = to.and_then(|path| saved(part, path)) {
        return Some(exit);
    }
    // Part 0 starts at the root of the planned tree, which may be a mount point, like the root of any scan.
    let mount = roots.iter().filter(|_| part.number != 0).find(|root| is_mount_point(root))?;
    let name = escape_path(mount);
    print_error(&format!(
        "{name}: this is a mount point, but the plan treats it as an ordinary directory; create a new plan without -f"
    ));
    Some(Exit::Failure)
}

/// Returns the exit code of an earlier run that has saved the same part to `path`, or `None` if the file is missing or
/// damaged, or is not a snapshot of this part.
fn saved(part: PartOfPlan, path: &Path) -> Option<Exit> {
    let found = open(path).ok().filter(|found| found.about.parts == Some(part.into()))?;
    found.tree.verify().ok()?;
    Some(Exit::of_everything(&found.tree).min(Exit::Incomplete))
}

fn is_mount_point(root: &Path) -> bool {
    let device = |path: &Path| fs::symlink_metadata(path).ok().map(|found| found.dev());
    let above = root.parent().and_then(device);
    device(root).zip(above).is_some_and(|(own, above)| own != above)
}
