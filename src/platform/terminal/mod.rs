//! The terminal: standard streams, signals, and programs that duke runs in the terminal.

pub(crate) mod actions;
pub mod interrupt;
pub mod signals;
pub mod spawn;
pub mod stops;
pub mod streams;
