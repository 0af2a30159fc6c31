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
//! Five modules are for others, and change only with the first number of the version that is not 0: [`scan`] reads, [`tree`]
//! is what was read, [`kind`] what an entry is, [`size`] writes sizes, [`text`] makes names safe for a terminal. `examples/`
//! has a du and a report of one's own. How a tree is built and replaced, and how it lies in memory and in files, is hidden there, and not promised.
//!
//! The rest is the program: what its own tests and benchmarks use is public and hidden, and may change in any version.
//!
//! The way through it: directory entries -> sealed listings -> totals up the tree -> rows -> cells, or JSON.

#[cfg(not(unix))]
compile_error!("duke reads directories the Unix way");

pub mod kind;
pub mod scan;
pub mod size;
pub mod text;
pub mod tree;

#[doc(hidden)]
pub mod delete;
#[doc(hidden)]
pub mod exchange;
#[doc(hidden)]
pub mod growth;
#[doc(hidden)]
pub mod job;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod platform;
#[doc(hidden)]
pub mod rows;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod snapshot;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod space;
#[doc(hidden)]
pub mod survey;
#[doc(hidden)]
pub mod ui;

mod batch;
mod browse;
mod cli;
mod config;
mod exit;
#[cfg(test)]
mod fixture;
mod hints;
mod inspect;
mod message;
mod replacement;
mod sync;
mod table;
mod writing;

#[doc(hidden)]
pub use cli::run;
