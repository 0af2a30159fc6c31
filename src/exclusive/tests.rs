//! Tests of `ExclusiveSums`. The property test generates random trees whose inodes refer to random sectors of a volume,
//! and compares the sums with those of a naive computation.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::ranges::{Known, VolumeRange};
use super::sums::ExclusiveSums;
use crate::base::sync::Arc;
use crate::fixture::cases;
use crate::tree::{Exclusive, ExclusiveCoverage, Node, NodeNumbers, NodeSums};

/// Number of sectors of the volume in the property test.
const SECTORS: u64 = 24;
const SECTOR: u64 = 512;

/// Range of sectors to which an inode refers. The inode is identified by its names.
#[derive(Clone, Debug)]
struct Planned {
    names: Vec<Node>,
    sectors: std::ops::Range<u64>,
    known: Known,
}

/// Returns the parent of each node. `levels` has one value for each node after the first: 0 makes the node a child of
/// the previous node, 1 a sibling of the previous node, 2 a sibling of the previous node's parent, and so on. A value
/// that is too large makes the node a child of the first node.
fn parents(levels: &[u8]) -> Vec<Node> {
    let mut parents = vec![0];
    for level in levels {
        let before = Node::try_from(parents.len() - 1).unwrap();
        let up = |node: &Node| Some(parents[*node as usize]);
        let parent = std::iter::successors(Some(before), up).nth(usize::from(*level)).unwrap();
        parents.push(parent);
    }
    parents
}

/// Returns a strategy for a random tree of up to 40 nodes, and for references from random inodes to random sectors. The
/// tree is given as the parent of each node. Node 0 stands for all names outside the tree.
fn plans() -> impl Strategy<Value = (Vec<Node>, Vec<Planned>)> {
    prop::collection::vec(0..4_u8, 1..40).prop_flat_map(|levels| {
        let parents = parents(&levels);
        let nodes = Node::try_from(parents.len()).unwrap();
        let known = prop_oneof![
            6 => Just(Known::All),
            2 => Just(Known::Some),
            2 => Just(Known::Transient),
            1 => Just(Known::SomeTransient),
        ];
        let planned = (prop::collection::vec(0..nodes, 1..4), 0..SECTORS, 1..7_u64, known);
        let planned = planned.prop_map(|(names, start, length, known)| Planned {
            names,
            sectors: start..(start + length).min(SECTORS),
            known,
        });
        (Just(parents), prop::collection::vec(planned, 0..40))
    })
}

fn is_within(parents: &[Node], node: Node, above: Node) -> bool {
    let up = |node: &Node| Some(parents[*node as usize]).filter(|parent| parent != node);
    std::iter::successors(Some(node), up).any(|node| node == above)
}

/// Computes the expected [`NodeSums`] of the node `above` from the set of nodes that refer to each sector. Returns
/// `at_least`, `at_most` and `shared`, in bytes.
fn sums_by_sets(parents: &[Node], planned: &[Planned], above: Node) -> [u64; 3] {
    let mut sums = [0; 3];
    for sector in 0..SECTORS {
        let found: Vec<_> = planned.iter().filter(|planned| planned.sectors.contains(&sector)).collect();
        let nodes: BTreeSet<Node> = found.iter().flat_map(|planned| planned.names.clone()).collect();
        let inside = nodes.iter().filter(|node| is_within(parents, **node, above)).count();
        let is_flagged =
            found.iter().any(|planned| matches!(planned.known, Known::Some | Known::SomeTransient));
        let is_alone = inside > 0 && inside == nodes.len();
        let is_lasting = |planned: &&&Planned| matches!(planned.known, Known::All | Known::Some);
        let lasting: Vec<Node> =
            found.iter().filter(is_lasting).flat_map(|planned| planned.names.clone()).collect();
        let possible = match found.len() {
            0 => 0,
            1 if is_flagged => 0,
            _ if !lasting.is_empty() => {
                u64::from(lasting.iter().all(|node| is_within(parents, *node, above)))
            }
            1 => u64::from(is_alone),
            _ => inside as u64,
        };
        sums[0] += u64::from(is_alone && !is_flagged && !lasting.is_empty()) * SECTOR;
        sums[1] += possible * SECTOR;
        sums[2] += u64::from(inside > 0 && (is_flagged || !is_alone)) * SECTOR;
    }
    sums
}

fn range(sectors: &std::ops::Range<u64>) -> VolumeRange {
    VolumeRange { volume: 0, start: sectors.start * SECTOR, length: (sectors.end - sectors.start) * SECTOR }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn sums_equal_those_of_sets((parents, planned) in plans()) {
        let mut sums = ExclusiveSums::new(Arc::new(NodeNumbers::of_parents(parents.clone())));
        for planned in &planned {
            sums.refer(&planned.names, range(&planned.sectors), planned.known);
        }
        let found = sums.finish(ExclusiveCoverage::default());
        for node in 1..parents.len() {
            let NodeSums { at_least, at_most, shared } = found.sums[node];
            let expected = sums_by_sets(&parents, &planned, Node::try_from(node).unwrap());
            prop_assert_eq!([at_least, at_most, shared], expected, "node {}", node);
        }
    }
}

#[test]
fn a_directory_frees_a_file_only_with_its_last_name() {
    // Directory 1 contains directories 2 and 4. Node 3 in 2 and node 5 in 4 are names of the same file.
    let mut sums = ExclusiveSums::new(Arc::new(NodeNumbers::of_parents(vec![0, 0, 1, 2, 1, 4])));
    sums.hold(&[3, 5], 100);
    sums.hold(&[5], 7);
    let found = sums.finish(ExclusiveCoverage::default());
    let freed: Vec<_> = found.sums.iter().map(|sums| (sums.at_least, sums.shared)).collect();
    assert_eq!(freed[1..], [(107, 0), (0, 100), (0, 100), (7, 100), (7, 100)]);
}

#[test]
fn names_together_free_data_that_may_be_written() {
    // Nodes 2 and 3 are names of one file in directory 1, and node 4 is another file.
    let mut sums = ExclusiveSums::new(Arc::new(NodeNumbers::of_parents(vec![0, 0, 1, 1, 1])));
    sums.may_hold(&[2, 3], 100);
    sums.may_hold(&[4], 7);
    let found = sums.finish(ExclusiveCoverage::default());
    let of = |node: usize| {
        let NodeSums { at_least, at_most, shared } = found.sums[node];
        Exclusive { at_least, at_most: Some(at_most), shared }
    };
    let limits: Vec<_> = (1..5).map(|node| (of(node).at_most.unwrap(), of(node).shared)).collect();
    assert_eq!(limits, [(107, 0), (0, 100), (0, 100), (7, 0)]);
    assert_eq!(Exclusive::together([of(2), of(3)]).at_most, Some(100));
}

#[test]
fn long_ranges_are_split_without_loss() {
    let mut sums = ExclusiveSums::new(Arc::new(NodeNumbers::of_parents(vec![0, 0])));
    let length = 3 << 40;
    sums.refer(&[1], VolumeRange { volume: 2, start: 4096, length }, Known::All);
    assert_eq!(sums.finish(ExclusiveCoverage::default()).sums[1].at_least, length);
}

#[test]
fn a_node_without_a_limit_removes_the_limit_above_it() {
    let mut sums = ExclusiveSums::new(Arc::new(NodeNumbers::of_parents(vec![0, 0, 1, 1])));
    sums.hold(&[2], 10);
    sums.mark_as_lower_bound(2);
    sums.hold(&[3], 10);
    let found = sums.finish(ExclusiveCoverage::default());
    let limits: Vec<_> = found.sums[1..].iter().map(|sums| sums.at_most).collect();
    assert_eq!(limits, [u64::MAX, u64::MAX, 10]);
}
