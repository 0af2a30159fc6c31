//! Plan of a search for exclusive sizes: the parts of directory listings that the threads handle, and all names of
//! files with hard links. A node is the number of a file or directory in [`NodeNumbers`].

use crate::base::sync::Arc;
use crate::tree::{
    DirId, Entry, EntryState, Exclusion, FileKey, InodeKey, Listing, Metadata, Node, NodeNumbers, Tree, Walk,
};

/// Length in bytes of the part of a listing that one thread handles at a time.
const PART: u64 = 1 << 13;

/// Part of a directory's listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) directory: DirId,
    part: u32,
}

/// One name of an inode that has several names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedInode {
    pub(super) inode: InodeKey,
    /// Node of this name in [`NodeNumbers`]. Each name has a node of its own, even if several names of the inode are in
    /// the same directory.
    pub(super) node: Node,
    /// Link count reported by the file system.
    pub(super) count: u64,
}

/// Plan of a search for exclusive sizes. Does not change while the search runs.
pub(crate) struct ExtentPlan {
    pub(crate) tree: Arc<Tree>,
    pub(crate) numbers: Arc<NodeNumbers>,
    pub(crate) pieces: Vec<Piece>,
    /// Number of files that have a node in `numbers`.
    pub(crate) files: u64,
    /// All names of inodes with several names, sorted by inode.
    pub(super) named: Vec<NamedInode>,
}

/// File whose extents are to be read, and its node.
pub(crate) struct PlannedFile<'t> {
    pub(crate) node: Node,
    pub(crate) entry: Entry<'t>,
    pub(crate) metadata: Metadata,
}

impl ExtentPlan {
    pub(crate) fn new(tree: Arc<Tree>) -> Self {
        let (mut files, mut named) = (0, Vec::new());
        let numbers = NodeNumbers::new(&tree, |node, _, metadata| {
            files += 1;
            if let (Some(inode), Some(links)) = (metadata.linked_inode(), metadata.several_names()) {
                named.push(NamedInode { inode, node, count: links.count });
            }
        });
        named.sort_unstable();
        let pieces = Walk::new(&tree, DirId::TOP).flat_map(|(directory, listing)| {
            (0..).zip(listing.split(PART)).map(move |(part, _)| Piece { directory, part })
        });
        let pieces = pieces.collect();
        Self { numbers: Arc::new(numbers), pieces, files, named, tree }
    }

    /// Returns the entries of a piece, as a listing.
    pub(crate) fn part(&self, piece: Piece) -> Listing<'_> {
        let parts = self.tree.listing(piece.directory).split(PART);
        parts.into_iter().nth(piece.part as usize).unwrap_or_default()
    }

    /// Returns the files in `part`, which is a part of the listing of `directory`. Skips files without a node in
    /// [`ExtentPlan::numbers`], such as files that take no space.
    pub(crate) fn files<'p>(
        &'p self,
        directory: DirId,
        part: &'p Listing<'p>,
    ) -> impl Iterator<Item = PlannedFile<'p>> + 'p {
        part.entries().filter_map(move |(_, entry)| {
            let EntryState::Known(metadata) = entry.state else { return None };
            let file = metadata.directory.is_none() && metadata.blocks > 0;
            let node = file.then(|| self.numbers.file(directory, FileKey::from(&metadata))).flatten()?;
            Some(PlannedFile { node, entry, metadata })
        })
    }

    /// Returns the nodes of all names of the file's inode. [`NodeNumbers::OUTSIDE`] stands for names outside the tree.
    pub(crate) fn names_of(&self, file: &PlannedFile<'_>, links: u64) -> Vec<Node> {
        let inode = file.metadata.linked_inode().filter(|_| file.metadata.several_names().is_some());
        let known = inode.map_or(&[][..], |inode| {
            let first = self.named.partition_point(|name| name.inode < inode);
            let rest = &self.named[first..];
            &rest[..rest.partition_point(|name| name.inode == inode)]
        });
        let mut names: Vec<Node> = known.iter().map(|name| name.node).collect();
        if names.is_empty() {
            names.push(file.node);
        }
        let count = known.iter().map(|name| name.count).max().unwrap_or(1).max(links);
        if (names.len() as u64) < count {
            names.push(NodeNumbers::OUTSIDE);
        }
        names
    }

    /// Returns `true` if this part of the directory contains entries that the scan did not read. Deleting the
    /// directory may then free more than the known entries occupy.
    pub(crate) fn is_incomplete(directory: DirId, part: &Listing<'_>) -> bool {
        // `OtherFileSystem` is in the list because the entry may be a btrfs subvolume, which is deleted together with
        // the directory that contains it.
        let is_unread = |entry: &Entry<'_>| match entry.state {
            EntryState::Known(_) => false,
            EntryState::Failed(_) => true,
            EntryState::Excluded(exclusion) => matches!(
                exclusion,
                Exclusion::Pattern
                    | Exclusion::OtherFileSystem
                    | Exclusion::Caches
                    | Exclusion::SecondLink
                    | Exclusion::OtherPart
            ),
        };
        directory != DirId::TOP && part.entries().any(|(_, entry)| is_unread(&entry))
    }
}
