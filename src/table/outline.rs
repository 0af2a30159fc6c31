//! Outline of a directory: its largest entries and, in turn, their largest entries, down to a minimum size.
//!
//! The treemap and the preview are drawn from an outline. Only directories of at least the minimum size are read, with
//! one exception: to find the category of a directory without nodes, `main_category` reads directories of any size, but
//! stops once it has read a fixed number of entries. The cost therefore depends on the number of nodes that can be
//! drawn, and on the lengths of the listings read.
//!
//! Invariant: the nodes of a directory are sorted by size, largest first.

use std::io;

use crate::analysis::compare::{Previous, PreviousListing, amount};
use crate::analysis::search::{Category, FilterCursor};
use crate::base::job::{Job, Pool};
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::table::main_category::{CategorySizes, main_category};
use crate::table::row::Precision;
use crate::table::rows::{Order, SizeSource};
use crate::tree::{DirId, EntryId, EntryState, LiveTotals, Tree};

/// Maximum number of levels in an outline. The entries of the requested directory are the first level.
const LEVELS: usize = 5;
/// Minimum size of an entry in an outline, in cells of the drawing area.
const SMALLEST: u64 = 3;
/// Maximum number of nodes per directory.
const MOST: usize = 400;

/// Entry in an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub entry: EntryId,
    /// Name, escaped for the terminal. Names of directories end in a slash.
    pub label: String,
    pub kind: Kind,
    /// Disk usage or apparent size in bytes, depending on the measure of the request.
    pub size: u64,
    pub precision: Precision,
    /// Modification time in seconds since 1970.
    pub mtime: i64,
    /// Direction of the size change since the baseline; `None` if unknown.
    pub change: Option<std::cmp::Ordering>,
    /// Category of a file, or the category that takes the most space in a directory; `None` if unknown.
    pub category: Option<Category>,
    /// Contents, if the entry is a directory.
    pub inner: Level,
}

/// Largest entries of one directory, and the sum of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    pub nodes: Vec<Node>,
    /// Number of entries that are not in `nodes` and have a size above 0.
    pub others: u64,
    /// Total size of the entries that are not in `nodes`.
    pub rest: u64,
}

#[derive(Clone, Debug)]
pub struct OutlineRequest {
    pub directory: DirId,
    /// Order of entries; only its measure and its treatment of hidden entries matter.
    pub order: Order,
    /// Source of the directory totals. Includes the active filter and the comparison, if there are any.
    pub sizes: SizeSource,
    /// Number of terminal cells in the drawing area, which represents the total size of the directory. Entries that
    /// would get fewer than `SMALLEST` cells are omitted.
    pub parts: u64,
}

impl PartialEq for OutlineRequest {
    /// Returns `true` if both requests produce the same outline, as long as the tree does not change.
    fn eq(&self, other: &Self) -> bool {
        fn is_same<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
            one.map(Arc::as_ptr) == other.map(Arc::as_ptr)
        }
        let order = |request: &Self| (request.order.measure, request.order.hidden);
        (self.directory, self.parts, order(self)) == (other.directory, other.parts, order(other))
            && is_same(self.sizes.filtered.as_ref(), other.sizes.filtered.as_ref())
            && is_same(self.sizes.growth.as_ref(), other.sizes.growth.as_ref())
    }
}

/// Computes the outline of a directory in the background.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn outline(pool: &Pool, tree: Arc<Tree>, request: OutlineRequest) -> io::Result<Job<Level>> {
    pool.start(move |task| {
        let sizes = SizeSource { live: Arc::new(LiveTotals::sample(&tree)), ..request.sizes };
        let whole = sizes.totals(&tree, request.directory);
        let whole = request.order.measure.of(whole.disk, whole.apparent);
        let least = (whole / (request.parts / SMALLEST).max(1)).max(1);
        let reader = Reader { tree: &tree, sizes: &sizes, order: request.order, least };
        task.publish(reader.level(request.directory, LEVELS).0);
    })
}

struct Reader<'a> {
    tree: &'a Tree,
    sizes: &'a SizeSource,
    order: Order,
    least: u64,
}

impl Reader<'_> {
    /// Returns the outline of a directory, and the sizes of its files by category.
    fn level(&self, id: DirId, levels: usize) -> (Level, CategorySizes) {
        let (tree, measure) = (self.tree, self.order.measure);
        let cursor = self.sizes.filtered.as_ref().map(|filtered| FilterCursor::new(tree, filtered, id));
        let before = self.sizes.growth.as_ref().map(|growth| PreviousListing::of(growth, tree, id));
        let earlier = before.as_ref().map(PreviousListing::listing);
        let (mut level, mut directories) = (Level::default(), Vec::new());
        let mut categories = CategorySizes::default();
        for (position, record) in tree.listing(id).entries() {
            let EntryState::Known(metadata) = record.state else { continue };
            let is_kept = cursor.as_ref().is_none_or(|cursor| cursor.shows(&record));
            if !is_kept || id != DirId::TOP && self.order.hides(&record) {
                continue;
            }
            let totals = metadata.directory.map(|id| self.sizes.totals(tree, id));
            let size = match &totals {
                Some(totals) => measure.of(totals.disk, totals.apparent),
                None => measure.of(metadata.disk(), metadata.apparent),
            };
            categories.add(&record, size);
            if size < self.least {
                level.others += u64::from(size > 0);
                level.rest = level.rest.saturating_add(size);
                continue;
            }
            let change = before.as_ref().zip(earlier.as_ref());
            let change = change.and_then(|(before, earlier)| {
                Some(match before.became(tree, earlier, &record)? {
                    Previous::New => size.cmp(&0),
                    Previous::Was(was) => size.cmp(&amount(was, measure)),
                })
            });
            let mut label = escape(record.name).into_owned();
            if metadata.directory.is_some() && !label.ends_with('/') {
                label.push('/');
            }
            directories.push(metadata.directory);
            level.nodes.push(Node {
                entry: EntryId { directory: id, position },
                label,
                kind: record.kind,
                size,
                precision: metadata
                    .directory
                    .map_or(Precision::Exact, |id| self.sizes.precision(tree, id, size)),
                mtime: metadata.mtime,
                change,
                category: (record.kind == Kind::File).then(|| Category::of(&record)),
                inner: Level::default(),
            });
        }
        for (node, directory) in level.nodes.iter_mut().zip(directories) {
            let Some(directory) = directory else { continue };
            let mut within = CategorySizes::default();
            if levels > 1 {
                (node.inner, within) = self.level(directory, levels - 1);
            }
            node.category = if node.inner.nodes.is_empty() {
                main_category(tree, self.sizes, self.order, directory)
            } else {
                within.main()
            };
            categories.add_directory(node.category, node.size);
        }
        level.nodes.sort_by_key(|node| std::cmp::Reverse(node.size));
        for node in level.nodes.drain(MOST.min(level.nodes.len())..) {
            level.others += 1;
            level.rest = level.rest.saturating_add(node.size);
        }
        (level, categories)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fixture::{directory, file, finish, pool, tree};

    fn outlined(parts: u64) -> Level {
        let items = [
            directory("a"),
            directory("a/inner"),
            file("a/inner/x.mkv", 400_000),
            file("a/y", 40_000),
            file("b.rs", 100_000),
            file("c", 4096),
            file("empty", 0),
        ];
        let tree = tree(&items);
        let directory = tree.listing(DirId::TOP).directories().next().unwrap();
        let request = OutlineRequest {
            directory,
            order: Order::default(),
            sizes: SizeSource::of(LiveTotals::sample(&tree)),
            parts,
        };
        (*finish(outline(&pool(), tree, request))).clone()
    }

    fn shape(level: &Level) -> Vec<(&str, usize)> {
        level.nodes.iter().map(|node| (node.label.as_str(), node.inner.nodes.len())).collect()
    }

    #[test]
    fn nodes_are_sorted_and_small_entries_are_added_up() {
        let level = outlined(60);
        assert_eq!(shape(&level), [("a/", 2), ("b.rs", 0)]);
        assert_eq!((level.others, level.rest), (1, 4096));
        let inner = &level.nodes[0].inner;
        assert_eq!(shape(inner), [("inner/", 1), ("y", 0)]);
        assert_eq!(shape(&inner.nodes[0].inner), [("x.mkv", 0)]);
        let categories: Vec<_> = level.nodes.iter().map(|node| node.category).collect();
        assert_eq!(categories, [Some(Category::Video), Some(Category::Code)]);
        assert_eq!(outlined(6).nodes[0].category, Some(Category::Video));
        assert_eq!(shape(&outlined(6)), [("a/", 1)]);
        assert_eq!(outlined(1 << 40).others, 0);
    }
}
