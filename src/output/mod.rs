//! Output of runs without a browser: tables, JSON, totals, progress and errors.

pub(crate) mod df;
pub(crate) mod duplicates;
pub(crate) mod errors;
pub mod json;
pub(crate) mod progress;
pub(crate) mod subvolumes;
pub(crate) mod summary;
pub(crate) mod table;
