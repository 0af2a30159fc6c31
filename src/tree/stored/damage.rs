//! Damage found while a file is loaded.

use crate::base::sync::{Mutex, lock};
use crate::platform::memory::block_file::Damage;

/// Damage nearest to the start of a file, among all damage found so far.
#[derive(Default)]
pub(crate) struct FirstDamage(Mutex<Option<Damage>>);

impl FirstDamage {
    pub(crate) fn get(&self) -> Option<Damage> {
        lock(&self.0).clone()
    }

    /// Records `damage` if it is closer to the start of the file than the damage recorded so far.
    pub(crate) fn note(&self, damage: Damage) {
        let mut first = lock(&self.0);
        if first.as_ref().is_none_or(|first| damage.offset < first.offset) {
            *first = Some(damage);
        }
    }
}
