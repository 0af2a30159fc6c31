//! The order of a directory's entries: which are shown, and in what order.
//!
//! Eight bytes per entry and nothing else is kept, for the one directory that is shown. Sorting a directory of a
//! million entries takes a while, so how long it took is kept too, and [`Rows::may_sort`] allows the next time only
//! when the time between is ten times as long: a growing giant takes a tenth of the thread that draws.
//!
//! Knows no cursor and no screen. Invariant: every row is an entry of the listing it was made from, once.

use std::io;
use std::time::{Duration, Instant};

use crate::growth::{Became, Before, Growth, amount};
use crate::job::{Job, Pool};
use crate::search::{Filtered, Keeper};
use crate::size::Measure;
use crate::sync::{Arc, AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use crate::tree::order::{Names, sort};
use crate::tree::{Content, DirId, Facts, Listing, Live, Position, Record, Totals, Tree};

/// What entries can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// The size that is shown, the largest first.
    #[default]
    Size,
    /// The name, numbers in it by what they are worth.
    Name,
    /// Items below, the most first.
    Items,
    /// Time of last change, the newest first.
    Modified,
    /// What hard links share, the most first.
    Shared,
    /// By how much they have grown or shrunk, the most first.
    Growth,
}

/// One way round or the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The one a column is asked for with.
    #[default]
    Usual,
    /// The other.
    Reversed,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Usual => Self::Reversed,
            Self::Reversed => Self::Usual,
        }
    }
}

/// Where directories stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Among everything else.
    #[default]
    Mixed,
    /// Before everything else.
    DirectoriesFirst,
}

/// Whether entries that a person may not want to see are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hidden {
    /// They are.
    #[default]
    Shown,
    /// Names that begin with a dot, and excluded entries, are left out.
    LeftOut,
}

/// The order asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub column: Column,
    /// Which way round.
    pub direction: Direction,
    /// Which size is meant.
    pub measure: Measure,
    /// Where directories stand.
    pub grouping: Grouping,
    /// What is left out.
    pub hidden: Hidden,
}

/// Where the sums of directories come from: the tree while it grows, or what a filter keeps of it.
#[derive(Clone, Copy)]
pub struct Sums<'a> {
    /// The sums of all there is.
    pub live: &'a Live,
    /// What a filter keeps, if one is on. Nothing else is shown then.
    pub filtered: Option<&'a Filtered>,
    /// What everything was, if that is to be seen.
    pub growth: Option<&'a Arc<Growth>>,
}

impl<'a> Sums<'a> {
    /// Those of all there is.
    pub fn of(live: &'a Live) -> Self {
        Self { live, filtered: None, growth: None }
    }

    /// What is to be shown of `id`.
    pub fn totals(self, tree: &Tree, id: DirId) -> Totals {
        self.filtered.map_or_else(|| self.live.totals(tree, id), |filtered| filtered.totals(id))
    }
}

/// The largest number that leaves the topmost bit of a key to the grouping.
const LARGEST: u64 = u64::MAX >> 1;

impl Order {
    fn names(self) -> Names {
        match (self.column, self.direction) {
            (Column::Name, Direction::Usual) => Names::Natural,
            (Column::Name, Direction::Reversed) => Names::NaturalReversed,
            _ => Names::Ascending,
        }
    }

    fn leaves_out(self, id: DirId, record: &Record<'_>) -> bool {
        // Roots are shown whatever they are called: they were asked for.
        id != DirId::TOP && self.hides(record)
    }

    /// Whether an entry that is no root is left out.
    pub fn hides(self, record: &Record<'_>) -> bool {
        self.hidden == Hidden::LeftOut
            && (record.name.starts_with(b".") || matches!(record.content, Content::Excluded(_)))
    }

    /// The number to sort an entry of this size by, the largest first and never zero.
    fn key(self, tree: &Tree, sums: Sums<'_>, facts: &Facts, size: u64, change: Option<u64>) -> u64 {
        let number = match self.column {
            Column::Growth => match change {
                Some(change) => change.saturating_add(1),
                None => 0,
            },
            _ => self.number(tree, sums, facts, size),
        };
        let number = number.min(LARGEST - 1);
        let number = match (self.column, self.direction) {
            (Column::Name, _) => 0,
            (_, Direction::Usual) => number + 1,
            (_, Direction::Reversed) => LARGEST - number,
        };
        let first = self.grouping == Grouping::DirectoriesFirst && facts.directory.is_some();
        number | u64::from(first) << 63
    }

    fn number(self, tree: &Tree, sums: Sums<'_>, facts: &Facts, size: u64) -> u64 {
        match self.column {
            Column::Size => size,
            Column::Items => facts.directory.map_or(0, |id| sums.totals(tree, id).items),
            Column::Modified => {
                // Times beyond these differ from each other, but not to anybody who looks.
                (facts.mtime.clamp(-1 << 61, 1 << 61) + (1 << 61)).cast_unsigned()
            }
            Column::Shared => shared(tree, facts),
            Column::Name | Column::Growth => 0,
        }
    }
}

/// Disk bytes of an entry that hard links share: of a directory, what is counted in more than one of its entries; of
/// anything else with several names, all of it.
pub fn shared(tree: &Tree, facts: &Facts) -> u64 {
    match facts.directory {
        Some(id) => tree.shared(id),
        None if facts.links.is_some() => facts.disk(),
        None => 0,
    }
}

/// The size of an entry: of a directory, with everything below it.
fn entry_size(tree: &Tree, sums: Sums<'_>, facts: &Facts, measure: Measure) -> u64 {
    match facts.directory.map(|id| sums.totals(tree, id)) {
        Some(totals) => measure.of(totals.disk, totals.apparent),
        None => measure.of(facts.disk(), facts.apparent),
    }
}

/// What may be kept beside the tree and changes what is shown of a directory; see [`Sums`].
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// What a filter keeps, if one is on.
    pub filtered: Option<Arc<Filtered>>,
    /// What everything was, if that is to be seen.
    pub growth: Option<Arc<Growth>>,
}

/// Puts the entries of `id` in order beside the screen. What is being read counts as far as it was read.
///
/// # Errors
/// When the system gives no thread.
pub fn in_order(
    pool: &Pool,
    tree: Arc<Tree>,
    id: DirId,
    order: Order,
    beside: Beside,
) -> io::Result<Job<Rows>> {
    pool.start(move |task| {
        let live = Live::sample(&tree);
        let Beside { filtered, growth } = &beside;
        let sums = Sums { live: &live, filtered: filtered.as_deref(), growth: growth.as_ref() };
        task.publish(task.threads().install(|| Rows::of(&tree, sums, id, order)));
    })
}

/// A directory's entries in order.
#[derive(Debug, Default)]
pub struct Rows {
    sorted: Box<[Position]>,
    /// Length of the listing they were made from.
    length: u64,
    left_out: usize,
    largest: u64,
    before: Option<Before>,
    cost: Duration,
    /// Whether everything below was read before.
    was_complete: bool,
    /// See [`Tree::edition`]; that of before.
    edition: u64,
}

impl Rows {
    /// The entries of `id` in `order`, as far as they were read.
    pub fn of(tree: &Tree, sums: Sums<'_>, id: DirId, order: Order) -> Self {
        let (edition, was_complete) = (tree.edition(), tree.status(id).is_complete());
        Self { was_complete, edition, ..Self::new(tree, sums, id, &tree.listing(id), order) }
    }

    /// The entries of `listing`, which is that of `id`, in `order`; with a filter those that it shows.
    pub fn new(tree: &Tree, sums: Sums<'_>, id: DirId, listing: &Listing<'_>, order: Order) -> Self {
        // The clock decides on nothing but how soon the next sorting may be.
        let begin = Instant::now();
        // Written and read by all workers of the sorting; `Relaxed`: they guard no data.
        let (left_out, largest) = (AtomicUsize::new(0), AtomicU64::new(0));
        // It holds the path it asks about, so one worker asks at a time; only while a filter is on.
        let keeper = sums.filtered.map(|filtered| Mutex::new(Keeper::new(tree, filtered, id)));
        let before = sums.growth.map(|growth| Before::of(growth, tree, id));
        let earlier = before.as_ref().map(Before::listing);
        let rows = sort(listing, order.names(), |record| {
            if keeper.as_ref().is_some_and(|keeper| !lock(keeper).shows(record)) {
                return None;
            }
            if order.leaves_out(id, record) {
                left_out.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            // What has no number comes last, either way round.
            let Content::Known(facts) = &record.content else { return Some(0) };
            let size = entry_size(tree, sums, facts, order.measure);
            // Asked first: workers that all write are in each other's way.
            if size > largest.load(Ordering::Relaxed) {
                largest.fetch_max(size, Ordering::Relaxed);
            }
            let change = before.as_ref().zip(earlier.as_ref()).filter(|_| order.column == Column::Growth);
            let change = change.and_then(|(before, earlier)| {
                Some(match before.became(tree, earlier, record)? {
                    Became::New => size,
                    Became::Was(was) => size.abs_diff(amount(was, order.measure)),
                })
            });
            Some(order.key(tree, sums, facts, size, change))
        });
        Self {
            // In the memory of the rows, half of which goes back.
            sorted: rows.into_iter().map(|row| row.position).collect(),
            length: listing.length(),
            left_out: left_out.into_inner(),
            largest: largest.into_inner(),
            before,
            cost: begin.elapsed(),
            ..Self::default()
        }
    }

    /// Whether everything below was read before they were put in order.
    pub fn was_complete(&self) -> bool {
        self.was_complete
    }

    /// Whether entries were read again or deleted since: then a row may be none.
    pub fn is_of_old(&self, tree: &Tree) -> bool {
        self.edition != tree.edition()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// How many entries are left out because they are hidden.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The size of the largest, when they were put in order.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// What the entries were, if that is to be seen.
    pub fn before(&self) -> Option<&Before> {
        self.before.as_ref()
    }

    /// Whether `listing` has entries that came later.
    pub fn is_outgrown_by(&self, listing: &Listing<'_>) -> bool {
        self.length != listing.length()
    }

    /// Whether sorting again, `since` the last time, leaves nine tenths of the time to everything else.
    pub fn may_sort(&self, since: Duration) -> bool {
        since >= self.cost.saturating_mul(10)
    }

    /// Where the entry in row `index` is in the listing.
    pub fn position(&self, index: usize) -> Option<Position> {
        self.sorted.get(index).copied()
    }

    /// The row of the entry at `position`.
    pub fn find(&self, position: Position) -> Option<usize> {
        self.sorted.iter().position(|row| *row == position)
    }

    /// The positions of the rows, in order.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.sorted.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Plan, build, dir, excluded, failed, file};

    fn names(plan: Vec<Plan>, order: Order) -> Vec<String> {
        let (tree, root) = build(plan);
        let listing = tree.listing(root);
        let rows = Rows::new(&tree, Sums::of(&Live::default()), root, &listing, order);
        let name = |position| String::from_utf8(listing.name(position).unwrap().to_vec()).unwrap();
        rows.positions().map(name).collect()
    }

    fn plan() -> Vec<Plan> {
        vec![
            file("b", 5000, 10),
            excluded("gone"),
            dir("deep", vec![file("x", 9000, 1), file("y", 0, 1)]),
            file(".a", 5000, i64::MIN),
            failed("lost"),
            dir("empty", vec![]),
            file("new", 0, i64::MAX),
        ]
    }

    fn by(column: Column, direction: Direction) -> Order {
        Order { column, direction, ..Order::default() }
    }

    #[test]
    fn by_size_the_largest_comes_first_and_the_unknown_last() {
        let order = by(Column::Size, Direction::Usual);
        assert_eq!(names(plan(), order), ["deep", ".a", "b", "empty", "new", "gone", "lost"]);
        let order = by(Column::Size, Direction::Reversed);
        assert_eq!(names(plan(), order), ["new", "empty", ".a", "b", "deep", "gone", "lost"]);
    }

    #[test]
    fn by_name_either_way_round() {
        let order = by(Column::Name, Direction::Usual);
        assert_eq!(names(plan(), order), [".a", "b", "deep", "empty", "gone", "lost", "new"]);
        let order = by(Column::Name, Direction::Reversed);
        assert_eq!(names(plan(), order), ["new", "lost", "gone", "empty", "deep", "b", ".a"]);
    }

    #[test]
    fn by_items_and_by_time_of_any_value() {
        assert_eq!(names(plan(), by(Column::Items, Direction::Usual))[0], "deep");
        let times = names(plan(), by(Column::Modified, Direction::Usual));
        assert_eq!((times[0].as_str(), times[4].as_str()), ("new", ".a"));
    }

    #[test]
    fn directories_come_first_when_asked() {
        let order = Order { grouping: Grouping::DirectoriesFirst, ..Order::default() };
        assert_eq!(names(plan(), order)[..3], ["deep", "empty", ".a"]);
    }

    #[test]
    fn dot_and_excluded_entries_are_left_out_when_asked_and_counted() {
        let order = Order { hidden: Hidden::LeftOut, ..Order::default() };
        assert_eq!(names(plan(), order), ["deep", "b", "empty", "new", "lost"]);
        let (tree, root) = build(plan());
        let rows = Rows::new(&tree, Sums::of(&Live::default()), root, &tree.listing(root), order);
        assert_eq!((rows.len(), rows.left_out()), (5, 2));
    }

    #[test]
    fn a_row_costs_eight_bytes() {
        let (tree, root) = build(plan());
        let rows = Rows::new(&tree, Sums::of(&Live::default()), root, &tree.listing(root), Order::default());
        assert_eq!(size_of_val(&*rows.sorted), 8 * rows.len());
    }

    #[test]
    fn a_slow_sorting_is_not_repeated_before_ten_times_its_cost() {
        let rows = Rows { cost: Duration::from_millis(30), ..Rows::default() };
        assert!(!rows.may_sort(Duration::from_millis(299)));
        assert!(rows.may_sort(Duration::from_millis(300)));
    }
}
