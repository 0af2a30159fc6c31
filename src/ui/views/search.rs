//! Results of a search: the entries that match a query, in the same kind of table as the largest files.

use super::largest::ENTRIES;
use super::table::{TableSpec, rows};
use crate::analysis::search;

/// Table of the entries that match a query. The contents of a matching directory are listed only if they
/// also match.
pub static TABLE: TableSpec = TableSpec {
    empty: ["No matches", "No matches so far"],
    start: |sources, request| rows(search::search(sources.pool, sources.request(request))),
    ..ENTRIES
};
