//! Operations: work with effects outside the browser's state, started by the session.

pub mod deletion;
pub mod export;
pub mod programs;
