//! Tests that read exports from memory: round trips, dialects, and malformed input.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::base::kind::Kind;
use crate::fixture::cases;
use crate::formats::WrittenEntries;
use crate::formats::builder::Builder;
use crate::formats::json_lexer::{Fault, Lexer};
use crate::formats::ncdu_binary;
use crate::formats::ncdu_read::Reader;
use crate::formats::ncdu_write::Export;
use crate::formats::pipe::pipe;
use crate::tree::{
    DirId, Entry, EntryState, Exclusion, Links, Metadata, Owner, Totals, Tree, Walk, hard_links,
};

/// Reads a tree from `text`, which arrives in chunks of `piece` bytes.
fn read(text: &[u8], piece: usize) -> (Tree, Result<(), Fault>) {
    let (tree, published) = (Tree::new(), Cell::new(0));
    let builder = RefCell::new(Builder::new(&tree));
    let pulse = |_| {
        // An import may publish entries after any chunk, so the test publishes them after every chunk.
        builder.borrow_mut().publish();
        published.set(published.get() + 1);
        ControlFlow::Continue(())
    };
    let result = std::thread::scope(|scope| {
        let (feed, chunks) = pipe();
        scope.spawn(move || {
            let sent = text.chunks(piece.max(1)).try_for_each(|chunk| feed.send(chunk.to_vec()));
            feed.finish(sent);
        });
        let mut lexer = Lexer::resume(Vec::new(), chunks, &pulse);
        let mut reader = Reader::new(&mut lexer, &builder, tree.devices().of_host(0), b"");
        reader.head().and_then(|_| reader.body())
    });
    if result.is_err() {
        builder.borrow_mut().break_off();
    }
    tree.add_linked(builder.into_inner().finish());
    hard_links::subtract_repeats(&tree);
    (tree, result)
}

pub(super) fn good(text: &str) -> Tree {
    let (tree, result) = read(text.as_bytes(), 7);
    assert_eq!(result, Ok(()), "{text}");
    tree
}

fn export(tree: &Tree) -> Vec<u8> {
    let (root, _) = Export::root(tree).unwrap();
    let mut out = Vec::new();
    Export { tree, name: root.name, scanned_at: 1, written: &WrittenEntries::default() }
        .write(&mut out)
        .unwrap();
    out
}

pub(super) fn document(entries: &str) -> String {
    format!(r#"[1,2,{{"progname":"ncdu"}},[{{"name":"/r","dev":1}}{entries}]]"#)
}

fn total(tree: &Tree) -> Totals {
    tree.totals(DirId::TOP)
}

#[test]
fn exports_of_ncdu_are_read() {
    let tree = good(
        r#"[1,2,{"progname":"ncdu","progver":"2.8","timestamp":5},
[{"name":"/r","asize":10,"dsize":512,"dev":7},
{"name":"a","asize":3,"dsize":1024,"ino":9,"hlnkc":true,"nlink":2},
{"name":"p","notreg":true,"uid":1,"gid":2,"mode":4516,"mtime":12.75},
{"name":"e","read_error":true},
{"name":"x","excluded":"pattern"},
[{"name":"k","excluded":"kernfs"}],
[{"name":"d","dev":8,"read_error":true},
{"name":"b","asize":3,"dsize":1024,"ino":9,"hlnkc":true,"nlink":2,"dev":7}]]]
"#,
    );
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let names: Vec<&[u8]> = tree.listing(root).into_iter().map(|record| record.name).collect();
    assert_eq!(names, [&b"a"[..], b"p", b"e", b"x", b"k", b"d"]);
    assert_eq!(total(&tree), Totals { disk: 1536, apparent: 13, items: 5, errors: 2 });
    assert_eq!((tree.device(root), tree.shared(root)), (7, 1024));
    let pipe = tree.entry(root, b"p").unwrap();
    let EntryState::Known(metadata) = pipe.state else { panic!("it was readable") };
    assert_eq!((pipe.kind, metadata.mtime), (Kind::Fifo, 12));
    assert_eq!(metadata.owner, Some(Owner { uid: 1, gid: 2, mode: 4516 }));
    let excluded = tree.entry(root, b"k").unwrap().state;
    assert_eq!(excluded, EntryState::Excluded(Exclusion::KernelFileSystem));
    let directory = tree.listing(root).directories().next().unwrap();
    assert_eq!((tree.device(directory), tree.status(directory).errno), (8, Some(5)));
}

#[test]
fn old_ncdu_has_no_link_counts_and_other_words() {
    let tree = good(&document(
        r#",{"name":"a","dsize":512,"ino":3,"hlnkc":true},{"name":"b","dsize":512,"ino":3,"hlnkc":true},[{"name":"o","excluded":"othfs"}]"#,
    ));
    assert_eq!(total(&tree).disk, 512);
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let other = tree.entry(root, b"o").unwrap().state;
    assert_eq!(other, EntryState::Excluded(Exclusion::OtherFileSystem));
}

#[test]
fn sums_and_links_of_gdu_are_read() {
    let tree = good(
        r#"[1,2,{"progname":"gdu","progver":"v5.37.0","timestamp":5},[{"name":"/r","asize":111,"dsize":10240,"mtime":4},
[{"name":"d","asize":100,"dsize":6144},{"name":"f","asize":90,"dsize":2048}],
{"name":"g","asize":7,"dsize":512},{"name":"h","asize":90,"dsize":2048,"ino":4,"hlnkc":true},[{"name":"e"}
]]]"#,
    );
    assert_eq!(total(&tree), Totals { disk: 10240, apparent: 111, items: 5, errors: 0 });
    let own: Vec<u64> =
        Walk::new(&tree, DirId::TOP).skip(1).map(|(id, _)| tree.own_metadata(id).unwrap().disk()).collect();
    assert_eq!(own, [10240 - 6144 - 512, 6144 - 2048, 0]);
}

/// Returns an export with two names of one file, as gdu 5.22 to 5.36.1 write it. `first` contains additional fields of
/// the first name.
fn links_of_gdu(version: &str, first: &str) -> String {
    format!(
        r#"[1,2,{{"progname":"gdu","progver":"{version}","timestamp":5}},[{{"name":"/r","mtime":4}},
[{{"name":"b","mtime":4}},{{"name":"f","asize":90,"dsize":2048,"mtime":4{first}}}],
[{{"name":"a","mtime":4}},{{"name":"g","asize":90,"dsize":2048,"mtime":4,"ino":4,"hlnkc":true}}]]]"#
    )
}

#[test]
fn marked_links_of_gdu_have_a_size_if_all_names_are_marked() {
    for (version, first, sizes) in [
        ("5.22.0-1+b1", "", [2048, 0]),
        ("5.29.0", "", [2048, 0]),
        ("v5.30.0", r#","ino":4,"hlnkc":true"#, [2048, 2048]),
        ("5.36.1-1", r#","ino":4,"hlnkc":true"#, [2048, 2048]),
    ] {
        let tree = good(&links_of_gdu(version, first));
        assert_eq!(total(&tree).disk, 2048, "{version}");
        let root = tree.listing(DirId::TOP).directories().next().unwrap();
        let listing = tree.listing(root);
        let disk: Vec<u64> = listing.directories().map(|directory| tree.totals(directory).disk).collect();
        assert_eq!(disk, sizes, "{version}");
    }
}

#[test]
fn entries_are_visible_before_the_end() {
    let text = document(r#",{"name":"a","dsize":512},[{"name":"d"},{"name":"b","dsize":512}"#);
    let (tree, result) = read(&text.as_bytes()[..text.len() - 3], 1 << 20);
    assert!(result.is_err());
    assert_eq!((total(&tree).disk, total(&tree).items), (512, 2));
    assert!(tree.status(DirId::TOP).partial && tree.status(DirId::TOP).is_complete());
}

#[test]
fn errors_name_their_byte() {
    let cases = [
        ("", 0, "the input is empty"),
        ("{}", 0, "expected '['"),
        ("[2,0,{},[{\"name\":\"/\"}]]", 1, "not version 1"),
        ("[1,2,{},{\"name\":\"/\"}]", 8, "expected '['"),
        ("[1,2,{},[[", 9, "expected '{'"),
        ("[1,2,{},[{}]]", 10, "without a name"),
        ("[1,2,{},[{\"name\":\"/\"}]", 22, "unexpected end of input"),
        ("[1,2,{},[{\"name\":\"/\"}]]x", 23, "trailing data"),
        ("[1,2,{},[{\"name\":\"/\",\"asize\":-1}]]", 29, "expected a whole number"),
        ("[1,2,{},[{\"name\":\"/\",\"asize\":1e9}]]", 30, "exponent"),
        ("[1,2,{},[{\"name\":\"/\",\"asize\":18446744073709551616}]]", 29, "64 bits"),
        ("[1,2,{},[{\"name\":\"/\",\"uid\":4294967296}]]", 27, "32 bits"),
        ("[1,2,{},[{\"name\":\"/\",\"name\":\"/\"}]]", 28, "the entry has two names"),
        ("[1,2,{},[{\"name\":\"/\"},{\"name\":\"..\"}]]", 30, "invalid file name"),
        ("[1,2,{},[{\"name\":\"/\"},{\"name\":\"a/b\"}]]", 30, "invalid file name"),
        ("[1,2,{},[{\"name\":\"/\"},{\"name\":\"\"}]]", 30, "invalid file name"),
        ("[1,2,{},[{\"name\":\"/\"},{\"name\":\"\\u0000\"}]]", 30, "invalid file name"),
        ("[1,2,{},[{\"name\":\"\\ud800\"}]]", 18, "unexpected end|unpaired surrogate|escape"),
        ("[1,2,{},[{\"name\":\"a\nb\"}]]", 19, "control character"),
        ("[1,2,{},[{\"name\":\"/\"} {\"name\":\"a\"}]]", 22, "',' or ']'"),
        ("[1,2,{},[{\"name\":\"/\",}]]", 21, "expected '\"'"),
    ];
    for (text, offset, reason) in cases {
        let (_, result) = read(text.as_bytes(), 3);
        let fault = result.expect_err(text);
        let message = fault.to_string();
        assert!(reason.split('|').any(|reason| message.contains(reason)), "{text}: {message}");
        assert_eq!(fault.offset, offset, "{text}: {message}");
    }
}

#[test]
fn an_object_marked_as_a_directory_is_not_one() {
    let tree = good(&document(r#",{"name":"d","mode":16877},[{"name":"f","mode":33188}]"#));
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let kinds: Vec<Kind> = tree.listing(root).into_iter().map(|record| record.kind).collect();
    assert_eq!(kinds, [Kind::Unknown, Kind::Directory]);
}

#[test]
fn endless_brackets_are_rejected_and_chains_are_read() {
    let (_, result) = read(&vec![b'['; 1 << 20], 1 << 16);
    assert_eq!(result.unwrap_err().offset, 1);
    let skipped = document(&format!(r#",{{"name":"a","x":{}"#, "[".repeat(1 << 16)));
    assert!(read(skipped.as_bytes(), 1 << 16).1.unwrap_err().to_string().contains("too deep"));
    let depth = 50_000;
    let chain = document(&format!("{}{}", r#",[{"name":"d","dsize":512}"#.repeat(depth), "]".repeat(depth)));
    let (tree, result) = read(chain.as_bytes(), 1 << 16);
    assert_eq!(result, Ok(()));
    assert_eq!((total(&tree).disk, total(&tree).items), (512 * depth as u64, depth as u64));
    let written = export(&tree);
    assert_eq!(export(&read(&written, 1 << 16).0), written);
}

#[test]
fn many_entries_are_as_compact_as_a_scan() {
    let entries: Vec<String> =
        (0..20_000).map(|n| format!(r#",[{{"name":"d{n}"}},{{"name":"f"}}]"#)).collect();
    let (tree, result) = read(document(&entries.concat()).as_bytes(), usize::MAX);
    assert_eq!(result, Ok(()));
    let root = tree.listing(DirId::TOP).directories().next().unwrap();
    let listing = tree.listing(root);
    assert_eq!(listing.directories().count(), 20_000);
    // The listing has only about ten segments, although it contains 20,000 child directories.
    assert!(listing.split(1).len() < 40, "{}", listing.split(1).len());
}

/// Entry of a generated tree.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Leaf(Kind, EntryState),
    Directory(Metadata, u64, bool, Vec<(Vec<u8>, Plan)>),
}

pub(super) fn names() -> impl Strategy<Value = Vec<u8>> {
    let byte = any::<u8>().prop_filter("no path", |byte| *byte != 0 && *byte != b'/');
    vec(byte, 1..12).prop_filter("no dots", |name| name != b"." && name != b"..")
}

pub(super) fn metadata() -> impl Strategy<Value = Metadata> {
    let owner = proptest::option::of((any::<u32>(), any::<u32>(), 0..0o7777_u32));
    (any::<u64>(), 0..1_u64 << 50, 0..1_i64 << 40, owner).prop_map(|(apparent, blocks, mtime, owner)| {
        let owner = owner.map(|(uid, gid, mode)| Owner { uid, gid, mode });
        Metadata { apparent, blocks, mtime, owner, ..Metadata::default() }
    })
}

fn leaves() -> impl Strategy<Value = Plan> {
    use Exclusion::{KernelFileSystem, OtherFileSystem, Pattern};
    let links = proptest::option::of((2..9_u64, 1..5_u64));
    let known = (metadata(), links, any::<bool>()).prop_map(|(metadata, links, is_file)| {
        let inode = links.map_or(0, |(_, inode)| inode);
        let links = links.map(|(count, _)| Links { count, device: 0 });
        let kind = if is_file { Kind::File } else { Kind::Unknown };
        Plan::Leaf(kind, EntryState::Known(Metadata { inode, links, ..metadata }))
    });
    prop_oneof![
        8 => known,
        1 => Just(Plan::Leaf(Kind::Unknown, EntryState::Failed(5))),
        1 => prop_oneof![Just(Pattern), Just(OtherFileSystem), Just(KernelFileSystem)]
            .prop_map(|why| Plan::Leaf(Kind::Unknown, EntryState::Excluded(why))),
    ]
}

pub(super) fn directories() -> impl Strategy<Value = Plan> {
    leaves().prop_recursive(5, 60, 6, |inner| {
        (metadata(), 0..3_u64, any::<bool>(), vec((names(), inner), 0..6)).prop_map(
            |(metadata, device, is_read, entries)| Plan::Directory(metadata, device, is_read, entries),
        )
    })
}

/// Restriction on the hard links in a generated tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkForm {
    /// No restriction: entries of any kind can be hard links, and their devices may differ from the directory's.
    Any,
    /// Only hard links that ncdu's binary export can express: each is a file on the same device as its directory.
    Plain,
}

pub(super) fn build(builder: &mut Builder<'_>, tree: &Tree, (name, plan): (&[u8], &Plan), form: LinkForm) {
    use crate::formats::builder::{DirectoryStart, Sizes};
    match plan {
        Plan::Leaf(kind, state) => {
            let mut entry = Entry { name, kind: *kind, state: *state };
            if let EntryState::Known(Metadata { links: Some(links), .. }) = &mut entry.state
                && form == LinkForm::Plain
            {
                links.device = builder.device();
                entry.kind = Kind::File;
            }
            builder.push(&entry);
        }
        Plan::Directory(metadata, device, is_read, entries) => {
            let device = tree.devices().index(*device);
            let is_read = *is_read;
            builder.enter(&DirectoryStart { name, metadata: *metadata, sizes: Sizes::Own, device, is_read });
            for (name, plan) in entries {
                build(builder, tree, (name, plan), form);
            }
            builder.leave();
        }
    }
}

/// Builds a tree with one root.
fn built(metadata: Metadata, entries: Vec<(Vec<u8>, Plan)>, form: LinkForm) -> Tree {
    let tree = Tree::new();
    let mut builder = Builder::new(&tree);
    let root = Plan::Directory(metadata, 1, true, entries);
    build(&mut builder, &tree, (b"/r\xff", &root), form);
    tree.add_linked(builder.finish());
    hard_links::subtract_repeats(&tree);
    tree
}

/// Returns the totals, the status and the shared size of each directory, in depth-first order.
fn directories_of(tree: &Tree) -> Vec<String> {
    let described = |id: DirId| {
        let totals = tree.totals(id);
        // The shared size is a difference of two sums. It is meaningless if a sum does not fit into 64 bits.
        let shared = Some(tree.shared(id)).filter(|_| totals.disk != u64::MAX);
        format!("{totals:?} {:?} {shared:?}", tree.status(id))
    };
    Walk::new(tree, DirId::TOP).map(|(id, _)| described(id)).collect()
}

proptest! {
    #![proptest_config(cases(50))]

    #[test]
    fn a_binary_export_is_the_same_tree_as_the_json(
        entries in vec((names(), directories()), 0..8),
        metadata in metadata(),
        repeats in 1..200_usize,
    ) {
        // With many repeats, the entries fill more than one block.
        let entries = entries.into_iter().flat_map(|entry| vec![entry; repeats]).collect();
        let tree = built(metadata, entries, LinkForm::Plain);
        let file = tempfile::NamedTempFile::new().unwrap();
        let (root, _) = Export::root(&tree).unwrap();
        let (size, count) = (ncdu_binary::BlockSize::Growing, WrittenEntries::default());
        ncdu_binary::write(&tree, &root, root.name, size, &count, &mut file.as_file()).unwrap();
        let again = ncdu_binary::open(file.path()).unwrap();
        let json = [&again, &tree].map(export);
        prop_assert_eq!(String::from_utf8_lossy(&json[0]), String::from_utf8_lossy(&json[1]));
        prop_assert_eq!(again.verify(), Ok(()));
        prop_assert_eq!(directories_of(&again), directories_of(&tree));
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn an_export_is_read_and_written_unchanged(
        entries in vec((names(), directories()), 0..8),
        metadata in metadata(),
        piece in 1..200_usize,
    ) {
        let tree = built(metadata, entries, LinkForm::Any);
        let first = export(&tree);
        let (again, result) = read(&first, piece);
        prop_assert_eq!(result, Ok(()));
        let second = export(&again);
        prop_assert_eq!(String::from_utf8_lossy(&second), String::from_utf8_lossy(&first));
        prop_assert_eq!(total(&again), total(&tree));
    }

    #[test]
    fn any_bytes_end_in_an_error_and_a_tree_that_can_be_walked(
        tail in vec(any::<u8>(), 0..200),
        cut in 0..400_usize,
        piece in 1..50_usize,
    ) {
        let mut text = document(
            r#",{"name":"a","asize":3,"dsize":1024,"ino":9,"hlnkc":true,"nlink":2},[{"name":"d","mtime":3.5,"excluded":"x"}],[{"name":"e","uid":3}]"#,
        ).into_bytes();
        text.truncate(cut);
        text.extend(tail);
        let (tree, result) = read(&text, piece);
        prop_assert!(tree.status(DirId::TOP).is_complete());
        prop_assert!(Walk::new(&tree, DirId::TOP).count() < 10);
        if let Err(fault) = result {
            prop_assert!(fault.offset <= text.len() as u64);
        }
    }
}
