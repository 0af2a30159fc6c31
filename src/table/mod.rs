//! Tables: columns, rows, and the order of entries in a directory, for the browser and for printed tables.

pub mod chain;
pub mod column;
pub mod column_set;
mod main_category;
mod order;
pub mod outline;
pub mod recorded;
pub mod recorded_rows;
pub mod row;
pub mod rows;
