//! Input of searches, filters and surveys.

use crate::analysis::order::Order;
use crate::base::sync::Arc;
use crate::query::terms::Query;
use crate::tree::{DirId, Tree};

/// Input of a search or survey.
#[derive(Clone)]
pub struct Request {
    /// Tree, as far as it has grown.
    pub tree: Arc<Tree>,
    /// Directory whose subtree is searched; it is not an entry itself.
    pub from: DirId,
    /// Query that an entry must match; the empty one matches everything.
    pub query: Query,
    /// Order of the rows, if there are any.
    pub order: Order,
}
