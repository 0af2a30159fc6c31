//! The engine of duke, a disk-usage browser: reads directory trees with all processors and stores them compactly.
//!
//! ```no_run
//! use duke::scan::{Options, Scan};
//! use duke::tree::{DirId, Walk};
//!
//! let scan = Scan::run(vec!["/usr".into()], Options::default());
//! let tree = scan.tree();
//! for (directory, listing) in Walk::new(tree, DirId::TOP) {
//!     println!("{} entries, {} bytes", listing.entries().count(), tree.totals(directory).disk);
//! }
//! ```
//!
//! Three modules are the public interface: [`scan`] reads directories, [`tree`] holds the result, and [`base`] defines
//! the kinds of entries ([`base::kind`]), formats sizes ([`base::format`]) and makes names safe for a terminal
//! ([`base::text`]). An incompatible change to them increases the first nonzero number of the version. `examples/`
//! contains a `du` and a custom report. Functions that build and replace trees, and the encoding of trees in memory and
//! in files, are hidden from the documentation and may change in any version.
//!
//! Everything else is the program. The hidden module `testing` exposes parts of the program to its own tests.
//!
//! Data flows from directory entries to sealed listings, to totals up the tree, to rows, and finally to cells or JSON.

#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))] // only the program uses them

#[cfg(not(unix))]
compile_error!("duke reads directories the Unix way");

pub mod base;
pub mod scan;
pub mod tree;

#[cfg(feature = "analysis")]
mod analysis;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "delete")]
mod delete;
mod df;
#[cfg(feature = "duplicates")]
mod duplicates;
#[cfg(test)]
mod fixture;
#[cfg(feature = "formats")]
mod formats;
#[cfg(feature = "cli")]
mod output;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))] // parsers for Linux are tested on all systems
mod platform;
#[cfg(feature = "analysis")]
mod query;
#[cfg(feature = "cli")]
mod run;
#[cfg(feature = "formats")]
mod source;
#[cfg(feature = "tui")]
mod table;
#[cfg(feature = "tui")]
mod ui;

#[doc(hidden)]
pub mod testing;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::ncdu_flags;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::run;
