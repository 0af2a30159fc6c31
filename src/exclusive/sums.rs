//! Sums of exclusive and shared bytes, computed from the files' references to ranges of a volume.
//!
//! Deleting a node frees a byte only if all nodes that refer to the byte are in the subtree of the deleted node. An
//! exclusive byte is therefore counted at the lowest common ancestor of these nodes, and [`ExclusiveSums::finish`] adds
//! the sums of each node to its parent. Nodes are numbered depth-first, so the lowest common ancestor of the first and
//! the last of these nodes is an ancestor of all of them.
//!
//! Invariant: the result does not depend on the order in which references were added. A reference takes 16 bytes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::ranges::{FLAGGED, Known, REPEATED, Reference, SECTOR, SECTORS, TRANSIENT, VolumeRange};
use crate::base::sync::Arc;
use crate::tree::{ExclusiveCoverage, ExclusiveSizes, Node, NodeNumbers, NodeSums};

/// References and sums collected so far.
#[derive(Debug)]
pub struct ExclusiveSums {
    numbers: Arc<NodeNumbers>,
    sums: Vec<NodeSums>,
    volumes: Vec<Vec<Reference>>,
}

impl ExclusiveSums {
    /// Creates sums of zero for all nodes in `numbers`.
    pub fn new(numbers: Arc<NodeNumbers>) -> Self {
        Self { sums: vec![NodeSums::default(); numbers.count()], numbers, volumes: Vec::new() }
    }

    /// Adds a reference from an inode to a range. `names` are the nodes of the inode's names; [`NodeNumbers::OUTSIDE`]
    /// stands for a name outside the tree.
    pub fn refer(&mut self, names: &[Node], range: VolumeRange, known: Known) {
        let missing = (range.volume + 1).saturating_sub(self.volumes.len());
        self.volumes.extend((0..missing).map(|_| Vec::new()));
        let flagged = match known {
            Known::All => 0,
            Known::Some => FLAGGED,
            Known::Transient => TRANSIENT,
            Known::SomeTransient => FLAGGED | TRANSIENT,
        };
        let (mut start, mut left) = (range.start, range.length.div_ceil(SECTOR));
        while left > 0 {
            let length = u32::try_from(left).unwrap_or(u32::MAX).min(SECTORS);
            let references = (0..).zip(names).map(|(index, node)| {
                let repeated = if index == 0 { 0 } else { REPEATED };
                Reference { start, sectors: length | flagged | repeated, node: *node }
            });
            self.volumes[range.volume].extend(references);
            start = start.saturating_add(u64::from(length) * SECTOR);
            left -= u64::from(length);
        }
    }

    /// Adds bytes that belong to a single inode and are not in any range passed to [`Self::refer`]. `names` are the
    /// nodes of the inode's names.
    pub fn hold(&mut self, names: &[Node], bytes: u64) {
        let all = names.iter().min().copied().zip(names.iter().max().copied());
        self.hold_inode(names, bytes, all);
    }

    /// Adds bytes like [`Self::hold`], but not to the lower bound, because the file system may free these bytes before
    /// the inode is deleted.
    pub fn may_hold(&mut self, names: &[Node], bytes: u64) {
        if bytes > 0 {
            self.hold_inode(names, bytes, None);
        }
    }

    fn hold_inode(&mut self, names: &[Node], bytes: u64, lasting: Option<(Node, Node)>) {
        let mut nodes = names.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        self.settle(&nodes, bytes, HeldBytes { is_flagged: false, references: 1, lasting });
    }

    /// Records that deleting `node` may free more bytes than the references show, so there is no known upper bound.
    pub fn mark_as_lower_bound(&mut self, node: Node) {
        self.sums[node as usize].at_most = u64::MAX;
    }

    /// Makes the transient references to a volume permanent, except those of nodes for which `may_disappear` returns
    /// `true`: [`Known::Transient`] becomes [`Known::All`], and [`Known::SomeTransient`] becomes [`Known::Some`].
    pub fn make_permanent(&mut self, volume: usize, may_disappear: impl Fn(Node) -> bool) {
        let references = self.volumes.get_mut(volume).map_or(&mut [][..], Vec::as_mut_slice);
        for reference in references.iter_mut().filter(|it| it.is_transient() && !may_disappear(it.node)) {
            reference.sectors &= !TRANSIENT;
        }
    }

    /// Records that each range of the volume may also have unknown references.
    pub fn doubt(&mut self, volume: usize) {
        for reference in self.volumes.get_mut(volume).into_iter().flatten() {
            reference.sectors |= FLAGGED;
        }
    }

    /// Returns the number of extent references stored for a volume.
    pub fn references(&self, volume: usize) -> usize {
        self.volumes.get(volume).map_or(0, Vec::len)
    }

    /// Returns the total size of the ranges of a volume. Equal ranges count once; different ranges must not overlap.
    /// The volume must have been [compacted](Self::compact).
    pub fn covered(&self, volume: usize) -> u64 {
        let references = self.volumes.get(volume).map_or(&[][..], Vec::as_slice);
        let ranges = references.chunk_by(|one, next| one.start == next.start);
        ranges.map(|range| range[0].length()).fold(0, u64::saturating_add)
    }

    /// Sorts the references to a volume, removes duplicates, and returns the number of remaining references.
    ///
    /// No reference to the volume may be [`Known::Some`] or [`Known::SomeTransient`]. The sums depend on the number of
    /// such references, so duplicates of them must not be removed.
    pub fn compact(&mut self, volume: usize) -> usize {
        let Some(references) = self.volumes.get_mut(volume) else { return 0 };
        references.sort_unstable_by_key(Reference::order);
        references.dedup();
        references.len()
    }

    /// Evaluates the collected references, and returns the sums of all nodes.
    pub fn finish(mut self, coverage: ExclusiveCoverage) -> ExclusiveSizes {
        for mut references in std::mem::take(&mut self.volumes) {
            references.sort_unstable_by_key(Reference::order);
            self.add_volume(&references);
        }
        for node in (1..self.numbers.count()).rev() {
            let below = self.sums[node];
            let above = self.numbers.parent(Node::try_from(node).expect("node numbers fit into 32 bits"));
            self.sums[above as usize].add(&below);
        }
        ExclusiveSizes { numbers: self.numbers, sums: self.sums, coverage }
    }

    /// Adds the sorted references of one volume to the sums, one group of overlapping references at a time.
    fn add_volume(&mut self, mut references: &[Reference]) {
        let mut nodes = Vec::new();
        while let Some(first) = references.first() {
            let mut end = first.end();
            let mut is_even = true;
            let overlaps = |reference: &&Reference| {
                let is_inside = reference.start < end;
                if is_inside {
                    is_even &= (reference.start, reference.end()) == (first.start, first.end());
                    end = end.max(reference.end());
                }
                is_inside
            };
            let count = references.iter().take_while(overlaps).count().max(1);
            let (together, rest) = references.split_at(count);
            if is_even {
                nodes.clear();
                nodes.extend(together.iter().map(|reference| reference.node));
                nodes.dedup();
                let counted = together.iter().filter(|reference| !reference.is_repeated()).count();
                let is_flagged = together.iter().any(Reference::is_flagged);
                let lasting = || together.iter().filter(|it| !it.is_transient()).map(|it| it.node);
                let lasting = lasting().next().zip(lasting().next_back());
                self.settle(&nodes, first.length(), HeldBytes { is_flagged, references: counted, lasting });
            } else {
                Sweep::default().run(self, together);
            }
            references = rest;
        }
    }

    /// Adds `bytes` to the sums. `nodes` are all nodes that refer to these bytes; they must be sorted and distinct.
    fn settle(&mut self, nodes: &[Node], bytes: u64, extent: HeldBytes) {
        self.own(nodes.iter().copied(), bytes, extent);
        for node in nodes {
            self.share(*node, bytes);
        }
        for pair in nodes.windows(2) {
            self.unshare(pair[0], pair[1], bytes);
        }
    }

    /// Adds `bytes` to the sums of the nodes whose deletion can free these bytes. `nodes` are all nodes that refer to
    /// the bytes, in ascending order. Deleting the lowest common ancestor of these nodes certainly frees the bytes,
    /// unless the bytes have unknown references or all references are transient.
    fn own(&mut self, nodes: impl DoubleEndedIterator<Item = Node> + Clone, bytes: u64, extent: HeldBytes) {
        let HeldBytes { is_flagged, references, lasting } = extent;
        let Some((least, greatest)) = nodes.clone().next().zip(nodes.clone().next_back()) else { return };
        let owner = self.numbers.common(least, greatest);
        if !is_flagged {
            let sums = &mut self.sums[owner as usize];
            sums.shared = sums.shared.wrapping_sub(bytes);
            // The bytes count toward the minimum only if at least one reference is not transient. If all references
            // may disappear, the bytes may already be free before the deletion.
            if lasting.is_some() {
                sums.at_least = sums.at_least.saturating_add(bytes);
            }
        }
        // If only one reference to a shared range is known, the others are outside the tree, so no deletion
        // in the tree can free the range.
        if is_flagged && references == 1 {
            return;
        }
        match lasting {
            Some(all) if all == (least, greatest) => self.limit(owner, bytes),
            Some((least, greatest)) => self.limit(self.numbers.common(least, greatest), bytes),
            None if references == 1 => self.limit(owner, bytes),
            // By the time of the deletion, only one of these references may be left, so deleting any of these nodes may
            // free the bytes.
            None => nodes.for_each(|node| self.limit(node, bytes)),
        }
    }

    /// Adds `bytes` to the maximum number of bytes that deleting a node frees.
    fn limit(&mut self, node: Node, bytes: u64) {
        let most = &mut self.sums[node as usize].at_most;
        *most = most.saturating_add(bytes);
    }

    fn share(&mut self, node: Node, bytes: u64) {
        let shared = &mut self.sums[node as usize].shared;
        *shared = shared.wrapping_add(bytes);
    }

    /// Subtracts `bytes` from the shared size of the lowest common ancestor of `one` and `other`. [`Self::share`] adds
    /// the bytes for each of the two nodes, but the ancestor must count the bytes only once. No node with a number
    /// between those of `one` and `other` may refer to the same bytes.
    fn unshare(&mut self, one: Node, other: Node, bytes: u64) {
        let common = self.numbers.common(one, other);
        let shared = &mut self.sums[common as usize].shared;
        *shared = shared.wrapping_sub(bytes);
    }
}

/// Properties of a group of bytes that all have references from the same nodes.
#[derive(Clone, Copy)]
struct HeldBytes {
    /// `true` if there may be unknown references to the bytes, in addition to the known ones.
    is_flagged: bool,
    /// Number of known references. A reference of an inode with several names counts once.
    references: usize,
    /// First and last node with a reference that is not transient (see [`Known::Transient`]), if there are any.
    lasting: Option<(Node, Node)>,
}

/// Pass over overlapping references in order of position.
///
/// The time per reference grows only with the logarithm of the number of references to the same byte, because a
/// reference affects only the pairs that its node forms with its two neighbors in `nodes`. [`Sweep::advance`] also
/// searches `nodes` for the first and the last node with a reference that is not transient (see [`Known::Transient`]).
/// This search is short, because only recently changed files have transient references.
#[derive(Default)]
struct Sweep {
    nodes: BTreeMap<Node, Active>,
    flagged: usize,
    counted: usize,
    position: u64,
}

/// State of a node that refers to the byte at the current position.
struct Active {
    references: u32,
    /// Number of references that are not transient (see [`Known::Transient`]).
    lasting: u32,
    /// Start of the contiguous range that the node refers to. The range extends to the current position.
    since: u64,
    /// Position at which this node and the next greater node in [`Sweep::nodes`] became neighbors.
    paired: u64,
}

impl Sweep {
    fn run(mut self, sums: &mut ExclusiveSums, references: &[Reference]) {
        let mut ends = BinaryHeap::new();
        let mut next = 0;
        loop {
            let start = references.get(next).map(|reference| reference.start);
            let end = ends.peek().map(|Reverse((end, _))| *end);
            let Some(position) = start.into_iter().chain(end).min() else { return };
            self.advance(sums, position);
            while let Some(reference) = references.get(next).filter(|next| next.start == position) {
                self.enter(sums, reference);
                ends.push(Reverse((reference.end(), next)));
                next += 1;
            }
            while let Some(Reverse((_, index))) = ends.peek().filter(|Reverse((end, _))| *end == position) {
                self.leave(sums, &references[*index]);
                ends.pop();
            }
        }
    }

    /// Moves to `position`, and adds the bytes between the previous position and `position` to `sums`.
    fn advance(&mut self, sums: &mut ExclusiveSums, position: u64) {
        let bytes = position - self.position;
        self.position = position;
        let lasting = || self.nodes.iter().filter(|(_, active)| active.lasting > 0).map(|(node, _)| *node);
        let lasting = lasting().next().zip(lasting().next_back());
        let extent = HeldBytes { is_flagged: self.flagged > 0, references: self.counted, lasting };
        sums.own(self.nodes.keys().copied(), bytes, extent);
    }

    fn enter(&mut self, sums: &mut ExclusiveSums, reference: &Reference) {
        self.flagged += usize::from(reference.is_flagged());
        self.counted += usize::from(!reference.is_repeated());
        if let Some(active) = self.nodes.get_mut(&reference.node) {
            active.references += 1;
            active.lasting += u32::from(!reference.is_transient());
            return;
        }
        self.split_pair(sums, reference.node);
        let lasting = u32::from(!reference.is_transient());
        let active = Active { references: 1, lasting, since: self.position, paired: self.position };
        self.nodes.insert(reference.node, active);
    }

    fn leave(&mut self, sums: &mut ExclusiveSums, reference: &Reference) {
        self.flagged -= usize::from(reference.is_flagged());
        self.counted -= usize::from(!reference.is_repeated());
        let active = self.nodes.get_mut(&reference.node).expect("a reference enters before it leaves");
        active.references -= 1;
        active.lasting -= u32::from(!reference.is_transient());
        if active.references > 0 {
            return;
        }
        let Active { since, paired, .. } =
            self.nodes.remove(&reference.node).expect("the node was found above");
        sums.share(reference.node, self.position - since);
        if let Some((after, _)) = self.nodes.range(reference.node..).next() {
            sums.unshare(reference.node, *after, self.position - paired);
        }
        if let Some((before, active)) = self.nodes.range_mut(..reference.node).next_back() {
            sums.unshare(*before, reference.node, self.position - active.paired);
            active.paired = self.position;
        }
    }

    /// Ends the pair of the two neighbors between which `node` will be inserted: passes the pair's bytes up to the
    /// current position to [`ExclusiveSums::unshare`]. From this position on, the smaller neighbor forms a pair with
    /// `node`.
    fn split_pair(&mut self, sums: &mut ExclusiveSums, node: Node) {
        let after = self.nodes.range(node..).next().map(|(after, _)| *after);
        if let Some((before, active)) = self.nodes.range_mut(..node).next_back() {
            if let Some(after) = after {
                sums.unshare(*before, after, self.position - active.paired);
            }
            active.paired = self.position;
        }
    }
}
