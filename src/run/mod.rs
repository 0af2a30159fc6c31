//! Tasks of the program, such as browsing, printing and saving, and the code that they share.

pub(crate) mod browse;
pub(crate) mod diff;
pub(crate) mod duplicates;
pub(crate) mod exit;
pub(crate) mod export;
pub(crate) mod lists;
pub(crate) mod merge;
pub(crate) mod part;
pub(crate) mod plan;
pub(crate) mod print;
pub(crate) mod save;
mod share;
pub(crate) mod snapshot_writer;
pub(crate) mod streams;
pub(crate) mod subvolumes;
