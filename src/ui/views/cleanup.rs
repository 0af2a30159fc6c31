//! Cleanup view: directories that can be rebuilt or downloaded again, grouped by kind.
//!
//! ```text
//!     Disk▾  Share                Items Modified           Path
//!   1.9 GiB  84.3% ████████▍      9,003                    ▾ Rust build output  2 directories; cargo build rebuilds it
//!   1.6 GiB  71.0% ███████▏       8,121 2026-11-21 08:15       duke/target/
//! ```
//!
//! The `Modified` column shows the time of the latest change below a directory, which suggests when the directory was
//! last used. This time is available once the search is complete. On a group, Enter folds or unfolds the group. On a
//! directory, Enter opens its parent and puts the cursor on the directory. Nothing is marked automatically. Marking a
//! group marks all of its directories.

use std::cmp::Reverse;

use super::largest::{ENTRIES, path_below};
use super::table::{
    Branch, Needs, SUMS, TableAnswer, TableContext, TableData, TableLayout, TableSpec, TableSummary, Target,
    ViewSpec, row_of_sum,
};
use crate::analysis::cleanup::{self, CandidateList};
use crate::analysis::rows::larger;
use crate::base::format::counted;
use crate::base::sort::sort_by_key;
use crate::base::sync::Arc;
use crate::table::column::Column as C;
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::{EntryId, Totals};
use crate::ui::loader::Load;

pub static VIEW: ViewSpec = ViewSpec {
    name: "cleanup",
    key: '9',
    tab: ["Cleanup", "Clean", "Clean"],
    help: "cleanup",
    title: "cleanup",
    needs: Needs::Nothing,
    table: Some(&TABLE),
};

pub static TABLE: TableSpec = TableSpec {
    rows: SUMS.rows,
    sortable: &[],
    layout: TableLayout::Groups,
    has_scale: true,
    empty: ["No cleanup candidates", "No cleanup candidates so far"],
    start: |sources, request| {
        let job = cleanup::find(sources.pool, sources.request(request))?;
        Ok(Some(Load::of(job, |list| Ok(TableAnswer::new(CleanupRows::new(list))))))
    },
    ..ENTRIES
};

/// Cleanup candidates, and the rows of the view in display order.
#[derive(Debug)]
struct CleanupRows {
    list: Arc<CandidateList>,
    rows: Vec<CleanupRow>,
}

#[derive(Debug)]
enum CleanupRow {
    Kind(CleanupKind),
    Candidate(usize),
}

/// All candidates whose rules have the same reason, such as `Rust build output; cargo build rebuilds it`.
#[derive(Debug)]
pub struct CleanupKind {
    /// Index of one of the rules that have this reason.
    rule: usize,
    reason: &'static str,
    pub totals: Totals,
    candidates: Vec<usize>,
}

impl CleanupKind {
    /// Returns the two parts of the reason: the name of the kind, and a clause such as `cargo build rebuilds it`.
    fn name_and_remedy(&self) -> (&'static str, &'static str) {
        self.reason.split_once("; ").unwrap_or((self.reason, ""))
    }

    pub fn name(&self) -> &'static str {
        self.name_and_remedy().0
    }

    /// Returns the number of candidates as text.
    pub fn count(&self) -> String {
        counted(self.candidates.len() as u64, "directory", "directories")
    }
}

/// Returns the kinds of candidates, largest first.
pub fn kinds(list: &CandidateList) -> Vec<CleanupKind> {
    let mut kinds: Vec<CleanupKind> = Vec::new();
    for (index, candidate) in list.rows.iter().enumerate() {
        let Some(reason) = list.rules.get(candidate.rule).map(|rule| rule.reason) else { continue };
        let at = kinds.iter().position(|kind| kind.reason == reason).unwrap_or_else(|| {
            let (totals, candidates) = (Totals::default(), Vec::new());
            kinds.push(CleanupKind { rule: candidate.rule, reason, totals, candidates });
            kinds.len() - 1
        });
        kinds[at].totals.add(&candidate.totals);
        kinds[at].candidates.push(index);
    }
    sort_by_key(&mut kinds, |kind| Reverse(kind.totals.disk));
    kinds
}

impl CleanupRows {
    /// Creates the rows: each kind, largest first, followed by its candidates.
    fn new(list: Arc<CandidateList>) -> Self {
        let kinds = kinds(&list);
        let mut rows = Vec::with_capacity(kinds.len() + list.rows.len());
        for kind in kinds {
            let members = kind.candidates.clone().into_iter().map(CleanupRow::Candidate);
            rows.push(CleanupRow::Kind(kind));
            rows.extend(members);
        }
        Self { list, rows }
    }
}

impl TableData for CleanupRows {
    fn summary(&self) -> TableSummary {
        let sizes = self.rows.iter().filter_map(|row| match row {
            CleanupRow::Kind(kind) => Some(&kind.totals),
            CleanupRow::Candidate(_) => None,
        });
        TableSummary {
            sum: Some(self.list.sum()),
            matched: self.list.rows.len() as u64,
            searched: self.list.searched,
            largest: sizes.fold(Totals::default(), larger),
            is_complete: self.list.complete,
            ..TableSummary::default()
        }
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        let TableContext { tree, from, measure } = *context;
        match self.rows.get(index)? {
            CleanupRow::Kind(kind) => {
                let (name, remedy) = kind.name_and_remedy();
                let note =
                    if remedy.is_empty() { kind.count() } else { format!("{}; {remedy}", kind.count()) };
                let note = Some(RowNote::plain(note));
                let row = row_of_sum(name.to_owned(), &kind.totals, measure);
                Some(Row { style: RowStyle::Strong, note, ..row })
            }
            CleanupRow::Candidate(index) => {
                let candidate = self.list.rows.get(*index)?;
                let label =
                    path_below(tree, from, candidate.entry.directory, tree.name(candidate.directory)) + "/";
                let row = Row { style: RowStyle::Directory, ..row_of_sum(label, &candidate.totals, measure) };
                Some(row.with(C::Modified, candidate.used.map_or(CellValue::None, CellValue::Time)))
            }
        }
    }

    fn is_tree(&self) -> bool {
        true
    }

    fn branch(&self, index: usize) -> Branch {
        match self.rows.get(index) {
            Some(CleanupRow::Kind(kind)) => {
                Branch { depth: 0, key: u64::try_from(kind.rule).ok(), follows: false }
            }
            Some(CleanupRow::Candidate(_)) => Branch { depth: 1, ..Branch::default() },
            None => Branch::default(),
        }
    }

    fn target(&self, index: usize) -> Option<Target> {
        match self.rows.get(index)? {
            CleanupRow::Kind(_) => None,
            CleanupRow::Candidate(index) => {
                self.list.rows.get(*index).map(|candidate| Target::Entry(candidate.entry))
            }
        }
    }

    fn entries(&self, index: usize) -> Vec<EntryId> {
        let entry = |index: &usize| self.list.rows.get(*index).map(|candidate| candidate.entry);
        match self.rows.get(index) {
            Some(CleanupRow::Kind(kind)) => kind.candidates.iter().filter_map(entry).collect(),
            Some(CleanupRow::Candidate(index)) => entry(index).into_iter().collect(),
            None => Vec::new(),
        }
    }
}
