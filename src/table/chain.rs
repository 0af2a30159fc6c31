//! Chains of directories. Every directory of a chain except the last contains nothing but the next directory. A list
//! shows a chain in one row, such as `a/b/c/`.

use super::rows::Order;
use crate::tree::{DirId, Tree};

/// Maximum number of directories that a row shows below its first directory. A chain may be 50,000 directories long,
/// and is walked again for every frame.
const MAX: usize = 32;

/// Returns the names and IDs of at most `MAX` directories of the chain below `id`. The chain ends at the first
/// directory whose contents are not exactly one directory, or are unknown: still being read, unreadable, or not loaded
/// yet. The chain also ends before a directory that `order` hides.
pub fn chain(tree: &Tree, order: Order, id: DirId) -> impl Iterator<Item = (&[u8], DirId)> {
    std::iter::successors(only_directory(tree, order, id), move |(_, id)| only_directory(tree, order, *id))
        .take(MAX)
}

/// Returns the name and ID of the only entry of a directory, if that entry is itself a directory.
pub fn only_directory(tree: &Tree, order: Order, id: DirId) -> Option<(&[u8], DirId)> {
    if id == DirId::TOP || !tree.status(id).is_known() {
        return None;
    }
    let listing = tree.loaded_listing(id);
    let mut entries = listing.entries();
    let (_, only) = entries.next().filter(|(_, record)| !order.hides(record))?;
    let directory = only.directory()?;
    entries.next().is_none().then_some((only.name, directory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Plan, build, dir, excluded, failed, file};
    use crate::table::rows::Hidden;

    fn names(plan: Vec<Plan>, order: Order) -> Vec<String> {
        let (tree, root) = build(plan);
        chain(&tree, order, root).map(|(name, _)| String::from_utf8(name.to_vec()).unwrap()).collect()
    }

    fn all(plan: Vec<Plan>) -> Vec<String> {
        names(plan, Order::default())
    }

    #[test]
    fn a_chain_ends_at_the_first_directory_with_other_contents() {
        assert_eq!(
            all(vec![dir("a", vec![dir("b", vec![dir("c", vec![file("f", 1, 0)])])])]),
            ["a", "b", "c"]
        );
        assert_eq!(all(vec![dir("a", vec![dir("b", vec![]), file("f", 1, 0)])]), ["a"]);
        assert_eq!(all(vec![dir("a", vec![]), dir("b", vec![])]), [""; 0]);
        assert_eq!(all(vec![file("f", 1, 0)]), [""; 0]);
        assert_eq!(all(vec![]), [""; 0]);
    }

    #[test]
    fn entries_that_were_not_read_end_a_chain() {
        assert_eq!(all(vec![dir("a", vec![excluded("b")])]), ["a"]);
        assert_eq!(all(vec![dir("a", vec![failed("b")])]), ["a"]);
        assert_eq!(all(vec![dir("a", vec![dir("b", vec![]), excluded("c")])]), ["a"]);
    }

    #[test]
    fn a_hidden_directory_ends_a_chain() {
        let order = Order { hidden: Hidden::Omitted, ..Order::default() };
        let plan = || vec![dir("a", vec![dir(".b", vec![dir("c", vec![])])])];
        assert_eq!(names(plan(), order), ["a"]);
        assert_eq!(all(plan()), ["a", ".b", "c"]);
    }

    #[test]
    fn a_long_chain_is_cut() {
        let deep = (0..100).fold(dir("end", vec![]), |below, _| dir("d", vec![below]));
        assert_eq!(all(vec![deep]).len(), MAX);
    }
}
