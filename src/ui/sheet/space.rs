//! Where is the rest: rows of an accounting, and the words that each leads to.

use super::Target;
use crate::space::rows::{Amount, Row, Subject};
use crate::space::{Account, words};
use crate::text;
use crate::ui::work::Ask;

/// Where a row leads: to words about it.
pub(super) fn target(account: &Account, ask: Ask, index: usize) -> Option<Target> {
    let row = account.rows.get(index)?;
    let Ask::Space { units } = ask else { return None };
    let words = words::explain(account.report.spaces.first()?, row.subject, units);
    Some(Target::Words { label: row.label.clone(), words })
}

/// Paragraphs as lines of at most so many columns, an empty one between them.
pub(super) fn wrap(paragraphs: &[String], columns: usize) -> Vec<Row> {
    let room = columns.saturating_sub(4).max(8);
    let blank = |number| (number > 0).then_some("");
    let lines = paragraphs.iter().enumerate();
    let lines = lines.flat_map(|(number, words)| blank(number).into_iter().chain(text::wrap(words, room)));
    let row = |label| Row { subject: Subject::Systems, depth: 0, amount: Amount::Nothing, label, note: None };
    lines.map(|line| row(line.trim_end().to_owned())).collect()
}
