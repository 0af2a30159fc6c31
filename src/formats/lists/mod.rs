//! Lists from other programs, and duke's own flat lines: one entry per line, with its path.
//!
//! ```text
//! chunks -> records -> json_line, separated -> entry_line -> path_tree, log -> write -> tree
//!           one line   its values              its data      directories,
//!           or record                                        found by path
//! ```
//!
//! A list may contain its entries in any order and omit directories, so no directory is known to be complete before the
//! end of the list. Until then, the entries are kept in a log, grouped by directory (`log`). At the end, they are
//! written to the tree, one directory at a time, and the log is freed in the process.
//!
//! Invariant: a line that cannot be read does not change the tree, and is counted as an error.

mod collision;
mod entry_line;
mod faults;
mod field;
mod json_line;
mod layout;
mod live;
mod log;
mod node_index;
mod path_tree;
mod reader;
mod records;
mod separated;
#[cfg(test)]
mod tests;
mod uploads;
mod value;
mod write;

pub use field::FieldColumn;
pub(crate) use layout::{LayoutError, Recognized, recognize};
pub(crate) use live::LiveTree;
pub(crate) use reader::{HostNumbers, ListReader};
pub(crate) use records::RecordReader;
pub(crate) use uploads::add_uploads;
pub(crate) use write::RootLabel;

/// Program that wrote a list, for formats that cannot be recognized by their contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListPreset {
    /// `du -ab0`: sizes and paths; the size of a directory includes everything below it.
    Du,
    /// `find -printf '%p\t%s\t%b\t%T@\0'`.
    Find,
    /// `rclone lsjson -R`: an array of objects, one per line.
    Rclone,
    /// S3 Inventory in CSV, without a header.
    S3Inventory,
}

/// Message shown if flags for [`ListOptions`] are given, but the input is not a list.
pub const ONLY_FOR_LISTS: &str =
    "--format, --fields, --root and --columns FIELD=COLUMN work only with lists of files";

/// Settings for reading lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Program or service that wrote the list. If `None`, the format is detected from the contents.
    pub preset: Option<ListPreset>,
    /// Fields whose columns the user has specified. The header identifies the columns of all other fields.
    pub fields: Vec<FieldColumn>,
    /// Path of the part to read; `None` to read everything.
    pub root: Option<Vec<u8>>,
}
