//! Helpers for tests of the engine: named fixtures, the naive walker as a reference, and child processes.
//!
//! Each test binary uses only a part of this module.
#![allow(dead_code, clippy::unwrap_used)]

pub mod binary_export;
pub mod child;
pub mod fixtures;
#[cfg(target_os = "linux")]
pub mod image;
pub mod naive;
pub mod operations;
pub mod reseal;
pub mod room;
pub mod sandbox;
pub mod windows;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use duke::scan::{Options, Scan};
use duke::tree::{DirId, Entry, EntryState, Metadata, Totals, Tree, Walk};

pub fn scan(root: &Path, threads: usize) -> Scan {
    scan_with(root, Options { threads: Some(threads), ..Options::default() })
}

pub fn scan_with(root: &Path, options: Options) -> Scan {
    Scan::run(vec![root.to_owned()], options)
}

/// Returns the path and the totals of every directory of a tree, each directory once.
pub fn directories(tree: &Tree) -> Vec<(PathBuf, Totals)> {
    let below_top = Walk::new(tree, DirId::TOP).map(|(id, _)| id).filter(|id| *id != DirId::TOP);
    below_top.map(|id| (path(tree.path(id)), tree.totals(id))).collect()
}

/// Returns the read errors: path and error number, sorted.
pub fn failures(tree: &Tree) -> Vec<(PathBuf, i32)> {
    let mut failures: Vec<_> =
        tree.failures().iter().map(|failure| (path(tree.failure_path(failure)), failure.errno)).collect();
    failures.sort();
    failures
}

pub fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Reports why a test is skipped.
pub fn skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// Checks the totals of every directory. They must equal the directory's own size, plus the sizes of its entries that
/// are not directories, plus the totals of its child directories, minus the bytes that its entries share. No scan may
/// change the tree at the same time.
pub fn assert_sums_agree(tree: &Tree) {
    let mut own = HashMap::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let mut sum: Totals = own.remove(&id).unwrap_or_default();
        sum.errors += u32::from(tree.status(id).errno.is_some());
        for (_, record) in listing.entries() {
            match record.state {
                EntryState::Excluded(_) => continue,
                EntryState::Failed(_) => sum.errors += 1,
                EntryState::Known(metadata) => {
                    let entry =
                        Totals { disk: metadata.disk(), apparent: metadata.apparent, ..Totals::default() };
                    match metadata.directory {
                        None => sum.add(&entry),
                        Some(child)
                            if tree.parent(child) == Some(id) && own.insert(child, entry).is_none() =>
                        {
                            sum.add(&tree.totals(child));
                        }
                        Some(_) => {} // another root's directory
                    }
                }
            }
            sum.items += u64::from(id != DirId::TOP);
        }
        let totals = tree.totals(id);
        // A tree does not record how many apparent bytes its hard links share. If it has hard links, a smaller
        // apparent size is accepted.
        let less = totals.apparent < sum.apparent && has_links(tree);
        let apparent = if less { totals.apparent } else { sum.apparent };
        let expected = Totals { disk: sum.disk - tree.shared(id), apparent, ..sum };
        let agree = totals == expected && tree.status(id).is_complete();
        assert!(agree, "{}: {totals:?}, not {expected:?}", path(tree.path(id)).display());
    }
}

fn has_links(tree: &Tree) -> bool {
    let is_linked =
        |record: &Entry<'_>| matches!(record.state, EntryState::Known(Metadata { links: Some(_), .. }));
    Walk::new(tree, DirId::TOP).any(|(_, listing)| listing.entries().any(|(_, record)| is_linked(&record)))
}

/// Returns the directory at this path.
pub fn id_of(tree: &Tree, wanted: &Path) -> DirId {
    let mut ids = Walk::new(tree, DirId::TOP).map(|(id, _)| id);
    ids.find(|id| path(tree.path(*id)) == wanted).expect("the directory was met")
}
