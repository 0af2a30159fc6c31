//! Tests of encoding, publication and totals on trees built in memory.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::encoding::{Draft, Records, decode_name, decode_node};
use super::*;
use crate::base::kind::Kind;
use crate::base::sync::Ordering;
use crate::fixture::cases;
use crate::fixture::{build, dir, linked_file, numbered_file, unreadable};
use crate::platform::memory::arena::{Address, Writer};

fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![0..300_u64, any::<u64>(), Just(u64::MAX)]
}

fn metadata(kind: Kind) -> impl Strategy<Value = Metadata> {
    let links =
        proptest::option::of((numbers(), any::<u32>()).prop_map(|(count, device)| Links { count, device }));
    let owner =
        (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(uid, gid, mode)| Owner { uid, gid, mode });
    let owner = proptest::option::of(owner);
    let class = proptest::option::of(any::<u8>().prop_map(StorageClass));
    let rest = (any::<u32>(), links, owner, any::<bool>(), class);
    (numbers(), numbers(), any::<i64>(), numbers(), rest).prop_map(
        move |(apparent, blocks, mtime, inode, (directory, links, owner, is_executable, storage_class))| {
            let directory = (kind == Kind::Directory).then_some(DirId(directory));
            Metadata { apparent, blocks, mtime, inode, directory, links, owner, is_executable, storage_class }
        },
    )
}

fn state(kind: Kind) -> impl Strategy<Value = EntryState> {
    use Exclusion::{Caches, KernelFileSystem, OtherFileSystem, Pattern};
    prop_oneof![
        8 => metadata(kind).prop_map(EntryState::Known),
        1 => select(vec![Pattern, OtherFileSystem, KernelFileSystem, Caches]).prop_map(EntryState::Excluded),
        1 => (0..=i32::MAX).prop_map(EntryState::Failed),
    ]
}

fn entries() -> impl Strategy<Value = Vec<(Vec<u8>, Kind, EntryState)>> {
    let entry =
        select(Kind::ALL.to_vec()).prop_flat_map(|kind| (vec(any::<u8>(), 0..300), Just(kind), state(kind)));
    vec(entry, 0..40)
}

fn records(entries: &[(Vec<u8>, Kind, EntryState)]) -> Vec<Entry<'_>> {
    entries.iter().map(|(name, kind, state)| Entry { name, kind: *kind, state: *state }).collect()
}

/// Returns the encoded records, excluding the segment header, and the position of each record.
fn encode(records: &[Entry<'_>]) -> (Vec<u8>, Vec<usize>) {
    let mut draft = Draft::default();
    let starts = records.iter().map(|record| draft.push(record)).collect();
    let (segment, head) = draft.segment();
    (segment[head..].to_vec(), starts)
}

/// Reads every entry of a listing with each function of [`Listing`].
fn decode_all(listing: &Listing<'_>) {
    for (position, record) in listing.entries() {
        assert_eq!(listing.record(position), Some(record));
        assert_eq!(listing.name(position), Some(record.name));
    }
    for position in [0, 1, 2, 3, listing.length(), listing.length() + 1, u64::MAX] {
        let _ = (listing.record(position), listing.name(position));
    }
    let _ = (listing.directories().count(), listing.is_empty());
}

proptest! {
    // The cases are the same in every run, so a failing case is printed and not stored in a file.
    #![proptest_config(cases(if cfg!(miri) { 2 } else { 100 }))]

    #[test]
    fn records_are_read_as_they_were_written(batches in vec(entries(), 0..4)) {
        let encoded: Vec<_> = batches.iter().map(|entries| encode(&records(entries))).collect();
        let listing = Listing::from_segments(encoded.iter().map(|(bytes, _)| bytes.as_slice()));
        let written: Vec<_> = batches.iter().flat_map(|entries| records(entries)).collect();
        let read: Vec<_> = listing.entries().map(|(_, record)| record).collect();
        prop_assert_eq!(read, written);
        let mut base = 0;
        let mut expected = Vec::new();
        for (bytes, starts) in &encoded {
            expected.extend(starts.iter().map(|start| base + *start as u64));
            base += bytes.len() as u64;
        }
        let positions: Vec<_> = listing.entries().map(|(position, _)| position).collect();
        prop_assert_eq!(positions, expected);
        decode_all(&listing);
    }

    #[test]
    fn any_bytes_are_decoded_or_rejected(segments in vec(vec(any::<u8>(), 0..200), 0..4)) {
        for bytes in &segments {
            for (start, record) in Records::new(bytes) {
                prop_assert!(start < bytes.len());
                if let Ok(record) = record {
                    prop_assert!(record.name.len() <= bytes.len());
                }
            }
            let _ = (decode_name(bytes), decode_node(bytes).is_ok());
        }
        decode_all(&Listing::from_segments(segments.iter().map(Vec::as_slice)));
    }

    #[test]
    fn damaged_records_are_decoded_or_refused(entries in entries(), at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let (mut bytes, _) = encode(&records(&entries));
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            decode_all(&Listing::from_segments([bytes.as_slice()]));
            decode_all(&Listing::from_segments([&bytes[..at]]));
        }
    }

    #[test]
    fn a_listing_with_any_bytes_at_any_address_can_be_read(bytes in vec(any::<u8>(), 0..300), address in any::<u64>(), near in 0..400_u64) {
        let tree = Tree::new();
        let start = tree.bytes.append(&mut Writer::default(), &bytes).to_bits();
        for address in [address, start, start + near, 0] {
            // In a real listing, links lead only to earlier data, so reading always ends. A link in random bytes could
            // lead to itself. Therefore, a listing is read only if it does not start with a link.
            tree.dir(DirId(1)).record.store(address, Ordering::Relaxed);
            let _ = (tree.name(DirId(1)), tree.path(DirId(1)));
            let head = Address::from_bits(address).and_then(|at| tree.bytes.bytes_from(at).first());
            if head.is_none_or(|head| head & 1 == 0) {
                tree.dir(DirId(1)).listing.store(address, Ordering::Relaxed);
                decode_all(&tree.listing(DirId(1)));
            }
        }
    }

    #[test]
    fn a_longer_listing_does_not_change_a_shorter_one(batches in vec(entries(), 1..6)) {
        let tree = Tree::new();
        let mut batch = Batch::default();
        let mut held: Vec<(Listing<'_>, usize)> = Vec::new();
        let mut written = Vec::new();
        for entries in &batches {
            for record in records(entries) {
                // An entry of kind `Directory` must refer to a directory in the tree. This tree has no directories
                // below the top, so the kind of such entries is changed to `File`.
                let record = Entry { kind: if record.kind == Kind::Directory { Kind::File } else { record.kind }, ..record };
                let state = match record.state {
                    EntryState::Known(metadata) => EntryState::Known(Metadata { directory: None, ..metadata }),
                    other => other,
                };
                let record = Entry { state, ..record };
                batch.push(DirId::TOP, &record);
                written.push(record);
            }
            if let Some(sealed) = batch.seal(&tree, DirId::TOP) {
                tree.publish(&mut batch, DirId::TOP, &sealed);
            }
            held.push((tree.listing(DirId::TOP), written.len()));
        }
        for (listing, count) in held {
            let read: Vec<_> = listing.entries().map(|(_, record)| record).collect();
            prop_assert_eq!(&read[..], &written[..count]);
            decode_all(&listing);
        }
    }

    #[test]
    fn totals_add_up_in_whatever_order_directories_complete(
        parents in vec(any::<proptest::sample::Index>(), 1..60),
        sizes in vec(prop_oneof![0..1_000_u64, Just(u64::MAX / 2)], 60),
        order in any::<u64>(),
    ) {
        // Directory `n + 1` lies in one of the directories 0 to `n`.
        let above: Vec<usize> = parents.iter().enumerate().map(|(number, parent)| parent.index(number + 1)).collect();
        let tree = Tree::new();
        let ids = plant(&tree, &above, &sizes);
        prop_assert_eq!(tree.totals(DirId::TOP).disk, sizes[0], "children count when they are complete");
        let mut waiting: Vec<DirId> = ids.clone();
        let mut random = order | 1;
        while !waiting.is_empty() {
            // Any reproducible order is sufficient. The constants are those of Knuth's generator for MMIX.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let next = usize::try_from(random >> 33).unwrap() % waiting.len();
            tree.release(waiting.swap_remove(next));
            let live = LiveTotals::sample(&tree);
            prop_assert!(live.totals(&tree, DirId::TOP).disk <= sizes[..ids.len()].iter().fold(0_u64, |sum, size| sum.saturating_add(*size)));
        }
        prop_assert!(tree.status(DirId::TOP).is_complete());
        prop_assert!(LiveTotals::sample(&tree).totals(&tree, DirId::TOP) == tree.totals(DirId::TOP));
        for (number, id) in ids.iter().enumerate() {
            let below = (number..ids.len()).filter(|other| lies_in(&above, *other, number));
            let disk = below.clone().fold(0_u64, |sum, other| sum.saturating_add(sizes[other]));
            let expected = Totals { disk, items: below.count() as u64 - 1, ..Totals::default() };
            prop_assert_eq!(tree.totals(*id), expected);
        }
    }
}

/// Fills `tree` with directories: directory `n + 1` lies in directory `above[n]`, and `sizes[n]` bytes of disk usage
/// are added to directory `n`.
fn plant(tree: &Tree, above: &[usize], sizes: &[u64]) -> Vec<DirId> {
    let mut batch = Batch::default();
    let mut ids = vec![DirId::TOP; above.len() + 1];
    for number in 0..ids.len() {
        let id = ids[number];
        tree.begin(id);
        tree.add(id, &Totals { disk: sizes[number], ..Totals::default() });
        for child in (0..above.len()).filter(|child| above[*child] == number) {
            ids[child + 1] =
                batch.push_directory(tree, id, format!("{child}").as_bytes(), Metadata::default(), 0);
        }
        if let Some(sealed) = batch.seal(tree, id) {
            tree.publish(&mut batch, id, &sealed);
        }
    }
    ids
}

/// Returns `true` if directory `other` is directory `number` or lies below it.
fn lies_in(above: &[usize], other: usize, number: usize) -> bool {
    std::iter::successors(Some(other), |at| at.checked_sub(1).map(|index| above[index]))
        .any(|at| at == number)
}

/// Returns the parents and sizes of a tree of 3,000 directories. Every third directory is a child of the preceding
/// one. Each of the others is a child of one of 60 directories with many children.
fn thicket() -> (Vec<usize>, Vec<u64>) {
    let above: Vec<usize> =
        (0..3_000).map(|number| if number % 3 == 0 { number } else { number / 50 }).collect();
    let sizes = (0..=above.len() as u64).map(|number| number * 7 % 1_000).collect();
    (above, sizes)
}

#[test]
fn each_directory_completes_once_whoever_releases_it() {
    let (above, sizes) = thicket();
    for _ in 0..20 {
        let tree = Tree::new();
        let ids = plant(&tree, &above, &sizes);
        std::thread::scope(|scope| {
            for part in 0..4 {
                let ids = ids.iter().rev().skip(part).step_by(4);
                scope.spawn(|| ids.for_each(|id| tree.release(*id)));
            }
        });
        assert!(ids.iter().all(|id| tree.status(*id).is_complete()));
        let expected = Totals { disk: sizes.iter().sum(), items: above.len() as u64, ..Totals::default() };
        assert_eq!(tree.totals(DirId::TOP), expected);
    }
}

#[test]
fn live_totals_never_exceed_the_final_ones() {
    let (above, sizes) = thicket();
    let whole: u64 = sizes.iter().sum();
    for _ in 0..20 {
        let tree = Tree::new();
        let ids = plant(&tree, &above, &sizes);
        assert_eq!(LiveTotals::sample(&tree).totals(&tree, DirId::TOP).disk, whole - leaves(&above, &sizes));
        std::thread::scope(|scope| {
            scope.spawn(|| ids.iter().rev().for_each(|id| tree.release(*id)));
            while !tree.status(DirId::TOP).is_complete() {
                let live = LiveTotals::sample(&tree);
                assert!(live.totals(&tree, DirId::TOP).disk <= whole);
                assert!(live.totals(&tree, DirId::TOP).disk <= whole, "nor after a while");
            }
        });
        assert_eq!(LiveTotals::sample(&tree).totals(&tree, DirId::TOP).disk, whole);
    }
}

/// Returns the total size of the leaves, which are the directories without child directories. Live totals include a
/// leaf only once it is complete.
fn leaves(above: &[usize], sizes: &[u64]) -> u64 {
    let mut is_leaf = vec![true; sizes.len()];
    for parent in above {
        is_leaf[*parent] = false;
    }
    sizes.iter().zip(is_leaf).filter_map(|(size, is_leaf)| is_leaf.then_some(size)).sum()
}

#[test]
fn a_concurrent_reader_sees_a_prefix() {
    const BATCHES: u64 = 400;
    let tree = Tree::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut batch = Batch::default();
            for number in 0..BATCHES {
                for entry in 0..5 {
                    let metadata = Metadata { inode: number * 5 + entry, ..Metadata::default() };
                    let name = format!("name-{}", metadata.inode);
                    let state = EntryState::Known(metadata);
                    batch.push(DirId::TOP, &Entry { name: name.as_bytes(), kind: Kind::File, state });
                }
                let below = batch.push_directory(&tree, DirId::TOP, b"directory", Metadata::default(), 7);
                let sealed = batch.seal(&tree, DirId::TOP).unwrap();
                tree.publish(&mut batch, DirId::TOP, &sealed);
                tree.release(below);
            }
            tree.release(DirId::TOP);
        });
        let mut seen = 0;
        while seen < BATCHES {
            let listing = tree.listing(DirId::TOP);
            let mut inodes = 0;
            let mut directories = 0;
            for (_, record) in listing.entries() {
                let EntryState::Known(metadata) = record.state else { panic!("nothing else was written") };
                if let Some(id) = metadata.directory {
                    directories += 1;
                    assert_eq!((tree.parent(id), tree.name(id)), (Some(DirId::TOP), b"directory".as_slice()));
                    assert_eq!(tree.device_index(id), 7);
                } else {
                    assert_eq!(record.name, format!("name-{inodes}").as_bytes());
                    inodes += 1;
                }
            }
            assert_eq!(inodes, directories * 5, "whole batches only");
            assert!(directories >= seen, "never shorter");
            seen = directories;
        }
    });
    assert_eq!(tree.totals(DirId::TOP).items, BATCHES * 6);
}

#[test]
fn sums_saturate() {
    let tree = Tree::new();
    let mut batch = Batch::default();
    let huge = Metadata { apparent: u64::MAX, blocks: u64::MAX, ..Metadata::default() };
    for name in [b"a", b"b"] {
        batch.push(DirId::TOP, &Entry { name, kind: Kind::File, state: EntryState::Known(huge) });
    }
    let below = batch.push_directory(&tree, DirId::TOP, b"c", huge, 0);
    let sealed = batch.seal(&tree, DirId::TOP).unwrap();
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let errors = Totals { errors: u32::MAX, items: u64::MAX, ..Totals::default() };
    tree.add(below, &errors);
    tree.add(below, &errors);
    tree.release(below);
    tree.release(DirId::TOP);
    let most = Totals { disk: u64::MAX, apparent: u64::MAX, items: u64::MAX, errors: u32::MAX };
    assert_eq!(tree.totals(DirId::TOP), most);
    let some = Totals { disk: 1_000, apparent: 1_000, ..Totals::default() };
    tree.take_off(DirId::TOP, &some);
    assert_eq!(tree.totals(DirId::TOP), most, "at least that much");
    let less = Tree::new();
    less.take_off(DirId::TOP, &some);
    assert_eq!(less.totals(DirId::TOP), Totals::default(), "never below nothing");
}

#[test]
fn a_walk_visits_each_directory_once_and_before_its_children() {
    let tree = Tree::new();
    let mut batch = Batch::default();
    let root = batch.push_directory(&tree, DirId::TOP, b"root", Metadata::default(), 0);
    let sealed = batch.seal(&tree, DirId::TOP).unwrap();
    tree.publish(&mut batch, DirId::TOP, &sealed);
    let below = batch.push_directory(&tree, root, b"below", Metadata::default(), 0);
    let sealed = batch.seal(&tree, root).unwrap();
    tree.publish(&mut batch, root, &sealed);
    // The list of roots contains `root` twice, and also `below`, which lies inside `root`.
    for directory in [root, root, below] {
        let state = EntryState::Known(Metadata { directory: Some(directory), ..Metadata::default() });
        batch.push(DirId::TOP, &Entry { name: b"again", kind: Kind::Directory, state });
    }
    batch.replace_listing(&tree, DirId::TOP);
    assert_eq!(tree.listing(DirId::TOP).directories().count(), 3);
    let seen: Vec<_> = Walk::new(&tree, DirId::TOP).map(|(id, _)| id).collect();
    assert_eq!(seen, [DirId::TOP, root, below]);
}

#[test]
fn numbers_of_dropped_directories_are_reused_after_the_next_drop() {
    let tree = Tree::new();
    // A new batch has reserved no IDs, so its directory gets the ID of a dropped directory if the tree offers one.
    let push = || Batch::default().push_directory(&tree, DirId::TOP, b"d", Metadata::default(), 0);
    let (one, other) = (push(), push());
    tree.drop_subtrees(&[one]);
    assert_ne!(push(), one, "another thread may still read it");
    tree.drop_subtrees(&[other]);
    assert_eq!(push(), one);
}

#[test]
fn data_of_dropped_directories_is_removed_and_no_other() {
    let (tree, root) = build(vec![unreadable("gone"), unreadable("stays")]);
    let directories: Vec<DirId> = tree.listing(root).directories().collect();
    let [removed, kept] = directories[..] else { panic!("{directories:?}") };
    let name = |directory| LinkedName { directory, device: 0, inode: 5, count: 2, disk: 512, apparent: 1 };
    tree.add_linked([name(removed), name(kept)]);
    tree.drop_subtrees(&[removed]);
    assert_eq!(tree.failures().iter().map(|failure| failure.directory).collect::<Vec<_>>(), [kept]);
    assert_eq!(tree.linked().iter().map(|name| name.directory).collect::<Vec<_>>(), [kept]);
}

#[test]
fn a_complete_tree_has_no_open_directories() {
    let (tree, _) = build(vec![dir("a", vec![dir("b", vec![])]), unreadable("c")]);
    assert_eq!(LiveTotals::sample(&tree), LiveTotals::default());
}

#[test]
fn an_inode_linked_during_the_scan_counts_once() {
    for counts in [[2, 3], [3, 2]] {
        let seen = |name, count| dir(name, vec![linked_file("x", 7, count)]);
        let alone = dir("alone", vec![numbered_file("x", 7)]);
        let (tree, root) = build(vec![alone, seen("second", counts[0]), seen("third", counts[1])]);
        assert_eq!(tree.totals(root).apparent, 4 * 4096 + 1);
    }
}
