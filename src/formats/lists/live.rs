//! Tree that can be shown while its list is still being read. Used only for the lists that duke itself requests from
//! rclone. These contain no directories, because duke passes `--files-only`.
//!
//! Other lists can be shown only after the whole list has been read, because the line for a directory may follow the
//! lines for the entries in it.
//!
//! ```text
//! path   a/b/c.txt  ->  directories a and a/b are created with their first file
//! page   unpublished entries of a directory; published when the page is long, and periodically
//! ```
//!
//! Lines with the same path describe separate files, because some stores have several objects with the same name.
//!
//! Invariant: every directory is released exactly once, by [`LiveTree::finish`].

use std::collections::HashMap;

use super::entry_line::EntryLine;
use super::path_tree::names;
use super::value::LineError;
use crate::base::kind::Kind;
use crate::formats::builder::{Builder, Counts, DirectoryStart, SEGMENT, Sizes, UNREADABLE};
use crate::tree::{Batch, DirId, Entry, Metadata, Page, StorageClasses, Tree};

/// Maximum number of directories with unpublished entries, not counting the current directory.
const MOST_PAGES: usize = 64;

/// Tree of the files in a list, built while the list is read.
pub(crate) struct LiveTree<'t> {
    tree: &'t Tree,
    batch: Batch,
    device: u32,
    /// Directories by their paths. The path of the root is empty.
    directories: HashMap<Vec<u8>, DirId>,
    /// Unpublished entries of every directory except the current directory.
    pages: HashMap<DirId, Page>,
    current: DirId,
    counts: Counts,
}

impl<'t> LiveTree<'t> {
    /// Creates the tree's root, which remains incomplete until [`LiveTree::finish`].
    pub(crate) fn new(tree: &'t Tree, builder: &mut Builder<'t>, name: &[u8], host: u32) -> Self {
        let device = tree.devices().of_host(host).index(0);
        let metadata = Metadata::default();
        builder.enter(&DirectoryStart { name, metadata, sizes: Sizes::Own, device, is_read: true });
        let root = builder.current();
        tree.claim(root, 1);
        builder.publish();
        builder.leave();
        Self {
            tree,
            batch: Batch::default(),
            device,
            directories: HashMap::from([(Vec::new(), root)]),
            pages: HashMap::new(),
            current: root,
            counts: Counts::default(),
        }
    }

    pub(crate) fn storage_classes(&self) -> &StorageClasses {
        self.tree.storage_classes()
    }

    /// Adds the file or directory that a line describes.
    pub(crate) fn add(&mut self, line: &EntryLine) -> Result<(), LineError> {
        let names: Vec<&[u8]> = names(&line.path).collect();
        if names.contains(&&b".."[..]) {
            return Err("the path contains '..'".into());
        }
        let kind = line.facts.kind().unwrap_or(Kind::File);
        let (name, above) = match names.split_last() {
            Some((name, above)) if kind != Kind::Directory => (name, above),
            _ => {
                self.directory(&names);
                return Ok(());
            }
        };
        let directory = self.directory(above);
        self.turn_to(directory);
        let entry = Entry { name, kind, state: line.facts.state() };
        self.counts.add(&entry);
        self.batch.push(directory, &entry);
        if self.batch.page().length() >= SEGMENT {
            self.seal();
        }
        Ok(())
    }

    /// Returns the directory with this path, creating it and its ancestors if necessary.
    fn directory(&mut self, names: &[&[u8]]) -> DirId {
        let path = names.join(&b'/');
        if let Some(known) = self.directories.get(&path) {
            return *known;
        }
        let mut parent = self.root();
        for (index, name) in names.iter().enumerate() {
            let path = names[..=index].join(&b'/');
            parent = match self.directories.get(&path) {
                Some(known) => *known,
                None => self.create(parent, path, name),
            };
        }
        parent
    }

    fn create(&mut self, parent: DirId, path: Vec<u8>, name: &[u8]) -> DirId {
        self.turn_to(parent);
        let id = self.batch.push_directory(self.tree, parent, name, Metadata::default(), self.device);
        self.tree.begin(id);
        self.counts.entries += 1;
        self.directories.insert(path, id);
        id
    }

    /// Makes the page of `directory` the current page.
    fn turn_to(&mut self, directory: DirId) {
        if directory == self.current {
            return;
        }
        if self.pages.len() >= MOST_PAGES {
            self.publish();
        }
        let page = self.pages.remove(&directory).unwrap_or_else(Page::small);
        let before = self.batch.turn(page);
        if !before.is_empty() {
            self.pages.insert(self.current, before);
        }
        self.current = directory;
    }

    /// Publishes all entries that have not been published yet.
    pub(crate) fn publish(&mut self) {
        self.seal();
        for (directory, page) in std::mem::take(&mut self.pages) {
            self.batch.turn(page);
            self.current = directory;
            self.seal();
        }
    }

    /// Publishes the entries that were collected for the current directory.
    fn seal(&mut self) {
        if let Some(sealed) = self.batch.seal(self.tree, self.current) {
            self.tree.publish(&mut self.batch, self.current, &sealed);
        }
    }

    /// Sets a read error for the root. Used if the program that wrote the list failed.
    pub(crate) fn fail(&mut self) {
        self.counts.errors += 1;
        self.tree.fail(self.root(), UNREADABLE);
    }

    /// Marks the root as partial. Used if the user stops the import.
    pub(crate) fn stop(&self) {
        self.tree.stop(self.root());
    }

    fn root(&self) -> DirId {
        self.directories[&Vec::new()]
    }

    /// Completes the tree, and returns the counts of its entries, bytes and errors.
    pub(crate) fn finish(mut self) -> Counts {
        self.publish();
        for (_, directory) in self.directories.drain() {
            self.tree.release(directory);
        }
        self.counts
    }
}
