//! Operations: work that changes something outside of the state, started by the session.

pub mod deletion;
pub mod export;
pub mod programs;
