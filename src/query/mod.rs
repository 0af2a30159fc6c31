//! Search language: parses queries from the text typed by the user.

pub mod category;
pub(crate) mod glob;
pub(crate) mod parse;
pub(crate) mod size;
pub(crate) mod standing;
pub(crate) mod terms;
