//! Input for layers, answers to questions, and the commands to interrupt, to quit, and to scan the parent directory.
//!
//! A question is always the top layer, and gets all keys until the user answers it. A No changes nothing. The deletion
//! dialog ([`crate::ui::layers::confirm_delete`]) works in the same way, but a question can cover it.
//!
//! Invariant: a question or a deletion dialog accepts a Yes only after the user has had time to read it
//! ([`AnswerGate`]).

use std::time::Duration;

use super::App;
use crate::source::SourceKind;
use crate::ui::answer_gate::AnswerGate;
use crate::ui::component::{Handled, Input};
use crate::ui::hit_map::Button;
use crate::ui::keys::Answer;
use crate::ui::layers::Layer;
use crate::ui::layers::question::{PRECIOUS, Question, QuestionDialog};
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::operations::deletion::DeletionRequest;
use crate::ui::options::Quitting;

impl<'t> App<'t> {
    pub(super) fn offer(&mut self, input: Input<'_>) -> Handled {
        let Some(top) = self.layers.last_mut() else { return Handled::No };
        let handled = top.component_mut().handle(input, &mut self.cx);
        match handled {
            Handled::Close(_) => drop(self.layers.pop()),
            Handled::Confirm(kind, selection) => {
                self.layers.pop();
                return Handled::Close(Some(self.ask_about(kind, selection)));
            }
            Handled::No | Handled::Yes(_) => {}
        }
        handled
    }

    /// Opens a question, which replaces any other open question.
    pub(super) fn ask(&mut self, about: Question) {
        // Scanning the parent directory loses only the marks, so Yes is preselected if nothing is marked.
        let loses_nothing = about == Question::Above && self.cx.marks.count() == 0;
        let button = if loses_nothing { Button::Yes } else { Button::No };
        self.layers.retain(|layer| !matches!(layer, Layer::Question(_)));
        self.layers.push(Layer::Question(QuestionDialog::new(about, button)));
    }

    /// Closes the question about quitting. Called when a deletion or export ends, because the question may still
    /// mention it.
    pub(super) fn withdraw_quit(&mut self) {
        let is_quit = |layer: &Layer<'_>| matches!(layer, Layer::Question(question) if question.about == Question::Quit);
        self.layers.retain(|layer| !is_quit(layer));
    }

    /// Opens a layer below the open question, if any, and closes all other layers.
    pub(in crate::ui) fn open_below_question(&mut self, layer: Layer<'t>) {
        self.layers.retain(|layer| matches!(layer, Layer::Question(_)));
        self.layers.insert(0, layer);
    }

    /// Returns the answer gate of the top layer, unless that layer is a deletion dialog that cannot be confirmed.
    fn gate(&mut self) -> Option<&mut AnswerGate> {
        match self.layers.last_mut()? {
            Layer::ConfirmDelete(dialog) if !dialog.is_open() => None,
            layer => layer.component_mut().gate(),
        }
    }

    /// Returns the time until the next `Event::Idle` is due; `None` if no such event is needed. Two timers need this
    /// event: the quiet time of the top layer's answer gate, and the display time of a notice. The first `Event::Idle`
    /// starts such a timer. A later `Event::Idle` ends the timer once its time has passed.
    pub fn idle_wait(&mut self, now: Duration) -> Option<Duration> {
        let gate = self.gate().and_then(|gate| gate.wait(now));
        [gate, self.cx.notice_wait(now)].into_iter().flatten().min()
    }

    /// Records that the latest frame is on the screen and no input is pending.
    pub(super) fn idle(&mut self, now: Duration) {
        if let Some(gate) = self.gate() {
            gate.idle(now);
        }
        self.cx.age_notice(now);
    }

    /// Returns `true` if a question is open, even if it has not been drawn yet.
    pub(super) fn has_open_question(&self) -> bool {
        self.layers.iter().any(|layer| layer.component().selected().is_some())
    }

    /// Closes the gates of all open questions if `is_input` is `true`, so that a Yes is ignored until the user pauses.
    /// The caller passes `true` before it processes a key repeat, and after it has processed any input that arrived
    /// while a question was open.
    pub(super) fn close_gates_if(&mut self, is_input: bool) {
        if is_input {
            let gates = self.layers.iter_mut().filter_map(|layer| layer.component_mut().gate());
            gates.for_each(AnswerGate::take_input);
        }
    }

    pub(super) fn accepts_yes(&mut self) -> bool {
        self.gate().is_some_and(|gate| gate.is_open())
    }

    /// Returns `true` if the answer is Yes, or if it confirms the selected button and that button is Yes.
    pub(super) fn is_yes(&self, answer: Answer) -> bool {
        let button = self.layers.last().and_then(|layer| layer.component().selected());
        answer == Answer::Yes || answer == Answer::Selected && button == Some(Button::Yes)
    }

    pub(super) fn interrupt(&mut self) -> Option<Effect> {
        match self.layers.last() {
            // Ctrl-C answers the question about quitting with Yes.
            Some(Layer::Question(question)) if question.about == Question::Quit => return Some(Effect::Quit),
            Some(Layer::Question(_)) => {
                self.layers.pop();
                return None;
            }
            Some(Layer::ConfirmDelete(_)) => {
                self.layers.pop();
                return Some(Effect::Deletion(DeletionRequest::StopPreview));
            }
            _ => {}
        }
        if self.cx.is_scanning() && !self.cx.scan.is_stopping {
            self.cx.scan.is_stopping = true;
            self.cx.notify(Notice::StoppingScan);
            return Some(Effect::StopScan);
        }
        self.cx.stop_deleting().or_else(|| self.cx.stop_rescan()).or_else(|| self.quit())
    }

    pub(super) fn quit(&mut self) -> Option<Effect> {
        let loses_nothing =
            self.cx.scan.last.elapsed <= PRECIOUS && !self.cx.is_deleting() && self.cx.written().is_none();
        if loses_nothing && self.cx.quitting == Quitting::AskIfLost {
            return Some(Effect::Quit);
        }
        self.ask(Question::Quit);
        None
    }

    /// Asks the user whether to scan the parent directory.
    pub(super) fn ask_to_scan_above(&mut self) {
        if self.cx.is_deleting() {
            // Scanning the parent directory means leaving this tree, which would interrupt the deletion.
            self.cx.notify(Notice::Deleting);
        } else if let Some(order) = self.cx.written() {
            self.cx.notify(Notice::StillWriting(order.path.clone()));
        } else if self.cx.above().is_some() {
            self.ask(Question::Above);
        } else {
            let has_more = self.cx.roots.len() != 1 || self.cx.source_kind != SourceKind::Live;
            self.cx.notify(if has_more { Notice::ScanRoot } else { Notice::NothingAbove });
        }
    }
}
