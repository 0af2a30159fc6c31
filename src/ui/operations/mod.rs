//! Operations with effects outside the browser's state, which the session starts: deletions, exports, programs.

pub mod deletion;
pub mod export;
pub mod programs;
