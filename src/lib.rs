//! The engine of duke, a disk-usage browser: reads directory trees using all processors and stores them compactly.
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
//! Five modules are the public interface: [`scan`] reads directories, [`tree`] holds the result, [`kind`] defines the
//! kinds of entries, [`size`] formats sizes, and [`text`] makes names safe for a terminal. With `default-features =
//! false` these modules are the whole library. The feature `formats` adds exclude patterns
//! (`scan::ExcludePatterns`), and the default feature `browser` is the program.
//!
//! An incompatible change to the public interface increases the first nonzero part of the version number. The file
//! `ci/public-api.txt` lists the interface without features. `examples/` contains a `du`, a report and a watcher.
//! Functions that build and replace trees, and the encoding of trees in memory and in files, are hidden from the
//! documentation and may change in any version.
//!
//! All other modules belong to the program. The hidden module `testing` exposes parts of the program to the
//! program's own tests.
//!
//! Data flows from directory entries to compact listings in memory, then to directory totals, to rows, and finally to
//! cells or JSON.

#![cfg_attr(not(feature = "browser"), allow(dead_code, unused_imports))] // some items are used only by the program

#[cfg(not(unix))]
compile_error!("duke reads directories the Unix way");

pub mod base;
pub mod scan;
pub mod tree;

pub use base::{format as size, kind, text};

// The modules of the program. They may lack documentation, because only `testing` makes parts of them public.
#[cfg(feature = "formats")]
#[allow(missing_docs)]
mod analysis;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod cli;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod delete;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod df;
#[cfg(feature = "browser")]
mod duplicates;
#[cfg(feature = "browser")]
mod exclusive;
#[cfg(test)]
mod fixture;
#[cfg(feature = "formats")]
#[allow(missing_docs)]
mod formats;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod output;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))] // parsers for Linux are tested on all systems
#[allow(missing_docs)]
mod platform;
#[cfg(feature = "formats")]
#[allow(missing_docs)]
mod query;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod run;
#[cfg(feature = "formats")]
#[allow(missing_docs)]
mod source;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod table;
#[cfg(feature = "browser")]
#[allow(missing_docs)]
mod ui;

#[doc(hidden)]
pub mod testing;

#[cfg(feature = "browser")]
#[doc(hidden)]
pub use cli::ncdu_flags;
#[cfg(feature = "browser")]
#[doc(hidden)]
pub use cli::run;
