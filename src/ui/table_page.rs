//! Visible part of a table view, collected for drawing.

use super::keys::Command;
use super::marks::Marks;
use super::theme::{Glyphs, Role};
use super::title::Title;
use super::views::table::TableLayout;
use super::views::{RowMarks, TableSpec, TableSummary};
use crate::analysis::search::Order;
use crate::base::format::Measure;
use crate::df::rows as ledger;
use crate::table::column::{Column, Scale};
use crate::table::row::Row;

/// Effect of Enter on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnterEffect {
    /// Hides the children of the row.
    Fold,
    /// Shows the children of the row.
    Unfold,
    /// Opens the target of the row, for example an entry or a list of files.
    Open,
}

/// Commands that the row under the cursor accepts.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowCommands {
    /// Effect of Enter, if any.
    pub enter: Option<EnterEffect>,
    /// `true` if the row stands for entries of the tree.
    pub has_entries: bool,
    pub can_mark: bool,
    /// `true` if the row belongs to a group of copies.
    pub has_copies: bool,
}

/// Visible part of a table view.
#[derive(Clone, Debug)]
pub struct TablePage {
    pub table: &'static TableSpec,
    pub order: Order,
    pub title: Title,
    pub summary: TableSummary,
    /// `true` if no more rows are expected.
    pub is_complete: bool,
    /// `true` if the rows come from the previous scan and the running scan has not confirmed them yet.
    pub is_recorded: bool,
    /// `true` if files were found on a file system that lets files share data.
    pub can_share: bool,
    /// Text shown instead of rows, for example the error of a failed job.
    pub failure: Option<String>,
    /// Progress of the search, as text and in thousandths. `None` if the search is complete, or if partial results are
    /// shown.
    pub progress: Option<(String, u16)>,
    /// Number of rows, including those scrolled out of view.
    pub rows: usize,
    pub index: usize,
    pub offset: usize,
    pub row: RowCommands,
    pub lines: Vec<Row>,
    /// Color role of the bar of each row in `lines`.
    pub roles: Vec<Role>,
    /// Visible rows of the df view, or of an explanation of a df row. Their columns differ from those of `lines`.
    pub ledger: Vec<ledger::Row>,
}

impl TablePage {
    pub fn visible(&self) -> usize {
        self.lines.len().max(self.ledger.len())
    }
}

/// Returns `false` if `command` needs columns, bars, measures, copies or marks that the table does not have. Also
/// returns `false` if `command` acts on marked entries, but the table marks its own rows.
pub fn is_of_table(table: &TableSpec, command: Command) -> bool {
    match command {
        Command::Scale => table.has_scale,
        Command::Measure => table.has_measure,
        Command::MarkCopies(_) | Command::MarkElsewhere | Command::Share => {
            table.layout == TableLayout::Copies
        }
        Command::MarkRange | Command::MarkShown | Command::InvertMarks => table.marks == RowMarks::Entries,
        Command::Show(column) => table.columns.has(column),
        // These commands act on marked entries. A table that marks its own rows rejects them, because the user would
        // expect the commands to act on those rows.
        Command::Delete | Command::Trash | Command::Script | Command::PrintMarks => {
            table.marks != RowMarks::Own
        }
        Command::Graph => table.columns.has(Column::Bar),
        _ => true,
    }
}

/// Display settings and marks needed to collect the visible part of a table view.
#[derive(Clone, Copy)]
pub struct Sight<'m, 't> {
    /// All marks, for the symbols on marked rows.
    pub marks: &'m Marks<'t>,
    pub measure: Measure,
    pub scale: Scale,
    pub glyphs: Glyphs,
    pub columns: usize,
    /// Number of screen lines for rows.
    pub lines: usize,
}
