//! The terminal: standard streams, signals, and programs that run in it.

pub(crate) mod actions;
pub mod interrupt;
pub mod signals;
pub mod spawn;
pub mod stops;
pub mod streams;
