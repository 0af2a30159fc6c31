//! The views beside the list: which one is open, what is searched for, and what the keys do there.
//!
//! Sheets lie on each other: the types, and on them the files of one type. Under them is the directory, as a list or as a
//! treemap. What is being searched for is the filter of all of them, until it is cleared.
//!
//! Invariant: every sheet is about the directory one stands in.

use std::time::Duration;

use super::filtering::Filtering;
use super::results::Origin;
use super::{App, Confirm, Details, Mode};
use crate::rows::{Beside, Column, Direction, Grouping, Hidden, Order};
use crate::search::{self, By, Query};
use crate::source::Nature;
use crate::survey::Tile;
use crate::text::printable;
use crate::tree::{DirId, Position, Successors};
use crate::ui::cells;
use crate::ui::field::Field;
use crate::ui::inquiry::Inquiry;
use crate::ui::keys::{Command, Scope, Side, View};
use crate::ui::layout::layout;
use crate::ui::place::Memory;
use crate::ui::sheet::{Page, Sheet, Sight};
use crate::ui::work::{Ask, Findings, Wish};

/// Between two looks of a view at a growing tree.
const REFRESH: Duration = Duration::from_secs(2);

/// The state of the views.
#[derive(Debug, Default)]
pub struct Views {
    /// How the directory is shown: as a list or as a treemap.
    pub base: View,
    /// What is searched for, as it was typed; empty for nothing.
    pub text: Field,
    /// What is not understood of that, or not yet.
    pub complaint: Option<String>,
    /// What is visible of the sheet on top.
    pub page: Option<Page>,
    /// The places of the rows in the treemap.
    pub tiles: Vec<Tile>,
    /// The sheets, the one on top last.
    pub(super) sheets: Vec<Sheet>,
    /// What is searched for, as far as it is understood.
    pub(super) filter: Query,
    /// That as a filter of the list.
    pub(super) filtering: Option<Filtering>,
    /// The view one came from.
    pub(super) origin: Option<Origin>,
    /// The present, in seconds since 1970.
    pub(super) clock: i64,
    /// How many wishes there were.
    wishes: u64,
    /// When a sheet was last asked for again.
    refreshed: Duration,
    /// Whether all of a file system was scanned.
    pub(super) whole: super::space::Whole,
    /// What it is compared with.
    pub(super) compared: super::growth::Compared,
}

impl Views {
    /// What is being asked for what is on the screen.
    fn looked_at(&self) -> Option<&Inquiry> {
        let filter = self.filtering.as_ref().map(Filtering::inquiry);
        self.sheets.last().map(|sheet| &sheet.inquiry).or(filter)
    }

    fn looked_at_mut(&mut self) -> Option<&mut Inquiry> {
        let filter = self.filtering.as_mut().map(Filtering::inquiry_mut);
        self.sheets.last_mut().map(|sheet| &mut sheet.inquiry).or(filter)
    }
}

impl App<'_> {
    /// The present, in seconds since 1970.
    pub(super) fn clock(&self) -> i64 {
        self.views.clock
    }

    /// What is to be found out at present.
    pub fn wishes(&self) -> impl Iterator<Item = &Wish> + Clone {
        let details = self.details().and_then(Details::wish);
        let looked_at = self.views.looked_at().and_then(Inquiry::wish);
        let compared = self.views.compared.wishes();
        let sorting = self.sorting.as_ref();
        looked_at.into_iter().chain(self.views.whole.wish()).chain(compared).chain(details).chain(sorting)
    }

    /// The sheet on top.
    pub(super) fn sheet(&self) -> Option<&Sheet> {
        self.views.sheets.last()
    }

    /// What has the keys: a question, or else what is open.
    pub fn scope(&self) -> Scope {
        match self.mode {
            _ if self.question.is_some() => Scope::Question,
            Mode::List if !self.views.sheets.is_empty() => Scope::Sheet,
            Mode::List if self.views.base == View::Treemap => Scope::Treemap,
            Mode::List => Scope::List,
            Mode::Prompt => Scope::Prompt,
            Mode::FileName => Scope::FileName,
            Mode::Help(_) => Scope::Help,
            Mode::Marks => Scope::Marks,
            Mode::Confirm => self.reclaim.confirm.as_ref().map_or(Scope::Confirm, Confirm::scope),
            Mode::Failures => Scope::Failures,
            Mode::Details => Scope::Details,
        }
    }

    pub(super) fn set_clock(&mut self, seconds: i64) {
        self.views.clock = seconds;
    }

    pub(super) fn take_findings(&mut self, number: u64, findings: &Findings) {
        self.views.whole.take(number, findings);
        let (is_other, trouble) = self.views.compared.take(number, findings);
        if let Some(trouble) = trouble {
            self.say(trouble);
        }
        if is_other && (self.may_sort() || !self.is_scanning()) {
            self.sort();
        } else {
            self.is_stale |= is_other;
        }
        for sheet in &mut self.views.sheets {
            sheet.take(number, findings);
        }
        if self.views.filtering.as_mut().is_some_and(|filtering| filtering.take(number, findings)) {
            self.sort();
        }
    }

    /// The order of the rows where one stands: a treemap is laid out from the largest on.
    pub(super) fn order_here(&self) -> Order {
        match self.views.base {
            View::Treemap => Order {
                column: Column::Size,
                direction: Direction::Usual,
                grouping: Grouping::Mixed,
                ..self.order
            },
            _ => self.order,
        }
    }

    /// How many rows of the directory are looked at.
    pub(super) fn lines_here(&self) -> usize {
        match self.views.base {
            View::Treemap => cells::MOST,
            _ => layout(self.size).list_lines(),
        }
    }

    /// Gathers what is visible of the views, after the window.
    pub(super) fn look_at_views(&mut self) {
        let (lines, measure) = (layout(self.size).list_lines(), self.order.measure);
        let sight = Sight { marks: &self.marks, measure, columns: usize::from(self.size.0), lines };
        self.views.page = self.views.sheets.last_mut().map(|sheet| sheet.look(self.tree, sight));
        if let (Some(page), Some(sheet)) = (&mut self.views.page, self.views.sheets.last())
            && !self.views.text.is_empty()
        {
            let title = if sheet.view == View::Search { String::new() } else { page.title.clone() + " " };
            page.title = format!("{title}/{}", printable(self.views.text.as_str().as_bytes()));
        }
        self.views.tiles = match self.views.base {
            View::Treemap => cells::tiles(&self.window, self.order.measure, layout(self.size).list),
            _ => Vec::new(),
        };
    }

    /// What was found may miss what is read now. Asks again when a scan is over, and now and then before.
    pub(super) fn refresh_views(&mut self, has_grown: bool) {
        if has_grown {
            self.views.sheets.iter_mut().for_each(|sheet| sheet.inquiry.outdate());
            self.views.filtering.iter_mut().for_each(|filtering| filtering.inquiry_mut().outdate());
            self.views.compared.inquiry_mut().into_iter().for_each(Inquiry::outdate);
        }
        self.ask_whether_whole();
        self.ask_for_earlier();
        let now = self.scan.last.now;
        let is_due = !self.is_scanning() || now.saturating_sub(self.views.refreshed) >= REFRESH;
        if is_due && self.has_outdated_sheet() {
            self.views.refreshed = now;
            let (number, other) = (self.next_wish(), self.next_wish());
            if let Some(inquiry) = self.views.looked_at_mut() {
                inquiry.ask_again(number);
            }
            if let Some(inquiry) = self.views.compared.inquiry_mut().filter(|it| it.is_outdated()) {
                inquiry.ask_again(other);
            }
        }
    }

    /// After a rescan: what was found holds numbers of directories that are gone.
    pub(super) fn renew_views(&mut self, successors: &mut Successors<'_>) {
        self.views.origin = None;
        let mut sheets = std::mem::take(&mut self.views.sheets);
        for sheet in &mut sheets {
            let number = self.next_wish();
            if sheet.begin_again(successors, number).is_none() {
                self.begin_filter();
                return;
            }
        }
        self.views.sheets = sheets;
    }

    /// Whether there is a sheet that will have to be asked for again.
    pub(super) fn has_outdated_sheet(&self) -> bool {
        let column = self.views.compared.inquiry();
        self.views.looked_at().into_iter().chain(column).any(Inquiry::is_outdated)
    }

    /// What a key does to the views; the list's own keys are none of them.
    pub(super) fn view_command(&mut self, command: Command) {
        match command {
            Command::View(view) => self.show(view),
            Command::Search => self.begin_search(),
            Command::Cell(side) => self.step_cell(side),
            Command::Back | Command::Quit => self.close_view(),
            _ => {}
        }
    }

    pub(super) fn show(&mut self, view: View) {
        if view == View::Space && self.nature == Nature::Recorded {
            self.say("This was recorded; its file system is not here");
            return;
        }
        if view == View::Growth && !self.may_compare() {
            return;
        }
        self.views.origin = None;
        let title = match view {
            View::List | View::Treemap => {
                self.views.sheets.clear();
                self.views.base = view;
                self.begin_filter();
                self.sort();
                return;
            }
            View::Search => return,
            View::Largest => "largest files",
            View::Types => "types",
            View::Ages => "age",
            View::Links => "hard links",
            View::Errors => "errors",
            View::Growth => return self.show_changes(),
            View::Hints => "what can be made or fetched again",
            View::Space => "where is the rest",
        };
        let ask = match view {
            View::Types => Ask::Types,
            View::Ages => Ask::Ages { now: self.views.clock },
            View::Links => Ask::Links,
            View::Errors => Ask::Errors,
            View::Hints => Ask::Hints,
            View::Space => Ask::Space { units: self.units },
            _ => Ask::Largest,
        };
        let wish = self.wish(ask, self.views.filter.clone());
        // Ages are told from the youngest on, and reasons from the most frequent on.
        let order = match view {
            View::Ages => search::Order { by: By::Modified, reversed: false },
            View::Errors => search::Order { by: By::Items, reversed: false },
            _ => wish.order,
        };
        let wish = Wish { order, ..wish };
        self.views.sheets = vec![Sheet::new(view, title.to_owned(), wish)];
    }

    pub(super) fn wish(&mut self, ask: Ask, query: Query) -> Wish {
        let order = search::Order { by: self.by_size(), reversed: false };
        Wish { number: self.next_wish(), ask, from: self.place.id, query, order, beside: Beside::default() }
    }

    pub(super) fn next_wish(&mut self) -> u64 {
        self.views.wishes += 1;
        self.views.wishes
    }

    fn step_cell(&mut self, side: Side) {
        if let Some(index) = cells::neighbour(&self.views.tiles, self.window.index, side) {
            self.place.go_to(index);
            self.pin();
        }
    }

    /// Goes to an entry in its directory, where everything is shown; says whether it is still there.
    pub(super) fn go_to_entry(&mut self, directory: DirId, position: Position) -> bool {
        let listing = self.tree.listing(directory);
        let Some(record) = listing.record(position) else {
            self.say("It is not there any more");
            return false;
        };
        if self.order.hides(&record) {
            self.order.hidden = Hidden::Shown;
        }
        self.leave_search();
        self.views.origin = None;
        self.views.base = View::List;
        let mut way: Vec<DirId> = self.tree.ancestry(directory).skip(1).collect();
        if self.roots.len() != 1 && directory != DirId::TOP {
            way.push(DirId::TOP);
        }
        way.reverse();
        self.enter(directory);
        // On the way back up the cursor is to be where one came from.
        for (above, below) in way.iter().zip(way.iter().skip(1).chain([&directory])) {
            let child =
                self.tree.listing(*above).entries().find(|(_, record)| record.directory() == Some(*below));
            if let Some((position, record)) = child {
                self.memories.insert(*above, Memory::at(position, record.name));
            }
        }
        self.trail = way;
        self.memories.insert(directory, Memory::at(position, record.name));
        self.enter_again(directory);
        true
    }
}
