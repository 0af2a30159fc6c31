//! Sorts the entries of a directory, and determines which of them are shown.
//!
//! The sort order is stored only for the directory being shown, with eight bytes per entry. The duration of each sort
//! is measured, because sorting a million entries takes a while. [`SortedEntries::can_sort`] allows the next sort only
//! after ten times that duration. Sorting a huge, growing directory therefore takes at most a tenth of the drawing
//! thread's time.
//!
//! For a large directory in a snapshot, only the largest entries are loaded and sorted at first.
//!
//! Invariant: every row is an entry of the sorted listing or, while the scan is reading the directory, a recorded entry
//! that the listing does not contain. No name has two rows.

use std::io;
use std::time::{Duration, Instant};

use crate::analysis::compare::{Comparison, Previous, PreviousListing, amount};
use crate::analysis::search::{Filter, FilterCursor};
use crate::base::job::{Job, Pool};
use crate::base::sync::{Arc, AtomicU64, AtomicUsize, Ordering};
use crate::table::column::{Column, SortContext};
pub use crate::table::order::{Direction, Grouping, Hidden, Order};
use crate::table::recorded::RecordedTotals;
use crate::table::recorded_rows::{RecordedDir, RecordedRows};
use crate::table::row::Precision;
use crate::tree::sort::sort;
use crate::tree::{DirId, EntryState, Listing, LiveTotals, Position, Totals, Tree};

/// Delay before recorded entries are merged into rows, as a multiple of the time that a merge takes. For the first
/// merge, the delay is counted from the start of the scan; for later merges, from the last sort of the rows.
pub const MERGE_FACTOR: u32 = 40;

/// Source of directory totals: the growing tree, the previous scan, or the result of a filter. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct SizeSource {
    /// Totals of the tree.
    pub live: Arc<LiveTotals>,
    /// Result of the active filter. Only entries that the filter keeps are shown.
    pub filtered: Option<Arc<Filter>>,
    /// Comparison with an earlier tree, if growth is shown.
    pub growth: Option<Arc<Comparison>>,
    /// Totals from the previous scan, if these are shown for incomplete directories.
    pub recorded: Option<Arc<RecordedTotals>>,
    /// `true` to merge only the largest entries of a long recorded listing into the rows. Merging the whole listing
    /// would slow down the scan.
    pub has_heads_only: bool,
}

impl SizeSource {
    /// Creates a source whose sizes are the totals of the whole tree, without a filter or comparison.
    pub fn of(live: LiveTotals) -> Self {
        Self { live: Arc::new(live), ..Self::default() }
    }

    /// Returns the totals to show for `id`.
    pub fn totals(&self, tree: &Tree, id: DirId) -> Totals {
        match &self.filtered {
            Some(filtered) => filtered.totals(id),
            None => self.recorded(tree, id).unwrap_or_else(|| self.live.totals(tree, id)),
        }
    }

    /// Returns the totals to show for `id` if they come from the previous scan; see [`RecordedTotals::totals`].
    pub fn recorded(&self, tree: &Tree, id: DirId) -> Option<Totals> {
        let recorded = self.recorded.as_ref().filter(|_| self.filtered.is_none())?;
        recorded.totals(tree, &self.live, id)
    }

    /// Returns the precision of `size`, one of the totals shown for the directory `id`.
    pub fn precision(&self, tree: &Tree, id: DirId, size: u64) -> Precision {
        match self.recorded(tree, id) {
            Some(_) => Precision::Recorded,
            None => Precision::of(tree, id, &self.totals(tree, id), size),
        }
    }

    /// Returns the directory of the previous scan that corresponds to `id`. Its entries are shown in addition to the
    /// entries that the running scan has found. Returns `None` if a filter is active, if there is no such directory, or
    /// if the running scan has found all entries of `id`.
    fn recorded_dir(&self, tree: &Tree, id: DirId) -> Option<RecordedDir> {
        let recorded = self.recorded.as_ref().filter(|_| self.filtered.is_none())?.directory(tree, id)?;
        Some(RecordedDir { is_head: self.has_heads_only, ..recorded })
    }
}

/// Entry that a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEntry {
    /// Position of an entry in the directory's listing.
    Found(Position),
    /// Position in the recorded listing. Commands must not act on the entry, because the running scan has not found it.
    Recorded(Position),
}

impl RowEntry {
    /// Returns the position of the entry in the directory's listing; `None` for a recorded entry.
    pub fn found(self) -> Option<Position> {
        match self {
            Self::Found(position) => Some(position),
            Self::Recorded(_) => None,
        }
    }
}

/// Sorts the entries of `id` in the background. Samples the live totals again, so that directories still being read are
/// sorted by the sizes read so far.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn in_order(
    pool: &Pool,
    tree: Arc<Tree>,
    id: DirId,
    order: Order,
    sizes: SizeSource,
) -> io::Result<Job<SortedEntries>> {
    pool.start(move |task| {
        let sizes = SizeSource { live: Arc::new(LiveTotals::sample(&tree)), ..sizes };
        task.publish(task.threads().install(|| SortedEntries::of(&tree, &sizes, id, order)));
    })
}

/// Sorted entries of a directory.
#[derive(Debug, Default)]
pub struct SortedEntries {
    sorted: Box<[Position]>,
    recorded: Option<RecordedRows>,
    /// Length in bytes of the encoded listing when the rows were sorted. If the listing is longer now, entries have
    /// been added since.
    length: u64,
    omitted: usize,
    /// Number of entries that have not been loaded and come after the last row; see [`Self::of_head`].
    unloaded: usize,
    largest: u64,
    before: Option<PreviousListing>,
    cost: Duration,
    /// `true` if everything below the directory had been read before the rows were sorted.
    was_complete: bool,
    /// Value of [`Tree::edition`] before the rows were sorted.
    edition: u64,
}

impl SortedEntries {
    /// Sorts the entries of `id` that the running scan has read so far, together with the entries from the previous
    /// scan that the running scan may still find.
    pub fn of(tree: &Tree, sizes: &SizeSource, id: DirId, order: Order) -> Self {
        let (edition, was_complete) = (tree.edition(), tree.status(id).is_complete());
        // Looks up the recorded directory before taking the listing, because `recorded_dir` returns `None` once the
        // scan has found all entries. In the opposite order, the scan could find the last entries between the two
        // steps. The listing would then lack these entries, and no recorded entries would be shown in their place.
        let recorded = sizes.recorded_dir(tree, id);
        Self { was_complete, edition, ..Self::merged(tree, sizes, id, &tree.listing(id), order, recorded) }
    }

    /// Sorts the largest entries of `id`, which are loaded from a snapshot before all other entries. Returns `None` if
    /// [`Tree::head`] does, if `order` does not put the largest entries first, or if `sizes` includes a filter, growth
    /// or recorded totals.
    pub fn of_head(tree: &Tree, sizes: &SizeSource, id: DirId, order: Order) -> Option<Self> {
        let edition = tree.edition();
        let is_plain = sizes.filtered.is_none() && sizes.growth.is_none() && sizes.recorded.is_none();
        let is_first = is_plain && order.is_by_disk_usage();
        let head = is_first.then(|| tree.head(id)).flatten()?;
        let unloaded = usize::try_from(head.others).unwrap_or(usize::MAX);
        let rows = Self::new(tree, sizes, id, &head.listing, order);
        Some(Self { unloaded, was_complete: true, edition, ..rows })
    }

    /// Sorts the entries in `listing`, which are entries of directory `id`. If `sizes` includes a filter, omits the
    /// entries that the filter does not keep.
    pub fn new(tree: &Tree, sizes: &SizeSource, id: DirId, listing: &Listing<'_>, order: Order) -> Self {
        Self::merged(tree, sizes, id, listing, order, None)
    }

    fn merged(
        tree: &Tree,
        sizes: &SizeSource,
        id: DirId,
        listing: &Listing<'_>,
        order: Order,
        recorded: Option<RecordedDir>,
    ) -> Self {
        // The duration of this sort determines when the next sort may begin; see `can_sort`.
        let begin = Instant::now();
        // Shared by all sort workers. `Relaxed` ordering is enough, because no other data depends on these counters.
        let (omitted, largest) = (AtomicUsize::new(0), AtomicU64::new(0));
        let cursor = sizes.filtered.as_ref().map(|filtered| FilterCursor::new(tree, filtered, id));
        let before = sizes.growth.as_ref().map(|growth| PreviousListing::of(growth, tree, id));
        let earlier = before.as_ref().map(PreviousListing::listing);
        let exclusive = if order.column.is_exclusive() { tree.exclusive() } else { None };
        let rows = sort(listing, order.names(), |record| {
            if cursor.as_ref().is_some_and(|cursor| !cursor.shows(record)) {
                return None;
            }
            if order.leaves_out(id, record) {
                omitted.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            // Rows are sorted by key, the largest key first. Excluded and unreadable entries have no numbers and always
            // get the key 0. All other keys of numeric columns are at least 1, even in the reversed direction, which
            // inverts them. Entries without numbers therefore come last in both directions.
            let EntryState::Known(metadata) = &record.state else { return Some(0) };
            let totals = metadata.directory.map(|id| sizes.totals(tree, id));
            let size = order.size(totals.as_ref(), metadata);
            // `largest` is written only if it grows. One write per entry would make the workers slow each other down.
            if size > largest.load(Ordering::Relaxed) {
                largest.fetch_max(size, Ordering::Relaxed);
            }
            let change = before.as_ref().zip(earlier.as_ref()).filter(|_| order.column == Column::Growth);
            let change = change.and_then(|(before, earlier)| {
                Some(match before.became(tree, earlier, record)? {
                    Previous::New => size,
                    Previous::Was(was) => size.abs_diff(amount(was, order.measure)),
                })
            });
            let exclusive = exclusive.as_ref().and_then(|sizes| sizes.of(id, metadata));
            Some(order.key(&SortContext { tree, totals, size, change, exclusive }, metadata))
        });
        let recorded = recorded.map(|directory| RecordedRows::merge(directory, listing, &rows, order));
        let recorded_largest = recorded.as_ref().map_or(0, |rows| rows.largest);
        Self {
            // A position takes half the memory of a row. `collect` reuses the allocation of `rows`, and boxing frees
            // the unused half.
            sorted: rows.into_iter().map(|row| row.position).collect(),
            length: listing.length(),
            omitted: omitted.into_inner(),
            largest: largest.into_inner().max(recorded_largest),
            recorded,
            before,
            cost: begin.elapsed(),
            ..Self::default()
        }
    }

    /// Returns `true` if everything below the directory had been read before the rows were sorted.
    pub fn was_complete(&self) -> bool {
        self.was_complete
    }

    /// Returns `true` if entries were rescanned or deleted after sorting, so that rows may show entries that are gone.
    pub fn is_outdated(&self, tree: &Tree) -> bool {
        self.edition != tree.edition()
    }

    /// Returns the number of rows, including the rows for recorded entries.
    pub fn len(&self) -> usize {
        self.sorted.len() + self.recorded.as_ref().map_or(0, RecordedRows::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows for recorded entries; `None` if there are none.
    pub fn recorded(&self) -> Option<&RecordedRows> {
        self.recorded.as_ref().filter(|rows| rows.len() > 0)
    }

    /// Returns the number of entries that have not been loaded. In the sort order, these come after the last row.
    pub fn unloaded(&self) -> usize {
        self.unloaded
    }

    /// Returns the number of hidden or excluded entries that the list omits.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Returns the size of the largest entry at the time the rows were sorted.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Returns the earlier sizes of the entries, if growth is shown.
    pub fn before(&self) -> Option<&PreviousListing> {
        self.before.as_ref()
    }

    /// Returns `true` if `listing` has grown since the rows were sorted.
    pub fn is_outgrown_by(&self, listing: &Listing<'_>) -> bool {
        self.length != listing.length()
    }

    /// Returns `true` if the next sort may begin. `since` is the time since the last sort. It must be at least ten
    /// times the duration of that sort. With recorded entries, it must be [`MERGE_FACTOR`] times that duration: the
    /// list is already useful, and frequent sorts would slow down the scan.
    pub fn can_sort(&self, since: Duration) -> bool {
        let factor = if self.recorded.is_some() { MERGE_FACTOR } else { 10 };
        since >= self.cost.saturating_mul(factor)
    }

    /// Returns the entry of row `index`.
    pub fn entry(&self, index: usize) -> Option<RowEntry> {
        let number = match self.recorded.as_ref().map(|rows| rows.position(index)) {
            Some(Ok(position)) => return Some(RowEntry::Recorded(position)),
            Some(Err(number)) => number,
            None => index,
        };
        self.sorted.get(number).copied().map(RowEntry::Found)
    }

    /// Returns the position of row `index` in the listing; `None` if the row shows a recorded entry.
    pub fn position(&self, index: usize) -> Option<Position> {
        self.entry(index)?.found()
    }

    /// Returns the index of the row that shows the entry at `position`, if there is one.
    pub fn find(&self, position: Position) -> Option<usize> {
        self.find_found(|row| row == position)
    }

    /// Returns the index of the row for the entry `name`. `listing` must be the listing whose entries were sorted.
    pub fn find_name(&self, listing: &Listing<'_>, name: &[u8]) -> Option<usize> {
        let found = self.find_found(|position| listing.name(position) == Some(name));
        found.or_else(|| self.recorded.as_ref()?.find(name))
    }

    fn find_found(&self, is_it: impl Fn(Position) -> bool) -> Option<usize> {
        let number = self.sorted.iter().position(|position| is_it(*position))?;
        Some(self.recorded.as_ref().map_or(number, |rows| rows.index_of_found(number)))
    }

    /// Returns the entries of `count` rows, starting at row `first`.
    pub fn entries(&self, first: usize, count: usize) -> impl Iterator<Item = RowEntry> + '_ {
        (first..self.len()).take(count).filter_map(|index| self.entry(index))
    }
}

#[cfg(test)]
mod tests;
