//! Tests that write trees as flat lines and read them again.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{ReadList, flat, read, read_in};
use crate::fixture::cases;
use crate::formats::builder::Builder;
use crate::formats::flat::{Form, Provenance};
use crate::formats::lists::ListOptions;
use crate::formats::tests::{LinkForm, Plan, build, directories, metadata, names};
use crate::tree::{DirId, Tree, Walk, hard_links};

/// Keeps only the first of several entries with the same name, because names in a directory are unique.
fn distinct(entries: Vec<(Vec<u8>, Plan)>) -> Vec<(Vec<u8>, Plan)> {
    let mut seen = HashSet::new();
    let is_new = |(name, _): &(Vec<u8>, Plan)| seen.insert(name.clone());
    let below = |(name, plan)| match plan {
        Plan::Directory(metadata, device, is_read, entries) => {
            (name, Plan::Directory(metadata, device, is_read, distinct(entries)))
        }
        leaf @ Plan::Leaf(..) => (name, leaf),
    };
    entries.into_iter().filter(is_new).map(below).collect()
}

/// Returns the path of each directory, and its totals and shared size, which are computed when a list is read.
fn sums(tree: &Tree) -> Vec<String> {
    let mut sums: Vec<String> = Walk::new(tree, DirId::TOP)
        .map(|(id, _)| format!("{:?} {:?} {}", tree.path(id), tree.totals(id), tree.shared(id)))
        .collect();
    sums.sort();
    sums
}

/// Shuffles all lines of a list except the first `header` lines. The same list always gives the same order.
fn shuffled(text: &str, header: usize) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (mut state, first) = (0x2545_f491_4f6c_dd1d_u64, header + 1);
    for last in (first..lines.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        lines.swap(last, header + usize::try_from(state % (last - header + 1) as u64).unwrap());
    }
    lines.join("\n")
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_tree_is_written_and_read_unchanged(
        entries in vec((names(), directories()), 0..8),
        metadata in metadata(),
        piece in 1..400_usize,
        scanned_at in proptest::option::of(any::<i64>()),
        host in proptest::option::of("[a-z]{1,9}"),
    ) {
        let tree = Tree::new();
        let mut builder = Builder::new(&tree);
        let root = Plan::Directory(metadata, 1, true, distinct(entries));
        build(&mut builder, &tree, (b"/r\xff", &root), LinkForm::Any);
        tree.add_linked(builder.finish());
        hard_links::subtract_repeats(&tree);
        let provenance = [Provenance { host, scanned_at }];
        for (form, header) in [(Form::Json, 0), (Form::Csv, 1)] {
            let text = flat(&tree, form, &provenance);
            let list = read_in(text.as_bytes(), &ListOptions::default(), piece).unwrap();
            prop_assert_eq!(&list.messages, &[""; 0]);
            prop_assert_eq!(list.flat(form), text.clone());
            prop_assert_eq!(sums(&list.tree), sums(&tree));
            let again = read_in(shuffled(&text, header).as_bytes(), &ListOptions::default(), piece).unwrap();
            prop_assert_eq!(&again.messages, &[""; 0]);
            let shuffled = again.flat(form);
            prop_assert_eq!(sorted(&shuffled), sorted(&text));
            prop_assert_eq!(sums(&again.tree), sums(&tree));
        }
    }

    #[test]
    fn any_bytes_end_in_messages_and_a_tree_that_can_be_read_again(
        text in "(path,size,type,disk\n|\\{|\\[\\{|\"path\":)?([ab/.\",\n\\{}:\\[\\]0-9\\\\]|\"path\":\"|\"size\":|\\}\n|\n){0,90}",
        piece in 1..50_usize,
    ) {
        if let Ok(list) = read_in(text.as_bytes(), &ListOptions::default(), piece) {
            let lines = list.flat(Form::Json);
            if !lines.is_empty() {
                prop_assert_eq!(read(&lines).flat(Form::Json), lines);
            }
        }
    }
}

#[test]
fn a_long_list_in_any_order_is_the_same_tree() {
    let mut lines = vec![r#"{"path":"/r","type":"directory","disk":0,"apparent":0,"root":"/r"}"#.to_owned()];
    for number in 0..20_000_u32 {
        let directory = format!("/r/{}/{}", number % 7, number % 113);
        lines.push(format!(
            r#"{{"path":"{directory}/{number}","type":"file","disk":512,"apparent":{number},"mtime":{number},"root":"/r"}}"#
        ));
    }
    let text = lines.join("\n");
    let one =
        |text: &str| -> ReadList { read_in(text.as_bytes(), &ListOptions::default(), 1 << 16).unwrap() };
    let (list, again) = (one(&text).good(), one(&shuffled(&text, 0)).good());
    assert_eq!(list.totals().items, 20_000 + 7 + 7 * 113);
    assert_eq!(sums(&list.tree), sums(&again.tree));
    assert_eq!(sorted(&list.flat(Form::Csv)), sorted(&again.flat(Form::Csv)));
}
