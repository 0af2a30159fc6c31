//! Names and sizes from the previous scan, shown until the running scan confirms them.
//!
//! Until the running scan has read all of a directory, the list of the directory also shows entries that only the
//! previous scan has found. Keys can act on such an entry only after the running scan has found it (see the module
//! `waiting`). The scan reads the directories on the screen first.
//!
//! Invariant: once the running scan has ended, nothing from the previous scan is shown.

use super::Context;
use crate::base::sync::Arc;
use crate::table::column::Column;
use crate::table::row::{CellValue, Row};
use crate::tree::{DirId, State};
use crate::ui::loader::Keep;
use crate::ui::notice::Notice;
use crate::ui::sentences::damage_text;

impl Context<'_> {
    /// Returns the directories that the scan should read next, the most urgent one last: those in visible rows that are
    /// unchanged since the previous scan, those in visible rows that have changed, the shown directory, and the
    /// directory that a command waits for. Omits directories that the scan has already begun to read.
    pub fn viewed_directories(&self) -> Vec<DirId> {
        let scanned_at = self.record.as_ref().map_or(i64::MAX, |record| record.scanned_at);
        let is_changed =
            |row: &&Row| matches!(row.cell(Column::Modified), CellValue::Time(at) if at >= scanned_at);
        let rows = self.window.lines.iter().rev().filter(|row| row.directory.is_some());
        let (changed, others): (Vec<&Row>, Vec<&Row>) = rows.partition(is_changed);
        let rows = others.into_iter().chain(changed).filter_map(|row| row.directory);
        let shown = rows.chain([self.location.id]).chain(self.awaited_directory());
        shown.filter(|id| self.tree.status(*id).state == State::Waiting).collect()
    }

    /// Looks up the sizes that the previous scan found for the directories on the screen. Skips large listings,
    /// because this function runs on the drawing thread.
    ///
    /// Drops the tree of the previous scan when the running scan has ended, or when the file of the previous scan is
    /// found to be damaged. If the file is damaged, also drops the rows of open views, because these rows may be
    /// incomplete.
    pub fn refresh_recorded(&mut self) {
        if !self.is_scanning() {
            (self.record, self.recorded, self.scan.recorded) = (None, None, None);
        }
        let Some(record) = &self.record else { return };
        let above = self.above_shown().filter(|_| self.parent_list.is_some());
        let shown: Vec<DirId> = [self.location.id].into_iter().chain(above).collect();
        if self.recorded.as_ref().is_none_or(|recorded| !recorded.are_of(self.tree, &shown)) {
            self.recorded = Some(Arc::new(record.totals(self.tree, shown)));
        }
        // Check for damage after the lookup, because only reading the damaged part reveals the damage. The lookup reads
        // sizes in a damaged part as 0, so its results are dropped.
        if let Some(damage) = record.tree.damage() {
            (self.record, self.recorded, self.scan.recorded) = (None, None, None);
            self.sort_anew();
            for view in self.views.tables.iter_mut().filter(|view| view.spec.is_of_tree) {
                view.rows.reload(Keep::Nothing);
            }
            self.views.overview.forget();
            self.notify(Notice::Message(damage_text(&damage)));
        }
    }
}
