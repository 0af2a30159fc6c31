//! Trees for tests, made in memory.
//!
//! Invariant: what was planned is published and complete, except a [`Growing`] root until [`Growing::finish`].

use std::cell::RefCell;

use crate::kind::Kind;
use crate::sync::Arc;
use crate::tree::{Batch, Content, DirId, Exclusion, Facts, Links, Record, Tree, links};

/// An entry to be.
pub struct Plan {
    name: Vec<u8>,
    what: What,
}

enum What {
    File(Facts),
    Directory(u64, Vec<Plan>),
    Excluded,
    Failed,
    Unreadable,
    Stopped,
}

/// A file of `bytes`, which take the disk blocks they need.
pub fn file(name: &str, bytes: u64, mtime: i64) -> Plan {
    let facts = Facts { apparent: bytes, blocks: bytes.div_ceil(512), mtime, ..Facts::default() };
    Plan { name: name.into(), what: What::File(facts) }
}

/// A directory with 4 KiB of its own.
pub fn dir(name: &str, entries: Vec<Plan>) -> Plan {
    Plan { name: name.into(), what: What::Directory(0, entries) }
}

/// A directory that has this inode number.
pub fn numbered_dir(name: &str, inode: u64, entries: Vec<Plan>) -> Plan {
    Plan { name: name.into(), what: What::Directory(inode, entries) }
}

/// A file that has this inode number.
pub fn numbered_file(name: &str, inode: u64) -> Plan {
    let facts = Facts { apparent: 1, blocks: 1, inode, ..Facts::default() };
    Plan { name: name.into(), what: What::File(facts) }
}

/// A file that has this inode number and, when it is met, so many names.
pub fn linked_file(name: &str, inode: u64, count: u64) -> Plan {
    let links = Some(Links { count, device: 0 });
    let facts = Facts { apparent: 1, blocks: 1, inode, links, ..Facts::default() };
    Plan { name: name.into(), what: What::File(facts) }
}

/// An entry that a pattern left out.
pub fn excluded(name: &str) -> Plan {
    Plan { name: name.into(), what: What::Excluded }
}

/// An entry without attributes.
pub fn failed(name: &str) -> Plan {
    Plan { name: name.into(), what: What::Failed }
}

/// A directory that could not be opened.
pub fn unreadable(name: &str) -> Plan {
    Plan { name: name.into(), what: What::Unreadable }
}

/// A directory that was not read because the scan was stopped.
pub fn stopped(name: &str) -> Plan {
    Plan { name: name.into(), what: What::Stopped }
}

/// A complete tree with one root, `/r`.
pub fn build(entries: Vec<Plan>) -> (Tree, DirId) {
    let growing = Growing::new();
    growing.publish(entries);
    growing.finish();
    let root = growing.root();
    (Arc::into_inner(growing.tree).expect("it is shared with nobody"), root)
}

/// A tree whose only root is being read.
pub struct Growing {
    pub tree: Arc<Tree>,
    root: DirId,
    batch: RefCell<Batch>,
}

impl Growing {
    /// Nothing of the root was read.
    pub fn new() -> Self {
        let tree: Arc<Tree> = Arc::default();
        let mut batch = Batch::default();
        let root = batch.push_directory(&tree, DirId::TOP, b"/r", own(), 0);
        let mut sealed = batch.seal(&tree, DirId::TOP).unwrap();
        sealed.sum.items = 0;
        tree.publish(&mut batch, DirId::TOP, &sealed);
        tree.begin(DirId::TOP);
        tree.begin(root);
        Self { tree, root, batch: RefCell::new(batch) }
    }

    pub fn root(&self) -> DirId {
        self.root
    }

    /// The next entries of the root, and everything below them.
    pub fn publish(&self, entries: Vec<Plan>) {
        let mut waiting = vec![(self.root, entries)];
        while let Some((id, entries)) = waiting.pop() {
            let below = self.publish_in(id, entries);
            if id != self.root {
                self.tree.release(id);
            }
            waiting.extend(below);
        }
    }

    /// Says that the root, and with it the tree, is complete.
    pub fn finish(&self) {
        self.tree.release(self.root);
        self.tree.release(DirId::TOP);
        self.tree.add_linked(self.batch.borrow_mut().take_linked());
        links::settle(&self.tree);
    }

    fn publish_in(&self, id: DirId, entries: Vec<Plan>) -> Vec<(DirId, Vec<Plan>)> {
        let (tree, batch) = (&self.tree, &mut *self.batch.borrow_mut());
        let mut below = Vec::new();
        let mut leaves = Vec::new();
        for Plan { name, what } in entries {
            let record = |kind, content| Record { name: &name, kind, content };
            match what {
                What::File(facts) => batch.push(id, &record(Kind::File, Content::Known(facts))),
                What::Excluded => {
                    batch.push(id, &record(Kind::Directory, Content::Excluded(Exclusion::Pattern)));
                }
                What::Failed => batch.push(id, &record(Kind::Unknown, Content::Failed(13))),
                What::Directory(inode, entries) => {
                    let child = batch.push_directory(tree, id, &name, Facts { inode, ..own() }, 0);
                    below.push((child, entries));
                }
                What::Unreadable => {
                    leaves.push((batch.push_directory(tree, id, &name, own(), 0), Some(13)));
                }
                What::Stopped => leaves.push((batch.push_directory(tree, id, &name, own(), 0), None)),
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

fn own() -> Facts {
    Facts { apparent: 4096, blocks: 8, ..Facts::default() }
}
