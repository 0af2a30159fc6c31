//! Map from directories of a tree to file systems.
//!
//! A directory is on the same file system as its parent unless something is mounted on it. The mount table lists the
//! mount points, and each mount point is looked up in the tree once. Device numbers do not show the mount points
//! reliably: a btrfs subvolume has its own device number even if it is not mounted, and a bind mount has the device
//! number of its source.
//!
//! Without a mount table (no /proc), only device numbers are used. Invariant: no directory is assigned to a mount that
//! is covered by another mount.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::sort::sort_by_key;
use crate::platform::fs::answer::{LIMIT, within};
use crate::platform::fs::covered::CAN_READ_COVERED_FILES;
use crate::platform::fs::mounts::{Mount, MountPosition, standing};
use crate::platform::{Errno, FIRMLINK_TARGET};
use crate::scan::path;
use crate::tree::{DirId, EntryState, Exclusion, Tree};

/// File system that the scan has visited.
#[derive(Clone, Debug)]
pub struct System {
    /// First path at which the scan reached the file system: a root, or a mount point below a root.
    pub path: PathBuf,
    /// One mount for each visited volume of the file system, beginning with the mount at `path`. Only an APFS
    /// container has several volumes. Empty if the mount is unknown.
    pub mounts: Vec<Mount>,
    /// Device numbers of the directories on the file system.
    pub devices: HashSet<u64>,
    /// `true` if the scan entered the file system at a mount that shows its top directory, and could thus reach all of
    /// it. If the mount table lacks a mount below one of the scan's roots, that mount is assumed to show the top
    /// directory.
    pub is_whole: bool,
    /// Number of roots and mount points at which the scan entered the file system. If an entry is visible at several of
    /// them, the totals of the file system include the entry once.
    pub times: usize,
    /// Paths on the file system that are covered by other mounts.
    pub covers: Vec<Cover>,
    /// `true` if the file system did not respond during the scan.
    pub is_silent: bool,
}

/// Path on one mount that is covered by another mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Mount point of the mount that contains the covered path.
    pub under: PathBuf,
    /// Covered path, relative to `under`.
    pub below: PathBuf,
}

impl System {
    /// Returns the mount at [`System::path`], or `None` if it is unknown.
    pub fn mount(&self) -> Option<&Mount> {
        self.mounts.first()
    }

    /// Returns `true` if directories that are not mount points can have their own device numbers.
    pub fn has_subvolumes(&self) -> bool {
        self.mount().is_some_and(|mount| mount.kind == b"btrfs")
    }
}

/// File systems of a tree, and the directories at which they start.
#[derive(Debug, Default)]
pub struct MountMap {
    pub systems: Vec<System>,
    /// Directories that are mount points or roots, each with the index of its file system.
    pub starts: HashMap<DirId, usize>,
    /// Index of the file system of each mount point or root that is not a directory, keyed by parent and name.
    pub files: HashMap<(DirId, Vec<u8>), usize>,
    /// Mount points that the scan did not enter, keyed by parent and name.
    closed: HashSet<(DirId, Vec<u8>)>,
}

/// Finds the file systems of `tree` and their mount points.
pub fn find(tree: &Tree, mounts: &[Mount]) -> MountMap {
    let mut map = MountMap::default();
    let mut visible: HashMap<DirId, usize> = HashMap::new();
    let mut begun = Vec::new();
    for (_, root) in tree.listing(DirId::TOP).entries() {
        let EntryState::Known(metadata) = root.state else { continue };
        let given = path(root.name.to_vec());
        let position = move || Some((given.canonicalize().ok()?, standing(&given).ok()?));
        let Some((full, standing)) = within(LIMIT, [position]).pop().flatten().flatten() else { continue };
        let mount = mount_of(mounts, &full, &standing);
        let is_whole = mount.is_some_and(|index| point(&mounts[index]) == full && mounts[index].root == b"/");
        let system = map.system(mount.map(|index| &mounts[index]), standing.device, &full);
        match metadata.directory {
            Some(id) if tree.parent(id) == Some(DirId::TOP) => {
                map.start(id, system, is_whole);
                map.behind_firmlinks(mounts, system, &full);
                visible.extend(mount.map(|index| (id, index)));
                begun.push((full, id));
            }
            // The root lies inside another root, so its file system is found through the outer root.
            Some(_) => {}
            None => _ = map.files.insert((DirId::TOP, root.name.to_vec()), system),
        }
    }
    // Outer mount points come first, because they determine which inner mount points are visible.
    let mut order: Vec<usize> = (0..mounts.len()).collect();
    sort_by_key(&mut order, |index| mounts[*index].point.len());
    for index in order {
        for (root, id) in &begun {
            map.mounted(tree, mounts, index, (root, *id), &mut visible);
        }
    }
    map
}

impl MountMap {
    /// Returns the index of the file system with the given mount or device, adding the file system if it is new.
    pub fn system(&mut self, mount: Option<&Mount>, device: u64, path: &Path) -> usize {
        let of_mount = |system: &System| match (system.mount(), mount) {
            (Some(known), Some(mount)) => known.shares_space(mount),
            _ => system.devices.contains(&device),
        };
        let known = self.systems.iter().position(of_mount);
        let index = known.unwrap_or_else(|| {
            self.systems.push(System {
                path: path.to_owned(),
                mounts: Vec::new(),
                devices: HashSet::from([device]),
                is_whole: false,
                times: 0,
                covers: Vec::new(),
                is_silent: false,
            });
            self.systems.len() - 1
        });
        let mounts = &mut self.systems[index].mounts;
        let is_volume = known.is_none() || !mounts.is_empty();
        let is_new = |mount: &&Mount| !mounts.iter().any(|known| known.is_same_volume(mount));
        let new = mount.filter(|_| is_volume).filter(is_new).cloned();
        mounts.extend(new);
        index
    }

    /// Returns `true` if an entry that the scan left out counts as an excluded entry of the file system `system`:
    /// excluded by the user, in another part of the plan, only in the cloud, or a subvolume of this file system.
    pub fn is_excluded(&self, system: usize, directory: DirId, name: &[u8], exclusion: Exclusion) -> bool {
        match exclusion {
            Exclusion::Pattern | Exclusion::Caches | Exclusion::Dataless | Exclusion::OtherPart => true,
            Exclusion::KernelFileSystem
            | Exclusion::Snapshot
            | Exclusion::SecondMount
            | Exclusion::SecondLink => false,
            // The scan treats a subvolume as another file system, but its space belongs to this file system.
            Exclusion::OtherFileSystem => {
                self.systems[system].has_subvolumes() && !self.closed.contains(&(directory, name.to_vec()))
            }
        }
    }

    fn start(&mut self, id: DirId, system: usize, is_whole: bool) {
        self.starts.insert(id, system);
        self.systems[system].times += 1;
        self.systems[system].is_whole |= is_whole;
    }

    /// Adds the device of the macOS data volume to the file system with index `system`, if the volume's mount point is
    /// below `root`. If `root` is `/`, also adds the volume's mount, as [`MountMap::system`] does.
    fn behind_firmlinks(&mut self, mounts: &[Mount], system: usize, root: &Path) {
        let Some(target) = FIRMLINK_TARGET.map(Path::new) else { return };
        if !target.starts_with(root) || target == root {
            return;
        }
        if let Ok(standing) = standing(target) {
            self.systems[system].devices.insert(standing.device);
        }
        // Only a scan of `/` reaches the whole data volume of macOS, through the firmlinks that point to it.
        if root == Path::new("/")
            && let Some(mount) = mounts.iter().find(|mount| point(mount) == target)
        {
            self.system(Some(mount), mount.device, root);
        }
    }

    /// Adds one mount if its mount point is visible below a root.
    fn mounted(
        &mut self,
        tree: &Tree,
        mounts: &[Mount],
        index: usize,
        (root, id): (&Path, DirId),
        visible: &mut HashMap<DirId, usize>,
    ) {
        let mount = &mounts[index];
        let Ok(below) = point(mount).strip_prefix(root).map(Path::to_owned) else { return };
        let Some(name) = below.file_name() else { return };
        let Some((directory, on)) = descend(tree, id, below.parent().unwrap_or(Path::new("")), visible)
        else {
            return;
        };
        // Skip `mount` if its parent mount is not `on`. In this case, either another mount hides the mount point of
        // `mount`, or `mount` is stacked on another mount at the same mount point. Only the topmost mount of a stack is
        // visible, and the call for the lowest mount adds the topmost mount.
        if on.is_some_and(|on| mount.id != 0 && mounts[on].id != mount.parent) {
            return;
        }
        if let Some(on) = on.filter(|_| CAN_READ_COVERED_FILES) {
            self.cover(&mounts[on], &point(mount));
        }
        let top = topmost(mounts, index);
        let mount = &mounts[top];
        let name = name.as_bytes();
        match tree.entry(directory, name).map(|record| record.state) {
            Some(EntryState::Known(metadata)) => {
                let device = metadata.directory.map_or(mount.device, |child| tree.device(child));
                let system = self.system(Some(mount), device, &point(mount));
                match metadata.directory {
                    Some(child) => {
                        self.start(child, system, mount.root == b"/");
                        visible.insert(child, top);
                    }
                    None => _ = self.files.insert((directory, name.to_vec()), system),
                }
            }
            Some(EntryState::Excluded(_)) => _ = self.closed.insert((directory, name.to_vec())),
            Some(EntryState::Failed(errno)) if errno == Errno::ETIMEDOUT as i32 => {
                let system = self.system(Some(mount), mount.device, &point(mount));
                self.systems[system].is_silent = true;
            }
            Some(EntryState::Failed(_)) | None => {}
        }
    }

    /// Records in [`System::covers`] that another mount covers the path `position`. The path lies on `mount`.
    fn cover(&mut self, mount: &Mount, position: &Path) {
        let under = point(mount);
        let system = self
            .systems
            .iter_mut()
            .find(|system| system.mount().is_some_and(|known| known.shares_space(mount)));
        if let (Some(system), Ok(below)) = (system, position.strip_prefix(&under)) {
            let cover = Cover { below: below.to_owned(), under };
            if !system.covers.contains(&cover) {
                system.covers.push(cover);
            }
        }
    }
}

/// Returns the directory at the path `below`, which is relative to `id`, and the index of the mount that contains the
/// directory. The index is `None` if `visible` does not contain the mount. Returns `None` if the directory is not in
/// the tree.
fn descend(
    tree: &Tree,
    id: DirId,
    below: &Path,
    visible: &HashMap<DirId, usize>,
) -> Option<(DirId, Option<usize>)> {
    let (mut at, mut on) = (id, visible.get(&id).copied());
    for name in below {
        at = tree.entry(at, name.as_bytes())?.directory()?;
        on = visible.get(&at).copied().or(on);
    }
    Some((at, on))
}

/// Returns the index of the topmost mount that is stacked on the given mount, or `index` if there is none.
fn topmost(mounts: &[Mount], index: usize) -> usize {
    let mut top = index;
    // Each step goes up by one mount. A stack contains each mount at most once, so `mounts.len()` steps are enough.
    for _ in 0..mounts.len() {
        let above = mounts.iter().position(|other| {
            other.id != 0
                && other.parent == mounts[top].id
                && other.point == mounts[top].point
                && other.id != mounts[top].id
        });
        match above {
            Some(above) => top = above,
            None => break,
        }
    }
    top
}

/// Returns the index of the mount that contains the path `full`. Searches `mounts` for the mount ID in `standing`,
/// which the kernel reports for the path, and then for the mount point in `standing`. If neither is found, returns the
/// innermost mount at or above the path that has the same device as the path.
pub fn mount_of(mounts: &[Mount], full: &Path, standing: &MountPosition) -> Option<usize> {
    let named = standing.mount.and_then(|id| mounts.iter().position(|mount| mount.id == id));
    let of_point = || {
        let point = standing.point.as_ref()?;
        mounts.iter().rposition(|mount| mount.point == *point)
    };
    named.or_else(of_point).or_else(|| {
        let above = (0..mounts.len()).filter(|index| {
            full.starts_with(point(&mounts[*index])) && mounts[*index].device == standing.device
        });
        above.max_by_key(|index| mounts[*index].point.len())
    })
}

/// Returns the mount point as a path.
pub fn point(mount: &Mount) -> PathBuf {
    path(mount.point.clone())
}
