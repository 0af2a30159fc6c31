//! What the tests of the engine share: fixtures with names, the naive walker they are held against, and children.
//!
//! Every test crate takes what it needs of it, so none needs all.
#![allow(dead_code, clippy::unwrap_used)]

pub mod child;
pub mod fixtures;
#[cfg(target_os = "linux")]
pub mod image;
pub mod naive;
pub mod reseal;
pub mod sandbox;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use duke::scan::{Options, Scan};
use duke::tree::{Content, DirId, Facts, Record, Totals, Tree, Walk};

/// Scans one root with this many threads.
pub fn scan(root: &Path, threads: usize) -> Scan {
    scan_with(root, Options { threads: Some(threads), ..Options::default() })
}

/// Scans one root.
pub fn scan_with(root: &Path, options: Options) -> Scan {
    Scan::run(vec![root.to_owned()], options)
}

/// Every directory of a tree by its path, with its totals; each once.
pub fn directories(tree: &Tree) -> Vec<(PathBuf, Totals)> {
    let below_top = Walk::new(tree, DirId::TOP).map(|(id, _)| id).filter(|id| *id != DirId::TOP);
    below_top.map(|id| (path(tree.path(id)), tree.totals(id))).collect()
}

/// What could not be read: path and error number, in order.
pub fn failures(tree: &Tree) -> Vec<(PathBuf, i32)> {
    let mut failures: Vec<_> =
        tree.failures().iter().map(|failure| (path(tree.failure_path(failure)), failure.errno)).collect();
    failures.sort();
    failures
}

/// Bytes as a path.
pub fn path(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

/// Says why a test proves nothing here.
pub fn skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// At rest, what lies in a directory is its own size, what was read in it, and its child directories' totals, less what is
/// shared between them.
pub fn assert_sums_agree(tree: &Tree) {
    let mut own = HashMap::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        let mut sum: Totals = own.remove(&id).unwrap_or_default();
        sum.errors += u32::from(tree.status(id).errno.is_some());
        for (_, record) in listing.entries() {
            match record.content {
                Content::Excluded(_) => continue,
                Content::Failed(_) => sum.errors += 1,
                Content::Known(facts) => {
                    let entry = Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() };
                    match facts.directory {
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
        // How many apparent bytes are shared is not kept.
        let less = totals.apparent < sum.apparent && has_links(tree);
        let apparent = if less { totals.apparent } else { sum.apparent };
        let expected = Totals { disk: sum.disk - tree.shared(id), apparent, ..sum };
        let agree = totals == expected && tree.status(id).is_complete();
        assert!(agree, "{}: {totals:?}, not {expected:?}", path(tree.path(id)).display());
    }
}

fn has_links(tree: &Tree) -> bool {
    let is_linked =
        |record: &Record<'_>| matches!(record.content, Content::Known(Facts { links: Some(_), .. }));
    Walk::new(tree, DirId::TOP).any(|(_, listing)| listing.entries().any(|(_, record)| is_linked(&record)))
}

/// The directory at this path.
pub fn id_of(tree: &Tree, wanted: &Path) -> DirId {
    let mut ids = Walk::new(tree, DirId::TOP).map(|(id, _)| id);
    ids.find(|id| path(tree.path(*id)) == wanted).expect("the directory was met")
}
