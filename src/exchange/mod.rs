//! Trees to and from other programs and machines.
//!
//! [`Import`] reads ncdu's JSON format, [`Export`] writes it, [`Flat`] writes one line for each entry. In between:
//!
//! ```text
//! file, ssh -> packing (unpack) -> pipe -> lexer -> ncdu -> builder -> tree
//! tree -> export -> pipe -> packing (pack) -> file
//! ```
//!
//! Knows no screen. Invariant: what is read was written by anybody: it may be anything, and costs no more than its size.

mod builder;
mod export;
mod flat;
mod import;
mod lexer;
mod ncdu;
mod packing;
mod pipe;
mod remote;
#[cfg(test)]
mod tests;

pub use export::Export;
pub use flat::{Flat, Form};
pub use import::{Import, Input, Provenance};
pub use packing::pack;
pub use remote::Remote;

use crate::platform::words;
