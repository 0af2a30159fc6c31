//! What can be asked of a subtree, as far as rows go: whether they are entries, and what they can be sorted by.
//!
//! Knows no findings. Invariant: what is said of sorting and what can be done is one list.

use crate::rows::Column;
use crate::ui::work::Ask;

/// Whether the rows that answer `ask` stand for entries, and not for sums.
pub fn has_entries(ask: Ask) -> bool {
    matches!(ask, Ask::Search | Ask::Largest | Ask::Links | Ask::Errors | Ask::Changes | Ask::Hints)
}

/// Whether the rows that answer `ask` can be sorted by a column.
pub fn may_sort(ask: Ask, column: Column) -> bool {
    sorts(ask).1.iter().any(|(sorted, _)| *sorted == column)
}

/// What the rows that answer `ask` are called, the columns they can be sorted by, and what is in those.
pub(super) fn sorts(ask: Ask) -> (&'static str, &'static [(Column, &'static str)]) {
    use Column as C;
    match ask {
        Ask::Search | Ask::Largest => {
            let columns =
                &[(C::Size, "size"), (C::Name, "path"), (C::Items, "items"), (C::Modified, "last change")];
            ("Entries", columns)
        }
        Ask::Types => ("Types", &[(C::Size, "size"), (C::Name, "name"), (C::Items, "items")]),
        // Their names are times.
        Ask::Ages { .. } => {
            ("Ages", &[(C::Size, "size"), (C::Items, "items"), (C::Name, "time"), (C::Modified, "time")])
        }
        Ask::Links => ("Hard links", &[(C::Size, "size"), (C::Items, "number of names")]),
        Ask::Errors => ("Errors", &[(C::Items, "number"), (C::Name, "path")]),
        Ask::Changes => ("Changes", &[(C::Size, "size"), (C::Growth, "size"), (C::Name, "path")]),
        _ => ("These rows", &[]),
    }
}
