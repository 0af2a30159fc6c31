//! Search language: queries parsed from the text that a user types.

pub mod category;
pub(crate) mod glob;
pub(crate) mod parse;
pub(crate) mod standing;
pub(crate) mod terms;
