//! View that explains why df and the scan differ: its rows, and an explanation of each row.

use super::subvolumes;
use super::table::{Needs, SUMS, TableAnswer, TableData, TableSpec, TableSummary, Target, ViewSpec};
use crate::analysis::search::Query;
use crate::base::format::Units;
use crate::base::sync::Arc;
use crate::base::text;
use crate::df::rows::{Amount, Row, Subject};
use crate::df::{self, Account, Note, explain};
use crate::table::column::ColumnSet;
use crate::ui::loader::Load;

pub static VIEW: ViewSpec = ViewSpec {
    name: "df",
    key: '0',
    tab: ["Disk"; 3],
    help: "compare with df",
    title: "why df and the scan differ",
    needs: Needs::LiveScan,
    table: Some(&TABLE),
};

pub static TABLE: TableSpec = TableSpec {
    columns: ColumnSet::of(&[]),
    has_measure: false,
    is_of_tree: false,
    has_scale: false,
    counted: None,
    empty: ["No file-system information"; 2],
    start: |sources, request| {
        if !sources.may_ask_system {
            return Ok(None);
        }
        let units = request.units;
        let job = df::account(sources.pool, Arc::clone(sources.tree), request.from, units)?;
        Ok(Some(Load::of(job, move |account| Ok(TableAnswer::new(DfRows { account, units })))))
    },
    ..SUMS
};

/// Title of the column of amounts.
pub const AMOUNT: &str = "Size";

/// Rows that account for the space reported by df.
#[derive(Debug)]
pub struct DfRows {
    pub account: Arc<Account>,
    pub units: Units,
}

impl TableData for DfRows {
    fn summary(&self) -> TableSummary {
        TableSummary { is_complete: true, ..TableSummary::default() }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.account.rows.len()
    }

    fn target(&self, index: usize) -> Option<Target> {
        let row = self.account.rows.get(index)?;
        let space = self.account.report.spaces.first()?;
        if let Subject::Note(note) = row.subject
            && let Some(Note::Subvolumes(_)) = space.notes.get(note)
        {
            let (label, table) = (subvolumes::TITLE.to_owned(), &subvolumes::TABLE);
            return Some(Target::Files { label, table, query: Query::default() });
        }
        let words = explain::explain(space, row.subject, self.units);
        Some(Target::Words { label: row.label.clone(), words })
    }

    fn ledger(&self, _columns: usize) -> Vec<Row> {
        self.account.rows.clone()
    }
}

#[derive(Debug)]
pub struct Explanation(pub Vec<String>);

impl TableData for Explanation {
    fn summary(&self) -> TableSummary {
        TableSummary { is_complete: true, ..TableSummary::default() }
    }

    fn rows(&self, columns: usize) -> usize {
        self.ledger(columns).len()
    }

    fn ledger(&self, columns: usize) -> Vec<Row> {
        wrap(&self.0, columns)
    }
}

/// Wraps paragraphs to `columns` columns, with an empty line between paragraphs.
fn wrap(paragraphs: &[String], columns: usize) -> Vec<Row> {
    let room = columns.saturating_sub(4).max(8);
    let blank = |number| (number > 0).then_some("");
    let lines = paragraphs.iter().enumerate();
    let lines = lines.flat_map(|(number, words)| blank(number).into_iter().chain(text::wrap(words, room)));
    let row = |label| Row { subject: Subject::Systems, depth: 0, amount: Amount::Nothing, label, note: None };
    lines.map(|line| row(line.trim_end().to_owned())).collect()
}
