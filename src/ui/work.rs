//! Background work: starts the jobs that the state wishes for, and returns their results.
//!
//! The state describes a result as a [`Wish`], from which a [`Job`] is made here; a job without a wish is
//! dropped, which cancels it. Results are returned as data, as long as the wish exists.
//!
//! Views bring the start of their own jobs ([`TableSpec`]). Invariant: nothing here waits for a job.

use std::io;

use crate::analysis::compare;
use crate::analysis::compare::{Basis, Compared, Growth, Offer};
use crate::analysis::search;
use crate::analysis::search::{Filtered, Order, Query, Request};
use crate::base::format::Units;
use crate::base::job::{Job, Outcome, Pool};
use crate::base::sync::Arc;
use crate::df;
use crate::scan::inspect::{Inspection, inspect};
use crate::table::rows;
use crate::table::rows::{Beside, Rows};
use crate::tree::{DirId, Position, Tree};
use crate::ui::views::table::{TableAnswer, TableData, TableSpec};

/// Result that the state waits for.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Unique number.
    pub number: u64,
    /// Kind of the result.
    pub ask: Ask,
    /// Directory whose subtree is searched.
    pub from: DirId,
    /// Query that entries must match.
    pub query: Query,
    /// Order of the rows, if there are any.
    pub order: Order,
    /// Further results that affect the sorting of a directory.
    pub beside: Beside,
    /// Present time, in seconds since 1970.
    pub now: i64,
    /// Units of sizes.
    pub units: Units,
}

/// Question about a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Rows of a view.
    Table(&'static TableSpec),
    /// Entries that a filter keeps.
    Filter,
    /// Entries of the directory itself, in this order.
    Rows(rows::Order),
    /// Everything about the entry of the directory itself at this position.
    Inspect(Position),
    /// `true` if all of a file system was scanned.
    Whole,
    /// Presence of a baseline.
    Earlier,
    /// Former sizes of everything.
    Growth,
}

/// Answer to a question.
#[derive(Clone, Debug)]
pub enum Findings {
    /// Rows of a view.
    Table(TableAnswer),
    /// Entries that a filter keeps.
    Filtered(Arc<Filtered>),
    /// Entries of a directory in order.
    Rows(Arc<Rows>),
    /// Everything about one entry.
    Inspected(Arc<Inspection>),
    /// `true` if all of a file system was scanned.
    Whole(Arc<bool>),
    /// Presence of a baseline.
    Earlier(Arc<Offer>),
    /// Former sizes of everything.
    Growth(Arc<Growth>),
    /// Reason why there is no answer.
    Failed(String),
}

impl Findings {
    /// Returns `true` if nothing more will come.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Table(answer) => answer.summary.is_complete,
            Self::Inspected(inspection) => inspection.is_complete,
            // These results come as a whole.
            Self::Filtered(_)
            | Self::Rows(_)
            | Self::Whole(_)
            | Self::Earlier(_)
            | Self::Growth(_)
            | Self::Failed(_) => true,
        }
    }
}

/// Everything that a job may read.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// Threads.
    pub pool: &'a Pool,
    /// Tree.
    pub tree: &'a Arc<Tree>,
    /// Baseline.
    pub basis: Option<&'a Basis>,
}

impl Sources<'_> {
    /// Returns what an analysis is asked for by a wish.
    pub fn request(&self, wish: &Wish) -> Request {
        let (query, order) = (wish.query.clone(), wish.order);
        Request { tree: Arc::clone(self.tree), from: wish.from, query, order }
    }
}

/// Running jobs.
pub struct Desk {
    pool: Pool,
    tree: Arc<Tree>,
    basis: Option<Basis>,
    running: Vec<Running>,
}

/// Newest result, if it is new, and the outcome, once the job has ended.
pub type Poll = Box<dyn FnMut() -> (Option<Findings>, Option<Outcome>)>;

struct Running {
    number: u64,
    poll: Poll,
    has_ended: bool,
}

impl Desk {
    /// Creates it for work on `tree`.
    pub fn new(pool: Pool, tree: Arc<Tree>) -> Self {
        Self { pool, tree, basis: None, running: Vec::new() }
    }

    /// Sets the baseline.
    #[must_use]
    pub fn comparing(self, basis: Basis) -> Self {
        Self { basis: Some(basis), ..self }
    }

    /// Returns `true` if there may be results soon.
    pub fn is_busy(&self) -> bool {
        self.running.iter().any(|job| !job.has_ended)
    }

    /// Drops jobs without a wish, starts jobs for new wishes, and returns new results by number of their
    /// wish.
    pub fn serve<'w>(&mut self, wishes: impl Iterator<Item = &'w Wish> + Clone) -> Vec<(u64, Findings)> {
        self.running.retain(|job| wishes.clone().any(|wish| wish.number == job.number));
        let mut news = Vec::new();
        for wish in wishes {
            if self.running.iter().any(|job| job.number == wish.number) {
                continue;
            }
            let sources = Sources { pool: &self.pool, tree: &self.tree, basis: self.basis.as_ref() };
            let begun = begin(&sources, wish);
            let has_ended = begun.is_err();
            let poll = begun.unwrap_or_else(|error| {
                news.push((wish.number, Findings::Failed(format!("no thread to look for it: {error}"))));
                Box::new(|| (None, None))
            });
            self.running.push(Running { number: wish.number, poll, has_ended });
        }
        for job in self.running.iter_mut().filter(|job| !job.has_ended) {
            let (findings, outcome) = (job.poll)();
            news.extend(findings.map(|findings| (job.number, findings)));
            job.has_ended = outcome.is_some();
            if let Some(Outcome::Panicked(message)) = outcome {
                news.push((job.number, Findings::Failed(format!("this failed: {message}"))));
            }
        }
        news
    }
}

fn begin(sources: &Sources<'_>, wish: &Wish) -> io::Result<Poll> {
    let Sources { pool, tree, basis } = *sources;
    Ok(match wish.ask {
        Ask::Table(table) => (table.start)(sources, wish)?,
        Ask::Filter => poll(search::filter(pool, sources.request(wish))?, Findings::Filtered),
        Ask::Rows(order) => {
            let beside = wish.beside.clone();
            poll(rows::in_order(pool, Arc::clone(tree), wish.from, order, beside)?, Findings::Rows)
        }
        Ask::Inspect(position) => {
            poll(inspect(pool, Arc::clone(tree), wish.from, position)?, Findings::Inspected)
        }
        Ask::Whole => poll(df::is_whole(pool, Arc::clone(tree))?, Findings::Whole),
        Ask::Earlier => poll(compare::offer(pool, basis.cloned())?, Findings::Earlier),
        Ask::Growth => {
            let job = compare::growth(pool, basis.cloned(), sources.request(wish), 0)?;
            compared(job, Findings::Growth)
        }
    })
}

/// Returns the poll of a comparison, which may have no baseline.
pub fn compared(job: Job<Compared>, findings: fn(Arc<Growth>) -> Findings) -> Poll {
    poll(job, move |compared| match &*compared {
        Ok(growth) => findings(Arc::clone(growth)),
        Err(reason) => Findings::Failed(reason.clone()),
    })
}

/// Returns the poll of a job that finds the rows of a view.
pub fn table<T: TableData + 'static>(job: Job<T>) -> Poll {
    poll(job, |data| Findings::Table(TableAnswer::shared(data)))
}

/// Returns the poll of a job whose results become findings in this way.
pub fn poll<T: Send + Sync + 'static>(
    mut job: Job<T>,
    mut findings: impl FnMut(Arc<T>) -> Findings + 'static,
) -> Poll {
    Box::new(move || {
        // The outcome first: a job that has ended published everything before.
        let outcome = job.outcome();
        (job.poll().map(&mut findings), outcome)
    })
}
