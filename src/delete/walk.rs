//! Going through everything that is selected: to look at it, or to remove it.
//!
//! ```text
//! empty(directory): read it; what is no directory is acted on at once, the directories wait
//! visit(directory): spawn visit(directory) for the next one that waits, empty(one that waits)
//! release:          the last one out of a directory acts on the directory itself, then leaves the one above
//! ```
//!
//! A directory stays open until its last child is done, for the child's name is removed in it. When too many are open, a
//! directory closes as soon as its first child is, its children take turns, and who is done with a child comes back through
//! the child's `..`, which must be the same inode. So a chain of any depth takes a few descriptors and one step up for each
//! step down.
//!
//! Knows not what is done. Invariant: every descriptor was opened relative to the one above it without following a link or
//! crossing a mount, and every claim is released once.

mod node;

use std::ffi::{CStr, CString};

use rayon::Scope;

use super::{Extent, Failures, Group, Item, Reason, Selection};
use crate::kind::Kind;
use crate::platform::descriptors::{Descriptors, wait_for_descriptors};
use crate::platform::{Attributes, Buffer, Directory, Entry, Errno, Filled, Reader, cloud};
use crate::sync::{Arc, Mutex, Ordering, lock};
use crate::tree::join;
use node::{Above, Node};

/// Directories that stay open at most, so that a scan beside has some too.
const MOST_OPEN: usize = 256;
/// How often a directory is read again when it was emptied and is not empty.
const ROUNDS: u32 = 16;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is gone.
    Gone,
    /// It stays, as it was meant to.
    Stays,
}

/// What is done with what a walk meets. `item` is the number of the selected item it is, or lies in.
pub(super) trait Act: Sync {
    /// Meets anything but a directory.
    fn meet(&self, at: &Directory, name: &CStr, found: &Attributes, item: usize) -> Result<Fate, Errno>;
    /// Enters a directory.
    fn enter(&self, directory: &Directory, found: &Attributes, item: usize);
    /// Leaves a directory in which nothing is left to do.
    fn leave(&self, above: &Directory, name: &CStr, found: &Attributes, item: usize) -> Result<Fate, Errno>;
    /// Something stays that should not.
    fn fail(&self, item: usize);
    /// An item is done: nothing of it stays that should not.
    fn finish(&self, item: usize);
}

/// A walk through a selection.
pub(super) struct Walk<'w, A> {
    act: &'w A,
    selection: &'w Selection,
    is_cancelled: &'w (dyn Fn() -> bool + Sync),
    descriptors: Descriptors,
    buffers: Mutex<Vec<Buffer>>,
    failures: &'w Mutex<Failures>,
}

impl<'w, A: Act> Walk<'w, A> {
    /// A walk for so many threads.
    pub(super) fn new(
        act: &'w A,
        selection: &'w Selection,
        is_cancelled: &'w (dyn Fn() -> bool + Sync),
        failures: &'w Mutex<Failures>,
        threads: usize,
    ) -> Self {
        let (descriptors, _) = Descriptors::new(threads);
        Self { act, selection, is_cancelled, descriptors, buffers: Mutex::default(), failures }
    }

    /// Goes through everything, on the threads of `pool`.
    pub(super) fn run(&'w self, pool: &rayon::ThreadPool) {
        pool.broadcast(|_| cloud::refuse());
        pool.in_place_scope(|scope| {
            let mut first = 0;
            for group in &self.selection.groups {
                self.begin_group(scope, group, first);
                first += group.items.len();
            }
        });
        pool.broadcast(|_| cloud::as_the_process());
    }

    fn begin_group<'s>(&'w self, scope: &Scope<'s>, group: &'w Group, first: usize)
    where
        'w: 's,
    {
        scope.spawn(move |scope| match group.open() {
            Ok(directory) => {
                let directory = Arc::new(directory);
                for (number, item) in group.items.iter().enumerate().rev() {
                    if self.is_cancelled() {
                        return;
                    }
                    if item.kind == Kind::Directory {
                        let directory = Arc::clone(&directory);
                        scope.spawn(move |scope| self.begin(scope, group, item, first + number, directory));
                    } else {
                        self.meet_selected(group, item, first + number, &directory);
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

    /// Acts on a selected entry that is no directory, if it still is what was selected.
    fn meet_selected(&self, group: &Group, item: &Item, number: usize, directory: &Directory) {
        let path = || group.path_of(item);
        let Ok(name) = CString::new(item.name.as_slice()) else { return };
        match directory.attributes_of(name.as_c_str()) {
            Ok(found) if item.is_still(&found) => match self.act.meet(directory, &name, &found, number) {
                Ok(_) => self.act.finish(number),
                Err(error) => self.fail(number, path, error.into()),
            },
            Ok(_) => self.fail(number, path, Reason::Changed),
            Err(error) => self.fail(number, path, error.into()),
        }
    }

    /// Begins with a selected directory, if it still is what was selected.
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
        // A root may be reached by a symbolic link and be a mount: only what lies in it is meant then.
        let opened =
            if group.steps.is_empty() { open_root(&item.name) } else { Self::open(&directory, &name) };
        match opened {
            Ok((inside, found)) if item.is_still(&found) => {
                // One that is to be kept is no entry that would go.
                if self.selection.extent == Extent::Whole {
                    self.act.enter(&inside, &found, number);
                }
                let node = Node::new(Above::Selected(directory), name, found, number);
                self.empty(scope, Arc::new(node), inside);
            }
            Ok(_) | Err(Errno::ENOTDIR | Errno::ELOOP) => self.fail(number, path, Reason::Changed),
            Err(error) => self.fail(number, path, error.into()),
        }
    }

    fn open(directory: &Directory, name: &CStr) -> Result<(Directory, Attributes), Errno> {
        let inside = wait_for_descriptors(|| directory.open_inside(name))?;
        let found = inside.attributes()?;
        Ok((inside, found))
    }

    /// Reads a directory, acts on what it finds and lets others go on with its directories. Takes one claim on the node.
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
            // In a second round it is kept already.
            drop(node.kept.set(self.descriptors.hold(Arc::clone(&directory))));
        }
        *lock(&node.waiting) = directories;
        scope.spawn(move |scope| self.visit(scope, node, directory));
    }

    /// Acts on everything in a directory but its directories, which are returned, the first one last.
    fn read(&self, node: &Node<'w>, directory: &Directory) -> Vec<CString> {
        let mut buffer = lock(&self.buffers).pop().unwrap_or_default();
        let mut reader = Reader::new(directory);
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
                    node.set_stays();
                    break 'all;
                }
                if entry.hint == Kind::Directory || !self.meet(node, directory, &buffer, &entry) {
                    directories.push(entry.name.to_owned());
                }
            }
        }
        lock(&self.buffers).push(buffer);
        if self.is_cancelled() {
            node.set_stays();
            directories.clear();
        }
        directories.reverse();
        directories
    }

    /// Acts on an entry; false if it is a directory.
    fn meet(&self, node: &Node<'w>, at: &Directory, buffer: &Buffer, entry: &Entry<'_>) -> bool {
        match buffer.attributes(at, entry) {
            Ok(found) if found.is_directory() => return false,
            Ok(found) => match self.act.meet(at, entry.name, &found, node.item) {
                Ok(_) => {}
                // It has just become one.
                Err(Errno::EISDIR) => return false,
                Err(error) => self.fail_in(node, Some(entry.name), error.into()),
            },
            Err(error) => self.fail_in(node, Some(entry.name), error.into()),
        }
        true
    }

    /// Goes on with one of the directories that wait. Takes one claim on the node.
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

    /// Opens the next of the directories that wait. The caller has a claim on the node.
    fn next(&self, node: &Arc<Node<'w>>, directory: &Directory) -> Option<(Arc<Node<'w>>, Directory)> {
        loop {
            if self.is_cancelled() {
                node.abandon();
            }
            let name = lock(&node.waiting).pop()?;
            match Self::open(directory, &name) {
                Ok((inside, found)) => {
                    self.act.enter(&inside, &found, node.item);
                    let above = Above::Node(Arc::clone(node));
                    return Some((Arc::new(Node::new(above, name, found, node.item)), inside));
                }
                Err(Errno::ENOTDIR | Errno::ELOOP) => self.meet_again(node, directory, &name),
                Err(error) => self.fail_in(node, Some(&name), error.into()),
            }
            node.claims.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Acts on what was said to be a directory and is none.
    fn meet_again(&self, node: &Node<'w>, directory: &Directory, name: &CStr) {
        let done = directory
            .attributes_of(name)
            .and_then(|found| self.act.meet(directory, name, &found, node.item).map(drop));
        if let Err(error) = done {
            self.fail_in(node, Some(name), error.into());
        }
    }

    /// Gives up a claim on the node; `directory` is it, if it is open. The last one acts on it and goes on above.
    fn release<'s>(&'w self, scope: &Scope<'s>, node: Arc<Node<'w>>, directory: Option<Arc<Directory>>)
    where
        'w: 's,
    {
        let (mut node, mut directory) = (node, directory);
        // AcqRel: see what others have said of the node, and show ours to who comes last.
        while node.claims.fetch_sub(1, Ordering::AcqRel) == 1 {
            let above = node.above(directory.as_deref());
            if !node.stays()
                && let Some(again) = self.leave(&node, above.as_deref())
            {
                node.claims.store(1, Ordering::Relaxed);
                scope.spawn(move |scope| self.empty(scope, node, again));
                return;
            }
            let parent = match &node.above {
                Above::Node(parent) => Arc::clone(parent),
                Above::Selected(_) if node.stays() => return,
                Above::Selected(_) => return self.act.finish(node.item),
            };
            if node.stays() {
                parent.set_stays();
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

    /// Acts on a directory whose content is done. Returns it where there is something in it again.
    fn leave(&self, node: &Node<'w>, above: Option<&Directory>) -> Option<Directory> {
        let Some(above) = above else {
            self.fail_in(node, None, Reason::Changed);
            return None;
        };
        let is_selected = matches!(node.above, Above::Selected(_));
        if is_selected && self.selection.extent == Extent::Content {
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

    /// Says that an entry of the node stays, or the node itself. What has gone by itself is no failure.
    fn fail_in(&self, node: &Node<'w>, name: Option<&CStr>, reason: Reason) {
        if reason.is_gone() {
            return;
        }
        node.set_stays();
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
        if reason.is_gone() {
            return;
        }
        self.act.fail(item);
        lock(self.failures).push(path, reason);
    }
}

/// Opens a root by its path.
fn open_root(path: &[u8]) -> Result<(Directory, Attributes), Errno> {
    use std::os::unix::ffi::OsStrExt;
    let directory =
        wait_for_descriptors(|| Directory::open(std::path::Path::new(std::ffi::OsStr::from_bytes(path))))?;
    let found = directory.attributes()?;
    Ok((directory, found))
}
