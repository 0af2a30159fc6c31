//! Operations with effects outside the browser: deletions, exports, and programs that the user starts.

pub mod deletion;
pub mod export;
pub mod programs;
