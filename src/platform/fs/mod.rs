//! File systems: mounts, kinds, capacity, overhead and covered files.

pub mod answer;
pub mod capacity;
pub mod covered;
pub(crate) mod kind;
pub mod mounts;
pub mod overhead;
