//! Changes to the file system under the emulated macOS of ci/macos-machine.c. The browser cannot run there,
//! so ci/macos-faults.sh runs this program instead:
//!
//! ```text
//! machine delete PATH ROOT         deletes the entry PATH of the tree at ROOT
//! machine trash HOME PATH ROOT     moves PATH to the trash in the home directory HOME
//! machine restore HOME PATH ROOT   moves PATH to the trash and back
//! machine hangup                   checks that /dev/tty accepts output, and waits for its hangup
//! ```
//!
//! The program prints the number of deleted or moved entries, and each failure. Without arguments, it does nothing. It
//! never changes anything outside the sandbox of ci/macos-faults.sh.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use duke::base::job::Pool;
use duke::scan::{Options, Scan};
use duke::testing::delete::{DeleteScope, Failures, Owner, Selection, remove, restore, trash};
use duke::testing::platform::{Watch, is_writable};
use duke::tree::{DirId, Tree};

const LONG: Duration = Duration::from_secs(60);
/// File in the working directory that marks it as the sandbox of ci/macos-faults.sh.
const MARK: &str = "sandbox of macos-faults.sh";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_safe = Path::new(MARK).exists();
    match arguments.as_slice() {
        ["delete", path, root] if is_safe => delete(path, root),
        ["trash", home, path, root] if is_safe => put(home, path, root, false),
        ["restore", home, path, root] if is_safe => put(home, path, root, true),
        ["hangup"] if is_safe => hang_up(),
        _ => println!("SKIPPED: runs only in the sandbox of ci/macos-faults.sh"),
    }
}

fn delete(path: &str, root: &str) {
    let job = remove(&Pool::new(1).unwrap(), Arc::new(select(path, root))).unwrap();
    job.wait(LONG).unwrap();
    let removal = job.latest().unwrap();
    println!("deleted {}", removal.entries);
    print(&removal.failures);
}

fn put(home: &str, path: &str, root: &str, is_restored: bool) {
    let pool = Pool::new(1).unwrap();
    let owner = Owner {
        home_trash: Some(PathBuf::from(home).join(".Trash")),
        uid: std::fs::metadata(MARK).unwrap().uid(),
    };
    let job = trash(&pool, Arc::new(select(path, root)), owner).unwrap();
    job.wait(LONG).unwrap();
    let trashing = job.latest().unwrap();
    println!("moved {}", trashing.moved.len());
    print(&trashing.failures);
    if is_restored {
        let job = restore(&pool, Arc::new(trashing.moved.clone())).unwrap();
        job.wait(LONG).unwrap();
        let restored = job.latest().unwrap();
        println!("restored {}", restored.moved.len());
        print(&restored.failures);
    }
}

fn hang_up() {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty").unwrap();
    println!("accepts output: {}", is_writable(terminal.as_fd()));
    let mut watch = Watch::new(Some(terminal.into())).unwrap();
    println!("{:?}", watch.wait().unwrap());
}

fn print(failures: &Failures) {
    for failure in &failures.first {
        println!("failed {}: {}", String::from_utf8_lossy(&failure.path), failure.reason.text());
    }
}

fn select(path: &str, root: &str) -> Selection {
    let scan = Scan::run(vec![root.into()], Options { threads: Some(1), ..Options::default() });
    let path = Path::new(path);
    let parent = find(scan.tree(), root, path.parent().unwrap());
    let selection =
        Selection::new(scan.tree(), [(parent, path.file_name().unwrap().as_bytes())], DeleteScope::Whole);
    assert_eq!(selection.count(), 1, "{} is in the tree", path.display());
    selection
}

fn find(tree: &Tree, root: &str, path: &Path) -> DirId {
    let mut at = tree.entry(DirId::TOP, root.as_bytes()).unwrap().directory().unwrap();
    for name in path.strip_prefix(root).unwrap() {
        at = tree.entry(at, name.as_bytes()).unwrap().directory().unwrap();
    }
    at
}
