//! Duplicates view: groups of files or directories with the same contents, sorted by wasted space.
//!
//! ```text
//!   Wasted  Share Modified          Path
//!  1.2 GiB  84.3%                   ▾ album/  2 directories, each 1.2 GiB in 1,234 non-empty files
//!  1.2 GiB  84.3% 2026-11-21 08:15      music/album/
//!  1.2 GiB  84.3% 2026-11-20 17:02      old/album/
//! ```
//!
//! The size of a group is the disk usage that would be freed if only one copy were kept. The size of a copy is its disk
//! usage. The search reads files, so it starts only when the view is opened, and closing the view stops it.
//!
//! Invariant: no rows appear before the search is complete, because a partial list of duplicates would look
//! complete.

use super::largest::{ENTRIES, path_below};
use super::table::{
    Branch, Copies, Needs, TableAnswer, TableContext, TableData, TableLayout, TableSpec, TableSummary,
    Target, ViewSpec,
};
use crate::base::format::{Units, counted, share};
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::duplicates::{self, Duplicate, DuplicateGroup, DuplicateKind, Duplicates, EqualEntry, KeptCopy};
use crate::table::column::{Column as C, ColumnSet};
use crate::table::row::{CellValue, Row, RowNote, RowStyle};
use crate::tree::{DirId, EntryId, Totals, Tree};
use crate::ui::loader::Load;

pub static VIEW: ViewSpec = ViewSpec {
    name: "duplicates",
    key: 'w',
    tab: ["Duplicates", "Copies", "Copies"],
    help: "duplicates",
    title: "duplicates",
    needs: Needs::CompleteScan,
    table: Some(&TABLE),
};

pub static TABLE: TableSpec = TableSpec {
    rows: "Duplicates",
    sortable: &[],
    columns: ColumnSet::of(&[C::Percent, C::Bar, C::Modified]),
    fixed: ColumnSet::of(&[C::Size, C::Modified, C::Name]),
    titles: &[(C::Size, "Wasted"), (C::Name, "Path")],
    layout: TableLayout::Copies,
    has_measure: false,
    is_of_tree: false,
    has_scale: true,
    counted: Some(["group", "groups"]),
    empty: ["No duplicates"; 2],
    start: |sources, request| {
        if !sources.may_ask_system {
            return Ok(None);
        }
        let units = request.units;
        let job = duplicates::find(sources.pool, sources.request(request))?;
        Ok(Some(Load::of(job, move |found| Ok(TableAnswer::new(DuplicateRows::new(found, units))))))
    },
    ..ENTRIES
};

/// Heading above the files that were not compared.
const NOT_COMPARED: &str = "Not compared";

/// Returns the note after [`NOT_COMPARED`]. `unopened` is the number of files on a network or virtual file system,
/// and `skipped` is the number of other files.
fn not_compared_note(skipped: u64, unopened: u64) -> String {
    let files = |number| counted(number, "file", "files");
    match (skipped, unopened) {
        (skipped, 0) => files(skipped),
        (0, unopened) => format!("{} on a network or virtual file system", files(unopened)),
        (skipped, unopened) => {
            format!("{}, plus {} on a network or virtual file system", files(skipped), files(unopened))
        }
    }
}

/// Duplicates, and the rows that show them, in display order.
#[derive(Debug)]
pub struct DuplicateRows {
    found: Arc<Duplicates>,
    units: Units,
    rows: Vec<DuplicateRow>,
}

/// Row of the view. The numbers are indexes in [`Duplicates`].
#[derive(Clone, Copy, Debug)]
enum DuplicateRow {
    Group(usize),
    /// Copy, given by the index of its group and the index of the copy in that group.
    Copy(usize, usize),
    /// Heading [`NOT_COMPARED`].
    NotCompared,
    Skipped(usize),
}

impl DuplicateRows {
    pub fn new(found: Arc<Duplicates>, units: Units) -> Self {
        let mut rows = Vec::new();
        for (group, DuplicateGroup { copies, .. }) in found.groups.iter().enumerate() {
            rows.push(DuplicateRow::Group(group));
            rows.extend((0..copies.len()).map(|copy| DuplicateRow::Copy(group, copy)));
        }
        if !found.skipped.is_empty() || found.unopened > 0 {
            rows.push(DuplicateRow::NotCompared);
            rows.extend((0..found.skipped.len()).map(DuplicateRow::Skipped));
        }
        Self { found, units, rows }
    }

    fn group(&self, row: usize) -> Option<&DuplicateGroup> {
        match *self.rows.get(row)? {
            DuplicateRow::Group(group) | DuplicateRow::Copy(group, _) => self.found.groups.get(group),
            DuplicateRow::NotCompared | DuplicateRow::Skipped(_) => None,
        }
    }
}

fn row_of_group(tree: &Tree, group: &DuplicateGroup, units: Units) -> Option<Row> {
    let name = escape(group.copies.first()?.entry.name(tree)?).into_owned();
    let row = Row::of_words(name + group.slash(), RowStyle::Strong);
    let note = Some(RowNote::plain(group.text(units)));
    Some(Row { note, ..row }.with(C::Size, CellValue::Bytes(group.wasted)))
}

fn row_of_copy(group: &DuplicateGroup, copy: &Duplicate, context: &TableContext<'_>) -> Option<Row> {
    let name = copy.entry.name(context.tree)?;
    let label = path_below(context.tree, context.from, copy.entry.directory, name) + group.slash();
    let style = match group.kind {
        DuplicateKind::File => RowStyle::Plain,
        DuplicateKind::Directory { .. } => RowStyle::Directory,
    };
    let row = Row { note: copy.note().map(RowNote::plain), ..Row::of_words(label, style) };
    Some(row.with(C::Size, CellValue::Bytes(copy.disk)).with(C::Modified, CellValue::Time(copy.mtime)))
}

impl DuplicateGroup {
    /// Returns the slash to append to names of directories, or an empty string for files.
    fn slash(&self) -> &'static str {
        if self.kind == DuplicateKind::File { "" } else { "/" }
    }
}

impl TableData for DuplicateRows {
    fn summary(&self) -> TableSummary {
        let groups = &self.found.groups;
        let totals = |disk| Totals { disk, ..Totals::default() };
        TableSummary {
            sum: Some(totals(self.found.wasted())),
            matched: groups.len() as u64,
            searched: groups.len() as u64,
            largest: totals(groups.first().map_or(0, |group| group.wasted)),
            is_complete: self.found.progress.is_complete,
            ..TableSummary::default()
        }
    }

    fn progress(&self) -> Option<(String, u16)> {
        let progress = self.found.progress;
        let share = || share(progress.compared, progress.candidates);
        (!progress.is_complete).then(|| (progress.text(self.units), share()))
    }

    fn rows(&self, _columns: usize) -> usize {
        self.rows.len()
    }

    fn row(&self, index: usize, context: &TableContext<'_>) -> Option<Row> {
        match *self.rows.get(index)? {
            DuplicateRow::Group(_) => row_of_group(context.tree, self.group(index)?, self.units),
            DuplicateRow::Copy(_, copy) => {
                let group = self.group(index)?;
                row_of_copy(group, group.copies.get(copy)?, context)
            }
            DuplicateRow::NotCompared => {
                let text = not_compared_note(self.found.skipped.len() as u64, self.found.unopened);
                let note = Some(RowNote { text, is_warning: true });
                Some(Row { note, ..Row::of_words(NOT_COMPARED.to_owned(), RowStyle::Strong) })
            }
            DuplicateRow::Skipped(index) => {
                let skipped = self.found.skipped.get(index)?;
                let record = skipped.entry.record(context.tree)?;
                let label = path_below(context.tree, context.from, skipped.entry.directory, record.name);
                let note = Some(RowNote::plain(skipped.reason.text()));
                Some(Row { note, ..Row::of_words(label, RowStyle::of(record.kind)) })
            }
        }
    }

    fn is_tree(&self) -> bool {
        true
    }

    fn branch(&self, index: usize) -> Branch {
        let top = |key| Branch { depth: 0, key: Some(key), follows: false };
        match self.rows.get(index) {
            Some(DuplicateRow::Group(_)) => {
                let first = self.group(index).and_then(|group| group.copies.first());
                let key = |copy: &Duplicate| {
                    (u64::from(copy.entry.directory.0) << 32).wrapping_add(copy.entry.position)
                };
                top(first.map_or(0, key))
            }
            Some(DuplicateRow::NotCompared) => top(u64::MAX),
            Some(DuplicateRow::Copy(..) | DuplicateRow::Skipped(_)) | None => {
                Branch { depth: usize::from(index > 0), ..Branch::default() }
            }
        }
    }

    fn target(&self, index: usize) -> Option<Target> {
        self.entries(index).first().copied().map(Target::Entry)
    }

    /// Returns the entries of a row: all names of a copy, or a single skipped file. The row of a group has no entries,
    /// because marking that row would mark every copy.
    fn entries(&self, index: usize) -> Vec<EntryId> {
        match self.rows.get(index) {
            Some(DuplicateRow::Copy(_, copy)) => {
                let copy = self.group(index).and_then(|group| group.copies.get(*copy));
                copy.map(|copy| copy.names().collect()).unwrap_or_default()
            }
            Some(DuplicateRow::Skipped(index)) => {
                self.found.skipped.get(*index).map(|skipped| skipped.entry).into_iter().collect()
            }
            Some(DuplicateRow::Group(_) | DuplicateRow::NotCompared) | None => Vec::new(),
        }
    }

    fn find(&self, entry: EntryId) -> Option<usize> {
        (0..self.rows.len()).find(|row| self.entries(*row).contains(&entry))
    }

    fn copies(&self, index: usize, kept: KeptCopy) -> Option<Copies> {
        let group = self.group(index)?;
        let kept = group.kept(kept)?;
        let mut copies = Copies::default();
        for (index, copy) in group.copies.iter().enumerate() {
            let names = if index == kept { &mut copies.kept } else { &mut copies.others };
            names.extend(copy.names());
        }
        Some(copies)
    }

    fn is_copy(&self, index: usize) -> bool {
        self.group(index).is_some()
    }

    fn copies_elsewhere(&self, tree: &Tree, directory: DirId) -> Copies {
        let is_inside = |name: EntryId| {
            let is_directory = || name.record(tree).and_then(|record| record.directory()) == Some(directory);
            tree.ancestry(name.directory).any(|above| above == directory) || is_directory()
        };
        let mut copies = Copies::default();
        for group in &self.found.groups {
            let (inside, outside): (Vec<&Duplicate>, Vec<_>) =
                group.copies.iter().partition(|copy| copy.names().any(is_inside));
            if !inside.is_empty() {
                copies.kept.extend(inside.into_iter().flat_map(Duplicate::names));
                copies.others.extend(outside.into_iter().flat_map(Duplicate::names));
            }
        }
        copies
    }

    fn can_share(&self) -> bool {
        self.found.can_share
    }

    fn sets(&self) -> &[Vec<EqualEntry>] {
        &self.found.sets
    }
}
