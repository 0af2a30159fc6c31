//! duke, a disk-usage browser: directory entries -> sealed listings -> totals up the tree -> rows -> cells, or JSON.

#[cfg(not(unix))]
compile_error!("duke reads directories the Unix way");

pub mod batch;
pub mod browse;
pub mod cli;
pub mod config;
pub mod delete;
pub mod exchange;
pub mod exit;
#[cfg(test)]
mod fixture;
pub mod hints;
pub mod inspect;
pub mod job;
pub mod json;
pub mod kind;
pub mod message;
pub mod platform;
pub mod replacement;
pub mod rows;
pub mod scan;
pub mod search;
pub mod size;
pub mod snapshot;
pub mod source;
pub mod space;
pub mod survey;
mod sync;
mod table;
pub mod text;
pub mod tree;
pub mod ui;
