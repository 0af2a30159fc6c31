//! The terminal: standard streams, signals, and programs that duke runs in the terminal.

#[cfg(feature = "formats")]
pub(crate) mod actions;
#[cfg(feature = "formats")]
pub mod interrupt;
#[cfg(feature = "formats")]
pub mod signals;
#[cfg(feature = "formats")]
pub mod spawn;
#[cfg(feature = "formats")]
pub mod stops;
pub mod streams;
