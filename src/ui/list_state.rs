//! State of the list: the shown directory, its rows and its cursor.
//!
//! The state stores the name of the entry under the cursor and its position in the listing, so that the cursor can
//! follow the entry when the rows are sorted again. An entry known only from the previous scan has no position in the
//! listing, so the cursor follows it by name. Until the first key press in a directory, the cursor stays on the first
//! row, even if another entry moves there.
//!
//! Invariant: if there are rows, the cursor is on one of them. After scrolling, that row is visible.

use crate::tree::{DirId, Entry, Listing, Position, Tree};

use super::cursor::{Cursor, Motion};
use crate::base::sync::Arc;
use crate::table::rows::{Order, RowEntry, SizeSource, SortedEntries};

/// Maximum size in bytes of a listing that is sorted synchronously: about 40,000 entries.
const LARGE: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pin {
    /// Position in the listing; `None` if it is unknown, for example because the scan has not found the entry yet.
    position: Option<Position>,
    name: Vec<u8>,
}

/// Saved cursor of a directory that the user has left.
#[derive(Clone, Debug, Default)]
pub struct SavedCursor {
    pin: Option<Pin>,
    cursor: Cursor,
}

impl SavedCursor {
    /// Creates a saved cursor on the entry `name`. `position` is its position in the listing, if known.
    pub fn at(position: impl Into<Option<Position>>, name: &[u8]) -> Self {
        let pin = Pin { position: position.into(), name: name.to_vec() };
        Self { pin: Some(pin), cursor: Cursor::default() }
    }
}

#[derive(Debug)]
pub struct ListState<'t> {
    pub id: DirId,
    /// Listing to which the positions in `rows` refer. Kept because a rescan changes the positions of entries.
    listing: Listing<'t>,
    rows: Arc<SortedEntries>,
    /// `true` if everything below the directory had been read by the time the rows were sorted.
    was_complete: bool,
    pin: Option<Pin>,
    cursor: Cursor,
}

impl<'t> ListState<'t> {
    /// Enters the directory `id`, restores its saved cursor, and sorts its rows.
    pub fn enter(
        tree: &'t Tree,
        sizes: &SizeSource,
        id: DirId,
        order: Order,
        saved: SavedCursor,
        lines: usize,
    ) -> Self {
        let mut location = Self::new(id, saved);
        location.sort(tree, sizes, order, lines);
        location
    }

    /// Creates the state for the directory `id` with its saved cursor, but without rows.
    pub fn new(id: DirId, saved: SavedCursor) -> Self {
        let SavedCursor { pin, cursor } = saved;
        let (listing, rows) = (Listing::default(), Arc::default());
        Self { id, listing, rows, was_complete: false, pin, cursor }
    }

    /// Returns `true` if the directory is so large that it should be sorted in the background.
    pub fn is_large(&self, tree: &Tree) -> bool {
        match tree.head(self.id) {
            Some(_) => tree.block_length(self.id) > LARGE,
            None => tree.listing(self.id).length() > LARGE,
        }
    }

    /// Drops the rows, but keeps the pinned entry, to which [`Self::take`] moves the cursor in the new rows.
    pub fn forget_rows(&mut self) {
        self.rows = Arc::default();
    }

    pub fn saved(&self) -> SavedCursor {
        SavedCursor { pin: self.pin.clone(), cursor: self.cursor }
    }

    pub fn rows(&self) -> &SortedEntries {
        &self.rows
    }

    pub fn listing(&self) -> &Listing<'t> {
        &self.listing
    }

    /// Returns the entry under the cursor; `None` if there are no rows, or if the entry is known only from the
    /// previous scan.
    pub fn entry(&self) -> Option<Entry<'t>> {
        self.listing.record(self.rows.position(self.cursor.index)?)
    }

    /// Returns the entry under the cursor if it is known only from the previous scan.
    pub fn recorded_entry(&self) -> Option<Entry<'_>> {
        match self.rows.entry(self.cursor.index)? {
            RowEntry::Recorded(position) => self.rows.recorded()?.record(position),
            RowEntry::Found(_) => None,
        }
    }

    /// Returns the index of the cursor's row; meaningless if there are no rows.
    pub fn index(&self) -> usize {
        self.cursor.index
    }

    pub fn offset(&self) -> usize {
        self.cursor.offset
    }

    /// Sorts the rows by the current totals, and keeps the cursor on its entry.
    pub fn sort(&mut self, tree: &'t Tree, sizes: &SizeSource, order: Order, lines: usize) {
        let rows = SortedEntries::of(tree, sizes, self.id, order);
        self.take(tree, Arc::new(rows), lines);
    }

    /// Sorts only the largest entries, which are loaded from a snapshot first. Returns `false` if the caller must sort
    /// all entries. This is the case if [`SortedEntries::of_head`] returns `None`, if the loaded rows do not fill the
    /// screen, or if none of them shows the entry that the cursor follows.
    pub fn sort_head(&mut self, tree: &'t Tree, sizes: &SizeSource, order: Order, lines: usize) -> bool {
        let Some(rows) = SortedEntries::of_head(tree, sizes, self.id, order) else { return false };
        self.take(tree, Arc::new(rows), lines);
        let has_cursor = self.pin.as_ref().is_none_or(|pin| self.find(pin).is_some());
        has_cursor && !self.lacks_rows(lines)
    }

    /// Returns `true` if some entries that should be visible have not been loaded.
    pub fn lacks_rows(&self, lines: usize) -> bool {
        self.rows.unloaded() > 0 && self.cursor.offset + lines > self.rows.len()
    }

    /// Returns `true` if more entries must be loaded before the cursor moves by `motion`: fewer than `lines` rows are
    /// loaded from the new cursor row on, but more entries exist.
    pub fn lacks_rows_for(&self, motion: Motion, lines: usize) -> bool {
        let mut after = self.cursor;
        after.step(motion, lines, self.rows.len());
        self.rows.unloaded() > 0 && after.index + lines > self.rows.len()
    }

    /// Returns `true` if `motion` leads to the last row, but the rows contain only the largest entries of the previous
    /// scan.
    pub fn lacks_recorded_for(&self, motion: Motion, lines: usize) -> bool {
        let mut after = self.cursor;
        after.step(motion, lines, self.rows.len());
        self.rows.recorded().is_some_and(|rows| rows.is_head) && after.index + 1 == self.rows.len()
    }

    /// Replaces the rows with already sorted rows, and keeps the cursor on its entry.
    pub fn take(&mut self, tree: &'t Tree, rows: Arc<SortedEntries>, lines: usize) {
        self.was_complete = rows.was_complete();
        let head = if rows.unloaded() > 0 { tree.head(self.id) } else { None };
        self.listing = head.map_or_else(|| tree.listing(self.id), |head| head.listing);
        let above = self.cursor.index.saturating_sub(self.cursor.offset);
        self.rows = rows;
        match self.pin.as_ref().map(|pin| self.find(pin)) {
            None => self.cursor.index = 0,
            Some(Some(index)) => {
                self.cursor.index = index;
                self.pin();
            }
            // The entry was deleted or hidden, so the cursor stays at the same index.
            Some(None) => {}
        }
        // If the list is scrolled, the cursor stays on its screen line. Otherwise, the list stays at the top.
        if self.cursor.offset > 0 {
            self.cursor.offset = self.cursor.index.saturating_sub(above);
        }
        self.show_cursor(lines);
    }

    /// Returns `true` if entries below the directory may have been read since the rows were sorted.
    pub fn is_outdated(&self, tree: &Tree) -> bool {
        !self.was_complete || self.rows.is_outgrown_by(&tree.listing(self.id))
    }

    /// Stores the entry under the cursor. The cursor follows this entry when the rows are sorted again.
    pub fn pin(&mut self) {
        let found = |position| Some((Some(position), self.listing.name(position)?));
        let entry = match self.rows.entry(self.cursor.index) {
            Some(RowEntry::Found(position)) => found(position),
            Some(RowEntry::Recorded(_)) => self.recorded_entry().map(|record| (None, record.name)),
            None => None,
        };
        self.pin = entry.map(|(position, name)| Pin { position, name: name.to_vec() });
    }

    pub fn step(&mut self, motion: Motion, lines: usize) {
        self.cursor.step(motion, lines, self.rows.len());
        self.show_cursor(lines);
    }

    pub fn go_to(&mut self, index: usize) {
        self.cursor.index = index;
    }

    /// Scrolls to the top, for a view that shows only the first `lines` rows. If the cursor is below these rows, moves
    /// the cursor to the first row.
    pub fn show_first(&mut self, lines: usize) {
        if self.cursor.index >= lines {
            self.cursor.index = 0;
        }
        self.cursor.offset = 0;
    }

    /// Scrolls just enough to show the cursor. Leaves no empty lines at the bottom while rows are scrolled off the top.
    pub fn show_cursor(&mut self, lines: usize) {
        if self.rows.is_empty() {
            return;
        }
        self.cursor.show(lines, self.rows.len());
    }

    /// Returns the entries of the visible rows if the list is `lines` lines high.
    pub fn visible(&self, lines: usize) -> impl Iterator<Item = RowEntry> + '_ {
        self.rows.entries(self.cursor.offset, lines)
    }

    fn find(&self, pin: &Pin) -> Option<usize> {
        match pin.position {
            Some(position) if self.listing.name(position) == Some(&pin.name) => self.rows.find(position),
            // The position is not known yet, or a rescan has changed it, so the name is looked up.
            _ => self.rows.find_name(&self.listing, &pin.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Growing, build, file};
    use crate::table::column::Column;
    use crate::table::rows::Direction;

    const LINES: usize = 3;

    fn order() -> Order {
        Order::default()
    }

    fn under_cursor<'t>(tree: &'t Tree, location: &ListState<'_>) -> &'t [u8] {
        let position = location.rows().position(location.index()).unwrap();
        tree.listing(location.id).name(position).unwrap()
    }

    #[test]
    fn the_cursor_follows_its_entry_through_every_order() {
        let (tree, root) = build((0..20).map(|n| file(&format!("{n:02}"), n * 512, 0)).collect());
        let sizes = &SizeSource::default();
        let mut location = ListState::enter(&tree, sizes, root, order(), SavedCursor::default(), LINES);
        for _ in 0..4 {
            location.step(Motion::Down, LINES);
        }
        location.pin();
        let name = under_cursor(&tree, &location);
        for direction in [Direction::Reversed, Direction::Usual] {
            for column in [Column::Size, Column::Name, Column::Items] {
                location.sort(&tree, sizes, Order { column, direction, ..order() }, LINES);
                assert_eq!(under_cursor(&tree, &location), name);
                assert!((location.offset()..location.offset() + LINES).contains(&location.index()));
            }
        }
    }

    #[test]
    fn an_unmoved_cursor_stays_on_top_and_a_moved_one_follows_its_entry() {
        let growing = Growing::new();
        let root = growing.root();
        growing.publish(vec![file("small", 512, 0), file("less", 0, 0)]);
        let sizes = &SizeSource::default();
        let tree = &growing.tree;
        let mut untouched = ListState::enter(tree, sizes, root, order(), SavedCursor::default(), LINES);
        let mut moved = ListState::enter(tree, sizes, root, order(), SavedCursor::default(), LINES);
        moved.pin();
        growing.publish(vec![file("large", 1 << 20, 0), file("larger", 1 << 21, 0)]);
        untouched.sort(tree, sizes, order(), LINES);
        moved.sort(tree, sizes, order(), LINES);
        assert_eq!(under_cursor(tree, &untouched), b"larger");
        assert_eq!(under_cursor(tree, &moved), b"small");
    }

    #[test]
    fn no_line_is_left_empty_below_the_last_row() {
        let (tree, root) = build((0..10).map(|n| file(&n.to_string(), 0, 0)).collect());
        let mut location =
            ListState::enter(&tree, &SizeSource::default(), root, order(), SavedCursor::default(), 3);
        location.step(Motion::Bottom, 3);
        assert_eq!(location.offset(), 7);
        location.show_cursor(8);
        assert_eq!((location.index(), location.offset()), (9, 2));
        location.show_cursor(0);
        assert_eq!((location.index(), location.offset()), (9, 9));
    }
}
