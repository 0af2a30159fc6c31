//! The engine of duke, a disk-usage browser: it reads directory trees with all processors and keeps them small.
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
//! Three modules are the public interface, and change incompatibly only with the first nonzero number of the
//! version: [`scan`] reads directories, [`tree`] holds the result, [`base`] has the kinds of entries
//! ([`base::kind`]), formats sizes ([`base::format`]) and makes names safe for a terminal ([`base::text`]).
//! `examples/` has a du and a custom report. Functions that build and replace trees, and the encoding of
//! trees in memory and in files, are hidden there, and may change in any version.
//!
//! The rest is the program: items that its own tests and benchmarks use are public but hidden, and may change
//! in any version.
//!
//! Data flows from directory entries to sealed listings, to totals up the tree, to rows, to cells or JSON.

#[cfg(not(unix))]
compile_error!("duke reads directories the Unix way");

pub mod base;
pub mod scan;
pub mod tree;

#[cfg(feature = "analysis")]
#[doc(hidden)]
pub mod analysis;
#[cfg(feature = "delete")]
#[doc(hidden)]
pub mod delete;
#[doc(hidden)]
pub mod df;
#[cfg(feature = "formats")]
#[doc(hidden)]
pub mod formats;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod platform;
#[cfg(feature = "formats")]
#[doc(hidden)]
pub mod source;
#[cfg(feature = "tui")]
#[doc(hidden)]
pub mod table;
#[cfg(feature = "tui")]
#[doc(hidden)]
pub mod ui;

#[cfg(feature = "cli")]
mod cli;
#[cfg(test)]
mod fixture;
#[cfg(feature = "analysis")]
mod query;
#[cfg(feature = "cli")]
mod run;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::run;
