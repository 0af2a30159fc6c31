//! The box that asks, until there is a Yes or it is closed.
//!
//! Invariant: a No is selected whenever a box opens, asks once more, or learns something that must not be done.

use ratatui::crossterm::event::KeyEvent;

use super::super::{App, Button, Effect, Mode};
use crate::delete::{Concern, Deed, Extent, Probe, Selection, Work};
use crate::size::{grouped, plain_size};
use crate::sync::Arc;
use crate::text::escape;
use crate::ui::field::Field;
use crate::ui::keys::{Answer, Command, Scope};
use crate::ui::reclaim::{Changes, Order, Safety};

/// A box that asks.
#[derive(Clone, Debug)]
pub struct Confirm {
    /// What would be done.
    pub deed: Deed,
    /// With what.
    pub selection: Arc<Selection>,
    /// What is known of it by now.
    pub probe: Option<Arc<Probe>>,
    /// The selected button.
    pub button: Button,
    /// How far the person has come.
    pub stage: Stage,
    /// Whether it can be emptied instead: one directory.
    pub can_be_emptied: bool,
    /// Only a rehearsal.
    pub is_rehearsal: bool,
    /// The present, in seconds since 1970.
    pub now: i64,
}

/// How far a person has come with confirming.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Yes or no.
    Ask,
    /// This name has to be typed, and this much is.
    Type(String, Field),
    /// Yes or no once more.
    AskAgain,
}

impl Confirm {
    /// Takes what is known of it by now.
    pub(super) fn learn(&mut self, probe: Arc<Probe>) {
        if !probe.refusals.is_empty() {
            self.button = Button::No;
        }
        self.probe = Some(probe);
    }

    /// Whether it may be confirmed: what must not be done is known, and there is none of it.
    pub fn is_open(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.refusals.is_empty())
    }

    /// What has the keys.
    pub fn scope(&self) -> Scope {
        match self.stage {
            Stage::Type(..) => Scope::Typing,
            Stage::Ask | Stage::AskAgain => Scope::Confirm,
        }
    }

    /// The name that has to be typed, if one has to: the largest item's.
    fn wanted_name(&self, safety: &Safety) -> Option<String> {
        let probe = self.probe.as_ref()?;
        let is_home = probe.concerns.iter().any(|concern| matches!(concern, Concern::SomebodysHome(_)));
        if self.selection.disk().max(probe.most) <= safety.typed_over && !is_home {
            return None;
        }
        let largest = self.selection.items().max_by_key(|(_, item)| item.disk)?;
        Some(escape(&largest.1.name).into_owned())
    }

    fn wants_another_yes(&self) -> bool {
        let is_others = |concern: &Concern| matches!(concern, Concern::OthersDirectory(..));
        self.probe.as_ref().is_some_and(|probe| probe.concerns.iter().any(is_others))
    }
}

impl App<'_> {
    pub(super) fn ask_about(&mut self, deed: Deed, selection: Selection) -> Effect {
        let can_be_emptied = deed != Deed::Trash
            && selection.count() == 1
            && selection.items().all(|(_, item)| item.directory.is_some());
        let (selection, now) = (Arc::new(selection), self.clock());
        self.reclaim.confirm = Some(Confirm {
            deed,
            selection: Arc::clone(&selection),
            probe: None,
            button: Button::No,
            stage: Stage::Ask,
            can_be_emptied,
            is_rehearsal: self.reclaim.safety.changes == Changes::Rehearsed,
            now,
        });
        self.mode = Mode::Confirm;
        Effect::Reclaim(Order::Probe(selection, now))
    }

    /// What a key does to the box that asks.
    pub(in crate::ui::app) fn confirm_command(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::Answer(Answer::Other) => {
                if let Some(confirm) = self.reclaim.confirm.as_mut().filter(|confirm| confirm.is_open()) {
                    confirm.button = if confirm.button == Button::Yes { Button::No } else { Button::Yes };
                }
                None
            }
            Command::Answer(Answer::Yes) => self.confirmed(),
            Command::Answer(Answer::Selected)
                if self.reclaim.confirm.as_ref().is_some_and(|confirm| confirm.button == Button::Yes) =>
            {
                self.confirmed()
            }
            Command::Answer(_) => Some(self.close_confirm()),
            Command::Empty => self.empty_instead(),
            _ => None,
        }
    }

    /// A key while a name has to be typed; letters that are no command are part of it.
    pub(in crate::ui::app) fn typing_key(
        &mut self,
        event: KeyEvent,
        command: Option<Command>,
    ) -> Option<Effect> {
        let Stage::Type(wanted, typed) = &mut self.reclaim.confirm.as_mut()?.stage else { return None };
        match command {
            Some(Command::Answer(Answer::No)) => return Some(self.close_confirm()),
            Some(Command::Answer(Answer::Selected)) if typed.as_str() == wanted => return self.go_on(),
            Some(Command::Answer(Answer::Selected)) => self.say("That is not the name"),
            _ => {
                // What is no key of a text does nothing.
                let _ = typed.take(event, command);
            }
        }
        None
    }

    pub(in crate::ui::app) fn close_confirm(&mut self) -> Effect {
        self.reclaim.confirm = None;
        self.mode = Mode::List;
        Effect::Reclaim(Order::StopProbe)
    }

    /// Asks about emptying instead of deleting, or the other way round.
    fn empty_instead(&mut self) -> Option<Effect> {
        let confirm = self.reclaim.confirm.as_ref().filter(|confirm| confirm.can_be_emptied)?;
        let (deed, extent) = match confirm.deed {
            Deed::Empty => (Deed::Delete, Extent::Whole),
            _ => (Deed::Empty, Extent::Content),
        };
        let selection = Selection { extent, ..Selection::clone(&confirm.selection) };
        Some(self.ask_about(deed, selection))
    }

    /// Yes was said.
    fn confirmed(&mut self) -> Option<Effect> {
        let confirm = self.reclaim.confirm.as_mut().filter(|confirm| confirm.is_open())?;
        if confirm.stage == Stage::Ask
            && let Some(name) = confirm.wanted_name(&self.reclaim.safety)
        {
            confirm.stage = Stage::Type(name, Field::default());
            return None;
        }
        self.go_on()
    }

    /// Asks once more where that is called for, or begins.
    fn go_on(&mut self) -> Option<Effect> {
        let confirm = self.reclaim.confirm.as_mut()?;
        if confirm.wants_another_yes() && confirm.stage != Stage::AskAgain {
            confirm.stage = Stage::AskAgain;
            confirm.button = Button::No;
            return None;
        }
        let confirm = self.reclaim.confirm.take()?;
        self.mode = Mode::List;
        let expected = confirm.probe.as_ref().map_or((0, 0), |probe| (probe.entries(), probe.most));
        if confirm.is_rehearsal {
            let (entries, size) = (grouped(expected.0), plain_size(expected.1, self.units));
            let least = if confirm.probe.is_some_and(|probe| probe.is_complete) { "" } else { "at least " };
            self.notice =
                Some(format!("Rehearsal: {least}{entries} entries, {size}; nothing was changed").into());
            return Some(Effect::Reclaim(Order::StopProbe));
        }
        let work = match confirm.deed {
            Deed::Trash => Work::Trash(confirm.selection),
            _ => Work::Remove(confirm.selection),
        };
        Some(self.begin_work(work, expected))
    }
}
