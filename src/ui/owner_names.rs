//! Names of the owners in the list, looked up in the background, because a lookup may query a server.
//!
//! Invariant: each user ID is looked up once. The list shows the ID while the name is unknown.

use std::collections::BTreeSet;

use super::loader::{Loader, Sources};
use crate::base::sync::Arc;
use crate::platform::process::users;
use crate::table::column::Column;
use crate::table::row::{CellValue, Row, UserNames};

/// Known names, and the job that looks up more names.
#[derive(Debug, Default)]
pub struct OwnerNames {
    names: UserNames,
    loader: Loader<Arc<UserNames>>,
}

impl OwnerNames {
    pub fn names(&self) -> &UserNames {
        &self.names
    }

    pub fn is_loading(&self) -> bool {
        self.loader.is_running()
    }

    /// Looks up the names of the owners in `rows`. Returns `true` if there are new names.
    pub fn poll(&mut self, rows: &[Row], sources: &Sources<'_>) -> bool {
        let unknown: BTreeSet<u32> = rows
            .iter()
            .filter_map(|row| if let CellValue::User(id) = row.cell(Column::Owner) { Some(id) } else { None })
            .filter(|id| !self.names.contains_key(id))
            .collect();
        self.loader.poll(|| {
            let wanted = unknown.clone();
            let can_start = sources.may_ask_system && !wanted.is_empty();
            let look_up = |id| (id, users::user(id).unwrap_or_else(|| id.to_string()));
            let job =
                || sources.pool.start(move |task| task.publish(wanted.into_iter().map(look_up).collect()));
            Ok(can_start.then(job).transpose()?.map(Into::into))
        });
        if self.loader.is_loading() {
            return false;
        }
        // If no thread can be started, user IDs are used as names.
        let numbers = || Arc::new(unknown.iter().map(|id| (*id, id.to_string())).collect());
        let found = std::mem::take(&mut self.loader).into_value().unwrap_or_else(numbers);
        self.names.extend(found.iter().map(|(id, name)| (*id, name.clone())));
        true
    }
}
