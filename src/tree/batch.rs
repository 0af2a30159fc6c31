//! Buffers of a worker that builds a tree; see `build`.

use super::directory::{DirId, Totals};
use super::encoding::Draft;
use super::inodes::LinkedName;
use crate::platform::memory::arena::Writer;

/// Buffers in which one worker collects entries for one tree.
#[derive(Default)]
pub struct Batch {
    pub(super) page: Page,
    pub(super) writer: Writer,
    pub(super) numbers: Vec<u32>,
    /// Names of inodes with several links that were read since the last call of [`Batch::take_linked`].
    pub(super) linked: Vec<LinkedName>,
}

/// Entries of one directory that have not been sealed yet.
#[derive(Default)]
pub struct Page {
    pub(super) draft: Draft,
    pub(super) sum: Totals,
    /// Disk usage of the child directories among the entries, excluding their contents.
    pub(super) children_disk: u64,
    /// `true` if the entries include names of inodes with several links.
    pub(super) has_links: bool,
    /// Child directories among the entries, each with the position of its entry in the draft. The scan will read the
    /// directories in this order.
    pub(super) children: Vec<(DirId, usize)>,
    /// Number of directories that [`Batch::move_up_last_directory`] has moved to the beginning of `children`.
    pub(super) urgent: usize,
    /// For each entry that could not be read: its position in the draft, and its error number.
    pub(super) failed: Vec<(usize, i32)>,
}

impl Page {
    /// Creates a page that allocates memory only as it grows, for callers with many pages.
    pub fn small() -> Self {
        Self { draft: Draft::small(), ..Self::default() }
    }

    /// Returns `true` if the page has no entries.
    pub fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    /// Returns the size of the encoded entries in bytes.
    pub fn length(&self) -> usize {
        self.draft.length()
    }
}
