//! What can be seen, as plain data: the header's totals and one line per visible row.
//!
//! A tree that is being scanned changes all the time. So it is looked at once per update, and drawing needs no tree.
//!
//! Knows no columns and no colours. Invariant: the numbers of one window were read together, right after the live totals.

use crate::growth::{Became, Before, amount};
use crate::kind::Kind;
use crate::rows::{Sums, shared};
use crate::size::Measure;
use crate::tree::{Content, DirId, Exclusion, Listing, Position, Status, Totals, Tree};

use super::marks::Marks;
use super::place::Place;

/// How a number relates to the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// It is the truth.
    #[default]
    Exact,
    /// More is being read.
    Growing,
    /// Something below was not read, or the number is beyond counting.
    AtLeast,
}

/// What there is to say about an entry besides its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark<'t> {
    /// It was left out.
    Excluded(Exclusion),
    /// It could not be read: the error number.
    Error(i32),
    /// It has so many names.
    Linked(u64),
    /// It is the same directory as this root, which counts.
    SameAs(&'t [u8]),
    /// It counts in this root.
    CountedIn(&'t [u8]),
}

/// How an entry has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grown {
    /// It is new.
    New,
    /// It was there, and took so many bytes.
    From(u64),
    /// It is gone, and took so many bytes.
    Gone(u64),
}

/// One visible entry.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    /// Its name, any bytes.
    pub name: &'t [u8],
    /// What it is.
    pub kind: Kind,
    /// Its size by the measure asked for; none if it is not known.
    pub size: Option<u64>,
    /// Items below it; none but for directories.
    pub items: Option<u64>,
    /// How it has grown, as far as that is known and wanted.
    pub growth: Option<Grown>,
    /// Disk bytes that hard links share in it; zero while the scan runs.
    pub shared: u64,
    /// Its own time of last change, in seconds since 1970.
    pub modified: Option<i64>,
    /// How its numbers relate to the truth.
    pub bound: Bound,
    /// Whether it, or something below it, could not be read.
    pub has_errors: bool,
    /// Why there is something wrong with it.
    pub remark: Option<Remark<'t>>,
    /// The directory it opens.
    pub directory: Option<DirId>,
    /// Whether it is marked.
    pub is_marked: bool,
}

/// Everything that is visible of a directory.
#[derive(Debug, Default)]
pub struct Window<'t> {
    /// Its totals; with a filter, of what that keeps.
    pub totals: Totals,
    /// How they relate to the truth.
    pub bound: Bound,
    /// Why it could not be read, if it could not.
    pub errno: Option<i32>,
    /// Whether nothing more will come.
    pub is_complete: bool,
    /// How many items there are in all, if a filter shows some of them.
    pub all_items: Option<u64>,
    /// How many rows it has.
    pub rows: usize,
    /// How many entries were left out of them.
    pub left_out: usize,
    /// The size of the largest.
    pub largest: u64,
    /// The row of the cursor.
    pub index: usize,
    /// The first visible row.
    pub offset: usize,
    /// The visible rows.
    pub lines: Vec<Line<'t>>,
}

impl<'t> Window<'t> {
    /// Looks at `place` through `lines` lines.
    pub fn new(
        tree: &'t Tree,
        sums: Sums<'_>,
        place: &Place<'t>,
        marks: &Marks<'_>,
        measure: Measure,
        lines: usize,
    ) -> Self {
        let status = tree.status(place.id);
        let totals = sums.totals(tree, place.id);
        let before = place.rows().before();
        let earlier = before.map(Before::listing);
        let grown = |position| {
            let record = place.listing().record(position)?;
            Some(match before?.became(tree, earlier.as_ref()?, &record)? {
                Became::New => Grown::New,
                Became::Was(was) => Grown::From(amount(was, measure)),
            })
        };
        let aliases = if place.id == DirId::TOP { tree.aliases() } else { Vec::new() };
        let alias = |position| {
            let alias = aliases.iter().find(|alias| alias.position == position)?;
            Some(if alias.is_root { Remark::SameAs(alias.root) } else { Remark::CountedIn(alias.root) })
        };
        let entry = |position| {
            let entry = Line::new(tree, sums, place.listing(), position, measure)?;
            let is_marked = marks.contains(place.id, entry.name);
            let remark = match entry.remark {
                Some(Remark::Linked(_)) | None => alias(position).or(entry.remark),
                wrong => wrong,
            };
            Some(Line { is_marked, growth: grown(position), remark, ..entry })
        };
        Self {
            totals,
            bound: bound(status, &totals, totals_size(&totals, measure)),
            errno: status.errno,
            is_complete: status.is_complete(),
            all_items: sums.filtered.map(|_| sums.live.totals(tree, place.id).items),
            rows: place.rows().len(),
            left_out: place.rows().left_out(),
            largest: place.rows().largest(),
            index: place.index(),
            offset: place.offset(),
            lines: place.visible(lines).filter_map(entry).collect(),
        }
    }

    /// The size of the directory itself by `measure`.
    pub fn size(&self, measure: Measure) -> u64 {
        totals_size(&self.totals, measure)
    }

    /// The line under the cursor.
    pub fn selected(&self) -> Option<&Line<'t>> {
        self.lines.get(self.index.checked_sub(self.offset)?)
    }
}

impl<'t> Line<'t> {
    fn new(
        tree: &Tree,
        sums: Sums<'_>,
        listing: &Listing<'t>,
        position: Position,
        measure: Measure,
    ) -> Option<Self> {
        let record = listing.record(position)?;
        let mut entry = Self {
            name: record.name,
            kind: record.kind,
            size: None,
            items: None,
            growth: None,
            shared: 0,
            modified: None,
            bound: Bound::Exact,
            has_errors: false,
            remark: None,
            directory: None,
            is_marked: false,
        };
        match record.content {
            Content::Excluded(exclusion) => entry.remark = Some(Remark::Excluded(exclusion)),
            Content::Failed(errno) => {
                entry.remark = Some(Remark::Error(errno));
                entry.has_errors = true;
            }
            Content::Known(facts) => {
                entry.modified = Some(facts.mtime);
                entry.shared = shared(tree, &facts);
                entry.directory = facts.directory;
                entry.size = Some(measure.of(facts.disk(), facts.apparent));
                entry.remark = facts.several_names().map(|links| Remark::Linked(links.count));
            }
        }
        if let Some(id) = entry.directory {
            let totals = sums.totals(tree, id);
            let status = tree.status(id);
            let size = totals_size(&totals, measure);
            entry.size = Some(size);
            entry.items = Some(totals.items);
            entry.bound = bound(status, &totals, size);
            entry.has_errors = totals.errors > 0;
            entry.remark = status.errno.map(Remark::Error);
        }
        Some(entry)
    }
}

/// The size by `measure`.
pub fn totals_size(totals: &Totals, measure: Measure) -> u64 {
    measure.of(totals.disk, totals.apparent)
}

/// How numbers of a directory relate to the truth.
pub fn bound(status: Status, totals: &Totals, size: u64) -> Bound {
    if !status.is_complete() {
        Bound::Growing
    } else if status.partial || totals.errors > 0 || size == u64::MAX {
        Bound::AtLeast
    } else {
        Bound::Exact
    }
}
