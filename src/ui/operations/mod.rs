//! Operations: work that changes something outside of the state. The session starts them.

pub mod deletion;
pub mod export;
pub mod programs;
