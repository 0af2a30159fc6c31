//! Input of searches, filters and statistics.

use crate::analysis::order::Order;
use crate::base::sync::Arc;
use crate::query::terms::Query;
use crate::tree::{DirId, Tree};

/// Input of a search, a filter or a statistic.
#[derive(Clone)]
pub struct Request {
    /// Tree to search, which may still be growing.
    pub tree: Arc<Tree>,
    /// Directory whose subtree is searched. The directory itself is never a result.
    pub from: DirId,
    /// Query that an entry must match. An empty query matches everything.
    pub query: Query,
    /// Order of the rows, if the result has rows.
    pub order: Order,
}
