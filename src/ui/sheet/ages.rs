//! How long ago the files of a subtree were changed: a row for each age.
//!
//! ```text
//!      Disk   Share               Items  Last changed
//!   1.6 GiB  84.3% ████████▍         12  less than 30 days ago
//! ```
//!
//! Enter shows the files of that age.

use super::{SheetLine, Target};
use crate::size::Measure;
use crate::survey::Ages;
use crate::ui::work::Ask;

/// A row.
pub(super) fn line(ages: &Ages, index: usize, measure: Measure) -> Option<SheetLine> {
    let age = *ages.order.get(index)?;
    Some(SheetLine::of_sum(age.words().to_owned(), &ages.rows[age as usize], measure))
}

/// Where a row leads, if `ask` was the question.
pub(super) fn target(ages: &Ages, ask: Ask, index: usize) -> Option<Target> {
    let Ask::Ages { now } = ask else { return None };
    let age = ages.order.get(index)?;
    Some(Target::Files {
        label: format!("changed {}", age.words()),
        ask: Ask::Largest,
        query: age.query(now),
    })
}
