//! Data shared by all jobs of a scan: target, options and the request to stop.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::options::{Options, default_threads};
use super::paths::path;
use super::viewed::ViewedDirectories;
use super::workers::Workers;
use crate::base::kind::Kind;
use crate::base::sync::{Arc, AtomicBool, AtomicI64, AtomicU64, Condvar, Mutex, OnceLock, Ordering};
use crate::platform::entry::probe::major_minor;
use crate::platform::fs::mounts::recursive_lengths;
use crate::platform::process::descriptors::Descriptors;
use crate::platform::process::limits;
use crate::platform::{Attributes, Directory, Errno};
use crate::tree::{DirId, Links, Metadata, Owner, Tree, is_executable};

/// Outcome of a scan or an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All readable entries were read.
    Complete,
    /// The scan was stopped. The tree contains the entries read so far.
    Stopped,
    /// A worker panicked with this message because of a bug. Parts of the tree may be missing.
    Panicked(String),
    /// Some inputs could not be read completely. Contains the reasons, which are safe to print. After an import, the
    /// tree contains the entries read before the error. After a rescan, entries that could not be checked are still
    /// in the tree, unchanged.
    Broken(Vec<String>),
}

/// Target of a scan.
pub enum Target {
    /// Roots to read into a new tree.
    Roots(Vec<PathBuf>),
    /// Entries to read again, in a tree whose scan has finished.
    Entries(EntryNames),
}

/// Entries to recheck: their names, grouped by directory. No directory occurs twice.
pub type EntryNames = Vec<(DirId, Vec<Vec<u8>>)>;

/// State shared by all jobs of a scan.
pub struct Shared {
    pub tree: Arc<Tree>,
    pub options: Options,
    pub target: Target,
    pub workers: Workers,
    pub descriptors: Descriptors,
    pub viewed: ViewedDirectories,
    /// Time in seconds since 1970. In each batch, directories that changed at this time or later are read first.
    /// `Relaxed` ordering is enough, because the number guards no data.
    pub changed_since: AtomicI64,
    /// `true` if the scan must stop. `Relaxed` ordering is enough, because the flag guards no data.
    pub stop: AtomicBool,
    /// Number of bytes used on the file system, for the displayed percentage; 0 if unknown, or if the scan does not
    /// read exactly one whole file system. `Relaxed` ordering is enough, because the number guards no data.
    pub expected: AtomicU64,
    /// Devices on which the apparent size of a directory includes everything below it, as on `CephFS`. Read from the
    /// mount table when first needed.
    recursive: OnceLock<Vec<u64>>,
    /// `true` once the workers may start; see [`Options::head_start`].
    pub may_work: Mutex<bool>,
    pub work_allowed: Condvar,
    pub started: Instant,
    pub end: Mutex<Option<(Outcome, Duration)>>,
    pub ended: Condvar,
}

impl Shared {
    pub fn new(tree: Arc<Tree>, target: Target, options: Options) -> Self {
        let wanted = limits::threads(options.threads.unwrap_or_else(default_threads).max(1));
        let (descriptors, threads) = Descriptors::new(wanted);
        Self {
            tree,
            workers: Workers::new(threads),
            options,
            target,
            descriptors,
            viewed: ViewedDirectories::default(),
            changed_since: AtomicI64::new(i64::MAX),
            stop: AtomicBool::new(false),
            expected: AtomicU64::new(0),
            recursive: OnceLock::new(),
            may_work: Mutex::new(false),
            work_allowed: Condvar::new(),
            started: Instant::now(),
            end: Mutex::new(None),
            ended: Condvar::new(),
        }
    }

    /// Returns the attributes to record for an entry. If the scan follows symbolic links, a link to a file gets the
    /// sizes of that file.
    pub fn followed(
        &self,
        own: Attributes,
        target: impl FnOnce() -> Result<Attributes, Errno>,
    ) -> Attributes {
        if own.kind != Kind::Symlink || !self.options.follow_symlinks {
            return own;
        }
        match target() {
            Ok(target) if !target.is_directory() => {
                Attributes { blocks: target.blocks, apparent: target.apparent, ..own }
            }
            _ => own,
        }
    }

    /// Returns the metadata that the tree stores for an entry.
    pub fn metadata(&self, attributes: &Attributes, links: Option<Links>) -> Metadata {
        let &Attributes { uid, gid, mode, .. } = attributes;
        let has_own_length = !attributes.is_directory() || !self.is_recursive(attributes.device);
        Metadata {
            apparent: if has_own_length { attributes.apparent } else { 0 },
            blocks: attributes.blocks,
            mtime: attributes.mtime,
            inode: attributes.inode,
            directory: None,
            links,
            owner: self.options.owners.then_some(Owner { uid, gid, mode }),
            is_executable: attributes.kind == Kind::File && is_executable(mode),
            storage_class: None,
        }
    }

    /// Returns `true` if the apparent size of a directory on this device is the total of everything below it.
    fn is_recursive(&self, device: u64) -> bool {
        // On Linux, a network file system such as `CephFS` has the major number 0. For other major numbers, the mount
        // table need not be read.
        major_minor(device).0 == 0 && self.recursive.get_or_init(recursive_lengths).contains(&device)
    }

    /// Returns the size in bytes of everything below the unreadable directory `id`, if its file system records this
    /// size. `parent` is the parent directory.
    pub fn recorded(&self, parent: &Directory, id: DirId) -> Option<u64> {
        if !self.is_recursive(self.tree.device(id)) {
            return None;
        }
        // Depending on the mount options, the apparent size of a `CephFS` directory is a number of bytes or a number of
        // entries. It is a number of bytes if the parent's apparent size equals the parent's extended attribute
        // `ceph.dir.rbytes`. The attribute of the unreadable directory itself cannot be read.
        let own = parent.attributes().ok()?.apparent;
        let is_size = parent.recursive_size() == Some(own);
        is_size
            .then(|| parent.attributes_of(self.tree.name(id)))
            .and_then(Result::ok)
            .map(|found| found.apparent)
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the roots of the tree as given by the user.
    pub fn roots(&self) -> Vec<PathBuf> {
        match &self.target {
            Target::Roots(paths) => paths.clone(),
            Target::Entries(_) => {
                self.tree.listing(DirId::TOP).entries().map(|(_, root)| path(root.name.to_vec())).collect()
            }
        }
    }
}
