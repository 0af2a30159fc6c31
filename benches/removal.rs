//! Benchmark of a deletion: `cargo bench --bench removal -- PATH`. Compare the result with that of
//! `time rm -rf PATH`.
//!
//! Prints the duration of the deletion, without the scan before it. Deletes PATH permanently.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duke::base::job::Pool;
use duke::scan::{Options, Scan};
use duke::testing::delete::{DeleteScope, Selection, remove};
use duke::testing::platform::processors;
use duke::tree::{DirId, EntryState};

fn main() {
    let paths = std::env::args_os().skip(1).filter(|word| word != "--bench").map(PathBuf::from);
    for path in paths {
        let above = path.parent().expect("a path with a directory above it").to_owned();
        let name = path.file_name().expect("a path that ends in a name").to_owned();
        let scan = Scan::run(vec![above], Options::default());
        let listing = scan.tree().listing(DirId::TOP);
        let root = listing.entries().find_map(|(_, record)| match record.state {
            EntryState::Known(metadata) => metadata.directory,
            _ => None,
        });
        let names = root.map(|root| (root, name.as_bytes()));
        let selection = Arc::new(Selection::new(scan.tree(), names, DeleteScope::Whole));
        let pool = Pool::new(processors()).expect("threads");
        let begun = Instant::now();
        let job = remove(&pool, selection).expect("a thread");
        while job.wait(Duration::from_secs(60)).is_none() {}
        let took = begun.elapsed();
        let removal = job.latest().expect("it is over");
        println!(
            "{:.3} s, {} entries, {} failures",
            took.as_secs_f64(),
            removal.entries,
            removal.failures.count
        );
    }
}
