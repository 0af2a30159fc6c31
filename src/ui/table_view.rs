//! Table view: a view of everything below a directory. It consists of a request, rows, and a cursor.
//!
//! The rows of each view, and the targets that Enter opens, are defined in `views`; this file contains the part that
//! all views share. While more rows are being found, the cursor follows its row, which is identified by its entry or by
//! [`Target::key`]. A cursor on the first row stays on the first row, unless [`TableView::is_pinned`] is `true`. If the
//! rows form a tree, the user can fold and unfold them.
//!
//! Invariant: after [`TableView::update`] the cursor is on a row, if there are rows.

use super::cursor::{Cursor, Motion};
use super::folding::Folding;
use super::loader::{Keep, Loader, Sources, TableRequest};
use super::marks::Marks;
use super::notice::Notice;
use super::table_page::{EnterEffect, RowCommands, Sight, TablePage};
use super::title::Title;
use super::views::recorded;
use super::views::{
    Branch, Copies, RowMarks, TableAnswer, TableContext, TableData, TableSpec, TableSummary, Target,
};
use super::window::totals_size;
use crate::analysis::search::Order;
use crate::base::sync::Arc;
use crate::duplicates::{EqualEntry, KeptCopy};
use crate::table::column::Scale;
use crate::table::recorded::RecordedTree;
use crate::tree::{DirId, EntryId, Relocation, Tree};

#[derive(Debug)]
pub struct TableView {
    pub spec: &'static TableSpec,
    /// Rows, loaded in the background.
    pub rows: Loader<TableAnswer>,
    request: TableRequest,
    title: Title,
    /// Text shown instead of rows: example searches if the search text is empty, or an error in the search text.
    text: Option<String>,
    cursor: Cursor,
    columns: usize,
    folding: Folding,
    /// `true` if all rows will be marked as soon as they have been found.
    will_mark: bool,
    /// `true` if the cursor always follows its entry when the rows change. If `false`, a cursor on the first row stays
    /// on the first row.
    pub is_pinned: bool,
}

/// Maximum number of entries that are looked up in the running scan for one row from the previous scan. If a row has
/// more entries, none of them is looked up.
pub const MOST_AWAITED: usize = 256;

impl TableView {
    pub fn new(title: impl Into<Title>, spec: &'static TableSpec, request: TableRequest) -> Self {
        let title = title.into();
        let (rows, text, cursor, columns) = (Loader::default(), None, Cursor::default(), 0);
        let (folding, will_mark, is_pinned) = (Folding::default(), false, false);
        Self { spec, rows, request, title, text, cursor, columns, folding, will_mark, is_pinned }
    }

    /// Shows this answer instead of starting a job.
    #[must_use]
    pub fn with_answer(self, answer: TableAnswer) -> Self {
        Self { rows: Loader::given(Some(answer)), ..self }
    }

    /// Shows this text instead of rows, and starts no job.
    #[must_use]
    pub fn with_text(self, text: String) -> Self {
        Self { rows: Loader::given(None), text: Some(text), ..self }
    }

    /// Shows the rows of `before` until new rows are loaded, if both views are of the same kind and the job of `before`
    /// has not failed. This prevents search results from flickering while the user types.
    #[must_use]
    pub fn showing_rows_of(self, before: Option<Self>) -> Self {
        let before = before.filter(|view| view.spec.rows == self.spec.rows && view.rows.error().is_none());
        let answer = before.and_then(|view| view.rows.into_value());
        Self { rows: self.rows.showing(answer), ..self }
    }

    /// Returns the latest answer; `None` if the job failed or has published nothing yet.
    fn answer(&self) -> Option<&TableAnswer> {
        self.rows.value().filter(|_| self.rows.error().is_none())
    }

    pub fn order(&self) -> Order {
        self.request.order
    }

    pub fn set_title(&mut self, title: Title) {
        self.title = title;
    }

    /// Requests the rows in another order. The current rows are shown until the new ones are loaded.
    pub fn sort(&mut self, order: Order) {
        if self.request.order != order {
            self.request.order = order;
            self.rows.reload(Keep::Shown);
        }
    }

    /// Updates the request after a rescan, and requests the rows again. Returns `None` if the view's directory no
    /// longer exists.
    pub fn relocate(&mut self, relocation: &mut Relocation<'_>) -> Option<()> {
        self.request.from = relocation.find(self.request.from)?;
        self.request.query.relocate(relocation);
        self.rows.reload(Keep::Nothing);
        Some(())
    }

    /// Starts the job if necessary, and collects its results. Returns `true` if the rows have changed. The rows come
    /// from `record`, the tree of the previous scan, if `record` contains the view's directory and
    /// [`TableSpec::is_of_tree`] is `true`. Otherwise, the rows come from the current tree.
    pub fn poll(&mut self, sources: &Sources<'_>, record: Option<&RecordedTree>) -> bool {
        let followed = self.of_tree(self.cursor.index).first().copied();
        let before = self.number(self.cursor.index).zip(self.answer().map(|answer| Arc::clone(&answer.data)));
        let recorded = self.recorded(self.cursor.index).map(|(record, entries)| (record.clone(), entries[0]));
        let (start, request) = (self.spec.start, &self.request);
        let record = record.filter(|_| self.spec.is_of_tree);
        if !self.rows.poll(|| recorded::start(start, sources, request, record)) {
            return false;
        }
        self.fold();
        if record.is_some() && self.is_recorded() {
            self.rows.set_current();
        }
        let followed = match recorded {
            Some((_, entry)) if self.is_recorded() => Some(entry),
            Some((record, entry)) => record.find_entry(sources.tree, entry),
            None => followed.filter(|_| !self.is_recorded()),
        };
        if self.cursor.index > 0 || self.is_pinned {
            let found = followed.and_then(|entry| self.visible(self.answer()?.data.find(entry)?));
            let same = || {
                let key = before.and_then(|(row, data)| data.target(row)?.key())?;
                let key_of = |row| self.answer()?.data.target(self.number(row)?)?.key();
                (0..self.count()).find(|row| key_of(*row).as_ref() == Some(&key))
            };
            self.cursor.index = found.or_else(same).unwrap_or(self.cursor.index);
        }
        true
    }

    /// If `is_wanted` is `true`, requests that all rows be marked as soon as they have been found; otherwise cancels
    /// this request. [`Self::take_found`] tells the caller when to mark the rows.
    pub fn mark_all_found(&mut self, is_wanted: bool) {
        self.will_mark = is_wanted;
    }

    /// If marking was requested and all rows have been found, ends the request and returns the number of rows and the
    /// number of entries found. There may be fewer rows than entries, because the number of rows is limited.
    pub fn take_found(&mut self) -> Option<(u64, u64)> {
        let is_due = self.will_mark && !self.rows.is_loading();
        let answer = self.answer().filter(|_| is_due)?;
        let found = (answer.data.rows(self.columns) as u64, answer.summary.matched);
        self.will_mark = false;
        Some(found)
    }

    pub fn sorts(&self) -> Notice {
        let table = self.spec;
        let mut columns: Vec<&str> = table.sortable.iter().map(|(_, word)| *word).collect();
        columns.dedup();
        Notice::SortableBy { rows: table.rows, columns }
    }

    pub fn step(&mut self, motion: Motion, lines: usize) {
        self.cursor.step(motion, lines, self.count());
    }

    pub fn index(&self) -> usize {
        self.cursor.index
    }

    pub fn go_to(&mut self, index: usize) {
        self.cursor.index = index.min(self.count().saturating_sub(1));
    }

    /// Returns `true` if the rows come from the previous scan and the running scan has not confirmed them yet.
    pub fn is_recorded(&self) -> bool {
        self.answer().is_some_and(|answer| answer.data.is_recorded())
    }

    pub fn target(&self) -> Option<Target> {
        self.answer()?.data.target(self.number(self.cursor.index)?)
    }

    /// Returns the entries of a row: several for a group of cleanup candidates or an inode with several names, none for
    /// a total or a group of copies. If the row is from the previous scan, looks up its entries in the running scan.
    /// Returns none of them while this scan may still find more, or if there are more than [`MOST_AWAITED`], because
    /// the drawing thread would have to look up each of them.
    pub fn entries(&self, tree: &Tree, row: usize) -> Vec<EntryId> {
        match self.recorded(row) {
            Some((_, entries)) if entries.len() > MOST_AWAITED => Vec::new(),
            Some((record, entries)) => record.look_up_all(tree, &entries).unwrap_or_default(),
            None => self.of_tree(row),
        }
    }

    /// Returns the entries of a row; nothing if the row is from the previous scan (see [`Self::recorded`]).
    fn of_tree(&self, row: usize) -> Vec<EntryId> {
        let entries = || Some(self.answer()?.data.entries(self.number(row)?));
        entries().unwrap_or_default()
    }

    /// Returns the tree of the previous scan, and the row's entries in it; `None` if the row has none there.
    pub fn recorded(&self, row: usize) -> Option<(&RecordedTree, Vec<EntryId>)> {
        self.answer()?.data.recorded(self.number(row)?)
    }

    /// Returns `true` if the row under the cursor shows the given entries. `recorded` contains their IDs in the tree of
    /// the previous scan, and `found` their IDs in the current tree. A row from the previous scan must show exactly
    /// `recorded`; any other row must show at least one entry of `found`.
    pub fn is_on(&self, recorded: &[EntryId], found: &[EntryId]) -> bool {
        match self.recorded(self.cursor.index) {
            Some((_, shown)) => shown == recorded,
            None => self.of_tree(self.cursor.index).iter().any(|shown| found.contains(shown)),
        }
    }

    /// In a view with marks of its own, marks or unmarks the row under the cursor. Returns `false` in any other view,
    /// and for a row that cannot be marked.
    pub fn toggle_mark(&self) -> bool {
        let data = self.answer().map(|answer| &answer.data);
        self.number(self.cursor.index).zip(data).is_some_and(|(row, data)| data.toggle_mark(row))
    }

    /// Returns the entries in the group of copies under the cursor, divided into the copy that `kept` selects and the
    /// other copies. Returns `None` if the row does not belong to a group.
    pub fn copies(&self, kept: KeptCopy) -> Option<Copies> {
        self.answer()?.data.copies(self.number(self.cursor.index)?, kept)
    }

    /// Finds the copies inside and outside `directory`; see [`TableData::copies_elsewhere`]. Returns `None` if the row
    /// under the cursor does not belong to a group of copies.
    pub fn copies_elsewhere(&self, tree: &Tree, directory: DirId) -> Option<Copies> {
        let data = &self.answer()?.data;
        data.is_copy(self.number(self.cursor.index)?).then(|| data.copies_elsewhere(tree, directory))
    }

    /// Returns `true` if any of the found files is on a file system that lets files share data.
    pub fn can_share(&self) -> bool {
        self.answer().is_some_and(|answer| answer.data.can_share())
    }

    /// Returns sets of entries with the same contents. A deletion must keep at least one entry of each set.
    pub fn sets(&self) -> &[Vec<EqualEntry>] {
        self.answer().map(|answer| answer.data.sets()).unwrap_or_default()
    }

    /// Returns the commands that the row under the cursor accepts.
    fn row_commands(&self, tree: &Tree) -> RowCommands {
        let (index, target) = (self.cursor.index, self.target());
        let first = self.of_tree(index).first().copied();
        let is_recorded = self.recorded(index).is_some();
        let in_group = |row| self.answer().is_some_and(|answer| answer.data.is_copy(row));
        RowCommands {
            enter: match self.branch() {
                Some((key, ..)) if self.folding.is_unfolded(key) => Some(EnterEffect::Fold),
                Some(_) => Some(EnterEffect::Unfold),
                None => target.as_ref().map(|_| EnterEffect::Open),
            },
            has_entries: first.is_some() || is_recorded,
            can_mark: match self.spec.marks {
                RowMarks::None => false,
                RowMarks::Entries => first
                    .and_then(|entry| entry.record(tree))
                    .map_or(is_recorded, |record| Marks::can_mark(&record)),
                RowMarks::Files => !self.is_recorded() && target.is_some_and(|target| target.is_of_files()),
                RowMarks::Own => !self.is_recorded(),
            },
            has_copies: self.number(index).is_some_and(in_group),
        }
    }

    /// Moves the cursor to the next row that has children, or else to the last row.
    pub fn step_to_next_group(&mut self) {
        let has_children = |row: &usize| {
            let branch = || Some(self.answer()?.data.branch(self.number(*row)?));
            branch().is_some_and(|branch| branch.key.is_some())
        };
        let next = (self.cursor.index + 1..self.count()).find(has_children);
        self.go_to(next.unwrap_or(self.count()));
    }

    /// Returns the number of rows that are not hidden by folding.
    pub fn count(&self) -> usize {
        match self.answer() {
            Some(answer) if answer.data.is_tree() => self.folding.count(),
            Some(answer) => answer.data.rows(self.columns),
            None => 0,
        }
    }

    /// Converts the index of a visible row to its index in the answer, which includes rows hidden by folding.
    fn number(&self, row: usize) -> Option<usize> {
        self.folding.number(&*self.answer()?.data, row)
    }

    /// Converts the index of a row in the answer to its index among the visible rows; `None` if folding hides the row.
    fn visible(&self, number: usize) -> Option<usize> {
        self.folding.visible(&*self.answer()?.data, number)
    }

    /// Updates the list of rows that are not hidden by folding.
    fn fold(&mut self) {
        let data = self.answer().map(|answer| Arc::clone(&answer.data)).filter(|data| data.is_tree());
        if let Some(data) = data {
            self.folding.update(&*data, self.columns);
        }
    }

    /// Returns the `Branch::key` of the row under the cursor, the row's index in the answer, and the answer's data.
    /// Returns `None` if there is no row, or if the row cannot be folded.
    fn branch(&self) -> Option<(u64, usize, Arc<dyn TableData>)> {
        let data = Arc::clone(&self.answer()?.data);
        let row = self.number(self.cursor.index)?;
        Some((data.branch(row).key.filter(|_| data.is_tree())?, row, data))
    }

    /// Folds or unfolds the row under the cursor. Returns `false` if the row has no children.
    pub fn toggle(&mut self) -> bool {
        let Some((key, row, data)) = self.branch() else { return false };
        self.folding.toggle(&*data, key, row);
        self.fold();
        true
    }

    /// Scrolls just enough to show the cursor, and returns the visible part of the view.
    pub fn update(&mut self, tree: &Tree, sight: Sight<'_, '_>) -> TablePage {
        let Sight { marks, measure, scale, glyphs, columns, lines } = sight;
        let measure = self.spec.measure(measure);
        self.columns = columns;
        self.fold();
        let rows = self.count();
        self.cursor.show(lines, rows);
        let visible = self.cursor.offset..rows.min(self.cursor.offset + lines);
        let TableRequest { order, from, .. } = self.request;
        let mut page = TablePage {
            table: self.spec,
            order,
            title: self.title.clone(),
            summary: TableSummary::default(),
            is_complete: !self.rows.is_loading(),
            is_recorded: self.is_recorded(),
            can_share: self.can_share(),
            failure: self.text.clone().or_else(|| self.rows.error().map(ToString::to_string)),
            progress: self.answer().and_then(|answer| answer.data.progress()),
            rows,
            index: self.cursor.index,
            offset: self.cursor.offset,
            row: self.row_commands(tree),
            lines: Vec::new(),
            roles: Vec::new(),
            ledger: Vec::new(),
        };
        if let Some(TableAnswer { data, summary }) = self.answer() {
            let whole = summary.sum.map_or(0, |sum| totals_size(&sum, measure));
            let full = match totals_size(&summary.largest, measure) {
                largest @ 1.. if scale == Scale::Largest || !self.spec.has_scale => largest,
                _ => whole,
            };
            let context = TableContext { tree, from, measure };
            let line = |row| {
                let number = self.number(row)?;
                let mut line = data.row(number, &context)?;
                if data.is_tree() {
                    let Branch { depth, key, .. } = data.branch(number);
                    let sign = key.map_or(" ", |key| glyphs.fold(!self.folding.is_unfolded(key)));
                    let sign = "  ".repeat(depth) + sign;
                    line.label = format!("{sign} {}", line.label);
                }
                line.is_marked |= self.is_marked(tree, marks, row);
                line.add_shares(whole, full);
                Some((line, data.bar_role(number)))
            };
            page.summary = *summary;
            (page.lines, page.roles) = visible.clone().filter_map(line).unzip();
            page.ledger = data.ledger(columns).into_iter().skip(visible.start).take(visible.len()).collect();
        }
        page
    }

    fn is_marked(&self, tree: &Tree, marks: &Marks<'_>, row: usize) -> bool {
        if marks.count() == 0 {
            return false;
        }
        if let Some((record, [entry])) =
            self.recorded(row).as_ref().map(|(record, entries)| (record, entries.as_slice()))
        {
            // Most rows show one entry. Its mark is found by directory and name, without the slow lookup of the entry.
            let name = record.find_name(tree, *entry);
            return name.is_some_and(|(directory, name)| marks.contains(directory, name));
        }
        let is_marked =
            |entry: &EntryId| entry.name(tree).is_some_and(|name| marks.contains(entry.directory, name));
        let entries = self.entries(tree, row);
        !entries.is_empty() && entries.iter().all(is_marked)
    }
}
