//! Table with one line per entry, largest first. As in the output of `du`, a directory follows its entries.
//!
//! ```text
//!   1.2 GiB   35.1%   12,345   /usr/lib
//!   3.4 GiB  100.0%  123,456 ! /usr            `!`: something in it could not be read
//! ```
//!
//! If there are several roots, they are also sorted, and a line with their total follows. Excluded entries have no
//! line. Invariant: lines are printed while the tree is walked, and memory holds only the directories on the path to
//! the current entry.

use std::io::{self, BufWriter, Write};

use jiff::tz::TimeZone;

use crate::base::format::{COUNT, PERCENT, Units};
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::formats::long_paths::TooLong;
use crate::table::column::Column;
use crate::table::row::{CellValue, NumberFormat, Row, RowStyle, UserNames};
use crate::table::rows::{Order, SizeSource, SortedEntries};
use crate::tree::{DirId, EntryState, Exclusive, ExclusiveSizes, Index, Metadata, Totals, Tree};

/// Scan result to print as a table.
pub(crate) struct Table<'t> {
    pub(crate) tree: &'t Tree,
    /// Source of the sizes. If the scan hung and was abandoned, also contains the totals of the incomplete directories.
    pub(crate) sizes: SizeSource,
    /// Maximum number of levels below the roots.
    pub(crate) depth: usize,
    pub(crate) order: Order,
    pub(crate) units: Units,
    /// Size in bytes below which entries are omitted. Roots are never omitted.
    pub(crate) least: u64,
    /// Bytes that deleting each entry would free; `None` unless requested.
    pub(crate) exclusive: Option<Arc<ExclusiveSizes>>,
}

/// Directory whose entries are being written.
struct Open<'t> {
    rows: SortedEntries,
    next: usize,
    index: Index<'t>,
    /// Length of the directory's path in bytes.
    path: usize,
    id: DirId,
    totals: Totals,
}

/// Numbers printed on a line.
struct Printed {
    totals: Totals,
    /// Number of items, if the entry is a directory.
    items: Option<u64>,
    exclusive: Option<Exclusive>,
}

impl<'t> Table<'t> {
    /// Writes the table. Percentages refer to the total of all roots. If there are several roots, the last
    /// line shows their total.
    ///
    /// # Errors
    /// Returns an error if `out` cannot be written to, or if the path of an entry is too long for a line.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        let all = self.sizes.totals(self.tree, DirId::TOP);
        let whole = self.size(&all);
        let mut too_long = TooLong::default();
        let mut path = Vec::new();
        let mut open = vec![self.open(DirId::TOP, 0, all)];
        let mut roots = 0;
        while let Some(directory) = open.last_mut() {
            path.truncate(directory.path);
            if let Some(position) = directory.rows.position(directory.next) {
                directory.next += 1;
                let id = directory.id;
                let Some(record) = directory.index.record(position) else { continue };
                let EntryState::Known(metadata) = &record.state else { continue };
                let is_root = open.len() == 1;
                roots += usize::from(is_root);
                if !is_root && self.size(&self.totals(metadata)) < self.least {
                    continue;
                }
                if !path.is_empty() && !path.ends_with(b"/") {
                    path.push(b'/');
                }
                path.extend_from_slice(record.name);
                if !too_long.skips(&path, self.tree.items_below(&record)) {
                    let level = open.len();
                    let child = self.entry(&mut out, (id, metadata), whole, &path, level)?;
                    open.extend(child);
                }
            } else if let Some(Open { id, totals, .. }) = open.pop() {
                let line = Printed { totals, items: Some(totals.items), exclusive: self.exclusive_of(id) };
                match open.len() {
                    0 if roots > 1 => self.line(&mut out, &line, whole, b"total")?,
                    0 => {}
                    _ => self.line(&mut out, &line, whole, &path)?,
                }
            }
        }
        out.flush()?;
        too_long.result()
    }

    /// Opens a directory, whose entries are written before its own line.
    fn open(&self, id: DirId, path: usize, totals: Totals) -> Open<'t> {
        let listing = self.tree.listing(id);
        let rows = SortedEntries::new(self.tree, &self.sizes, id, &listing, self.order);
        Open { rows, next: 0, index: Index::new(&listing), path, id, totals }
    }

    /// Writes the line of an entry at `level`. If the entry is a directory whose entries must be written first, writes
    /// nothing and returns the opened directory.
    fn entry(
        &self,
        out: &mut dyn Write,
        (directory, metadata): (DirId, &Metadata),
        whole: u64,
        path: &[u8],
        level: usize,
    ) -> io::Result<Option<Open<'t>>> {
        let totals = self.totals(metadata);
        if let Some(id) = metadata.directory.filter(|_| level <= self.depth) {
            return Ok(Some(self.open(id, path.len(), totals)));
        }
        let items = metadata.directory.map(|_| totals.items);
        let exclusive = self.exclusive.as_ref().and_then(|sizes| sizes.of(directory, metadata));
        self.line(out, &Printed { totals, items, exclusive }, whole, path)?;
        Ok(None)
    }

    fn exclusive_of(&self, id: DirId) -> Option<Exclusive> {
        self.exclusive.as_ref()?.directory(id)
    }

    fn line(&self, out: &mut dyn Write, printed: &Printed, whole: u64, path: &[u8]) -> io::Result<()> {
        let Printed { totals, items, exclusive } = printed;
        let mut row = Row::of_words(escape(path).into_owned(), RowStyle::Plain)
            .with(Column::Size, CellValue::Bytes(self.size(totals)))
            .with(Column::Frees, CellValue::frees(*exclusive))
            .with(Column::Shared, CellValue::shared(*exclusive))
            .with(Column::Items, items.map_or(CellValue::None, CellValue::Count));
        row.has_errors = totals.errors > 0;
        // The table has no column for times, users or classes, so the time zone and the names do not matter.
        let (zone, users, classes) = (TimeZone::UTC, UserNames::new(), self.tree.storage_classes());
        let format = NumberFormat { units: self.units, zone: &zone, users: &users, classes };
        row.add_shares(whole, whole);
        let size = (Column::Size, self.units.width());
        let [frees, shared] = [Column::Frees, Column::Shared].map(|column| {
            self.exclusive.is_some().then(|| (column, column.spec().widths[0].cells(self.units)))
        });
        let percent = Some((Column::Percent, PERCENT));
        let columns = [Some(size), percent, frees, shared, Some((Column::Items, COUNT))];
        for (column, width) in columns.into_iter().flatten() {
            let text = row.cell(column).text(width, format);
            write!(out, "{text:>width$}{}", if column == Column::Items { " " } else { "  " })?;
        }
        let mark = if row.has_errors { '!' } else { ' ' };
        writeln!(out, "{mark} {}", row.label)
    }

    fn totals(&self, metadata: &Metadata) -> Totals {
        match metadata.directory {
            Some(id) => self.sizes.totals(self.tree, id),
            None => Totals { disk: metadata.disk(), apparent: metadata.apparent, ..Totals::default() },
        }
    }

    fn size(&self, totals: &Totals) -> u64 {
        self.order.measure.of(totals.disk, totals.apparent)
    }
}
