//! Prints the files with the earliest modification times below the given paths, with their sizes.
//!
//! cargo run --release --example oldest -- /var/log

use std::io::{self, Write};
use std::path::PathBuf;

use duke::kind::Kind;
use duke::scan::{Options, Scan};
use duke::size::{Units, plain_size};
use duke::text::escape;
use duke::tree::{DirId, EntryState, Walk};

fn main() -> io::Result<()> {
    let roots = std::env::args_os().skip(1).map(PathBuf::from).collect();
    print(roots, 20, &mut io::stdout().lock())
}

/// Prints the `count` oldest files, oldest first.
///
/// # Errors
/// Returns an error if `out` cannot be written to.
pub fn print(roots: Vec<PathBuf>, count: usize, out: &mut impl Write) -> io::Result<()> {
    let scan = Scan::run(roots, Options::default());
    let tree = scan.tree();
    let mut files = Vec::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        for (position, record) in listing.entries() {
            if let (Kind::File, EntryState::Known(facts)) = (record.kind, record.state) {
                files.push((facts.mtime, id, position, facts.disk()));
            }
        }
    }
    files.sort_unstable_by_key(|(mtime, ..)| *mtime);
    for (mtime, id, position, disk) in files.into_iter().take(count) {
        let name = tree.listing(id).name(position).unwrap_or_default();
        let path = duke::tree::join([tree.path(id).as_slice(), name]);
        // Names can hold any bytes, so they are escaped for the terminal.
        writeln!(out, "{mtime:>12}  {:>10}  {}", plain_size(disk, Units::Binary), escape(&path))?;
    }
    Ok(())
}
