//! Sizes of the last scan, shown until the running scan has confirmed them.
//!
//! Invariant: once the scan has ended, no recorded size is shown.

use super::Context;
use crate::base::sync::Arc;
use crate::ui::list_state::{ListState, SavedCursor};
use crate::ui::notice::Notice;

impl Context<'_> {
    /// Looks up the recorded sizes of the directories on the screen. Drops the record when the scan has ended, or when
    /// the file turns out to be damaged. Large listings are not looked up, because this runs on the drawing thread.
    pub fn refresh_recorded(&mut self) {
        let Some(record) = &self.record else { return };
        let damage = record.tree.damage();
        if damage.is_some() || !self.is_scanning() {
            (self.record, self.recorded, self.scan.recorded_items) = (None, None, None);
        }
        if let Some(damage) = damage {
            self.notify(Notice::Message(format!("Ignored the sizes of the last scan: {damage}")));
        }
        let Some(record) = &self.record else { return };
        let above = self.above_shown().filter(|_| self.parent_list.is_some());
        let is_small = |id: &_| !ListState::new(*id, SavedCursor::default()).is_large(self.tree);
        let shown = std::iter::once(self.place.id).chain(above).filter(is_small);
        self.recorded = Some(Arc::new(record.totals(self.tree, shown)));
    }
}
