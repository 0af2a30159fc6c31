//! Main category: the category of files that takes the most space below a directory. It determines the directory's
//! color in the treemap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::analysis::search::{Category, FilterCursor};
use crate::base::kind::Kind;
use crate::table::rows::{Order, SizeSource};
use crate::tree::{DirId, Entry, EntryState, Tree};

/// Number of entries after which the search for a main category stops.
const MOST: usize = 2000;

/// Sizes of files by category.
#[derive(Clone, Copy, Debug, Default)]
pub struct CategorySizes([u64; Category::ALL.len()]);

impl CategorySizes {
    /// Adds an entry with its displayed size. Ignores all entries except regular files.
    pub fn add(&mut self, entry: &Entry<'_>, size: u64) {
        if entry.kind == Kind::File {
            self.add_category(Category::of(entry), size);
        }
    }

    fn add_category(&mut self, category: Category, size: u64) {
        let sum = &mut self.0[category as usize];
        *sum = sum.saturating_add(size);
    }

    /// Adds the whole size of a directory to its main category.
    pub fn add_directory(&mut self, main: Option<Category>, size: u64) {
        if let Some(category) = main {
            self.add_category(category, size);
        }
    }

    /// Returns the category with the largest size; `None` if all sizes are 0.
    pub fn main(&self) -> Option<Category> {
        let largest =
            Category::ALL.into_iter().max_by_key(|category| (self.0[*category as usize], Reverse(*category)));
        largest.filter(|category| self.0[*category as usize] > 0)
    }

    /// Returns the difference between the largest and the second-largest size.
    fn lead(&self) -> u64 {
        let mut sizes = self.0;
        sizes.sort_unstable();
        sizes[sizes.len() - 1] - sizes[sizes.len() - 2]
    }
}

/// Returns the category of files that takes the most space below directory `id`. Reads the largest subdirectories
/// first. Stops when the rest cannot change the result, or when at least [`MOST`] entries have been read.
pub fn main_category(tree: &Tree, sizes: &SizeSource, order: Order, id: DirId) -> Option<Category> {
    let (mut found, mut seen) = (CategorySizes::default(), 0);
    let size_of = |id| {
        let totals = sizes.totals(tree, id);
        order.measure.of(totals.disk, totals.apparent)
    };
    let mut unread = size_of(id);
    let mut waiting = BinaryHeap::from([(unread, Reverse(id))]);
    while let Some((size, Reverse(id))) = waiting.pop() {
        unread = unread.saturating_sub(size);
        let cursor = sizes.filtered.as_ref().map(|filtered| FilterCursor::new(tree, filtered, id));
        let is_kept = |entry: &Entry<'_>| cursor.as_ref().is_none_or(|cursor| cursor.shows(entry));
        for (_, entry) in tree.listing(id).entries() {
            seen += 1;
            let EntryState::Known(metadata) = entry.state else { continue };
            if !is_kept(&entry) || order.hides(&entry) {
                continue;
            }
            if let Some(below) = metadata.directory {
                let size = size_of(below);
                unread = unread.saturating_add(size);
                waiting.push((size, Reverse(below)));
            } else {
                found.add(&entry, order.measure.of(metadata.disk(), metadata.apparent));
            }
        }
        if seen >= MOST || found.lead() > unread {
            break;
        }
    }
    found.main()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::{directory, file, tree};
    use crate::tree::{LiveTotals, Metadata};

    #[test]
    fn the_main_category_takes_the_most_space_below() {
        let items = [
            directory("a"),
            file("a/film.mkv", 50_000),
            directory("a/src"),
            file("a/src/one.rs", 30_000),
            directory("a/src/more"),
            file("a/src/more/two.rs", 30_000),
            directory("a/empty"),
        ];
        let tree = tree(&items);
        let sizes = SizeSource::of(LiveTotals::sample(&tree));
        let main = |id| main_category(&tree, &sizes, Order::default(), id);
        let root = tree.listing(DirId::TOP).directories().next().unwrap();
        assert_eq!(main(root), Some(Category::Code));
        let a = tree.listing(root).directories().next().unwrap();
        let below: Vec<_> = tree.listing(a).directories().map(main).collect();
        assert!(below.contains(&None) && below.contains(&Some(Category::Code)), "{below:?}");
    }

    #[test]
    fn nothing_more_is_read_when_the_rest_cannot_change_the_result() {
        let mut sizes = CategorySizes::default();
        assert_eq!((sizes.main(), sizes.lead()), (None, 0));
        let entry = |name, kind| Entry { name, kind, state: EntryState::Known(Metadata::default()) };
        sizes.add(&entry(b"a.rs", Kind::File), 5);
        sizes.add(&entry(b"a.mkv", Kind::File), 7);
        sizes.add(&entry(b"a.mkv", Kind::Symlink), 70);
        sizes.add_directory(Some(Category::Code), 3);
        assert_eq!((sizes.main(), sizes.lead()), (Some(Category::Code), 1));
    }
}
