//! A report of one's own: the files below a path that nobody has changed for the longest time, and what they take.
//!
//!     cargo run --release --example oldest -- /var/log

use std::path::PathBuf;

use duke::kind::Kind;
use duke::scan::{Options, Scan};
use duke::size::{Units, plain_size};
use duke::text::escape;
use duke::tree::{Content, DirId, Walk};

fn main() {
    let roots = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let scan = Scan::run(roots, Options::default());
    let tree = scan.tree();
    let mut files = Vec::new();
    for (id, listing) in Walk::new(tree, DirId::TOP) {
        for (position, record) in listing.entries() {
            if let (Kind::File, Content::Known(facts)) = (record.kind, record.content) {
                files.push((facts.mtime, id, position, facts.disk()));
            }
        }
    }
    files.sort_unstable_by_key(|(mtime, ..)| *mtime);
    for (mtime, id, position, disk) in files.into_iter().take(20) {
        let name = tree.listing(id).name(position).unwrap_or_default();
        let path = duke::tree::join([tree.path(id).as_slice(), name]);
        // Names are any bytes: on the way to a terminal they are made safe.
        println!("{mtime:>12}  {:>10}  {}", plain_size(disk, Units::Binary), escape(&path));
    }
}
