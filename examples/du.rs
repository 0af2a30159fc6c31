//! A minimal `du`: prints the disk usage of every directory below the given paths. Each inode counts once.
//!
//!     cargo run --release --example du -- /usr/share

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use duke::scan::{Options, Scan};
use duke::tree::{DirId, Walk};

fn main() -> io::Result<ExitCode> {
    let roots = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let everything_was_read = print(roots, &mut io::BufWriter::new(io::stdout().lock()))?;
    Ok(if everything_was_read { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the directories. Returns `false` if something could not be read.
///
/// # Errors
/// Returns an error if `out` cannot be written to.
pub fn print(roots: Vec<PathBuf>, out: &mut impl Write) -> io::Result<bool> {
    let scan = Scan::run(roots, Options::default());
    let tree = scan.tree();
    // The first directory is the parent of all roots. It has no path.
    for (id, _) in Walk::new(tree, DirId::TOP).skip(1) {
        write!(out, "{}\t", tree.totals(id).disk.div_ceil(1024))?;
        out.write_all(&tree.path(id))?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(tree.failures().is_empty())
}
