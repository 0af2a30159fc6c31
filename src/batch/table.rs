//! The table: one line an entry, largest first, a directory behind what lies in it, as `du` does.
//!
//! ```text
//!   1.2 GiB   35.1%   12,345   /usr/lib
//!   3.4 GiB  100.0%  123,456 ! /usr            `!`: something in it could not be read
//! ```
//!
//! Excluded entries have no line. Invariant: lines come out while the tree is walked; memory is held for the way down only.

use std::io::{self, BufWriter, Write};

use crate::rows::{Order, Rows, Sums};
use crate::size::{Measure, Units, count, percent, share, size};
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
    /// Writes the table.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        let roots = self.tree.listing(DirId::TOP);
        let totals = self.live.totals(self.tree, DirId::TOP);
        let total = self.size(&totals);
        let mut lines = 0;
        for (_, root) in roots.entries() {
            if let Content::Known(facts) = &root.content {
                self.root(&mut out, &root, facts, total)?;
                lines += 1;
            }
        }
        if lines > 1 {
            self.line(&mut out, &totals, total, Some(totals.items), b"total")?;
        }
        out.flush()
    }

    /// Writes a root and what lies in it; shares are those of `whole`.
    fn root(&self, out: &mut dyn Write, root: &Record<'t>, facts: &Facts, whole: u64) -> io::Result<()> {
        let mut open: Vec<Open<'t>> = Vec::new();
        open.extend(self.entry(out, root, facts, &[], (whole, 0))?);
        while let Some(directory) = open.last_mut() {
            if let Some(position) = directory.rows.position(directory.next) {
                directory.next += 1;
                let Some(record) = directory.index.record(position) else { continue };
                let Content::Known(facts) = &record.content else { continue };
                if self.size(&self.totals(facts)) < self.least {
                    continue;
                }
                let depth = open.len();
                let above = &open[depth - 1].path;
                let child = self.entry(out, &record, facts, above, (whole, depth))?;
                open.extend(child);
            } else if let Some(Open { path, totals, .. }) = open.pop() {
                self.line(out, &totals, whole, Some(totals.items), &path)?;
            }
        }
        Ok(())
    }

    /// Writes the line of an entry, unless it is a directory whose entries come first.
    fn entry(
        &self,
        out: &mut dyn Write,
        record: &Record<'t>,
        facts: &Facts,
        above: &[u8],
        (whole, depth): (u64, usize),
    ) -> io::Result<Option<Open<'t>>> {
        let path = join([above, record.name]);
        let totals = self.totals(facts);
        match facts.directory {
            Some(id) if depth < self.depth => {
                let listing = self.tree.listing(id);
                let rows = Rows::new(self.tree, Sums::of(&self.live), id, &listing, self.order);
                return Ok(Some(Open { rows, next: 0, index: Index::new(&listing), path, totals }));
            }
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
        match self.order.measure {
            Measure::Disk => totals.disk,
            Measure::Apparent => totals.apparent,
        }
    }
}
