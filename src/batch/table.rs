//! The table: one line an entry, largest first, a directory behind what lies in it, as `du` does.
//!
//! ```text
//!   1.2 GiB   35.1%   12,345   /usr/lib
//!   3.4 GiB  100.0%  123,456 ! /usr            `!`: something in it could not be read
//! ```
//!
//! Several roots are in that order too, with a last line for all of them. Excluded entries have no line. Invariant: lines come
//! out while the tree is walked; memory is held for the way down only.

use std::io::{self, BufWriter, Write};

use crate::rows::{Order, Rows, Sums};
use crate::size::{Units, count, percent, share, size};
use crate::text::escape;
use crate::tree::{Content, DirId, Facts, Index, Live, Record, Totals, Tree, join};

/// What a scan has found, to be written once.
pub(super) struct Table<'t> {
    pub(super) tree: &'t Tree,
    /// What is still open in it: nothing, unless the scan had to be left alone.
    pub(super) live: Live,
    /// Levels below the roots.
    pub(super) depth: usize,
    pub(super) order: Order,
    pub(super) units: Units,
    /// Entries of fewer bytes are left out, but for roots.
    pub(super) least: u64,
}

/// A directory whose entries are being written.
struct Open<'t> {
    rows: Rows,
    next: usize,
    index: Index<'t>,
    path: Vec<u8>,
    totals: Totals,
}

impl<'t> Table<'t> {
    /// Writes the table. Above the roots is what all of them take together, and shares are of that.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        let all = self.live.totals(self.tree, DirId::TOP);
        let whole = self.size(&all);
        let mut open = vec![self.open(DirId::TOP, Vec::new(), all)];
        let mut roots = 0;
        while let Some(directory) = open.last_mut() {
            if let Some(position) = directory.rows.position(directory.next) {
                directory.next += 1;
                let Some(record) = directory.index.record(position) else { continue };
                let Content::Known(facts) = &record.content else { continue };
                let is_root = open.len() == 1;
                roots += usize::from(is_root);
                if !is_root && self.size(&self.totals(facts)) < self.least {
                    continue;
                }
                let child = self.entry(&mut out, &record, facts, whole, &open)?;
                open.extend(child);
            } else if let Some(Open { path, totals, .. }) = open.pop() {
                match open.len() {
                    0 if roots > 1 => self.line(&mut out, &totals, whole, Some(totals.items), b"total")?,
                    0 => {}
                    _ => self.line(&mut out, &totals, whole, Some(totals.items), &path)?,
                }
            }
        }
        out.flush()
    }

    /// A directory, to write its entries first.
    fn open(&self, id: DirId, path: Vec<u8>, totals: Totals) -> Open<'t> {
        let listing = self.tree.listing(id);
        let rows = Rows::new(self.tree, Sums::of(&self.live), id, &listing, self.order);
        Open { rows, next: 0, index: Index::new(&listing), path, totals }
    }

    /// Writes the line of an entry of the last directory that is open, unless it is a directory whose entries come first.
    fn entry(
        &self,
        out: &mut dyn Write,
        record: &Record<'t>,
        facts: &Facts,
        whole: u64,
        open: &[Open<'t>],
    ) -> io::Result<Option<Open<'t>>> {
        let above = open.last().map(|directory| directory.path.as_slice()).unwrap_or_default();
        let path = join([above, record.name]);
        let totals = self.totals(facts);
        match facts.directory {
            Some(id) if open.len() <= self.depth => return Ok(Some(self.open(id, path, totals))),
            Some(_) => self.line(out, &totals, whole, Some(totals.items), &path)?,
            None => self.line(out, &totals, whole, None, &path)?,
        }
        Ok(None)
    }

    fn line(
        &self,
        out: &mut dyn Write,
        totals: &Totals,
        whole: u64,
        items: Option<u64>,
        path: &[u8],
    ) -> io::Result<()> {
        let own = self.size(totals);
        let mark = if totals.errors > 0 { '!' } else { ' ' };
        let items = items.map(count).unwrap_or_default();
        let (size, percent) = (size(own, self.units), percent(share(own, whole)));
        writeln!(out, "{size}  {percent}  {items:>7} {mark} {}", escape(path))
    }

    fn totals(&self, facts: &Facts) -> Totals {
        match facts.directory {
            Some(id) => self.live.totals(self.tree, id),
            None => Totals { disk: facts.disk(), apparent: facts.apparent, ..Totals::default() },
        }
    }

    fn size(&self, totals: &Totals) -> u64 {
        self.order.measure.of(totals.disk, totals.apparent)
    }
}
