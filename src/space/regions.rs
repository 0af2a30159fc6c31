//! Which file system each directory of a tree is on.
//!
//! A directory is where the one above it is, unless something is mounted on it: the table of mounts says so, and the tree is descended
//! to each mount point once. Devices alone would not do: every subvolume of btrfs has one of its own without being mounted, and a bind
//! mount has none of its own.
//!
//! Without a table (no /proc) the devices have to do. Invariant: a mount that is hidden by another one is nobody's region.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::platform::mounts::{Mount, Standing, standing};
use crate::scan::path;
use crate::tree::{Content, DirId, Exclusion, Tree};

/// A file system that the scan has met.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// How it was met first: a root, or a mount point below one.
    pub(super) path: PathBuf,
    /// As what it is mounted there.
    pub(super) mount: Option<Mount>,
    /// The devices of its directories.
    pub(super) devices: HashSet<u64>,
    /// Whether all of it could be met: what is mounted is its topmost directory, and the scan began there or above.
    pub(super) is_whole: bool,
    /// How many of its mounts the scan has met; what is in two of them counts once.
    pub(super) times: usize,
    /// Where other mounts cover it.
    pub(super) covers: Vec<Cover>,
}

/// A place that something is mounted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cover {
    /// The mount point of the mount it is a place of.
    pub(super) under: PathBuf,
    /// The path from there.
    pub(super) below: PathBuf,
}

impl System {
    /// Whether its directories may have devices of their own without being mounted.
    pub(super) fn has_subvolumes(&self) -> bool {
        self.mount.as_ref().is_some_and(|mount| mount.kind == b"btrfs")
    }
}

/// Where the file systems begin in a tree.
#[derive(Debug, Default)]
pub(super) struct Regions {
    pub(super) systems: Vec<System>,
    /// Directories on which something is mounted, and roots.
    pub(super) starts: HashMap<DirId, usize>,
    /// What is no directory and has something mounted on it, by directory and name; and roots that are no directories.
    pub(super) files: HashMap<(DirId, Vec<u8>), usize>,
    /// Mount points that were not entered.
    closed: HashSet<(DirId, Vec<u8>)>,
}

/// Finds the regions of `tree`.
pub(super) fn find(tree: &Tree, mounts: &[Mount]) -> Regions {
    let mut regions = Regions::default();
    let mut visible: HashMap<DirId, usize> = HashMap::new();
    let mut begun = Vec::new();
    for (_, root) in tree.listing(DirId::TOP).entries() {
        let Content::Known(facts) = root.content else { continue };
        let given = path(root.name.to_vec());
        let (Ok(full), Ok(standing)) = (given.canonicalize(), standing(&given)) else { continue };
        let mount = mount_of(mounts, &full, &standing);
        let is_whole = mount.is_some_and(|index| point(&mounts[index]) == full && mounts[index].root == b"/");
        let system = regions.system(mount.map(|index| &mounts[index]), standing.device, &full);
        match facts.directory {
            Some(id) if tree.parent(id) == Some(DirId::TOP) => {
                regions.start(id, system, is_whole);
                visible.extend(mount.map(|index| (id, index)));
                begun.push((full, id));
            }
            // It lies in another root.
            Some(_) => {}
            None => _ = regions.files.insert((DirId::TOP, root.name.to_vec()), system),
        }
    }
    // Mount points above others first: what is visible there decides what is visible below.
    let mut order: Vec<usize> = (0..mounts.len()).collect();
    order.sort_by_key(|index| mounts[*index].point.len());
    for index in order {
        for (root, id) in &begun {
            regions.mounted(tree, mounts, index, (root, *id), &mut visible);
        }
    }
    regions
}

impl Regions {
    /// The number of the system with this mount or device.
    pub(super) fn system(&mut self, mount: Option<&Mount>, device: u64, path: &Path) -> usize {
        let of_mount = |system: &System| match (&system.mount, mount) {
            (Some(known), Some(mount)) => known.device == mount.device,
            _ => system.devices.contains(&device),
        };
        self.systems.iter().position(of_mount).unwrap_or_else(|| {
            self.systems.push(System {
                path: path.to_owned(),
                mount: mount.cloned(),
                devices: HashSet::from([device]),
                is_whole: false,
                times: 0,
                covers: Vec::new(),
            });
            self.systems.len() - 1
        })
    }

    /// Whether the scan was told to leave out an entry of a file system, rather than to stay on this one.
    pub(super) fn is_left_out(
        &self,
        system: usize,
        directory: DirId,
        name: &[u8],
        exclusion: Exclusion,
    ) -> bool {
        match exclusion {
            Exclusion::Pattern | Exclusion::Caches | Exclusion::Dataless => true,
            Exclusion::KernelFileSystem => false,
            // A subvolume looks like one, but is none.
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

    /// Takes in one mount, if its mount point is visible below a root.
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
        // Mounted on something that is itself covered by now, or on another mount at the same place.
        if on.is_some_and(|on| mount.id != 0 && mounts[on].id != mount.parent) {
            return;
        }
        if let Some(on) = on {
            self.cover(&mounts[on], &point(mount));
        }
        let top = topmost(mounts, index);
        let mount = &mounts[top];
        let name = name.as_bytes();
        match tree.entry(directory, name).map(|record| record.content) {
            Some(Content::Known(facts)) => {
                let device = facts.directory.map_or(mount.device, |child| tree.device(child));
                let system = self.system(Some(mount), device, &point(mount));
                match facts.directory {
                    Some(child) => {
                        self.start(child, system, mount.root == b"/");
                        visible.insert(child, top);
                    }
                    None => _ = self.files.insert((directory, name.to_vec()), system),
                }
            }
            Some(Content::Excluded(_)) => _ = self.closed.insert((directory, name.to_vec())),
            Some(Content::Failed(_)) | None => {}
        }
    }

    /// Notes that a place of `mount` is covered.
    fn cover(&mut self, mount: &Mount, place: &Path) {
        let under = point(mount);
        let system = self
            .systems
            .iter_mut()
            .find(|system| system.mount.as_ref().is_some_and(|known| known.device == mount.device));
        if let (Some(system), Ok(below)) = (system, place.strip_prefix(&under)) {
            let cover = Cover { below: below.to_owned(), under };
            if !system.covers.contains(&cover) {
                system.covers.push(cover);
            }
        }
    }
}

/// The directory at `below` from `id` on, and the mount that is visible there.
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

/// The mount that lies on top where this one was mounted.
fn topmost(mounts: &[Mount], index: usize) -> usize {
    let mut top = index;
    // Each is mounted on the one before, so there is an end.
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

/// The mount that a path is on: the kernel names it, or its device and the longest mount point above it do.
pub(super) fn mount_of(mounts: &[Mount], full: &Path, standing: &Standing) -> Option<usize> {
    let named = standing.mount.and_then(|id| mounts.iter().position(|mount| mount.id == id));
    named.or_else(|| {
        let above = (0..mounts.len()).filter(|index| {
            full.starts_with(point(&mounts[*index])) && mounts[*index].device == standing.device
        });
        above.max_by_key(|index| mounts[*index].point.len())
    })
}

/// Its mount point as a path.
pub(super) fn point(mount: &Mount) -> PathBuf {
    path(mount.point.clone())
}
