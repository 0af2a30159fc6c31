//! Inquiry: a question about the tree with its answer so far, the common part of every view and of the
//! filter.
//!
//! An answer comes piece by piece. When the tree has grown it is requested again, and the old answer stays
//! until the new one is complete.
//!
//! Invariant: only the result of its own wish becomes its answer.

use super::work::{Findings, Wish};
use crate::tree::Relocation;

/// State of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// Expected, and arriving piece by piece.
    Awaited,
    /// Outdated but shown, while a newer one is awaited.
    AwaitedAnew,
    /// Complete, or nothing could be found.
    Complete,
    /// Given without a wish.
    Said,
}

/// Wish with its answer.
#[derive(Clone, Debug)]
pub struct Inquiry {
    wish: Wish,
    findings: Option<Findings>,
    answer: Answer,
    /// `true` if the tree has grown since the wish.
    is_outdated: bool,
}

/// Answer before the new one, if there was any.
#[derive(Debug)]
pub struct Before(pub Option<Findings>);

impl Inquiry {
    /// Creates the inquiry of `wish`.
    pub fn new(wish: Wish) -> Self {
        Self { wish, findings: None, answer: Answer::Awaited, is_outdated: false }
    }

    /// Returns the wish, answered or not.
    pub fn asked(&self) -> &Wish {
        &self.wish
    }

    /// Returns the wish it waits for.
    pub fn wish(&self) -> Option<&Wish> {
        matches!(self.answer, Answer::Awaited | Answer::AwaitedAnew).then_some(&self.wish)
    }

    /// Returns the answer so far.
    pub fn findings(&self) -> Option<&Findings> {
        self.findings.as_ref()
    }

    /// Returns `true` if the answer is complete.
    pub fn is_complete(&self) -> bool {
        self.wish().is_none()
    }

    /// Shows another answer until its own arrives.
    pub fn keep_showing(&mut self, findings: Option<Findings>) {
        self.findings = findings;
    }

    /// Sets `text` as the answer, without a wish.
    pub fn say(&mut self, text: String) {
        self.findings = Some(Findings::Failed(text));
        self.answer = Answer::Said;
    }

    /// Sets the answer, without a wish.
    pub fn tell(&mut self, findings: Findings) {
        self.findings = Some(findings);
        self.answer = Answer::Said;
    }

    /// Records that the tree has grown.
    pub fn outdate(&mut self) {
        // An answer without a wish never becomes outdated.
        self.is_outdated = self.answer != Answer::Said;
    }

    /// Returns `true` if the tree has grown since the answer.
    pub fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Repeats the wish as number `number`, unless its answer is still awaited. The old answer stays until
    /// then.
    pub fn ask_again(&mut self, number: u64) {
        if self.answer == Answer::Complete {
            self.wish.number = number;
            self.answer = Answer::AwaitedAnew;
            self.is_outdated = false;
        }
    }

    /// Requests another order, as number `number`. The old answer stays until then.
    pub fn turn(&mut self, order: crate::analysis::search::Order, number: u64) {
        if self.wish.order != order && self.answer != Answer::Said {
            self.wish = Wish { number, order, ..self.wish.clone() };
            self.answer = if self.findings.is_some() { Answer::AwaitedAnew } else { Answer::Awaited };
        }
    }

    /// Drops the answer and repeats the wish, as number `number`; returns `None` if the directory no longer
    /// exists.
    pub fn begin_again(&mut self, relocation: &mut Relocation<'_>, number: u64) -> Option<()> {
        self.wish = Wish { number, from: relocation.find(self.wish.from)?, ..self.wish.clone() };
        self.wish.query.renew(relocation);
        if self.answer != Answer::Said {
            self.findings = None;
            self.answer = Answer::Awaited;
            self.is_outdated = false;
        }
        Some(())
    }

    /// Takes the result for the wish with this number if it is its own, and returns the previous answer.
    pub fn take(&mut self, number: u64, findings: &Findings) -> Option<Before> {
        let is_complete = findings.is_complete();
        if number != self.wish.number || (self.answer == Answer::AwaitedAnew && !is_complete) {
            return None;
        }
        if is_complete {
            self.answer = Answer::Complete;
        }
        Some(Before(self.findings.replace(findings.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::search::{Order, Query};
    use crate::base::format::Units;
    use crate::table::rows::Beside;
    use crate::tree::{DirId, Tree};
    use crate::ui::work::Ask;

    fn inquiry() -> Inquiry {
        let (query, order, beside) = (Query::default(), Order::default(), Beside::default());
        let (ask, from, units) = (Ask::Filter, DirId::TOP, Units::Binary);
        Inquiry::new(Wish { number: 1, ask, from, query, order, beside, now: 0, units })
    }

    #[test]
    fn what_failed_is_asked_again_when_the_tree_is_another() {
        let tree = Tree::new();
        let mut failed = inquiry();
        assert!(failed.take(1, &Findings::Failed("no thread".into())).is_some());
        assert!(failed.is_complete() && failed.wish().is_none());
        failed.outdate();
        assert!(failed.is_outdated());
        failed.ask_again(2);
        assert_eq!(failed.wish().map(|wish| wish.number), Some(2));
        assert!(failed.take(2, &Findings::Failed("no thread".into())).is_some());
        assert_eq!(failed.begin_again(&mut Relocation::new(&tree, Vec::new()), 3), Some(()));
        assert!(failed.findings().is_none() && failed.wish().is_some());
    }

    #[test]
    fn what_was_said_without_asking_stays() {
        let tree = Tree::new();
        let mut said = inquiry();
        said.say("type something".into());
        said.outdate();
        assert!(said.is_complete() && !said.is_outdated());
        assert_eq!(said.begin_again(&mut Relocation::new(&tree, Vec::new()), 2), Some(()));
        assert!(said.findings().is_some() && said.wish().is_none());
    }
}
