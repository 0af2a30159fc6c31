//! Tables: columns, rows, and the order of a directory's entries, for the browser and for printed tables.

pub mod column;
pub mod outline;
pub mod row;
pub mod rows;
