//! Work beside the screen: starts the jobs that the state wishes for, and brings what they find.
//!
//! The state says what it wants ([`Wish`]); here it becomes a [`Job`], and a job nobody wishes for any more is dropped,
//! which cancels it. What was found comes back as data, for as long as the wish stands.
//!
//! Knows no view. Invariant: nothing here waits for a job.

use std::io;

use crate::growth::{self, Basis, Compared, Growth, Offer};
use crate::hints::{self, Hints};
use crate::inspect::{Inspection, inspect};
use crate::job::{Job, Outcome, Pool};
use crate::rows::{self, Beside, Rows};
use crate::search::{self, Filtered, Found, Order, Query, Request};
use crate::size::Units;
use crate::space::{self, Account};
use crate::survey::{self, Ages, Errors, Links, Typed};
use crate::sync::Arc;
use crate::tree::{DirId, Position, Tree};

/// The most files a list of the largest shows.
const MOST_FILES: usize = 100_000;
/// The most changes a list of them shows.
const MOST_CHANGES: usize = 100_000;

/// Something to be found out.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Which one: no two wishes have the same.
    pub number: u64,
    /// What is asked.
    pub ask: Ask,
    /// Of this directory and all below it.
    pub from: DirId,
    /// Of what meets this.
    pub query: Query,
    /// In this order, where there are rows.
    pub order: Order,
    /// What else decides on what is shown, where the entries of a directory are put in order.
    pub beside: Beside,
}

/// What can be asked of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The entries that meet the query themselves.
    Search,
    /// The largest files.
    Largest,
    /// The sums by type.
    Types,
    /// The sums by age.
    Ages {
        /// The present, in seconds since 1970.
        now: i64,
    },
    /// The inodes with several names.
    Links,
    /// What could not be read.
    Errors,
    /// What could be cleaned up.
    Hints,
    /// What a filter keeps.
    Filter,
    /// The entries of the directory itself, in this order.
    Rows(rows::Order),
    /// Everything about the entry of the directory itself that is at this position.
    Inspect(Position),
    /// Where the rest of the file system is.
    Space {
        /// How sizes are written.
        units: Units,
    },
    /// Whether all of a file system was scanned.
    Whole,
    /// Whether there is an earlier state to compare with.
    Earlier,
    /// What has changed since then, the largest changes.
    Changes,
    /// What everything was then.
    Growth,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Findings {
    /// Entries.
    Found(Arc<Found>),
    /// Sums by type.
    Types(Arc<Typed>),
    /// Sums by age.
    Ages(Arc<Ages>),
    /// Inodes with several names.
    Links(Arc<Links>),
    /// What could not be read.
    Errors(Arc<Errors>),
    /// What could be cleaned up.
    Hints(Arc<Hints>),
    /// What a filter keeps.
    Filtered(Arc<Filtered>),
    /// The entries of a directory in order.
    Rows(Arc<Rows>),
    /// Everything about one entry.
    Inspected(Arc<Inspection>),
    /// Where the rest of the file system is.
    Space(Arc<Account>),
    /// Whether all of a file system was scanned.
    Whole(Arc<bool>),
    /// Whether there is an earlier state.
    Earlier(Arc<Offer>),
    /// What has changed since then.
    Growth(Arc<Growth>),
    /// Words to be read, by paragraph.
    Words(Vec<String>),
    /// Nothing: why.
    Failed(String),
}

impl Findings {
    /// Whether nothing more will come.
    pub fn is_complete(&self) -> bool {
        match self {
            Self::Found(found) => found.complete,
            Self::Types(types) => types.complete,
            Self::Ages(ages) => ages.complete,
            Self::Links(links) => links.complete,
            Self::Errors(errors) => errors.complete,
            Self::Hints(hints) => hints.complete,
            Self::Inspected(inspection) => inspection.is_complete,
            // These come as a whole.
            Self::Filtered(_)
            | Self::Rows(_)
            | Self::Space(_)
            | Self::Whole(_)
            | Self::Earlier(_)
            | Self::Growth(_)
            | Self::Words(_)
            | Self::Failed(_) => true,
        }
    }

    /// How many entries were looked at.
    pub fn searched(&self) -> u64 {
        match self {
            Self::Found(found) => found.searched,
            Self::Types(types) => types.searched,
            Self::Ages(ages) => ages.searched,
            Self::Links(links) => links.searched,
            Self::Errors(errors) => errors.searched,
            Self::Hints(hints) => hints.searched,
            Self::Filtered(filtered) => filtered.searched,
            Self::Growth(growth) => growth.matched,
            Self::Rows(_)
            | Self::Space(_)
            | Self::Whole(_)
            | Self::Earlier(_)
            | Self::Words(_)
            | Self::Inspected(_)
            | Self::Failed(_) => 0,
        }
    }
}

/// The jobs that run.
pub struct Desk {
    pool: Pool,
    tree: Arc<Tree>,
    basis: Option<Basis>,
    running: Vec<Running>,
}

/// The newest result, if it is new, and how it ended, if it has.
type Poll = Box<dyn FnMut() -> (Option<Findings>, Option<Outcome>)>;

struct Running {
    number: u64,
    poll: Poll,
    has_ended: bool,
}

impl Desk {
    /// For work on `tree`.
    pub fn new(pool: Pool, tree: Arc<Tree>) -> Self {
        Self { pool, tree, basis: None, running: Vec::new() }
    }

    /// With this to compare the tree with.
    #[must_use]
    pub fn comparing(self, basis: Basis) -> Self {
        Self { basis: Some(basis), ..self }
    }

    /// Whether something may be found soon.
    pub fn is_busy(&self) -> bool {
        self.running.iter().any(|job| !job.has_ended)
    }

    /// Drops what is not wished for any more, begins what is not begun, and returns what is new, by number of its wish.
    pub fn serve<'w>(&mut self, wishes: impl Iterator<Item = &'w Wish> + Clone) -> Vec<(u64, Findings)> {
        self.running.retain(|job| wishes.clone().any(|wish| wish.number == job.number));
        let mut news = Vec::new();
        for wish in wishes {
            if self.running.iter().any(|job| job.number == wish.number) {
                continue;
            }
            let begun = begin(&self.pool, &self.tree, self.basis.as_ref(), wish);
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

fn begin(pool: &Pool, tree: &Arc<Tree>, basis: Option<&Basis>, wish: &Wish) -> io::Result<Poll> {
    let (query, order) = (wish.query.clone(), wish.order);
    let request = Request { tree: Arc::clone(tree), from: wish.from, query, order };
    Ok(match wish.ask {
        Ask::Search => poll(search::search(pool, request)?, Findings::Found),
        Ask::Largest => poll(survey::entries(pool, request, MOST_FILES)?, Findings::Found),
        Ask::Types => poll(survey::types(pool, request)?, Findings::Types),
        Ask::Ages { now } => poll(survey::ages(pool, request, now)?, Findings::Ages),
        Ask::Links => poll(survey::links(pool, request)?, Findings::Links),
        Ask::Errors => poll(survey::errors(pool, request)?, Findings::Errors),
        Ask::Hints => poll(hints::hints(pool, request)?, Findings::Hints),
        Ask::Filter => poll(search::filter(pool, request)?, Findings::Filtered),
        Ask::Rows(order) => {
            let beside = wish.beside.clone();
            poll(rows::in_order(pool, request.tree, request.from, order, beside)?, Findings::Rows)
        }
        Ask::Inspect(position) => {
            poll(inspect(pool, request.tree, request.from, position)?, Findings::Inspected)
        }
        Ask::Space { units } => {
            poll(space::account(pool, Arc::clone(tree), wish.from, units)?, Findings::Space)
        }
        Ask::Whole => poll(space::is_whole(pool, Arc::clone(tree))?, Findings::Whole),
        Ask::Earlier => poll(growth::offer(pool, basis.cloned())?, Findings::Earlier),
        Ask::Changes => compared(growth::growth(pool, basis.cloned(), request, MOST_CHANGES)?),
        Ask::Growth => compared(growth::growth(pool, basis.cloned(), request, 0)?),
    })
}

/// A comparison that may have nothing to compare with.
fn compared(mut job: Job<Compared>) -> Poll {
    Box::new(move || {
        let outcome = job.outcome();
        let findings = job.poll().map(|compared| match &*compared {
            Ok(growth) => Findings::Growth(Arc::clone(growth)),
            Err(reason) => Findings::Failed(reason.clone()),
        });
        (findings, outcome)
    })
}

fn poll<T: Send + Sync + 'static>(mut job: Job<T>, findings: fn(Arc<T>) -> Findings) -> Poll {
    Box::new(move || {
        // The outcome first: what it says is over has been published then.
        let outcome = job.outcome();
        (job.poll().map(findings), outcome)
    })
}
