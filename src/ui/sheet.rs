//! A view of a whole subtree besides the list: what was asked, what was found, and the cursor in it.
//!
//! What a view shows in a row, and what its rows lead to, is in its file in `view`; here is what all of them have in common.
//! The cursor follows its entry while more is found, as soon as somebody has moved it.
//!
//! Knows no keys and no columns. Invariant: the cursor is on a row, if there is any.

use std::ops::Range;

use super::keys::{Motion, View};
use super::place::moved;
use super::theme::Role;
use super::view::{ages, errors, files, hints, links, space, types};
use super::work::{Ask, Findings, Wish};
use crate::search::Query;
use crate::space::rows::Row;
use crate::tree::{DirId, Position, Successors, Totals, Tree};

/// Where a row leads.
#[derive(Clone, Debug)]
pub enum Target {
    /// To an entry in its directory.
    Entry(DirId, Position),
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
    /// Disk usage in bytes; none if it is not known, or means nothing.
    pub size: Option<u64>,
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
}

/// Everything that is visible of a sheet.
#[derive(Clone, Debug)]
pub struct Page {
    /// Which view.
    pub view: View,
    /// Whether the rows are entries, rather than sums of some.
    pub is_of_entries: bool,
    /// What the rows are.
    pub title: String,
    /// What it all takes up, if that was added up.
    pub sum: Option<Totals>,
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

/// How it stands with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It comes piece by piece.
    Awaited,
    /// It was there, and a newer one is awaited.
    AwaitedAnew,
    /// It is there.
    Complete,
}

/// A view of a subtree.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Which one.
    pub view: View,
    /// What the rows are.
    title: String,
    wish: Wish,
    findings: Option<Findings>,
    answer: Answer,
    /// Whether the tree has grown since the question.
    is_outdated: bool,
    index: usize,
    offset: usize,
    /// Columns of the screen.
    columns: usize,
}

impl Sheet {
    /// A view for which `wish` is asked.
    pub fn new(view: View, title: String, wish: Wish) -> Self {
        Self {
            view,
            title,
            wish,
            findings: None,
            answer: Answer::Awaited,
            is_outdated: false,
            index: 0,
            offset: 0,
            columns: 0,
        }
    }

    /// Asks nothing, and shows words.
    pub fn tell(&mut self, words: Vec<String>) {
        self.findings = Some(Findings::Words(words));
        self.answer = Answer::Complete;
    }

    /// Shows what another sheet has found until something is found for this one: what is typed letter by letter must not
    /// flicker.
    pub fn keep_showing(&mut self, before: Option<Self>) {
        self.findings = before.and_then(|sheet| sheet.findings).filter(|it| matches!(it, Findings::Found(_)));
    }

    /// Asks nothing, and says `text`.
    pub fn say(&mut self, text: String) {
        self.findings = Some(Findings::Failed(text));
        self.answer = Answer::Complete;
    }

    /// What it waits for.
    pub fn wish(&self) -> Option<&Wish> {
        (self.answer != Answer::Complete).then_some(&self.wish)
    }

    /// The tree has grown.
    pub fn outdate(&mut self) {
        // What was said without asking stays as true as it was.
        self.is_outdated = !matches!(self.findings, Some(Findings::Failed(_) | Findings::Words(_)));
    }

    /// Whether there is more to be seen than what was found.
    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Asks once more, as number `number`, unless the answer is still awaited. What was found stays until then.
    pub fn ask_again(&mut self, number: u64) {
        if self.answer == Answer::Complete {
            self.wish.number = number;
            self.answer = Answer::AwaitedAnew;
            self.is_outdated = false;
        }
    }

    /// Forgets what was found and asks anew, as number `number`; nothing if the directory is gone.
    pub fn begin_again(&mut self, successors: &mut Successors<'_>, number: u64) -> Option<()> {
        self.wish = Wish { number, from: successors.find(self.wish.from)?, ..self.wish.clone() };
        if !matches!(self.findings, Some(Findings::Failed(_) | Findings::Words(_))) {
            self.findings = None;
            self.answer = Answer::Awaited;
            self.is_outdated = false;
        }
        Some(())
    }

    /// Takes what was found for the wish with this number.
    pub fn take(&mut self, number: u64, findings: Findings) {
        let is_complete = findings.is_complete();
        if number != self.wish.number || (self.answer == Answer::AwaitedAnew && !is_complete) {
            return;
        }
        if is_complete {
            self.answer = Answer::Complete;
        }
        self.index = match (&self.findings, &findings) {
            (Some(Findings::Found(old)), Findings::Found(new)) if self.index > 0 => {
                files::follow(old, new, self.index)
            }
            _ => self.index,
        };
        self.findings = Some(findings);
    }

    /// Moves the cursor; there are `lines` of rows on the screen.
    pub fn step(&mut self, motion: Motion, lines: usize) {
        self.index = moved(self.index, motion, lines, self.rows());
    }

    /// Where the row of the cursor leads.
    pub fn target(&self) -> Option<Target> {
        match self.findings.as_ref()? {
            Findings::Found(found) => files::target(found, self.index),
            Findings::Types(typed) => types::target(typed, self.index),
            Findings::Ages(_) => ages::target(self.wish.ask, self.index),
            Findings::Links(links) => links::target(links, self.index),
            Findings::Errors(errors) => errors::target(errors, self.index),
            Findings::Hints(hints) => hints::target(hints, self.index),
            Findings::Space(account) => space::target(account, self.wish.ask, self.index),
            Findings::Whole(_) | Findings::Words(_) | Findings::Failed(_) => None,
        }
    }

    /// Looks at it through so many columns and lines, after scrolling as little as brings the cursor into view.
    pub fn look(&mut self, tree: &Tree, columns: usize, lines: usize) -> Page {
        self.columns = columns;
        let rows = self.rows();
        self.index = self.index.min(rows.saturating_sub(1));
        let least = (self.index + 1).saturating_sub(lines.max(1));
        let most = self.index.min(rows.saturating_sub(lines.max(1)));
        self.offset = self.offset.clamp(least, most);
        let visible = self.offset..rows.min(self.offset + lines);
        let (sum, matched) = self.sum();
        Page {
            view: self.view,
            is_of_entries: matches!(self.wish.ask, Ask::Search | Ask::Largest),
            title: self.title.clone(),
            sum,
            matched,
            searched: self.findings.as_ref().map_or(0, Findings::searched),
            is_complete: self.answer == Answer::Complete,
            failure: match &self.findings {
                Some(Findings::Failed(reason)) => Some(reason.clone()),
                _ => None,
            },
            rows,
            index: self.index,
            offset: self.offset,
            lines: visible.clone().filter_map(|row| self.line(tree, row)).collect(),
            ledger: self.ledger(visible),
        }
    }

    fn rows(&self) -> usize {
        match &self.findings {
            Some(Findings::Found(found)) => found.rows.len(),
            Some(Findings::Types(typed)) => types::rows(typed),
            Some(Findings::Ages(ages)) => ages.rows.len(),
            Some(Findings::Links(links)) => links.inodes.len(),
            Some(Findings::Errors(errors)) => errors::rows(errors),
            Some(Findings::Hints(hints)) => hints.rows.len(),
            Some(Findings::Space(account)) => account.rows.len(),
            Some(Findings::Words(words)) => space::wrap(words, self.columns).len(),
            Some(Findings::Whole(_) | Findings::Failed(_)) | None => 0,
        }
    }

    /// What all that was found takes up, and how many entries it is.
    fn sum(&self) -> (Option<Totals>, u64) {
        match &self.findings {
            Some(Findings::Found(found)) => (Some(found.sum), found.matched),
            Some(Findings::Types(typed)) => (Some(typed.total), typed.total.items),
            Some(Findings::Ages(ages)) => (Some(ages.total), ages.total.items),
            Some(Findings::Links(links)) => links::sum(links),
            Some(Findings::Errors(errors)) => (None, errors::failed(errors)),
            Some(Findings::Hints(hints)) => hints::sum(hints),
            Some(Findings::Space(_) | Findings::Whole(_) | Findings::Words(_) | Findings::Failed(_))
            | None => (None, 0),
        }
    }

    fn line(&self, tree: &Tree, row: usize) -> Option<SheetLine> {
        let from = self.wish.from;
        match self.findings.as_ref()? {
            Findings::Found(found) => files::line(tree, from, found.rows.get(row)?),
            Findings::Types(typed) => types::line(typed, row),
            Findings::Ages(ages) => ages::line(ages, row),
            Findings::Links(links) => links::line(tree, from, links, row),
            Findings::Errors(errors) => errors::line(tree, from, errors, row),
            Findings::Hints(hints) => hints::line(tree, from, hints, row),
            Findings::Space(_) | Findings::Whole(_) | Findings::Words(_) | Findings::Failed(_) => None,
        }
    }

    fn ledger(&self, visible: Range<usize>) -> Vec<Row> {
        match &self.findings {
            Some(Findings::Space(account)) => account.rows[visible].to_vec(),
            Some(Findings::Words(words)) => space::wrap(words, self.columns)[visible].to_vec(),
            _ => Vec::new(),
        }
    }
}
