//! Names and sizes from the last scan, shown until the running scan confirms them.
//!
//! A directory that has not been read shows its recorded entries as plain text without a cursor. Since no entry is
//! under the cursor, keys cannot act on these entries. The scan reads the directories on the screen first, so real rows
//! soon replace them.
//!
//! Invariant: once the scan has ended, nothing recorded is shown.

use super::Context;
use crate::base::sync::Arc;
use crate::table::row::Row;
use crate::tree::{DirId, State};
use crate::ui::list_state::{ListState, SavedCursor};
use crate::ui::notice::Notice;
use crate::ui::window::recorded_rows;

impl Context<'_> {
    /// Returns the directories on the screen that have not been read, with the shown directory last.
    pub fn looked_at(&self) -> Vec<DirId> {
        let rows = self.window.lines.iter().rev().filter_map(|row| row.directory);
        let shown = rows.chain([self.place.id]);
        shown.filter(|id| self.tree.status(*id).state == State::Waiting).collect()
    }

    /// Looks up the recorded sizes of the directories on the screen. Drops the recorded tree when the scan has ended,
    /// or when its file turns out to be damaged. Large listings are not looked up, because this runs on the drawing
    /// thread.
    pub fn refresh_recorded(&mut self) {
        if !self.is_scanning() {
            (self.record, self.recorded, self.scan.recorded) = (None, None, None);
        }
        let Some(record) = &self.record else { return };
        let above = self.above_shown().filter(|_| self.parent_list.is_some());
        let is_small = |id: &_| !ListState::new(*id, SavedCursor::default()).is_large(self.tree);
        let shown: Vec<DirId> = [self.place.id].into_iter().chain(above).filter(is_small).collect();
        if self.recorded.as_ref().is_none_or(|recorded| !recorded.are_of(self.tree, &shown)) {
            self.recorded = Some(Arc::new(record.totals(self.tree, shown)));
        }
        // Checked after the lookup, which reads numbers of damaged parts as 0.
        if let Some(damage) = record.tree.damage() {
            (self.record, self.recorded) = (None, None);
            self.notify(Notice::Message(format!("Ignored the sizes of the last scan: {damage}")));
        }
    }

    /// Returns as many recorded entries of the shown directory as fit on `lines` lines, or no entries if the directory
    /// has rows or has been read completely.
    pub fn recorded_rows(&self, lines: usize) -> Vec<Row> {
        let is_unread = self.window.lines.is_empty()
            && !self.window.is_complete
            && self.window.left_out == 0
            && !(self.is_filtered() || self.is_sorting());
        let Some(record) = self.record.as_ref().filter(|_| is_unread) else { return Vec::new() };
        match record.find(self.tree, self.place.id).filter(|was| record.is_short(*was)) {
            Some(was) => recorded_rows(&record.tree, was, self.order_here(), lines),
            None => Vec::new(),
        }
    }
}
