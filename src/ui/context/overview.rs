//! Background jobs that load the data for the overview, and the rows that each part of it shows.

use super::Context;
use crate::analysis::compare::NO_BASELINE;
use crate::analysis::overview::{Overview, overview};
use crate::analysis::search::Request;
use crate::analysis::survey::Age;
use crate::base::format::plain_size;
use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::df::{self, Volume};
use crate::source::SourceKind;
use crate::table::recorded::RecordedTree;
use crate::table::row::{Precision, Row, RowNote};
use crate::tree::{DirId, Totals};
use crate::ui::loader::{Load, Sources};
use crate::ui::map_colors::MapColors;
use crate::ui::overview::{OverviewKey, Part, Survey};
use crate::ui::theme::Role;
use crate::ui::views::table::{TableData, row_of_sum};
use crate::ui::views::{
    TableContext, ViewSpec, ages, cleanup, directories, errors, growth, largest, recorded, types,
};
use crate::ui::widgets::overview as widget;
use crate::ui::widgets::strip::StripPart;
use crate::ui::widgets::tabs::growth_text;
use crate::ui::window::totals_size;

/// Maximum number of files, directories or changes that a job returns.
const MOST: usize = 20;
/// Maximum number of rows in each part of the overview.
const ROWS: usize = MOST;

/// Text shown after the heading of the part with the largest directories.
const NOT_RECURSIVE: &str = "not recursive";
/// Text shown in place of rows that are being loaded, followed by an ellipsis.
const LOADING: &str = "Loading";

impl Context<'_> {
    /// Returns the type, source and mount point of the file system that the shown directory is on, or `None` if
    /// the mount is unknown or has not been read yet.
    pub fn space_title(&self) -> Option<String> {
        let mount = self.volume()?.mount.as_ref()?;
        let [kind, source, point] = [&mount.kind, &mount.source, &mount.point].map(|part| escape(part));
        Some(format!("{kind} {source} on {point}"))
    }

    /// Returns the breakdown of the file system's space: used by the shown directory, used elsewhere, free, and
    /// reserved. Returns `None` if the size of the file system is unknown.
    pub fn space_parts(&self) -> Option<[StripPart; 4]> {
        let capacity = self.volume()?.capacity.ok()?;
        let here = self.window.totals.disk.min(capacity.used());
        let part = |name: &str, bytes, role| StripPart { name: name.to_owned(), bytes, role };
        let here_name = match self.window.bound {
            Precision::Recorded => "here (previous scan)",
            Precision::Growing => "here (so far)",
            Precision::Exact | Precision::AtLeast => "here",
        };
        Some([
            part(here_name, here, Role::Bar),
            part("elsewhere", capacity.used() - here, Role::Other),
            part("free", capacity.available, Role::Track),
            part("reserved", capacity.free.saturating_sub(capacity.available), Role::Selected),
        ])
    }

    /// Loads the data for the overview. Returns `true` if something has changed.
    pub fn poll_overview(&mut self, sources: &Sources<'_>) -> bool {
        let request = self.request(self.views.filter.clone());
        let may_ask = sources.may_ask_system && self.source_kind == SourceKind::Live;
        // Filtered totals come from the new scan, so the tree of the previous scan is not used with a filter.
        let is_filtered = self.is_filtered();
        let record = self.record.as_ref().filter(|_| !is_filtered);
        let state = &mut self.views.overview;
        let surveyed = state.survey.poll(|_| {
            let record = record.and_then(|it| Some((it.clone(), it.find(self.tree, request.from)?)));
            let request = match &record {
                Some((record, from)) => {
                    let query = request.query.clone().below(*from);
                    Request { tree: Arc::clone(&record.tree), from: *from, query, order: request.order }
                }
                None => sources.request(&request),
            };
            let load = Load::from(overview(sources.pool, request, self.views.clock, MOST)?);
            Ok(Some(load.map(move |found| Arc::new(Survey { found, record: record.clone() }))))
        });
        let record = record.filter(|it| self.views.compared.precedes(it));
        let compared = state.growth.poll(|_| {
            let changes =
                |sources: &Sources<'_>, request: &_| growth::largest_changes(sources, request, MOST);
            let load = recorded::start(changes, sources, &request, record)?;
            Ok(load.map(|load| load.map(Arc::new)))
        });
        let measured = state.space.poll(|key| {
            let start = || df::volume_of(sources.pool, Arc::clone(sources.tree), key.from);
            Ok(may_ask.then(start).transpose()?.map(Load::from))
        });
        if self.record.is_some() && (surveyed || compared) {
            state.keep_recorded();
        }
        surveyed | compared | measured
    }

    /// Requests the data for the overview and updates its parts. Drops the parts instead if another view is shown.
    pub fn collect_overview(&mut self) {
        if !self.views.is_overview() {
            if !self.views.overview.parts.is_empty() {
                self.views.overview.forget();
            }
            return;
        }
        let key = OverviewKey {
            from: self.location.id,
            filter: self.views.text.as_str().to_owned(),
            edition: self.tree.edition(),
        };
        let has_baseline = self.views.can_grow();
        self.views.overview.want(&key, has_baseline);
        let parts = self.overview_parts();
        self.views.overview.index = self.views.overview.index.min(parts.len().saturating_sub(1));
        self.views.overview.parts = parts;
        let view = self.regions(self.size).view;
        self.views.overview.is_on_space &= widget::has_space(self, view);
        let rows = widget::parts_per_column(self, view);
        self.views.overview.scroll(rows, widget::columns(view.list.width));
    }

    fn overview_parts(&self) -> Vec<Part> {
        let survey = self.views.overview.value();
        let found = survey.map(|survey| &*survey.found);
        let record = survey.and_then(|survey| survey.record.as_ref());
        // All parts are always shown. Otherwise, parts would move when results arrive.
        let mut parts = vec![
            Part {
                total: NOT_RECURSIVE.into(),
                ..self.part_of_table(&directories::VIEW, found.map(|found| &*found.directories as _), record)
            },
            self.part_of_table(&largest::VIEW, found.map(|found| &*found.files as _), record),
            self.part(&types::VIEW, found.map(|found| self.type_rows(found))),
            Part {
                is_largest_first: false,
                ..self.part(&ages::VIEW, found.map(|found| self.age_rows(found)))
            },
            self.part(&cleanup::VIEW, found.map(|found| self.cleanup_rows(found))),
            self.growth_part(),
            self.part_of_table(&errors::VIEW, found.map(|found| &*found.errors as _), record),
        ];
        let surveyed = parts.iter_mut().filter(|part| record.is_some() && *part.view != growth::VIEW);
        for (row, _) in surveyed.flat_map(|part| &mut part.rows) {
            row.precision = Precision::Recorded;
        }
        parts
    }

    fn growth_part(&self) -> Part {
        let changes = self.views.overview.growth.value().map(|answer| &*answer.data);
        let part = self.part_of_table(&growth::VIEW, changes, None);
        match self.check_baseline() {
            Ok(()) => Part { total: growth_text(self).unwrap_or_default(), ..part },
            Err(_) => Part { empty: NO_BASELINE.to_owned(), rows: Vec::new(), ..part },
        }
    }

    /// Returns a part of the overview with the first rows of a table view. `record` is the tree of the previous scan
    /// and the directory that paths are relative to, or `None` for rows from the current tree.
    fn part_of_table(
        &self,
        view: &'static ViewSpec,
        data: Option<&dyn TableData>,
        record: Option<&(RecordedTree, DirId)>,
    ) -> Part {
        let (tree, from) =
            record.map_or((self.tree, self.location.id), |(record, from)| (&*record.tree, *from));
        let context = TableContext { tree, from, measure: self.order.measure };
        let rows = data.map(|data| {
            let summary = data.summary();
            let whole = summary.sum.map_or(0, |sum| totals_size(&sum, self.order.measure));
            let mut rows: Vec<Row> = (0..data.rows(80).min(ROWS))
                .filter_map(|index| {
                    let row = data.row(index, &context)?;
                    let indent = " ".repeat(2 * data.branch(index).depth);
                    Some(Row { label: indent + &row.label, ..row })
                })
                .collect();
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
            (None, _) => format!("{LOADING}{}", self.theme.glyphs.gap()),
            (Some(_), Some(table)) => table.empty[usize::from(self.is_scanning())].to_owned(),
            (Some(_), None) => String::new(),
        };
        let (rows, total) = rows.unwrap_or_default();
        Part { view, total, rows, empty, is_largest_first: true }
    }

    /// Returns a row for each of `sums`, except those without items. The largest size gets the longest bar.
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
        let sums = sums.map(|((_, totals), (role, _, name))| ((*name).to_owned(), *totals, *role));
        (self.rows_of_sums(&sums.collect::<Vec<_>>()), String::new())
    }

    /// Returns a row for each kind of cleanup candidate, and the total size of all candidates.
    fn cleanup_rows(&self, found: &Overview) -> (Vec<(Row, Role)>, String) {
        let mut kinds = cleanup::kinds(&found.candidates);
        // Kinds whose directories are all empty get no row.
        kinds.retain(|kind| kind.totals.items > 0);
        let sums = kinds.iter().map(|kind| (kind.name().to_owned(), kind.totals, Role::Bar));
        let mut rows = self.rows_of_sums(&sums.collect::<Vec<_>>());
        for ((row, _), kind) in rows.iter_mut().zip(&kinds) {
            row.note = Some(RowNote::plain(kind.count()));
        }
        rows.truncate(ROWS);
        let sum = totals_size(&found.candidates.sum(), self.order.measure);
        let total = if sum > 0 { plain_size(sum, self.units) } else { String::new() };
        (rows, total)
    }

    fn volume(&self) -> Option<&Volume> {
        (**self.views.overview.space.value()?).as_ref()
    }

    /// Returns `true` if the size and free space of the file system are known, or will probably be known soon.
    pub fn expects_space(&self) -> bool {
        self.source_kind == SourceKind::Live
            && self.views.overview.space.value().is_none_or(|volume| volume.is_some())
    }
}
