//! Sort functions that add little code to the program.
//!
//! The compiler makes a copy of the sort methods of slices for each type and each comparison, and each copy
//! adds 5 to 8 KiB to the program. The functions of this module share one copy, which sorts positions.
//! However, they need memory for the positions and call the comparison indirectly. Long lists are therefore
//! sorted with the methods of slices, unless making the list takes much longer than sorting it.

use std::cmp::Ordering;

/// Sorts `items` by `key`, which is called once for each item. Equal items keep their order.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl FnMut(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    let order = sorted_positions(keys.len(), &|one, other| keys[one].cmp(&keys[other]));
    reorder(items, order);
}

/// Sorts `items` by `compare`. Equal items keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted_positions(items.len(), &|one, other| compare(&items[one], &items[other]));
    reorder(items, order);
}

fn sorted_positions(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

/// Reorders `items`: the item at position `order[n]` moves to position `n`.
pub(crate) fn reorder<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..order.len() {
        let mut to = start;
        loop {
            let from = std::mem::replace(&mut order[to], to);
            if from == start {
                break;
            }
            items.swap(to, from);
            to = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::cases;

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn lists_are_sorted_as_by_the_methods_of_slices(list: Vec<(u8, u16)>) {
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            let (mut by_key, mut by_comparison) = (list.clone(), list);
            sort_by_key(&mut by_key, |(key, _)| *key);
            sort_by(&mut by_comparison, |one, other| one.0.cmp(&other.0));
            prop_assert_eq!(&by_key, &expected);
            prop_assert_eq!(&by_comparison, &expected);
        }
    }
}
