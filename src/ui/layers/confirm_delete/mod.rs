//! Deletion dialog: all steps up to the start of the operation.
//!
//! Invariant: No is selected when the dialog opens (unless the policy preselects Yes), when it asks again, and
//! when the preview reports a blocked or changed entry.

mod drawing;
mod texts;

use std::collections::HashSet;
use std::time::Duration;

use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::base::sync::Arc;
use crate::base::text::escape;
use crate::delete::{DeleteScope, DeleteWarning, Kept, Operation, OperationKind, Preview, Selection};
use crate::tree::Exclusive;
use crate::ui::answer_gate::{AnswerGate, LONG_QUIET, QUIET};
use crate::ui::component::{Component, Handled, Input};
use crate::ui::context::Context;
use crate::ui::field::Field;
use crate::ui::hit_map::{Button, Canvas};
use crate::ui::keys::{Answer, Command, Scope};
use crate::ui::layout::layout;
use crate::ui::message::Effect;
use crate::ui::notice::Notice;
use crate::ui::operations::deletion::DeletionRequest;
use crate::ui::options::{DeleteMode, DeletePolicy};
use crate::ui::sentences::FreedAccuracy;

#[derive(Clone, Debug)]
pub struct DeleteDialog {
    pub kind: OperationKind,
    pub selection: Arc<Selection>,
    /// Latest preview; `None` until the first preview arrives.
    pub preview: Option<Arc<Preview>>,
    /// Number of bytes that deleting the selection would free, if known.
    pub exclusive: Option<Exclusive>,
    pub button: Button,
    pub stage: ConfirmStep,
    gate: AnswerGate,
    /// `true` if the user can switch between deleting a directory and deleting only its contents: the selection is a
    /// single directory, and the operation does not move it to the trash.
    can_be_emptied: bool,
    is_dry_run: bool,
    /// Size in bytes above which the user must type the name.
    typed_over: u64,
    /// Current time in seconds since 1970.
    now: i64,
}

#[derive(Clone, Debug)]
pub enum ConfirmStep {
    Ask,
    /// The user must type a name. Contains the name and the text typed so far.
    Type(String, Field),
    AskAgain,
}

impl DeleteDialog {
    /// Creates a dialog for a selection. The dialog has no preview yet.
    pub fn new(kind: OperationKind, selection: Arc<Selection>, policy: &DeletePolicy, now: i64) -> Self {
        let can_be_emptied = kind != OperationKind::Trash
            && selection.count() == 1
            && selection.items().all(|(_, item)| item.directory.is_some());
        Self {
            kind,
            selection,
            preview: None,
            exclusive: None,
            button: if policy.selects_yes { Button::Yes } else { Button::No },
            stage: ConfirmStep::Ask,
            gate: AnswerGate::default(),
            can_be_emptied,
            is_dry_run: policy.mode == DeleteMode::DryRun,
            typed_over: policy.typed_over,
            now,
        }
    }

    /// Sets the number of bytes that deleting the selection would free, if known.
    #[must_use]
    pub fn with_exclusive(self, exclusive: Option<Exclusive>) -> Self {
        Self { exclusive, ..self }
    }

    /// Returns the number of bytes that deleting the selection frees: the result of the search for exclusive sizes,
    /// narrowed by the bounds of the preview. Returns `None` if there is no such result, if the operation is not
    /// [`OperationKind::Delete`], or if the preview is incomplete or has blocked, kept, changed or recent entries.
    fn known_exclusive(&self, preview: &Preview) -> Option<Exclusive> {
        let is_same = preview.is_complete
            && preview.kept == Kept::default()
            && preview.changed.is_empty()
            && preview.blocked.is_empty()
            && preview.recent == 0;
        let exclusive = self.exclusive.filter(|_| is_same && self.kind == OperationKind::Delete)?;
        let most = if preview.is_unbounded { None } else { Some(preview.most) };
        let at_most = [exclusive.at_most, most].into_iter().flatten().min();
        let at_least = exclusive.at_least.max(preview.least).min(at_most.unwrap_or(u64::MAX));
        Some(Exclusive { at_least, at_most, ..exclusive })
    }

    /// Updates the dialog with a new preview. Selects No if the preview has blocked or changed entries.
    pub fn learn(&mut self, preview: Arc<Preview>) {
        if !preview.blocked.is_empty() || !preview.changed.is_empty() {
            self.button = Button::No;
        }
        self.preview = Some(preview);
    }

    /// Returns `true` if the user may confirm: there is a preview without blocked entries, and at least one entry is
    /// unchanged.
    pub fn is_open(&self) -> bool {
        let may_be_done = |preview: &Arc<Preview>| {
            preview.blocked.is_empty() && preview.changed.len() < self.selection.count()
        };
        self.preview.as_ref().is_some_and(may_be_done)
    }

    pub fn has_changed(&self) -> bool {
        self.preview.as_ref().is_some_and(|preview| !preview.changed.is_empty())
    }

    /// Goes to another step and selects No. A Yes is accepted only after the time `quiet` has passed without input.
    fn ask_next(&mut self, stage: ConfirmStep, quiet: Duration) -> Handled {
        self.stage = stage;
        self.button = Button::No;
        self.gate = AnswerGate::new(quiet);
        Handled::Yes(None)
    }

    /// Returns the name of the largest item if the user must type it, otherwise `None`.
    fn wanted_name(&self) -> Option<String> {
        let preview = self.preview.as_ref()?;
        let is_home = preview.warnings.iter().any(|warning| matches!(warning, DeleteWarning::UserHome(_)));
        // A file that an incomplete preview has not visited yet may have grown to any size since the scan.
        let most = if preview.is_complete { self.selection.disk().max(preview.most) } else { u64::MAX };
        if most <= self.typed_over && !is_home {
            return None;
        }
        let largest = self.selection.items().max_by_key(|(_, item)| item.disk)?;
        Some(escape(&largest.1.name).into_owned())
    }

    fn needs_second_yes(&self) -> bool {
        let is_others = |warning: &DeleteWarning| matches!(warning, DeleteWarning::OthersDirectory(..));
        self.preview.as_ref().is_some_and(|preview| preview.warnings.iter().any(is_others))
    }

    fn command(&mut self, command: Command, cx: &mut Context<'_>) -> Handled {
        match command {
            Command::Answer(Answer::Other) => {
                if self.is_open() {
                    self.button = self.button.other();
                }
                Handled::Yes(None)
            }
            Command::Answer(Answer::Yes) => self.confirmed(cx),
            Command::Answer(Answer::Selected) if self.button == Button::Yes => self.confirmed(cx),
            Command::Answer(_) => close(),
            Command::Empty if self.can_be_emptied => self.switch_scope(),
            Command::Retry if self.has_changed() => Handled::Close(Some(self.read_changed(cx))),
            _ => Handled::Yes(None),
        }
    }

    /// Handles a key while the user types the name. Keys that do not answer the question edit the text.
    fn key(&mut self, event: KeyEvent, command: Option<Command>, cx: &mut Context<'_>) -> Handled {
        let accepts_yes = self.is_open() && self.gate.is_open();
        let ConfirmStep::Type(wanted, typed) = &mut self.stage else { return Handled::Yes(None) };
        match command {
            Some(Command::Answer(Answer::No)) => return close(),
            // Ignore keys pressed before the user could read the name.
            _ if !self.gate.was_open() => {}
            Some(Command::Answer(Answer::Selected)) if typed.as_str() != wanted => {
                cx.notify(Notice::WrongName);
            }
            Some(Command::Answer(Answer::Selected)) if accepts_yes => return self.go_on(cx),
            Some(Command::Answer(Answer::Selected)) => cx.notify(Notice::AnsweredTooEarly),
            _ => {
                // The result is ignored, because the dialog does not react to changes to the text.
                let _ = typed.take(event, command);
            }
        }
        Handled::Yes(None)
    }

    /// Switches between deleting the whole directory and deleting only its contents, by opening a new dialog.
    fn switch_scope(&self) -> Handled {
        let (kind, scope) = match self.kind {
            OperationKind::Empty => (OperationKind::Delete, DeleteScope::Whole),
            _ => (OperationKind::Empty, DeleteScope::Content),
        };
        Handled::Confirm(kind, Selection { scope, ..Selection::clone(&self.selection) })
    }

    /// Requests a rescan of the changed entries. The dialog then asks again about all entries.
    fn read_changed(&self, cx: &mut Context<'_>) -> Effect {
        let numbers: HashSet<usize> =
            self.preview.iter().flat_map(|preview| preview.changed.iter().copied()).collect();
        let changed = self.selection.filtered(|number| numbers.contains(&number));
        cx.deletion.asked_again = Some((self.kind, Arc::clone(&self.selection)));
        cx.recheck_entries(&changed)
    }

    /// Handles a Yes. After the first one, the user may have to type the name of the largest item.
    fn confirmed(&mut self, cx: &mut Context<'_>) -> Handled {
        if !self.is_open() {
            return Handled::Yes(None);
        }
        match self.wanted_name().filter(|_| matches!(self.stage, ConfirmStep::Ask)) {
            Some(name) => self.ask_next(ConfirmStep::Type(name, Field::default()), QUIET),
            None => self.go_on(cx),
        }
    }

    /// Asks for a second Yes if necessary. Otherwise, starts the operation, or shows the result of a dry run.
    fn go_on(&mut self, cx: &mut Context<'_>) -> Handled {
        if self.needs_second_yes() && !matches!(self.stage, ConfirmStep::AskAgain) {
            return self.ask_next(ConfirmStep::AskAgain, LONG_QUIET);
        }
        let preview = self.preview.as_ref();
        let expected = preview.map_or((0, 0), |preview| (preview.entries(), preview.most));
        if self.is_dry_run {
            let at_least = !preview.is_some_and(|preview| preview.is_complete);
            let (entries, bytes) = expected;
            cx.notify(Notice::DryRun { kind: self.kind, entries, bytes, at_least });
            return close();
        }
        let unchanged = preview
            .and_then(|preview| preview.unchanged.clone())
            .unwrap_or_else(|| Arc::clone(&self.selection));
        // Each item, even a directory, is moved to the trash as one entry. Moving it frees no space.
        let (expected, work) = match self.kind {
            OperationKind::Trash => ((unchanged.count() as u64, 0), Operation::Trash(unchanged)),
            _ => (expected, Operation::Remove(unchanged)),
        };
        let accuracy = match preview {
            Some(preview) if preview.is_unbounded => FreedAccuracy::Unknown,
            Some(preview) if preview.least < preview.most => FreedAccuracy::AtMost,
            _ => FreedAccuracy::Exact,
        };
        Handled::Close(Some(cx.begin_work(work, expected, accuracy)))
    }
}

/// Returns the result that closes the dialog and cancels the preview.
fn close() -> Handled {
    Handled::Close(Some(Effect::Deletion(DeletionRequest::StopPreview)))
}

impl<'t> Component<'t> for DeleteDialog {
    fn scope(&self) -> Scope {
        match self.stage {
            ConfirmStep::Type(..) => Scope::Typing,
            ConfirmStep::Ask | ConfirmStep::AskAgain => Scope::Confirm,
        }
    }

    fn handle(&mut self, input: Input<'_>, cx: &mut Context<'t>) -> Handled {
        match input {
            Input::Command(command) => self.command(command, cx),
            Input::Key(event, command) => self.key(event, command, cx),
            // The name must be typed, so pasted text is ignored.
            Input::Paste(_) | Input::Row(_) => Handled::Yes(None),
        }
    }

    fn draw(&self, cx: &Context<'t>, screen: Rect, canvas: &mut Canvas<'_>) {
        let area = layout((screen.width, screen.height)).above_status_line(screen);
        self.draw_in(cx, area, canvas);
    }

    fn is_useful(&self, command: Command) -> bool {
        match command {
            Command::Answer(Answer::Yes | Answer::Other) => self.is_open(),
            Command::Retry => self.has_changed(),
            _ => true,
        }
    }

    fn selected(&self) -> Option<Button> {
        Some(self.button)
    }

    fn gate(&mut self) -> Option<&mut AnswerGate> {
        Some(&mut self.gate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    #[test]
    fn freed_bytes_are_limited_to_what_the_preview_considers_possible() {
        let freed = |(at_least, at_most), (least, most, is_unbounded)| {
            let selection = Arc::new(Selection::new(&Tree::default(), [], DeleteScope::Whole));
            let dialog = DeleteDialog::new(OperationKind::Delete, selection, &DeletePolicy::default(), 0)
                .with_exclusive(Some(Exclusive { at_least, at_most, ..Exclusive::default() }));
            let preview = Preview { is_complete: true, least, most, is_unbounded, ..Preview::default() };
            let known = dialog.known_exclusive(&preview).unwrap();
            (known.at_least, known.at_most)
        };
        // Both names of an inode are selected. The minimum of the search is 0 bytes, because deleting only one name
        // frees nothing. The minimum of the preview is 8 bytes, because both names are deleted.
        assert_eq!(freed((0, Some(8)), (8, 8, false)), (8, Some(8)));
        assert_eq!(freed((0, None), (8, 8, true)), (8, None));
        // On btrfs, deleting a truncated file can free more than the file's disk usage, because the whole extent is
        // freed. The preview's maximum, 1 byte, is only the disk usage. Because `is_unbounded` is `true`, this maximum
        // does not replace the search's 64 bytes.
        assert_eq!(freed((64, Some(64)), (1, 1, true)), (64, Some(64)));
        // The file has become smaller since the search. The preview's maximum, 1 byte, replaces the search's 64 bytes.
        assert_eq!(freed((64, Some(64)), (1, 1, false)), (1, Some(1)));
    }
}
