//! The names of an inode, as they are met one by one by several workers.
//!
//! Invariant: all are met when as many were as any of them said there are, in whatever order that is told.

/// Those of one inode.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    most: u64,
    met: u64,
}

impl Names {
    /// One more was met, which was one of `links`. Whether it was the last.
    pub(super) fn meet(&mut self, links: u64) -> bool {
        self.most = self.most.max(links);
        self.met += 1;
        self.are_all_met()
    }

    /// Whether none is left.
    pub(super) fn are_all_met(self) -> bool {
        self.met >= self.most
    }
}
