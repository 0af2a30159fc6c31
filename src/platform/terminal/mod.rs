//! The terminal: standard streams, signals, and programs that use it.

pub(crate) mod actions;
pub mod interrupt;
pub mod signals;
pub mod spawn;
pub mod stops;
pub mod streams;
