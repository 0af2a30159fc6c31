//! Visible part of a directory as plain data: the totals for the header, and the visible rows.
//!
//! The tree changes constantly during a scan. Each update reads the tree once and stores the result in the window.
//! Drawing uses only the window.
//!
//! Invariant: all numbers of a window are read in the same update. An update that samples the totals of the growing
//! tree (`LiveTotals`) does so before it reads the other numbers.

use crate::analysis::compare::{Previous, PreviousListing, amount};
use crate::base::format::{Measure, Units, plain_size};
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::base::text::escape;
use crate::table::chain::chain;
use crate::table::column::{Column, RowOptions, Scale};
use crate::table::recorded_rows::{RecordedDir, RecordedRows};
use crate::table::row::{CellValue, Precision, Row, RowNote, RowStyle};
use crate::table::rows::{Order, RowEntry, SizeSource};
use crate::tree::{DirId, Entry, EntryId, EntryState, Position, Totals, Tree};

use super::list_state::ListState;
use super::list_texts::{
    EXCLUDED, UNKNOWN, alias_text, exclusion_text, kind_text, linked_text, recorded_text,
};
use super::marks::Marks;

#[derive(Debug, Default)]
pub struct Window {
    /// Totals of the directory, or only of the matching entries if there is a filter.
    pub totals: Totals,
    pub bound: Precision,
    /// Error number if the directory could not be read.
    pub errno: Option<i32>,
    /// `true` if everything below the directory has been read.
    pub is_complete: bool,
    /// `true` if the scan ended before it had read everything below the directory.
    pub is_partial: bool,
    /// Number of items without the filter; `None` if there is no filter.
    pub all_items: Option<u64>,
    /// Number of rows, including those whose entries have not been loaded.
    pub rows: usize,
    /// Number of hidden or excluded entries that the list omits.
    pub omitted: usize,
    pub index: usize,
    pub offset: usize,
    pub lines: Vec<Row>,
}

impl Window {
    /// Collects the rows of `location` that fit on `lines` lines.
    pub fn new(
        tree: &Tree,
        sizes: &SizeSource,
        location: &ListState<'_>,
        marks: &Marks<'_>,
        (order, options, units): (Order, RowOptions, Units),
        lines: usize,
    ) -> Self {
        let measure = order.measure;
        let status = tree.status(location.id);
        let totals = sizes.totals(tree, location.id);
        let size = totals_size(&totals, measure);
        let before = location.rows().before();
        let earlier = before.map(PreviousListing::listing);
        let change = |record: &Entry<'_>, size: Option<u64>| match (
            before?.became(tree, earlier.as_ref()?, record)?,
            size,
        ) {
            (Previous::New, size) => Some(CellValue::Change(None, Some(size.unwrap_or(0)))),
            (Previous::Was(was), Some(size)) => {
                Some(CellValue::Change(Some(amount(was, measure)), Some(size)))
            }
            (Previous::Was(_), None) => None,
        };
        let full = match options.scale {
            Scale::Directory => size,
            Scale::Largest => location.rows().largest(),
        };
        let aliases = if location.id == DirId::TOP { tree.aliases() } else { Vec::new() };
        let alias = |position| {
            let alias = aliases.iter().find(|alias| alias.position == position)?;
            Some(RowNote::plain(alias_text(alias)))
        };
        let found = |position| {
            let record = location.listing().record(position)?;
            let mut row = row_of(tree, sizes, EntryId { directory: location.id, position }, &record, measure);
            row.is_marked = marks.contains(location.id, record.name);
            row.cells[Column::Growth as usize] = change(&record, row.size()).unwrap_or_default();
            row.add_shares(size, full);
            if let Some(note) = row.note.as_mut().filter(|note| note.is_warning)
                && let Some(recorded) = row.directory.and_then(|id| tree.recorded(id))
            {
                note.text = recorded_text(&note.text, &plain_size(recorded, units));
            }
            if let Some(id) = row.directory.filter(|_| options.collapses && location.id != DirId::TOP) {
                for (name, _) in chain(tree, order, id) {
                    row.label = row.label + &escape(name) + "/";
                }
            }
            if !matches!(record.state, EntryState::Excluded(_))
                && !row.note.as_ref().is_some_and(|it| it.is_warning)
            {
                row.note = alias(position).or(row.note);
            }
            Some(row)
        };
        let row = |entry| match entry {
            RowEntry::Found(position) => found(position),
            RowEntry::Recorded(position) => {
                let mut row = recorded_row(location.rows().recorded()?, position, measure)?;
                row.add_shares(size, full);
                Some(row)
            }
        };
        Self {
            totals,
            bound: sizes.precision(tree, location.id, size),
            errno: status.errno,
            is_complete: status.is_complete(),
            is_partial: status.partial,
            all_items: sizes.filtered.as_ref().map(|_| sizes.live.totals(tree, location.id).items),
            rows: location.rows().len().saturating_add(location.rows().unloaded()),
            omitted: location.rows().omitted(),
            index: location.index(),
            offset: location.offset(),
            lines: location.visible(lines).filter_map(row).collect(),
        }
    }

    pub fn size(&self, measure: Measure) -> u64 {
        totals_size(&self.totals, measure)
    }

    pub fn selected(&self) -> Option<&Row> {
        self.lines.get(self.index.checked_sub(self.offset)?)
    }
}

/// Returns the row for an entry that only the previous scan has found. The row has no entry ID. A command for the row
/// therefore waits until the running scan has found the entry.
fn recorded_row(rows: &RecordedRows, position: Position, measure: Measure) -> Option<Row> {
    let RecordedDir { tree, id, .. } = rows.directory();
    let entry = EntryId { directory: *id, position };
    let row = row_of(tree, &SizeSource::default(), entry, &rows.record(position)?, measure);
    let (style, precision) = (RowStyle::Faint, Precision::Recorded);
    Some(Row { entry: None, directory: None, style, precision, ..row })
}

/// Returns the row of an entry. The cells for shares and growth are still empty.
fn row_of(tree: &Tree, sizes: &SizeSource, entry: EntryId, record: &Entry<'_>, measure: Measure) -> Row {
    let is_directory = record.kind == Kind::Directory;
    let mut label = escape(record.name).into_owned();
    if is_directory && !label.ends_with('/') {
        label.push('/');
    }
    let kind = kind_text(record.kind).map(|kind| RowNote::plain(kind.to_owned()));
    let row = Row {
        entry: Some(entry),
        kind: Some(record.kind),
        ..Row::of_words(label, RowStyle::of(record.kind))
    }
    .with(Column::Size, CellValue::Words(UNKNOWN));
    let metadata = match record.state {
        EntryState::Known(metadata) => metadata,
        EntryState::Excluded(exclusion) => {
            let note = Some(RowNote::plain(exclusion_text(exclusion).to_owned()));
            let row = Row { style: RowStyle::Faint, note, ..row };
            return row.with(Column::Size, CellValue::Words(EXCLUDED));
        }
        EntryState::Failed(errno) => {
            return Row { style: RowStyle::Warning, has_errors: true, note: Some(error(errno)), ..row };
        }
    };
    let exclusive = tree.exclusive().and_then(|sizes| sizes.of(entry.directory, &metadata));
    let row = row
        .with_exclusive(tree, &metadata, exclusive)
        .with(Column::Owner, metadata.owner.map_or(CellValue::None, |owner| CellValue::User(owner.uid)))
        .with(Column::StorageClass, metadata.storage_class.map_or(CellValue::None, CellValue::StorageClass))
        .with(Column::Modified, CellValue::Time(metadata.mtime));
    let Some(id) = metadata.directory else {
        let links = metadata.several_names().map(|links| RowNote::plain(linked_text(links.count)));
        let size = measure.of(metadata.disk(), metadata.apparent);
        return Row { note: kind.or(links), ..row }.with(Column::Size, CellValue::Bytes(size));
    };
    let totals = sizes.totals(tree, id);
    let status = tree.status(id);
    let size = totals_size(&totals, measure);
    let style = if status.errno.is_some() { RowStyle::Warning } else { row.style };
    Row {
        directory: Some(id),
        style,
        precision: sizes.precision(tree, id, size),
        has_errors: totals.errors > 0,
        note: status.errno.map(error).or(kind),
        ..row
    }
    .with(Column::Size, CellValue::Bytes(size))
    .with(Column::Items, CellValue::Count(totals.items))
}

fn error(errno: i32) -> RowNote {
    RowNote { text: OsError(errno).to_string(), is_warning: true }
}

pub fn totals_size(totals: &Totals, measure: Measure) -> u64 {
    measure.of(totals.disk, totals.apparent)
}
