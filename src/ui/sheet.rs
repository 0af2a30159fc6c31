//! A view of a whole subtree besides the list: what was asked, what was found, and the cursor in it.
//!
//! What a view shows in a row, and what its rows lead to, is in its file in `view`; here is what all of them have in common.
//! The cursor follows its entry while more is found, as soon as somebody has moved it.
//!
//! Knows no key and no cell of the screen. Invariant: once it was looked at, the cursor is on a row, if there is any.

mod ages;
mod asks;
mod errors;
mod files;
mod growth;
mod hints;
mod links;
mod space;
mod types;

use std::ops::Range;

use super::cursor::Cursor;
use super::inquiry::{Before, Inquiry};
use super::keys::{Command, Motion, View};
use super::marks::Marks;
use super::theme::Role;
use super::window::{Bound, Grown, totals_size};
use super::work::{Ask, Findings, Wish};
use crate::search::{Order, Query};
use crate::size::Measure;
use crate::space::rows::Row;
use crate::survey::links::LinkedInode;
use crate::tree::{DirId, Position, Successors, Totals, Tree};
use asks::sorts;
pub use asks::{has_entries, may_sort};

/// Where a row leads.
#[derive(Clone, Debug)]
pub enum Target {
    /// To an entry in its directory.
    Entry(DirId, Position),
    /// To what has changed, or to where it was.
    Change(crate::growth::Row),
    /// To the entries that meet a query.
    Files {
        /// What they are.
        label: String,
        /// How they are looked for.
        ask: Ask,
        /// What they meet.
        query: Query,
    },
    /// To words about it.
    Words {
        /// What they are about.
        label: String,
        /// The paragraphs.
        words: Vec<String>,
    },
}

/// One visible row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetLine {
    /// Its size in bytes, by the measure that is shown; none if it is not known, or means nothing.
    pub size: Option<u64>,
    /// How that relates to the truth.
    pub bound: Bound,
    /// How it has grown, if the view tells.
    pub growth: Option<Grown>,
    /// How many entries it stands for.
    pub items: Option<u64>,
    /// Time of last change, in seconds since 1970.
    pub modified: Option<i64>,
    /// What it is, safe for a terminal.
    pub label: String,
    /// How that looks.
    pub role: Role,
    /// What else there is to say.
    pub note: Option<String>,
    /// Whether what it stands for is marked.
    pub is_marked: bool,
}

impl SheetLine {
    /// A row that stands for several entries.
    pub fn of_sum(label: String, totals: &Totals, measure: Measure) -> Self {
        Self {
            size: Some(totals_size(totals, measure)),
            bound: Bound::Exact,
            growth: None,
            items: Some(totals.items),
            modified: None,
            label,
            role: Role::Plain,
            note: None,
            is_marked: false,
        }
    }

    /// A row with nothing but words.
    pub fn of_words(label: String, role: Role) -> Self {
        let sum = Self::of_sum(label, &Totals::default(), Measure::Disk);
        Self { size: None, items: None, role, ..sum }
    }
}

/// Everything that is visible of a sheet.
#[derive(Clone, Debug)]
pub struct Page {
    /// Which view.
    pub view: View,
    /// What was asked.
    pub ask: Ask,
    /// Whether the rows are entries, rather than sums of some.
    pub is_of_entries: bool,
    /// The order of the rows.
    pub order: Order,
    /// What the rows are, safe for a terminal.
    pub title: String,
    /// What it all takes up, if that was added up.
    pub sum: Option<Totals>,
    /// The size of the largest row; zero where rows have no bars.
    pub largest: u64,
    /// What it took before, and takes, if that is what the view is about.
    pub growth: Option<(u64, u64)>,
    /// How many entries there are behind the rows.
    pub matched: u64,
    /// How many entries were looked at.
    pub searched: u64,
    /// Whether nothing more will come.
    pub is_complete: bool,
    /// Why there is nothing, if something went wrong.
    pub failure: Option<String>,
    /// How many rows there are.
    pub rows: usize,
    /// The row of the cursor.
    pub index: usize,
    /// The first visible row.
    pub offset: usize,
    /// The visible rows.
    pub lines: Vec<SheetLine>,
    /// The visible rows of an accounting, or of words: they have other columns.
    pub ledger: Vec<Row>,
}

impl Page {
    /// How many rows are visible.
    pub fn visible(&self) -> usize {
        self.lines.len().max(self.ledger.len())
    }
}

/// How a sheet is looked at.
#[derive(Clone, Copy)]
pub struct Sight<'m, 't> {
    /// What is marked.
    pub marks: &'m Marks<'t>,
    /// Which size is meant.
    pub measure: Measure,
    /// Columns of the screen.
    pub columns: usize,
    /// Lines for rows.
    pub lines: usize,
}

/// A view of a subtree.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Which one.
    pub view: View,
    /// What is asked for it, and what was found.
    pub inquiry: Inquiry,
    /// What the rows are, safe for a terminal.
    title: String,
    cursor: Cursor,
    /// Columns of the screen.
    columns: usize,
}

impl Sheet {
    /// A view for which `wish` is asked.
    pub fn new(view: View, title: String, wish: Wish) -> Self {
        Self { view, title, inquiry: Inquiry::new(wish), cursor: Cursor::default(), columns: 0 }
    }

    /// Shows what another sheet has found until something is found for this one: what is typed letter by letter must not
    /// flicker.
    pub fn keep_showing(&mut self, before: Option<&Self>) {
        let findings = before.and_then(|sheet| sheet.inquiry.findings());
        self.inquiry.keep_showing(findings.filter(|it| matches!(it, Findings::Found(_))).cloned());
    }

    /// Forgets what was found and asks anew, as number `number`; nothing if the directory is gone.
    pub fn begin_again(&mut self, successors: &mut Successors<'_>, number: u64) -> Option<()> {
        self.inquiry.begin_again(successors, number)
    }

    /// Takes what was found for the wish with this number.
    pub fn take(&mut self, number: u64, findings: &Findings) {
        let Some(Before(before)) = self.inquiry.take(number, findings) else { return };
        if let (Some(Findings::Found(old)), Findings::Found(new)) = (before, findings)
            && self.cursor.index > 0
        {
            self.cursor.index = files::follow(&old, new, self.cursor.index);
        }
    }

    /// What its rows can be sorted by, in words.
    pub fn sorts(&self) -> String {
        let (rows, columns) = sorts(self.inquiry.asked().ask);
        let mut words: Vec<&str> = columns.iter().map(|(_, word)| *word).collect();
        words.dedup();
        match words.split_last() {
            Some((last, [])) => format!("{rows} are sorted by {last}"),
            Some((last, others)) => format!("{rows} are sorted by {} or {last}", others.join(", ")),
            None => format!("{rows} have an order of their own"),
        }
    }

    /// Whether it has what a key changes: columns, bars.
    pub fn has(&self, command: Command) -> bool {
        let ask = self.inquiry.asked().ask;
        match command {
            Command::Scale => matches!(ask, Ask::Types | Ask::Ages { .. } | Ask::Links | Ask::Hints),
            Command::Items => matches!(ask, Ask::Types | Ask::Ages { .. } | Ask::Links),
            Command::Modified => matches!(ask, Ask::Search | Ask::Largest | Ask::Hints),
            Command::Graph => !matches!(ask, Ask::Errors | Ask::Space { .. } | Ask::Changes),
            _ => true,
        }
    }

    /// The size of the largest row, where rows have bars.
    fn largest(&self, measure: Measure) -> u64 {
        let largest = |sums: &mut dyn Iterator<Item = &Totals>| {
            sums.map(|sum| totals_size(sum, measure)).max().unwrap_or(0)
        };
        match self.inquiry.findings() {
            Some(Findings::Types(typed)) => largest(&mut typed.classes.iter().map(|(_, sum)| sum)),
            Some(Findings::Ages(ages)) => largest(&mut ages.rows.iter()),
            Some(Findings::Hints(hints)) => largest(&mut hints.rows.iter().map(|row| &row.totals)),
            Some(Findings::Links(links)) => {
                let size = |inode: &LinkedInode| measure.of(inode.disk, inode.apparent);
                links.inodes.iter().map(size).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Moves the cursor; there are `lines` of rows on the screen.
    pub fn step(&mut self, motion: Motion, lines: usize) {
        self.cursor.step(motion, lines, self.rows());
    }

    /// The row of the cursor.
    pub fn index(&self) -> usize {
        self.cursor.index
    }

    /// Puts the cursor on a row.
    pub fn go_to(&mut self, index: usize) {
        self.cursor.index = index.min(self.rows().saturating_sub(1));
    }

    /// Where the row of the cursor leads.
    pub fn target(&self) -> Option<Target> {
        match self.inquiry.findings()? {
            Findings::Found(found) => files::target(found, self.cursor.index),
            Findings::Types(typed) => types::target(typed, self.cursor.index),
            Findings::Ages(ages) => ages::target(ages, self.inquiry.asked().ask, self.cursor.index),
            Findings::Links(links) => links::target(links, self.cursor.index),
            Findings::Errors(errors) => errors::target(errors, self.cursor.index),
            Findings::Hints(hints) => hints::target(hints, self.cursor.index),
            Findings::Space(account) => space::target(account, self.inquiry.asked().ask, self.cursor.index),
            Findings::Growth(growth) => growth.rows.get(self.cursor.index).copied().map(Target::Change),
            Findings::Filtered(_)
            | Findings::Rows(_)
            | Findings::Whole(_)
            | Findings::Earlier(_)
            | Findings::Words(_)
            | Findings::Inspected(_)
            | Findings::Failed(_) => None,
        }
    }

    /// The entries a row stands for, if it stands for some rather than for a sum: several for the names of one inode.
    pub fn entries(&self, row: usize) -> Vec<(DirId, Position)> {
        match self.inquiry.findings() {
            Some(Findings::Found(found)) => files::entries(found, row),
            Some(Findings::Links(links)) => links::entries(links, row),
            Some(Findings::Errors(errors)) => errors::entries(errors, row),
            Some(Findings::Growth(growth)) => growth::entries(growth, row),
            Some(Findings::Hints(hints)) => hints::entries(hints, row),
            _ => Vec::new(),
        }
    }

    /// Looks at it, after scrolling as little as brings the cursor into view.
    pub fn look(&mut self, tree: &Tree, sight: Sight<'_, '_>) -> Page {
        let Sight { marks, measure, columns, lines } = sight;
        self.columns = columns;
        let rows = self.rows();
        self.cursor.show(lines, rows);
        let visible = self.cursor.offset..rows.min(self.cursor.offset + lines);
        let line = |row| {
            let line = self.line(tree, measure, row)?;
            Some(SheetLine { is_marked: self.is_marked(tree, marks, row), ..line })
        };
        let (sum, matched) = self.sum();
        let Wish { ask, order, .. } = *self.inquiry.asked();
        Page {
            view: self.view,
            ask,
            is_of_entries: matches!(ask, Ask::Search | Ask::Largest | Ask::Changes),
            order,
            title: self.title.clone(),
            sum,
            largest: self.largest(measure),
            growth: match self.inquiry.findings() {
                Some(Findings::Growth(growth)) => growth::whole(growth, measure),
                _ => None,
            },
            matched,
            searched: self.inquiry.findings().map_or(0, Findings::searched),
            is_complete: self.inquiry.is_complete(),
            failure: match self.inquiry.findings() {
                Some(Findings::Failed(reason)) => Some(reason.clone()),
                _ => None,
            },
            rows,
            index: self.cursor.index,
            offset: self.cursor.offset,
            lines: visible.clone().filter_map(line).collect(),
            ledger: self.ledger(visible),
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self.inquiry.findings() {
            Some(Findings::Found(found)) => found.rows.len(),
            Some(Findings::Types(typed)) => types::rows(typed),
            Some(Findings::Ages(ages)) => ages.rows.len(),
            Some(Findings::Links(links)) => links.inodes.len(),
            Some(Findings::Errors(errors)) => errors::rows(errors),
            Some(Findings::Growth(growth)) => growth.rows.len(),
            Some(Findings::Hints(hints)) => hints.rows.len(),
            Some(Findings::Space(account)) => account.rows.len(),
            Some(Findings::Words(words)) => space::wrap(words, self.columns).len(),
            Some(
                Findings::Filtered(_)
                | Findings::Rows(_)
                | Findings::Whole(_)
                | Findings::Earlier(_)
                | Findings::Inspected(_)
                | Findings::Failed(_),
            )
            | None => 0,
        }
    }

    /// What all that was found takes up, and how many entries it is.
    fn sum(&self) -> (Option<Totals>, u64) {
        match self.inquiry.findings() {
            Some(Findings::Found(found)) => (Some(found.sum), found.matched),
            Some(Findings::Types(typed)) => (Some(typed.total), typed.total.items),
            Some(Findings::Ages(ages)) => (Some(ages.total), ages.total.items),
            Some(Findings::Links(links)) => links::sum(links),
            Some(Findings::Errors(errors)) => (None, errors::failed(errors)),
            Some(Findings::Growth(growth)) => (None, growth.matched),
            Some(Findings::Hints(hints)) => hints::sum(hints),
            _ => (None, 0),
        }
    }

    fn line(&self, tree: &Tree, measure: Measure, row: usize) -> Option<SheetLine> {
        let from = self.inquiry.asked().from;
        match self.inquiry.findings()? {
            Findings::Found(found) => files::line(tree, from, found.rows.get(row)?, measure),
            Findings::Types(typed) => types::line(typed, row, measure),
            Findings::Ages(ages) => ages::line(ages, row, measure),
            Findings::Links(links) => links::line(tree, from, links, row, measure),
            Findings::Errors(errors) => errors::line(tree, from, errors, row),
            Findings::Growth(growth) => growth::line(tree, from, growth, row, measure),
            Findings::Hints(hints) => hints::line(tree, from, hints, row, measure),
            Findings::Filtered(_)
            | Findings::Rows(_)
            | Findings::Earlier(_)
            | Findings::Space(_)
            | Findings::Whole(_)
            | Findings::Words(_)
            | Findings::Inspected(_)
            | Findings::Failed(_) => None,
        }
    }

    fn ledger(&self, visible: Range<usize>) -> Vec<Row> {
        match self.inquiry.findings() {
            Some(Findings::Space(account)) => account.rows[visible].to_vec(),
            Some(Findings::Words(words)) => space::wrap(words, self.columns)[visible].to_vec(),
            _ => Vec::new(),
        }
    }

    fn is_marked(&self, tree: &Tree, marks: &Marks<'_>, row: usize) -> bool {
        if marks.count() == 0 {
            return false;
        }
        let is_marked = |(directory, position): &(DirId, Position)| {
            tree.listing(*directory).name(*position).is_some_and(|name| marks.contains(*directory, name))
        };
        let entries = self.entries(row);
        !entries.is_empty() && entries.iter().all(is_marked)
    }
}
