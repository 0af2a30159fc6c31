//! Reference implementation of searches and filters over a plain list of paths. The code is deliberately simple. It
//! shares nothing with the code under test except the items from which the trees are built.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::fixture::{Item, NOW, directory, file};
use crate::base::kind::Kind;
use crate::tree::{EntryState, Totals};

const DAY: i64 = 24 * 3600;

/// Kind of test that a search term performs. The kind determines how the term treats directories.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Test of a name. A filter keeps a matching directory together with its contents. If the term is negated,
    /// neither a directory with such a name nor its contents are found.
    Name,
    /// Test of a type. A filter keeps a matching directory together with its contents, unless the term is negated.
    Type,
    /// Test of a size. A filter keeps a matching directory together with its contents, even if the term is negated:
    /// `-<1G` keeps every directory of 1 GiB or more, with all its contents.
    Size,
    /// Test for errors or empty entries. A filter keeps a matching directory together with its contents, unless the
    /// term is negated.
    State,
    /// Test of the modification time. The term can match a directory only if the query also has a [`Self::Name`] or
    /// [`Self::Type`] term that is not negated.
    Time,
    /// Test that can match only files.
    File,
}

/// Search term: its text, its kind of test, and its test function. The function is called with an item and a tuple of
/// the item's disk usage, its apparent size, and the number of entries below it.
struct Rule(&'static str, Sort, fn(&Item, (u64, u64, usize)) -> bool);

fn name(item: &Item) -> &str {
    item.path.rsplit('/').next().unwrap_or_default()
}

fn is_known(item: &Item) -> bool {
    matches!(item.state, EntryState::Known(_))
}

fn is_regular(item: &Item, end: &str) -> bool {
    item.kind == Kind::File && name(item).ends_with(end)
}

const RULES: [Rule; 25] = [
    Rule("a", Sort::Name, |item, _| name(item).contains('a')),
    Rule("b*", Sort::Name, |item, _| name(item).starts_with('b')),
    Rule("/^.?c/", Sort::Name, |item, _| name(item).chars().take(2).any(|letter| letter == 'c')),
    Rule("\"b\"", Sort::Name, |item, _| name(item).contains('b')),
    Rule("a/b", Sort::Name, |item, _| item.path.contains("a/b")),
    Rule("b/*", Sort::Name, |item, _| {
        item.path.rsplit_once('/').is_some_and(|(above, _)| above.rsplit('/').next() == Some("b"))
    }),
    Rule("is:hidden", Sort::Name, |item, _| name(item).starts_with('.')),
    Rule(">10k", Sort::Size, |item, (disk, ..)| is_known(item) && disk > 10_240),
    Rule("size<=8k", Sort::Size, |item, (disk, ..)| is_known(item) && disk <= 8192),
    Rule("disk>=20k", Sort::Size, |item, (disk, ..)| is_known(item) && disk >= 20_480),
    Rule("apparent>9k", Sort::Size, |item, (_, apparent, _)| is_known(item) && apparent > 9216),
    Rule("=0", Sort::Size, |item, (disk, ..)| is_known(item) && disk == 0),
    Rule("type:dir", Sort::Type, |item, _| item.kind == Kind::Directory),
    Rule("type:file", Sort::File, |item, _| item.kind == Kind::File),
    Rule("type:symlink", Sort::File, |item, _| item.kind == Kind::Symlink),
    Rule("type:video", Sort::File, |item, _| is_regular(item, ".mkv")),
    Rule("type:dir,image", Sort::Type, |item, _| item.kind == Kind::Directory || is_regular(item, ".png")),
    Rule("ext:png,mkv", Sort::File, |item, _| is_regular(item, ".png") || is_regular(item, ".mkv")),
    Rule("older:1y", Sort::Time, |item, _| is_known(item) && item.metadata().mtime < NOW - 365 * DAY),
    Rule("newer:90d", Sort::Time, |item, _| is_known(item) && item.metadata().mtime >= NOW - 90 * DAY),
    Rule("is:linked", Sort::File, |item, _| item.metadata().links.is_some()),
    Rule("is:error", Sort::State, |item, _| matches!(item.state, EntryState::Failed(_))),
    Rule("is:excluded", Sort::File, |item, _| matches!(item.state, EntryState::Excluded(_))),
    Rule("is:empty", Sort::State, |item, (_, apparent, entries)| {
        let is_file = item.kind == Kind::File && apparent == 0;
        is_known(item) && (is_file || item.kind == Kind::Directory && entries == 0)
    }),
    Rule("\"\\.\"", Sort::Name, |item, _| name(item).contains("\\.")),
];

/// Indexes of terms in [`RULES`], each with `true` if the term is negated.
pub(crate) type Terms = Vec<(usize, bool)>;

/// Returns the query text of these terms.
pub(crate) fn text(terms: &[(usize, bool)]) -> String {
    let term =
        |(rule, negated): &(usize, bool)| format!("{}{}", if *negated { "-" } else { "" }, RULES[*rule].0);
    terms.iter().map(term).collect::<Vec<_>>().join(" ")
}

/// Returns each term on its own, once plain and once negated.
pub(crate) fn all_alone() -> impl Iterator<Item = Terms> {
    (0..RULES.len()).flat_map(|rule| [false, true].map(|negated| vec![(rule, negated)]))
}

/// Returns a strategy for queries with several terms.
pub(crate) fn several() -> impl Strategy<Value = Terms> {
    prop::collection::vec((0..RULES.len(), any::<bool>()), 2..4)
}

/// Expected results of a query for items below the directory `origin`.
pub(crate) struct Oracle<'i> {
    items: &'i [Item],
    terms: &'i [(usize, bool)],
    origin: &'i str,
}

fn is_below(path: &str, above: &str) -> bool {
    above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

impl<'i> Oracle<'i> {
    pub(crate) fn new(items: &'i [Item], terms: &'i [(usize, bool)], origin: &'i str) -> Self {
        Self { items, terms, origin }
    }

    /// Returns the directories between `origin` and an item.
    fn above(&self, item: &Item) -> impl Iterator<Item = &'i Item> {
        let (path, origin) = (item.path.clone(), self.origin);
        self.items
            .iter()
            .filter(move |other| is_below(&path, &other.path) && !is_origin_or_above(other, origin))
    }

    /// Returns the totals of `items`. The size of each inode counts once; excluded entries do not count as items.
    fn sum(items: impl Iterator<Item = &'i Item>) -> Totals {
        let mut sum = Totals::default();
        let mut seen = BTreeSet::new();
        for item in items {
            let metadata = item.metadata();
            sum.items += u64::from(!matches!(item.state, EntryState::Excluded(_)));
            sum.errors += u32::from(matches!(item.state, EntryState::Failed(_)));
            if metadata.links.is_none() || seen.insert(metadata.inode) {
                sum.disk += metadata.disk();
                sum.apparent += metadata.apparent;
            }
        }
        sum
    }

    /// Returns the totals of an item. For a directory, they include all of its contents.
    pub(crate) fn size(&self, item: &Item) -> Totals {
        let inside = |other: &&Item| other.path == item.path || is_below(&other.path, &item.path);
        Self::sum(self.items.iter().filter(inside))
    }

    /// Returns `true` if a filter with this query keeps each matching directory together with its contents.
    pub(crate) fn brings_contents(&self) -> bool {
        self.terms.iter().any(|(rule, negated)| match RULES[*rule].1 {
            Sort::Size => true,
            Sort::Name | Sort::Type | Sort::State => !negated,
            Sort::Time | Sort::File => false,
        })
    }

    /// Returns `true` if the query finds the item itself, not only a directory above it.
    pub(crate) fn finds(&self, item: &Item) -> bool {
        let size = self.size(item);
        let entries = self.items.iter().filter(|other| is_below(&other.path, &item.path)).count();
        let says = |item: &Item, rule: usize| RULES[rule].2(item, (size.disk, size.apparent, entries));
        let names_directories = self
            .terms
            .iter()
            .any(|(rule, negated)| !negated && matches!(RULES[*rule].1, Sort::Name | Sort::Type));
        let is_hidden = self.terms.iter().any(|(rule, negated)| {
            *negated && RULES[*rule].1 == Sort::Name && self.above(item).any(|above| says(above, *rule))
        });
        let holds = |(rule, negated): &(usize, bool)| {
            let has_no_age = item.kind == Kind::Directory && !names_directories;
            !(RULES[*rule].1 == Sort::Time && has_no_age) && says(item, *rule) != *negated
        };
        !is_origin_or_above(item, self.origin) && !is_hidden && self.terms.iter().all(holds)
    }

    /// Returns `true` if a filter with this query keeps the item: the query finds the item itself, or it finds a
    /// directory above the item and keeps the contents of the directories that it finds (see
    /// [`Self::brings_contents`]).
    pub(crate) fn keeps(&self, item: &Item) -> bool {
        self.finds(item) || self.brings_contents() && self.above(item).any(|above| self.finds(above))
    }

    /// Returns the totals of the kept items below the directory at `path`. If the directory itself is kept, its sizes
    /// are added, but it does not count as an item. The tree computes its totals in the same way.
    pub(crate) fn kept(&self, path: &str) -> Totals {
        let inside = |item: &&Item| item.path == path || is_below(&item.path, path);
        let kept = || self.items.iter().filter(inside).filter(|item| self.keeps(item));
        let itself = kept().any(|item| item.path == path && !matches!(item.state, EntryState::Excluded(_)));
        let sum = Self::sum(kept());
        Totals { items: sum.items - u64::from(itself), ..sum }
    }

    /// Returns the paths found below `origin`.
    pub(crate) fn found(&self) -> BTreeSet<String> {
        let below = self.items.iter().filter(|item| is_below(&item.path, self.origin));
        below.filter(|item| self.finds(item)).map(|item| item.path.clone()).collect()
    }

    /// Returns the names and totals of the entries that a filter with this query shows in the directory at `path`.
    pub(crate) fn rows(&self, path: &str) -> BTreeMap<String, Totals> {
        let here = self
            .items
            .iter()
            .filter(|item| item.path.rsplit_once('/').map_or("", |(above, _)| above) == path);
        here.filter(|item| self.shows(item))
            .map(|item| (name(item).to_owned(), self.kept(&item.path)))
            .collect()
    }

    /// Returns `true` if a filter with this query keeps the item or an item below it; see [`Self::keeps`].
    pub(crate) fn shows(&self, item: &Item) -> bool {
        self.items
            .iter()
            .any(|other| (other.path == item.path || is_below(&other.path, &item.path)) && self.keeps(other))
    }
}

/// Returns `true` if the item is the directory `origin` or one of its ancestors.
fn is_origin_or_above(item: &Item, origin: &str) -> bool {
    item.path == origin || is_below(origin, &item.path)
}

/// Returns a strategy for items. The names in the paths consist of a few letters, so that some names contain other
/// names and some items share directories.
pub(crate) fn items() -> impl Strategy<Value = Vec<Item>> {
    let path = r"\.?[abc]{1,2}(/\.?[abc]{1,2}){0,4}(\.mkv|\.png)?";
    let entry = (path, 0..20_000_u64, 0..1000_i64, 0..14_u64, 0..12_u8);
    prop::collection::vec(entry, 0..25).prop_map(|entries| {
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        for (path, apparent, days, inode, sort) in entries {
            for (at, _) in path.match_indices('/') {
                let above = directory(&path[..at]).days_old(days);
                let known = items.entry(path[..at].to_owned()).or_insert(above);
                if known.kind != Kind::Directory {
                    *known = directory(&path[..at]);
                }
            }
            let plain = file(&path, if apparent < 2000 { 0 } else { apparent }).days_old(days);
            let item = match sort {
                0 => plain.failed(13),
                1 => plain.excluded(),
                2 => Item { kind: Kind::Symlink, ..plain },
                3 => directory(&path).days_old(days),
                // All names of an inode have the same size.
                _ if inode < 3 => file(&path, inode * 5000).linked(inode + 1, 3),
                _ => plain,
            };
            items.entry(path).or_insert(item);
        }
        items.into_values().collect()
    })
}
