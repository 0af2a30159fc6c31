//! Columns and the order of rows, for the browser and for printed tables.

pub mod column;
pub mod row;
#[doc(hidden)]
pub mod rows;
