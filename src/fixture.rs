//! Trees built in memory for tests.
//!
//! Invariant: every directory is complete. The only exceptions are the root and the unread directories of a
//! [`Growing`] tree until [`Growing::finish`] is called.

use std::cell::RefCell;

use proptest::test_runner::{Config as ProptestConfig, RngSeed};

use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::tree::{Batch, DirId, Entry, EntryState, Exclusion, Links, Metadata, Tree, hard_links};

/// Returns the settings of a property test whose cases are the same in every run, so that failures can be reproduced
/// without a regression file, and no system function for random numbers is needed (see ci/macos-symbols.txt).
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(1);
    ProptestConfig { failure_persistence: None, rng_seed, ..ProptestConfig::with_cases(cases) }
}

/// Entry to be created.
pub struct Plan {
    name: Vec<u8>,
    kind: PlanKind,
}

enum PlanKind {
    File(Metadata),
    Directory(u64, Vec<Plan>),
    Excluded,
    Failed,
    Unreadable,
    Stopped,
    /// Directory that has not been read yet, with the time of its last change.
    Unread(i64),
}

/// Returns a file with a length of `bytes` and as many blocks as that length needs.
pub fn file(name: &str, bytes: u64, mtime: i64) -> Plan {
    let metadata = Metadata { apparent: bytes, blocks: bytes.div_ceil(512), mtime, ..Metadata::default() };
    Plan { name: name.into(), kind: PlanKind::File(metadata) }
}

/// Returns `plan` with execute permission. `plan` must be a file.
pub fn executable(mut plan: Plan) -> Plan {
    if let PlanKind::File(metadata) = &mut plan.kind {
        metadata.is_executable = true;
    }
    plan
}

/// Returns a directory without an inode number. The directory itself takes 4 KiB, like every directory in this module.
pub fn dir(name: &str, entries: Vec<Plan>) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Directory(0, entries) }
}

/// Returns a directory with the given inode number.
pub fn numbered_dir(name: &str, inode: u64, entries: Vec<Plan>) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Directory(inode, entries) }
}

/// Returns a file with the given inode number.
pub fn numbered_file(name: &str, inode: u64) -> Plan {
    let metadata = Metadata { apparent: 1, blocks: 1, inode, ..Metadata::default() };
    Plan { name: name.into(), kind: PlanKind::File(metadata) }
}

/// Returns a file with the given inode number and link count.
pub fn linked_file(name: &str, inode: u64, count: u64) -> Plan {
    let links = Some(Links { count, device: 0 });
    let metadata = Metadata { apparent: 1, blocks: 1, inode, links, ..Metadata::default() };
    Plan { name: name.into(), kind: PlanKind::File(metadata) }
}

/// Returns a file like [`linked_file`], but on the device with this index.
pub fn linked_file_on(device: u32, name: &str, inode: u64, count: u64) -> Plan {
    let mut plan = linked_file(name, inode, count);
    if let PlanKind::File(Metadata { links: Some(links), .. }) = &mut plan.kind {
        links.device = device;
    }
    plan
}

/// Returns an entry that was excluded by a pattern.
pub fn excluded(name: &str) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Excluded }
}

/// Returns an entry whose attributes could not be read.
pub fn failed(name: &str) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Failed }
}

/// Returns a directory that could not be opened.
pub fn unreadable(name: &str) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Unreadable }
}

/// Returns a directory that was not read because the scan was stopped.
pub fn stopped(name: &str) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Stopped }
}

/// Returns a directory that stays unread until [`Growing::read`] or [`Growing::finish`] is called.
pub fn unread(name: &str) -> Plan {
    unread_since(name, 0)
}

/// Returns a directory like [`unread`] that was last changed at `mtime`.
pub fn unread_since(name: &str, mtime: i64) -> Plan {
    Plan { name: name.into(), kind: PlanKind::Unread(mtime) }
}

/// Builds a complete tree with one root, `/r`.
pub fn build(entries: Vec<Plan>) -> (Tree, DirId) {
    let growing = Growing::new();
    growing.publish(entries);
    growing.finish();
    let root = growing.root();
    (Arc::into_inner(growing.tree).expect("nothing else holds the tree"), root)
}

/// Tree whose only root is being read.
pub struct Growing {
    pub tree: Arc<Tree>,
    root: DirId,
    batch: RefCell<Batch>,
    unread: RefCell<Vec<DirId>>,
}

impl Growing {
    /// Creates a tree with an empty root.
    pub fn new() -> Self {
        Self::numbered(0)
    }

    /// Creates a tree with an empty root that has the given inode number.
    pub fn numbered(inode: u64) -> Self {
        let tree: Arc<Tree> = Arc::default();
        let mut batch = Batch::default();
        let root = batch.push_directory(&tree, DirId::TOP, b"/r", Metadata { inode, ..own() }, 0);
        let mut sealed = batch.seal(&tree, DirId::TOP).unwrap();
        sealed.sum.items = 0;
        tree.publish(&mut batch, DirId::TOP, &sealed);
        tree.begin(DirId::TOP);
        tree.begin(root);
        Self { tree, root, batch: RefCell::new(batch), unread: RefCell::default() }
    }

    pub fn root(&self) -> DirId {
        self.root
    }

    /// Publishes more entries of the root, and everything below them.
    pub fn publish(&self, entries: Vec<Plan>) {
        self.publish_below(self.root, entries);
    }

    /// Publishes the entries of an unread directory, and completes it. `path` is relative to the root.
    pub fn read(&self, path: &str, entries: Vec<Plan>) {
        let child = |id, name: &str| self.tree.entry(id, name.as_bytes()).unwrap().directory().unwrap();
        let id = path.split('/').fold(self.root, child);
        self.unread.borrow_mut().retain(|unread| *unread != id);
        self.tree.begin(id);
        self.publish_below(id, entries);
    }

    fn publish_below(&self, id: DirId, entries: Vec<Plan>) {
        let mut waiting = vec![(id, entries)];
        while let Some((id, entries)) = waiting.pop() {
            let below = self.publish_in(id, entries);
            if id != self.root {
                self.tree.release(id);
            }
            waiting.extend(below);
        }
    }

    /// Completes the tree: releases unread directories and the root, and makes each inode count once in the totals.
    pub fn finish(&self) {
        for id in self.unread.borrow_mut().drain(..) {
            self.tree.release(id);
        }
        self.tree.release(self.root);
        self.tree.release(DirId::TOP);
        self.tree.add_linked(self.batch.borrow_mut().take_linked());
        hard_links::subtract_repeats(&self.tree);
    }

    fn publish_in(&self, id: DirId, entries: Vec<Plan>) -> Vec<(DirId, Vec<Plan>)> {
        let (tree, batch) = (&self.tree, &mut *self.batch.borrow_mut());
        let mut below = Vec::new();
        let mut leaves = Vec::new();
        for Plan { name, kind } in entries {
            let record = |kind, state| Entry { name: &name, kind, state };
            match kind {
                PlanKind::File(metadata) => batch.push(id, &record(Kind::File, EntryState::Known(metadata))),
                PlanKind::Excluded => {
                    batch.push(id, &record(Kind::Directory, EntryState::Excluded(Exclusion::Pattern)));
                }
                PlanKind::Failed => batch.push(id, &record(Kind::Unknown, EntryState::Failed(13))),
                PlanKind::Directory(inode, entries) => {
                    let child = batch.push_directory(tree, id, &name, Metadata { inode, ..own() }, 0);
                    below.push((child, entries));
                }
                PlanKind::Unreadable => {
                    leaves.push((batch.push_directory(tree, id, &name, own(), 0), Some(13)));
                }
                PlanKind::Unread(mtime) => {
                    let metadata = Metadata { mtime, ..own() };
                    self.unread.borrow_mut().push(batch.push_directory(tree, id, &name, metadata, 0));
                }
                PlanKind::Stopped => leaves.push((batch.push_directory(tree, id, &name, own(), 0), None)),
            }
        }
        if let Some(sealed) = batch.seal(tree, id) {
            tree.publish(batch, id, &sealed);
        }
        for (leaf, errno) in leaves {
            match errno {
                Some(errno) => tree.fail(leaf, errno),
                None => tree.stop(leaf),
            }
            tree.release(leaf);
        }
        below
    }
}

fn own() -> Metadata {
    Metadata { apparent: 4096, blocks: 8, ..Metadata::default() }
}
