//! A question about the tree and what is known of the answer: the common part of every view and of the filter.
//!
//! An answer comes piece by piece. When the tree has grown it is asked again, and the old answer stays until the new one is
//! whole.
//!
//! Knows no view and no job. Invariant: only what was found for its own wish becomes its answer.

use super::work::{Findings, Wish};
use crate::tree::Successors;

/// How it stands with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It comes piece by piece.
    Awaited,
    /// It was there, and a newer one is awaited.
    AwaitedAnew,
    /// It is there, or nothing could be found out.
    Complete,
    /// It was said without asking.
    Said,
}

/// A question and its answer.
#[derive(Clone, Debug)]
pub struct Inquiry {
    wish: Wish,
    findings: Option<Findings>,
    answer: Answer,
    /// Whether the tree has grown since the question.
    is_outdated: bool,
}

/// What was known before an answer came, if anything was.
#[derive(Debug)]
pub struct Before(pub Option<Findings>);

impl Inquiry {
    /// Asks for `wish`.
    pub fn new(wish: Wish) -> Self {
        Self { wish, findings: None, answer: Answer::Awaited, is_outdated: false }
    }

    /// What is asked, whether or not it was answered.
    pub fn asked(&self) -> &Wish {
        &self.wish
    }

    /// What it waits for.
    pub fn wish(&self) -> Option<&Wish> {
        matches!(self.answer, Answer::Awaited | Answer::AwaitedAnew).then_some(&self.wish)
    }

    /// What is known of the answer.
    pub fn findings(&self) -> Option<&Findings> {
        self.findings.as_ref()
    }

    /// Whether nothing more will come.
    pub fn is_complete(&self) -> bool {
        self.wish().is_none()
    }

    /// Has an answer to another question for as long as there is none to this.
    pub fn keep_showing(&mut self, findings: Option<Findings>) {
        self.findings = findings;
    }

    /// Asks nothing, and has `text` for an answer.
    pub fn say(&mut self, text: String) {
        self.findings = Some(Findings::Failed(text));
        self.answer = Answer::Said;
    }

    /// Asks nothing, and has these words for an answer.
    pub fn tell(&mut self, words: Vec<String>) {
        self.findings = Some(Findings::Words(words));
        self.answer = Answer::Said;
    }

    /// The tree has grown.
    pub fn outdate(&mut self) {
        // What was said without asking stays as true as it was.
        self.is_outdated = self.answer != Answer::Said;
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

    /// Asks for another order, as number `number`. What was found stays until then.
    pub fn turn(&mut self, order: crate::search::Order, number: u64) {
        if self.wish.order != order && self.answer != Answer::Said {
            self.wish = Wish { number, order, ..self.wish.clone() };
            self.answer = if self.findings.is_some() { Answer::AwaitedAnew } else { Answer::Awaited };
        }
    }

    /// Forgets what was found and asks anew, as number `number`; nothing if the directory is gone.
    pub fn begin_again(&mut self, successors: &mut Successors<'_>, number: u64) -> Option<()> {
        self.wish = Wish { number, from: successors.find(self.wish.from)?, ..self.wish.clone() };
        if self.answer != Answer::Said {
            self.findings = None;
            self.answer = Answer::Awaited;
            self.is_outdated = false;
        }
        Some(())
    }

    /// Takes what was found for the wish with this number, if it is this one's; gives back what was known before.
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
    use crate::rows::Beside;
    use crate::search::{Order, Query};
    use crate::tree::{DirId, Tree};
    use crate::ui::work::Ask;

    fn inquiry() -> Inquiry {
        let (query, order, beside) = (Query::default(), Order::default(), Beside::default());
        Inquiry::new(Wish { number: 1, ask: Ask::Types, from: DirId::TOP, query, order, beside })
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
        assert_eq!(failed.begin_again(&mut Successors::new(&tree, Vec::new()), 3), Some(()));
        assert!(failed.findings().is_none() && failed.wish().is_some());
    }

    #[test]
    fn what_was_said_without_asking_stays() {
        let tree = Tree::new();
        let mut said = inquiry();
        said.say("type something".into());
        said.outdate();
        assert!(said.is_complete() && !said.is_outdated());
        assert_eq!(said.begin_again(&mut Successors::new(&tree, Vec::new()), 2), Some(()));
        assert!(said.findings().is_some() && said.wish().is_none());
    }
}
