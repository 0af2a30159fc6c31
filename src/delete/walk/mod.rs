//! Walk that either reads or deletes a selection.
//!
//! ```text
//! empty(directory): reads the directory, processes all entries that are not directories, and queues the directories
//! visit(directory): takes one child from the queue and empties it; if more are queued and directory is kept open,
//!                   first spawns another visit(directory)
//! release:          the last worker in a directory processes the directory itself, then releases the parent
//! ```
//!
//! A directory stays open until its last child is done, because each child is deleted relative to it. If too many
//! directories are open, a directory is closed once its first child is open. Its children are then emptied one at a
//! time. After each child, the directory is reopened through the child's `..`, which must lead to the same inode. As a
//! result, a chain of directories of any depth needs only a few descriptors, and one `..` per level.
//!
//! Invariant: every directory below a selected one is opened without following a link or crossing a mount, relative to
//! its parent or, when it is reopened, to its child. Every claim on a directory ([`Node::claims`]) is released exactly
//! once.

mod node;

use std::ffi::{CStr, CString};

use rayon::Scope;

use super::{DeleteScope, Failures, Group, Item, Reason, Selection};
use crate::base::kind::Kind;
use crate::base::sync::{Arc, Mutex, Ordering, lock};
use crate::platform::process::descriptors::{Descriptors, wait_for_descriptors};
use crate::platform::process::io_policy;
use crate::platform::{Attributes, Boundary, Buffer, DirEntry, Directory, Errno, Filled, Reader};
use crate::tree::join;
use node::{Above, Node};

/// Maximum number of directories kept open. The limit leaves descriptors for a concurrent scan.
const MOST_OPEN: usize = 256;
/// Maximum number of times a directory is read again if it is not empty after its entries were deleted.
const ROUNDS: u32 = 16;

/// Result of visiting an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The entry was deleted.
    Gone,
    /// The entry is kept on purpose.
    Stays,
}

/// Actions on the entries that a walk visits. `item` is the index of the selected item that is or contains the entry.
pub trait Visitor: Sync {
    /// Permissions of a directory, which are read before its entries are visited.
    type Rights: Send + Sync;
    /// Reads the permissions of a directory.
    fn rights(&self, at: &Directory) -> Self::Rights;
    /// Deletes or counts an entry that is not a directory.
    fn visit(
        &self,
        at: At<'_, Self::Rights>,
        name: &CStr,
        found: &Attributes,
        item: usize,
    ) -> Result<Disposition, Errno>;
    /// Called when the walk enters a directory.
    fn enter(&self, found: &Attributes, item: usize);
    /// Called when all entries of a directory are done. Deletes or counts the directory itself.
    fn leave(
        &self,
        above: &Directory,
        name: &CStr,
        found: &Attributes,
        item: usize,
    ) -> Result<Disposition, Errno>;
    /// Called for each entry that cannot be deleted or read.
    fn fail(&self, item: usize, reason: Reason);
    /// Called when an item has been completed without failures.
    fn finish(&self, item: usize);
}

pub struct At<'d, R> {
    pub directory: &'d Directory,
    pub rights: &'d R,
}

impl<R> Clone for At<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for At<'_, R> {}

pub struct Walk<'w, A> {
    act: &'w A,
    selection: &'w Selection,
    is_cancelled: &'w (dyn Fn() -> bool + Sync),
    descriptors: Descriptors,
    buffers: Mutex<Vec<Buffer>>,
    failures: &'w Mutex<Failures>,
}

impl<'w, A: Visitor> Walk<'w, A> {
    /// Creates a walk for `threads` threads.
    pub fn new(
        act: &'w A,
        selection: &'w Selection,
        is_cancelled: &'w (dyn Fn() -> bool + Sync),
        failures: &'w Mutex<Failures>,
        threads: usize,
    ) -> Self {
        let (descriptors, _) = Descriptors::new(threads);
        Self { act, selection, is_cancelled, descriptors, buffers: Mutex::default(), failures }
    }

    /// Visits the whole selection, using the threads of `pool`.
    pub fn run(&'w self, pool: &rayon::ThreadPool) {
        pool.broadcast(|_| io_policy::refuse());
        pool.in_place_scope(|scope| {
            let mut first = 0;
            for group in &self.selection.groups {
                self.begin_group(scope, group, first);
                first += group.items.len();
            }
        });
        pool.broadcast(|_| io_policy::as_the_process());
    }

    fn begin_group<'s>(&'w self, scope: &Scope<'s>, group: &'w Group, first: usize)
    where
        'w: 's,
    {
        scope.spawn(move |scope| match group.open() {
            Ok(directory) => {
                let directory = Arc::new(directory);
                let rights = self.act.rights(&directory);
                let at = At { directory: &directory, rights: &rights };
                for (number, item) in group.items.iter().enumerate().rev() {
                    if self.is_cancelled() {
                        return;
                    }
                    if item.kind == Kind::Directory {
                        let directory = Arc::clone(&directory);
                        scope.spawn(move |scope| self.begin(scope, group, item, first + number, directory));
                    } else {
                        self.visit_selected(group, item, first + number, at);
                    }
                }
            }
            Err(reason) => {
                for (number, item) in group.items.iter().enumerate() {
                    self.fail(first + number, || group.path_of(item), reason);
                }
            }
        });
    }

    /// Processes a selected entry that is not a directory. If the entry was changed or replaced (see
    /// [`Item::is_still`]), only records the failure [`Reason::Changed`].
    fn visit_selected(&self, group: &Group, item: &Item, number: usize, at: At<'_, A::Rights>) {
        let path = || group.path_of(item);
        let Ok(name) = CString::new(item.name.as_slice()) else { return };
        match at.directory.identity_of(name.as_c_str()) {
            Ok(now) if item.is_still(&now) => match self.act.visit(at, &name, &now.attributes, number) {
                Ok(_) => self.act.finish(number),
                Err(error) => self.fail(number, path, error.into()),
            },
            Ok(_) => self.fail(number, path, Reason::Changed),
            Err(error) => self.fail(number, path, error.into()),
        }
    }

    /// Begins walking a selected directory, unless another entry has taken its place.
    fn begin<'s>(
        &'w self,
        scope: &Scope<'s>,
        group: &'w Group,
        item: &'w Item,
        number: usize,
        directory: Arc<Directory>,
    ) where
        'w: 's,
    {
        if self.is_cancelled() {
            return;
        }
        let path = || group.path_of(item);
        let Ok(name) = CString::new(item.name.as_slice()) else { return };
        // Unlike other directories, a root is opened even if it is a symbolic link or a mount point. Only the
        // contents of a root can be selected, so the link or the mount point itself is never deleted.
        let opened = if group.steps.is_empty() {
            open_root(&item.name)
        } else {
            wait_for_descriptors(|| directory.open_inside(name.as_c_str()))
        };
        match opened.and_then(|inside| Ok((inside.identity()?, inside))) {
            Ok((now, inside)) if item.is_still(&now) => {
                let found = now.attributes;
                // If only the contents of the directory are selected, the directory itself is not deleted or counted.
                if self.selection.scope == DeleteScope::Whole {
                    self.act.enter(&found, number);
                }
                let node = Node::new(Above::Selected(directory), name, found, number);
                self.empty(scope, Arc::new(node), inside);
            }
            Ok(_) | Err(Errno::ENOTDIR | Errno::ELOOP) => self.fail(number, path, Reason::Changed),
            Err(Errno::EDEADLK) => match directory.identity_of(name.as_c_str()) {
                Ok(now) if item.is_still(&now) => match self.visit_dataless(&directory, &name, number) {
                    Ok(()) => self.act.finish(number),
                    Err(error) => self.fail(number, path, error.into()),
                },
                Ok(_) => self.fail(number, path, Reason::Changed),
                Err(error) => self.fail(number, path, error.into()),
            },
            Err(error) => self.fail(number, path, error.into()),
        }
    }

    /// Deletes or counts a directory that could not be opened (`EDEADLK`), if its contents are only in the cloud.
    /// Otherwise, or if only the contents of the selected directories are to be deleted, returns `EDEADLK`.
    fn visit_dataless(&self, above: &Directory, name: &CStr, item: usize) -> Result<(), Errno> {
        let found = above.attributes_of(name)?;
        if found.border != Boundary::Dataless || self.selection.scope == DeleteScope::Content {
            return Err(Errno::EDEADLK);
        }
        self.act.enter(&found, item);
        self.act.leave(above, name, &found, item).map(drop)
    }

    fn open(directory: &Directory, name: &CStr) -> Result<(Directory, Attributes), Errno> {
        let inside = wait_for_descriptors(|| directory.open_inside(name))?;
        let found = inside.attributes()?;
        Ok((inside, found))
    }

    /// Processes a directory's entries, spawns work for its child directories, and releases one of [`Node::claims`].
    fn empty<'s>(&'w self, scope: &Scope<'s>, node: Arc<Node<'w>>, directory: Directory)
    where
        'w: 's,
    {
        let directories = self.read(&node, &directory);
        let directory = Arc::new(directory);
        if directories.is_empty() {
            return self.release(scope, node, Some(directory));
        }
        let count = u32::try_from(directories.len()).unwrap_or(u32::MAX);
        node.claims.fetch_add(count, Ordering::Relaxed);
        if self.descriptors.suffice() && self.descriptors.count() < MOST_OPEN {
            // When a directory is read again, `kept` may already be set. The error that `set` then returns is ignored.
            drop(node.kept.set(self.descriptors.hold(Arc::clone(&directory))));
        }
        *lock(&node.waiting) = directories;
        scope.spawn(move |scope| self.visit(scope, node, directory));
    }

    /// Processes all entries of a directory except child directories, and returns the names of the child directories in
    /// reverse order.
    fn read(&self, node: &Node<'w>, directory: &Directory) -> Vec<CString> {
        let mut buffer = lock(&self.buffers).pop().unwrap_or_default();
        let mut reader = Reader::new(directory);
        let rights = self.act.rights(directory);
        let at = At { directory, rights: &rights };
        let mut directories = Vec::new();
        'all: loop {
            match reader.fill(&mut buffer) {
                Ok(Filled::Some) => {}
                Ok(Filled::End) => break,
                Err(error) => {
                    self.fail_in(node, None, error.into());
                    break;
                }
            }
            for entry in buffer.entries() {
                if self.is_cancelled() {
                    node.set_kept();
                    break 'all;
                }
                if entry.hint == Kind::Directory || !self.visit_entry(node, at, &buffer, &entry) {
                    directories.push(entry.name.to_owned());
                }
            }
        }
        lock(&self.buffers).push(buffer);
        if self.is_cancelled() {
            node.set_kept();
            directories.clear();
        }
        directories.reverse();
        directories
    }

    /// Processes an entry and returns `true`. For a directory, does nothing and returns `false`.
    fn visit_entry(
        &self,
        node: &Node<'w>,
        at: At<'_, A::Rights>,
        buffer: &Buffer,
        entry: &DirEntry<'_>,
    ) -> bool {
        match buffer.attributes_on(node.found.device, at.directory, entry) {
            Ok(found) if found.is_directory() => return false,
            Ok(found) => match self.act.visit(at, entry.name, &found, node.item) {
                Ok(_) => {}
                // Another process has just replaced the entry with a directory. `false` makes the caller queue it.
                Err(Errno::EISDIR) => return false,
                Err(error) => self.fail_in(node, Some(entry.name), error.into()),
            },
            Err(error) => self.fail_in(node, Some(entry.name), error.into()),
        }
        true
    }

    /// Processes the node's next queued child directory, and releases one of the node's claims ([`Node::claims`]).
    fn visit<'s>(&'w self, scope: &Scope<'s>, node: Arc<Node<'w>>, directory: Arc<Directory>)
    where
        'w: 's,
    {
        if node.kept.get().is_some() && lock(&node.waiting).len() > 1 {
            node.claims.fetch_add(1, Ordering::Relaxed);
            let (node, directory) = (Arc::clone(&node), Arc::clone(&directory));
            scope.spawn(move |scope| self.visit(scope, node, directory));
        }
        if let Some((child, inside)) = self.next(&node, &directory) {
            self.empty(scope, child, inside);
        }
        self.release(scope, node, Some(directory));
    }

    /// Opens the next queued child directory; `None` if none is left. The caller must hold one of [`Node::claims`].
    fn next(&self, node: &Arc<Node<'w>>, directory: &Directory) -> Option<(Arc<Node<'w>>, Directory)> {
        loop {
            if self.is_cancelled() {
                node.abandon();
            }
            let name = lock(&node.waiting).pop()?;
            match Self::open(directory, &name) {
                Ok((inside, found)) => {
                    self.act.enter(&found, node.item);
                    let above = Above::Node(Arc::clone(node));
                    return Some((Arc::new(Node::new(above, name, found, node.item)), inside));
                }
                Err(Errno::ENOTDIR | Errno::ELOOP) => self.visit_again(node, directory, &name),
                Err(Errno::EDEADLK) => {
                    if let Err(error) = self.visit_dataless(directory, &name, node.item) {
                        self.fail_in(node, Some(&name), error.into());
                    }
                }
                Err(error) => self.fail_in(node, Some(&name), error.into()),
            }
            node.claims.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Processes an entry that was reported as a directory but is not one.
    fn visit_again(&self, node: &Node<'w>, directory: &Directory, name: &CStr) {
        let rights = self.act.rights(directory);
        let at = At { directory, rights: &rights };
        let done = directory
            .attributes_of(name)
            .and_then(|found| self.act.visit(at, name, &found, node.item).map(drop));
        if let Err(error) = done {
            self.fail_in(node, Some(name), error.into());
        }
    }

    /// Releases one of the node's claims ([`Node::claims`]). `directory` is the directory of the node, if it is open.
    /// The worker that releases the last claim processes the directory and continues with its parent.
    fn release<'s>(&'w self, scope: &Scope<'s>, node: Arc<Node<'w>>, directory: Option<Arc<Directory>>)
    where
        'w: 's,
    {
        let (mut node, mut directory) = (node, directory);
        // `AcqRel` makes the writes of all other workers visible to the worker that releases the last claim.
        while node.claims.fetch_sub(1, Ordering::AcqRel) == 1 {
            let above = node.above(directory.as_deref());
            if !node.is_kept()
                && let Some(again) = self.leave(&node, above.as_deref())
            {
                node.claims.store(1, Ordering::Relaxed);
                scope.spawn(move |scope| self.empty(scope, node, again));
                return;
            }
            let parent = match &node.above {
                Above::Node(parent) => Arc::clone(parent),
                Above::Selected(_) if node.is_kept() => return,
                Above::Selected(_) => return self.act.finish(node.item),
            };
            if node.is_kept() {
                parent.set_kept();
            }
            if parent.kept.get().is_none() {
                match &above {
                    Some(above) => {
                        if let Some((child, inside)) = self.next(&parent, above) {
                            scope.spawn(move |scope| self.empty(scope, child, inside));
                        }
                    }
                    None => parent.abandon(),
                }
            }
            (node, directory) = (parent, above);
        }
    }

    /// Deletes or counts a directory whose entries are done. Skips a selected directory if only its contents are to be
    /// deleted. If the directory has new entries, opens and returns it, so that the caller can process them.
    fn leave(&self, node: &Node<'w>, above: Option<&Directory>) -> Option<Directory> {
        let Some(above) = above else {
            self.fail_in(node, None, Reason::Changed);
            return None;
        };
        let is_selected = matches!(node.above, Above::Selected(_));
        if is_selected && self.selection.scope == DeleteScope::Content {
            return None;
        }
        if is_selected && above.attributes_of(node.name.as_c_str()).is_ok_and(|found| !node.is(&found)) {
            self.fail_in(node, None, Reason::Changed);
            return None;
        }
        match self.act.leave(above, &node.name, &node.found, node.item) {
            Ok(_) => None,
            Err(Errno::ENOTEMPTY | Errno::EEXIST) if node.rounds.fetch_add(1, Ordering::Relaxed) < ROUNDS => {
                match Self::open(above, &node.name) {
                    Ok((inside, found)) if node.is(&found) => Some(inside),
                    Ok(_) => {
                        self.fail_in(node, None, Reason::Changed);
                        None
                    }
                    Err(error) => {
                        self.fail_in(node, None, error.into());
                        None
                    }
                }
            }
            Err(error) => {
                self.fail_in(node, None, error.into());
                None
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        (self.is_cancelled)()
    }

    /// Records a failure for the entry `name` of the node, or for the node itself if `name` is `None`. Does nothing
    /// if the entry no longer exists.
    fn fail_in(&self, node: &Node<'w>, name: Option<&CStr>, reason: Reason) {
        if reason.is_missing() {
            return;
        }
        node.set_kept();
        let path = || {
            let mut names: Vec<&[u8]> = node.ancestry().map(|node| node.name.to_bytes()).collect();
            names.reverse();
            let group = self.selection.items().nth(node.item).map(|(group, _)| group.path());
            let names = group.iter().map(Vec::as_slice).chain(names);
            join(names.chain(name.map(CStr::to_bytes)))
        };
        self.fail(node.item, path, reason);
    }

    fn fail(&self, item: usize, path: impl FnOnce() -> Vec<u8>, reason: Reason) {
        if reason.is_missing() {
            return;
        }
        self.act.fail(item, reason);
        lock(self.failures).push(path, reason);
    }
}

fn open_root(path: &[u8]) -> Result<Directory, Errno> {
    use std::os::unix::ffi::OsStrExt;
    wait_for_descriptors(|| Directory::open(std::path::Path::new(std::ffi::OsStr::from_bytes(path))))
}
