//! Background jobs of the overview, and the rows of its parts.

use std::collections::HashMap;

use super::Context;
use crate::analysis::overview::{Overview, overview};
use crate::analysis::survey::Age;
use crate::base::format::{grouped, plain_size};
use crate::base::sync::Arc;
use crate::df;
use crate::source::SourceKind;
use crate::table::row::{Row, RowStyle};
use crate::tree::Totals;
use crate::ui::loader::{Load, Sources};
use crate::ui::map_colors::MapColors;
use crate::ui::overview::{OverviewKey, Part};
use crate::ui::theme::Role;
use crate::ui::views::table::{TableData, row_of_sum};
use crate::ui::views::{TableContext, ViewSpec, ages, cleanup, directories, errors, growth, largest, types};
use crate::ui::widgets::strip::StripPart;
use crate::ui::window::totals_size;

/// Maximum number of files, directories or changes that a job returns.
const MOST: usize = 20;
/// Maximum number of rows in each part of the overview.
const ROWS: usize = MOST;

impl Context<'_> {
    /// Loads the data for the overview. Returns `true` if something has changed.
    pub fn poll_overview(&mut self, sources: &Sources<'_>) -> bool {
        let request = self.request(self.views.filter.clone());
        let may_ask = sources.may_ask_system && self.source_kind == SourceKind::Live;
        let state = &mut self.views.overview;
        let surveyed = state.survey.poll(|_| {
            let request = sources.request(&request);
            Ok(Some(overview(sources.pool, request, self.views.clock, MOST)?.into()))
        });
        let compared = state.growth.poll(|_| {
            let load = growth::largest_changes(sources, &request, MOST)?;
            Ok(load.map(|load| load.map(Arc::new)))
        });
        let measured = state.space.poll(|key| {
            let start = || df::capacity_of(sources.pool, Arc::clone(sources.tree), key.from);
            Ok(may_ask.then(start).transpose()?.map(Load::from))
        });
        surveyed | compared | measured
    }

    /// Requests the data for the overview and updates its parts. Drops them if another view is shown.
    pub fn collect_overview(&mut self) {
        if !self.views.is_overview() {
            if !self.views.overview.parts.is_empty() {
                self.views.overview.forget();
            }
            return;
        }
        let key = OverviewKey {
            from: self.place.id,
            filter: self.views.text.as_str().to_owned(),
            edition: self.tree.edition(),
        };
        let has_baseline = self.views.can_grow();
        self.views.overview.want(&key, has_baseline);
        let parts = self.overview_parts();
        self.views.overview.index = self.views.overview.index.min(parts.len().saturating_sub(1));
        self.views.overview.parts = parts;
    }

    fn overview_parts(&self) -> Vec<Part> {
        let found = self.views.overview.value().map(|found| &**found);
        let mut parts = vec![
            self.part_of_table(&directories::VIEW, found.map(|found| &*found.directories as &dyn TableData)),
            self.part_of_table(&largest::VIEW, found.map(|found| &*found.files as &dyn TableData)),
            self.part(&types::VIEW, found.map(|found| self.type_rows(found))),
            self.part(&ages::VIEW, found.map(|found| self.age_rows(found))),
            self.part(&cleanup::VIEW, found.map(|found| self.cleanup_rows(found))),
        ];
        if self.views.can_grow() {
            let changes = self.views.overview.growth.value().map(|answer| &*answer.data);
            parts.push(self.part_of_table(&growth::VIEW, changes));
        }
        if found.is_none_or(|found| !found.errors.groups.is_empty()) || parts.len().is_multiple_of(2) {
            parts
                .push(self.part_of_table(&errors::VIEW, found.map(|found| &*found.errors as &dyn TableData)));
        }
        parts
    }

    /// Returns a part of the overview that shows the first rows of a table view.
    fn part_of_table(&self, view: &'static ViewSpec, data: Option<&dyn TableData>) -> Part {
        let context = TableContext { tree: self.tree, from: self.place.id, measure: self.order.measure };
        let rows = data.map(|data| {
            let summary = data.summary();
            let whole = summary.sum.map_or(0, |sum| totals_size(&sum, self.order.measure));
            let mut rows: Vec<Row> =
                (0..data.rows(80).min(ROWS)).filter_map(|index| data.row(index, &context)).collect();
            let full = rows.iter().filter_map(Row::size).max().unwrap_or(0);
            for row in &mut rows {
                row.add_shares(whole, full);
            }
            rows.into_iter().map(|row| (row, Role::Bar)).collect()
        });
        self.part(view, rows.map(|rows| (rows, String::new())))
    }

    fn part(&self, view: &'static ViewSpec, rows: Option<(Vec<(Row, Role)>, String)>) -> Part {
        let empty = match (&rows, view.table) {
            (None, _) => "Loading",
            (Some(_), Some(table)) => table.empty[usize::from(self.is_scanning())],
            (Some(_), None) => "",
        };
        let (rows, total) = rows.unwrap_or_default();
        Part { view, total, rows, empty }
    }

    /// Returns a row for each total that has items. Bars are relative to the largest total.
    fn rows_of_sums(&self, sums: &[(String, Totals, Role)]) -> Vec<(Row, Role)> {
        let measure = self.order.measure;
        let sizes = || sums.iter().map(|(_, totals, _)| totals_size(totals, measure));
        let (whole, full) = (sizes().fold(0, u64::saturating_add), sizes().max().unwrap_or(0));
        let row = |(label, totals, role): &(String, Totals, Role)| {
            let mut row = row_of_sum(label.clone(), totals, measure);
            row.add_shares(whole, full);
            (row, *role)
        };
        sums.iter().filter(|(_, totals, _)| totals.items > 0).map(row).collect()
    }

    fn type_rows(&self, found: &Overview) -> (Vec<(Row, Role)>, String) {
        let classes = found.breakdown.types.classes.iter();
        let sums = classes.map(|(class, totals)| (class.name().replace('-', " "), *totals, Role::of(*class)));
        (self.rows_of_sums(&sums.collect::<Vec<_>>()), String::new())
    }

    fn age_rows(&self, found: &Overview) -> (Vec<(Row, Role)>, String) {
        let roles = MapColors::Age.legend();
        let sums = Age::ALL.into_iter().zip(&found.breakdown.ages.rows).zip(roles);
        let sums = sums.map(|((_, totals), (role, name))| ((*name).to_owned(), *totals, *role));
        (self.rows_of_sums(&sums.collect::<Vec<_>>()), String::new())
    }

    /// Returns one row for all cleanup candidates with the same name, and the total size of all candidates.
    fn cleanup_rows(&self, found: &Overview) -> (Vec<(Row, Role)>, String) {
        let mut kinds: HashMap<&[u8], (u64, Totals)> = HashMap::new();
        for hint in &found.hints.rows {
            let (count, sum) = kinds.entry(self.tree.name(hint.directory)).or_default();
            *count += 1;
            sum.add(&hint.totals);
        }
        let label = |name: &[u8], count| {
            let name = crate::base::text::escape(name);
            if count == 1 { format!("{name}/") } else { format!("{name}/  {} directories", grouped(count)) }
        };
        let sums = kinds.into_iter().map(|(name, (count, sum))| (label(name, count), sum, Role::Bar));
        let mut rows = self.rows_of_sums(&sums.collect::<Vec<_>>());
        rows.sort_by_key(|(row, _)| (std::cmp::Reverse(row.size()), row.label.clone()));
        for (row, _) in &mut rows {
            row.style = RowStyle::Directory;
        }
        rows.truncate(ROWS);
        let sum = totals_size(&found.hints.sum(), self.order.measure);
        let total = if sum > 0 { plain_size(sum, self.units) } else { String::new() };
        (rows, total)
    }

    /// Returns the parts of the file system's space: scanned here, used elsewhere, free, and reserved. Returns
    /// `None` if the size of the file system is unknown.
    pub fn space_parts(&self) -> Option<[StripPart; 4]> {
        let capacity = (**self.views.overview.space.value()?).as_ref()?;
        let here = self.window.totals.disk.min(capacity.used());
        let part = |name: &str, bytes, role| StripPart { name: name.to_owned(), bytes, role };
        Some([
            part("here", here, Role::Bar),
            part("elsewhere", capacity.used() - here, Role::Archive),
            part("free", capacity.available, Role::Code),
            part("reserved", capacity.free.saturating_sub(capacity.available), Role::Other),
        ])
    }
}
