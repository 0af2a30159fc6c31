//! Results of a search: the entries that match a query, in the same kind of table as the largest files.

use super::largest::ENTRIES;
use super::table::{TableSpec, rows};
use crate::analysis::search;

/// Table of the entries that match a query. An entry in a matching directory is listed only if the entry itself
/// matches.
pub static TABLE: TableSpec = TableSpec {
    empty: ["No matches", "No matches so far"],
    start: |sources, request| rows(search::search(sources.pool, sources.request(request))),
    ..ENTRIES
};

/// Examples of searches, shown while nothing is typed.
pub const EXAMPLES: &str = "type part of a name, or *.log  >1G  apparent>1G  older:90d  newer:2w  type:video  \
                            ext:jpg,png  is:empty  -tmp  /a regex/";
