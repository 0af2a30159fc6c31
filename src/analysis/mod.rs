//! Searches, filters and statistics for a tree. All run as background jobs and do no I/O.

pub mod ages;
pub mod cleanup;
pub mod compare;
pub mod directories;
pub mod errors;
pub(crate) mod filter;
#[cfg(test)]
pub(crate) mod fixture;
pub mod groups;
pub mod largest;
pub mod links;
#[cfg(test)]
pub(crate) mod oracle;
pub(crate) mod order;
pub mod overview;
pub(crate) mod parallel_walk;
pub(crate) mod path_order;
pub(crate) mod request;
pub(crate) mod rows;
pub mod search;
pub mod survey;
pub mod types;
