//! Trees in files, whose parts are loaded into memory on first use.
//!
//! There are two kinds of files. In a *numbered* file (`numbered`), such as a snapshot, directories have numbers, and
//! their totals are in a table. In a *chained* file (`chained`), such as ncdu's binary export, entries refer to one
//! another by their positions, and a directory gets its number when the listing that contains its entry is loaded.
//!
//! Invariant: no matter what the file contains, the tree is finite, and a walk visits each directory below the top
//! once.

mod chained;
pub mod chains;
mod damage;
mod head;
pub mod listings;
mod numbered;
mod plan;
pub mod rows;

use super::devices::Devices;
use super::directory::{Dir, DirId, Totals};
use super::reading::Tree;
use super::storage_classes::StorageClasses;
use crate::platform::memory::block_file::{BlockFile, Damage};
use chains::{ChainedFile, Chains};
pub use head::ListingHead;
use plan::NumberedFile;
pub(super) use plan::Stored;
pub use plan::{ListingBlock, Plan, ROWS};

impl Stored {
    /// Loads the block of the directory table that begins with directory `first`, and returns the directories in it.
    pub(crate) fn rows(&self, tree: &Tree, first: u32) -> Vec<Dir> {
        match self {
            Self::Numbered(file) => file.rows(tree, first),
            // A file with chains has no directory table, so there is nothing to load here. The data of a directory is
            // set when the listing that contains its entry is loaded.
            Self::Chained(_) => Vec::new(),
        }
    }

    /// Loads the listing of `id`, unless it has already been loaded.
    pub(crate) fn fetch(&self, tree: &Tree, id: DirId) {
        match self {
            Self::Numbered(file) => file.fetch(tree, id),
            Self::Chained(file) => file.fetch(tree, id),
        }
    }

    /// Returns the length in bytes of the block that contains the listing of `id`; 0 if unknown. If the largest entries
    /// of the listing are in a separate block, that block is not counted.
    pub(crate) fn block_length(&self, id: DirId) -> u64 {
        match self {
            Self::Numbered(file) => file.block_length(id),
            Self::Chained(_) => 0,
        }
    }

    /// Loads the disk usage that entries of the directory `id` share with each other.
    pub(crate) fn fetch_shared(&self, tree: &Tree, id: DirId) {
        match self {
            // `status` loads the directory's row, which also contains the number of shared bytes.
            Self::Numbered(_) => _ = tree.status(id),
            Self::Chained(file) => file.fetch(tree, id),
        }
    }

    fn fetch_links(&self, tree: &Tree) {
        match self {
            Self::Numbered(file) => file.fetch_all(tree, |block| block.has_links),
            Self::Chained(file) => file.fetch_all(tree),
        }
    }

    fn fetch_failures(&self, tree: &Tree) {
        match self {
            Self::Numbered(file) => file.fetch_all(tree, |block| block.has_failures),
            Self::Chained(file) => file.fetch_failures(tree),
        }
    }

    fn verify(&self, tree: &Tree) {
        match self {
            Self::Numbered(file) => file.verify(tree),
            Self::Chained(file) => file.fetch_all(tree),
        }
    }

    fn damage(&self) -> Option<Damage> {
        match self {
            Self::Numbered(file) => file.damage(),
            Self::Chained(file) => file.damage(),
        }
    }
}

#[doc(hidden)]
impl Tree {
    /// Returns the number of directories in the snapshot that the tree is loaded from, including the top; 0 for other
    /// trees.
    pub fn stored_directories(&self) -> u32 {
        match self.stored.as_deref() {
            Some(Stored::Numbered(file)) => file.plan.directories,
            Some(Stored::Chained(_)) | None => 0,
        }
    }

    /// Creates the tree stored in `file`, whose blocks are at the positions in `plan`. Does not read any blocks yet.
    pub fn from_file(file: BlockFile, mut plan: Plan) -> Self {
        let devices = Devices::from(std::mem::take(&mut plan.devices));
        let classes = StorageClasses::from(std::mem::take(&mut plan.classes));
        let count = plan.directories;
        Self::empty(count, devices, classes, Some(Box::new(Stored::Numbered(NumberedFile::new(file, plan)))))
    }

    /// Creates a tree that is loaded from `chains` when needed. `root` is the position of the last item in the chain
    /// of the roots. Items may refer to `devices` and `classes` by index. Does not read any chains yet.
    pub fn from_chains(
        chains: Box<dyn Chains>,
        devices: Devices,
        classes: StorageClasses,
        root: u64,
    ) -> Self {
        let file = ChainedFile::new(chains, root);
        let tree = Self::empty(1, devices, classes, Some(Box::new(Stored::Chained(Box::new(file)))));
        tree.set_totals(DirId::TOP, &Totals::default(), 0);
        tree
    }

    /// Reads and checks the whole file from which the tree is loaded, in parallel.
    ///
    /// # Errors
    /// Returns the damage closest to the start of the file, if any.
    pub fn verify(&self) -> Result<(), Damage> {
        self.stored.iter().for_each(|stored| stored.verify(self));
        self.damage().map_or(Ok(()), Err)
    }

    /// Returns `true` if the tree is stored in a snapshot that contains files with several hard links.
    pub(crate) fn has_stored_links(&self) -> bool {
        self.stored.as_deref().is_some_and(|stored| match stored {
            Stored::Numbered(file) => file.plan.listings.iter().any(|block| block.has_links),
            Stored::Chained(_) => false,
        })
    }

    /// Returns the damage that is closest to the start of the file, if any damage has been found so far.
    pub fn damage(&self) -> Option<Damage> {
        self.stored.as_ref()?.damage()
    }

    pub(crate) fn fetch_links(&self) {
        self.stored.iter().for_each(|stored| stored.fetch_links(self));
    }

    pub(crate) fn fetch_failures(&self) {
        self.stored.iter().for_each(|stored| stored.fetch_failures(self));
    }
}
