//! Scans a path repeatedly, and prints the directories directly below it that have grown or shrunk.
//!
//!     cargo run --release --example watch -- /var/log 60 # every 60 seconds

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use duke::scan::{Options, Scan};
use duke::size::{Units, change};
use duke::text::escape;
use duke::tree::DirId;

/// Disk usage of directories, by name.
type Sizes = BTreeMap<Vec<u8>, u64>;

fn main() -> io::Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [root, seconds] = arguments.as_slice() else {
        return Err(io::Error::other("usage: watch PATH SECONDS"));
    };
    let seconds = seconds.to_str().and_then(|text| text.parse().ok());
    let pause = Duration::from_secs(seconds.ok_or_else(|| io::Error::other("SECONDS is not a number"))?);
    let root = PathBuf::from(root);
    let mut before = sizes(&root);
    loop {
        std::thread::sleep(pause);
        let now = sizes(&root);
        print(&before, &now, &mut io::stdout().lock())?;
        before = now;
    }
}

/// Returns the disk usage of each directory directly below `root`.
pub fn sizes(root: &Path) -> Sizes {
    let scan = Scan::run(vec![root.to_owned()], Options::default());
    let tree = scan.tree();
    let Some(root) = tree.listing(DirId::TOP).directories().next() else { return Sizes::new() };
    tree.listing(root).directories().map(|id| (tree.name(id).to_vec(), tree.totals(id).disk)).collect()
}

/// Prints the directories whose size has changed. A directory that does not exist has the size 0.
///
/// # Errors
/// Returns an error if `out` cannot be written to.
pub fn print(before: &Sizes, now: &Sizes, out: &mut impl Write) -> io::Result<()> {
    let names: BTreeSet<&Vec<u8>> = before.keys().chain(now.keys()).collect();
    for name in names {
        let size = |sizes: &Sizes| sizes.get(name).copied().unwrap_or(0);
        if size(before) != size(now) {
            writeln!(out, "{:>10}  {}", change(size(before), size(now), Units::Binary), escape(name))?;
        }
    }
    Ok(())
}
