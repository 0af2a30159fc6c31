//! Age view: the files below a directory, with one row per age range.
//!
//! ```text
//!      Disk   Share               Items  Last changed
//!   1.6 GiB  84.3% ████████▍         12  less than 30 days ago
//! ```
//!
//! Enter lists the files in the age range.

use super::largest;
use super::table::{
    Needs, RowMarks, SUMS, TableAnswer, TableContext, TableData, TableSpec, TableSummary, Target, ViewSpec,
    row_of_sum,
};
use crate::analysis::rows::larger;
use crate::analysis::search::SortBy;
use crate::analysis::survey::{self, Age, Ages};
use crate::base::sync::Arc;
use crate::table::column::Column as C;
use crate::table::row::Row;
use crate::tree::Totals;
use crate::ui::loader::Load;
use crate::ui::map_colors::MapColors;
use crate::ui::theme::Role;

pub static VIEW: ViewSpec = ViewSpec {
    name: "ages",
    key: '4',
    tab: ["Ages", "Age", "Age"],
    help: "age of files",
    title: "age",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

/// Table of the age ranges, most recent first.
pub static TABLE: TableSpec = TableSpec {
    rows: "Ages",
    sortable: &[
        (C::Size, "size"),
        (C::Items, "items"),
        (C::Name, "last change"),
        (C::Modified, "last change"),
    ],
    titles: &[(C::Name, "Last changed")],
    time: C::Name,
    first_order: Some(SortBy::Modified),
    start: |sources, request| {
        let now = request.now;
        let job = survey::ages(sources.pool, sources.request(request), now)?;
        Ok(Some(Load::of(job, move |ages| Ok(TableAnswer::new(AgeRows { ages, now })))))
    },
    marks: RowMarks::Files,
    ..SUMS
};

/// Returns the title of the list of files in an age range.
fn files_label(age: Age) -> String {
    format!("changed {}", age.text())
}

/// Totals by age, and the time that the ages are relative to.
#[derive(Debug)]
struct AgeRows {
    ages: Arc<Ages>,
    now: i64,
}

impl TableData for AgeRows {
    fn summary(&self) -> TableSummary {
        let Ages { rows, total, searched, complete, .. } = &*self.ages;
        TableSummary {
            sum: Some(*total),
            matched: total.items,
            searched: *searched,
            largest: rows.iter().fold(Totals::default(), larger),
            is_complete: *complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.ages.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let age = *self.ages.order.get(index)?;
        Some(row_of_sum(age.text().to_owned(), &self.ages.rows[age as usize], context.measure))
    }

    fn bar_role(&self, index: usize) -> Role {
        let age = self.ages.order.get(index);
        age.and_then(|age| MapColors::Age.legend().get(*age as usize)).map_or(Role::Bar, |(role, ..)| *role)
    }

    fn target(&self, index: usize) -> Option<Target> {
        let age = self.ages.order.get(index)?;
        Some(Target::Files { label: files_label(*age), table: &largest::TABLE, query: age.query(self.now) })
    }
}
