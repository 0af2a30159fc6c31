//! Asking before things go, and what is known of their going.
//!
//! ```text
//! d D -> Confirm: a probe fills it in -> Yes (typed, or asked again) -> Running -> the entries are looked at again -> notice
//!                                                                          |
//!                                                                          +-> Failures: what stays, and why
//! ```
//!
//! Invariant: nothing is ordered without a Yes that was given when everything to be said against it was on the screen.

use std::borrow::Cow;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{App, Button, Effect, Mode};
use crate::delete::script::Line;
use crate::delete::{Concern, Deed, Extent, Failures, Group, Probe, Report, Selection, Trashed, Work};
use crate::scan::Places;
use crate::size::{grouped, plain_size};
use crate::source::Nature;
use crate::sync::Arc;
use crate::text::{escape, escape_path};
use crate::tree::DirId;
use crate::ui::keys::{Answer, Command, Scope};
use crate::ui::place::moved;
use crate::ui::reclaim::{Changes, News, Order, Safety};
use crate::ui::view::layout;

/// The state of deleting.
#[derive(Debug, Default)]
pub struct Reclaim {
    /// What is asked.
    pub confirm: Option<Confirm>,
    /// What is being done.
    pub running: Option<Running>,
    /// What stayed the last time.
    pub failed: Option<Failed>,
    safety: Safety,
    /// What was trashed, the last at the end.
    trashed: Vec<Arc<Vec<Trashed>>>,
    /// To be said when the tree is right again.
    outcome: Option<String>,
    /// Directories that have to be read again because something came back to them.
    returned: Vec<Group>,
}

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
    Type(String, String),
    /// Yes or no once more.
    AskAgain,
}

/// What is being done.
#[derive(Clone, Debug)]
pub struct Running {
    /// What.
    pub deed: Deed,
    /// How many names there are, as far as it is known, and bytes.
    pub expected: (u64, u64),
    /// How far it has come.
    pub report: Arc<Report>,
    /// Whether it was asked to stop.
    pub is_stopping: bool,
    work: Work,
}

/// What stayed, and why.
#[derive(Clone, Debug)]
pub struct Failed {
    /// What was tried.
    pub deed: Deed,
    /// What stays.
    pub failures: Failures,
    /// The line of the cursor.
    pub index: usize,
    /// The first visible line.
    pub offset: usize,
    selection: Option<Arc<Selection>>,
}

impl Reclaim {
    /// Under this safety.
    pub(super) fn new(safety: Safety) -> Self {
        Self { safety, ..Self::default() }
    }
}

impl Confirm {
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

impl<'t> App<'t> {
    /// What the keys of deleting do; none if it is none of them.
    #[allow(clippy::option_option)]
    pub(super) fn reclaim_command(&mut self, command: Command) -> Option<Option<Effect>> {
        match command {
            Command::Delete => Some(self.ask_to(Deed::Delete)),
            Command::Trash => Some(self.ask_to(Deed::Trash)),
            Command::Restore => Some(self.restore()),
            Command::Script => Some(self.write_script()),
            _ => None,
        }
    }

    /// Asks whether the marks, or else the entry under the cursor, are to go.
    pub(super) fn ask_to(&mut self, deed: Deed) -> Option<Effect> {
        if self.may_not_change() {
            return None;
        }
        let selection = Selection::new(self.tree, self.subject(), Extent::Whole);
        if selection.count() == 0 {
            self.notice = Some(
                if self.place.id == DirId::TOP {
                    "A root stays: open it, and delete what is in it"
                } else {
                    "There is nothing here to delete"
                }
                .into(),
            );
            return None;
        }
        Some(self.ask_about(deed, selection))
    }

    fn ask_about(&mut self, deed: Deed, selection: Selection) -> Effect {
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

    /// Whether nothing may be changed at present; says why.
    fn may_not_change(&mut self) -> bool {
        let why = if self.nature == Nature::Recorded {
            "This was written down some time ago: nothing is changed"
        } else if self.reclaim.safety.changes == Changes::Refused {
            "Nothing is changed here (--read-only)"
        } else if self.is_scanning() {
            "Wait until the scan is complete, or stop it with Ctrl-C"
        } else if self.is_deleting() {
            "Something is being deleted already; Esc stops it"
        } else if self.rescan().is_some() {
            "Wait until everything is read again"
        } else {
            return false;
        };
        self.notice = Some(why.into());
        true
    }

    /// Whether something is being done to files.
    pub fn is_deleting(&self) -> bool {
        self.reclaim.running.is_some()
    }

    /// What a command is about: the marks, or else the entry under the cursor.
    fn subject(&self) -> Vec<(DirId, &'t [u8])> {
        if self.marks.count() > 0 {
            return self.marks.in_order(self.tree).into_iter().map(|(place, _)| place).collect();
        }
        let under_cursor = self.under_cursor().and_then(|(directory, position)| {
            self.tree.listing(directory).name(position).map(|name| (directory, name))
        });
        under_cursor.into_iter().collect()
    }

    /// What a key does to the box that asks.
    pub(super) fn confirm_command(&mut self, command: Command) -> Option<Effect> {
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

    /// A letter, or another key, while a name has to be typed.
    pub(super) fn typing_key(&mut self, event: KeyEvent) -> Option<Effect> {
        let confirm = self.reclaim.confirm.as_mut()?;
        let Stage::Type(wanted, typed) = &mut confirm.stage else { return None };
        match event.code {
            KeyCode::Esc => return Some(self.close_confirm()),
            KeyCode::Backspace => {
                typed.pop();
            }
            KeyCode::Enter if typed == wanted => return self.go_on(),
            KeyCode::Enter => self.notice = Some("That is not the name".into()),
            KeyCode::Char(letter)
                if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) =>
            {
                typed.push(letter);
            }
            _ => {}
        }
        None
    }

    pub(super) fn close_confirm(&mut self) -> Effect {
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
            confirm.stage = Stage::Type(name, String::new());
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

    fn begin_work(&mut self, work: Work, expected: (u64, u64)) -> Effect {
        self.reclaim.failed = None;
        self.reclaim.running = Some(Running {
            deed: work.deed(),
            expected,
            report: Arc::default(),
            is_stopping: false,
            work: work.clone(),
        });
        Effect::Reclaim(Order::Begin(work, self.reclaim.safety.journal.clone()))
    }

    /// Asks what runs to stop, if it was not asked yet.
    pub(super) fn stop_deleting(&mut self) -> Option<Effect> {
        let running = self.reclaim.running.as_mut().filter(|running| !running.is_stopping)?;
        running.is_stopping = true;
        self.notice = Some("Stopping; what is gone is gone".into());
        Some(Effect::Reclaim(Order::Stop))
    }

    /// Moves back what was trashed last.
    pub(super) fn restore(&mut self) -> Option<Effect> {
        if self.may_not_change() {
            return None;
        }
        if self.reclaim.safety.changes == Changes::Rehearsed {
            self.notice = Some("Nothing was trashed: this is a rehearsal (--dry-run)".into());
            return None;
        }
        let Some(trashed) = self.reclaim.trashed.pop() else {
            self.notice = Some("Nothing was moved to the trash since the start".into());
            return None;
        };
        let items = trashed.len() as u64;
        Some(self.begin_work(Work::Restore(trashed), (items, 0)))
    }

    /// Writes a script that removes the marks, or else the entry under the cursor.
    pub(super) fn write_script(&mut self) -> Option<Effect> {
        if self.nature == Nature::Recorded || self.reclaim.safety.changes == Changes::Refused {
            self.notice = Some("No script is written for what may not be changed".into());
            return None;
        }
        let selection = Selection::new(self.tree, self.subject(), Extent::Whole);
        let line = |(group, item): (&Group, &crate::delete::Item)| Line {
            path: self.shown_path(&group.path_of(item)),
            is_directory: item.directory.is_some(),
            size: plain_size(item.disk, self.units),
        };
        let lines: Vec<Line> = selection.items().map(line).collect();
        if lines.is_empty() {
            self.notice = Some("There is nothing here to delete".into());
            return None;
        }
        Some(Effect::Reclaim(Order::Script(lines)))
    }

    /// Takes what is new.
    pub(super) fn take_reclaim(&mut self, news: News) -> Option<Effect> {
        match news {
            News::Probed(probe) => {
                if let Some(confirm) = &mut self.reclaim.confirm {
                    if !probe.refusals.is_empty() {
                        confirm.button = Button::No;
                    }
                    confirm.probe = Some(probe);
                }
                None
            }
            News::Reported(report) => self.take_report(&report),
            News::Written(path) => {
                self.notice =
                    Some(format!("Written to {}: read it before you run it", escape_path(&path)).into());
                None
            }
            News::Failed(reason) => {
                self.notice = Some(reason.into());
                let running = self.reclaim.running.take()?;
                self.look_again(&running.work)
            }
        }
    }

    fn take_report(&mut self, report: &Arc<Report>) -> Option<Effect> {
        let running = self.reclaim.running.as_mut()?;
        running.report = Arc::clone(report);
        if !report.is_over {
            return None;
        }
        let running = self.reclaim.running.take()?;
        if running.deed == Deed::Trash && !report.trashed.is_empty() {
            self.reclaim.trashed.push(Arc::new(report.trashed.clone()));
        }
        self.reclaim.outcome = Some(self.outcome_of(running.deed, report));
        if report.failures.count > 0 {
            let selection = match &running.work {
                Work::Remove(selection) | Work::Trash(selection) => Some(Arc::clone(selection)),
                Work::Restore(_) => None,
            };
            let (deed, failures) = (running.deed, report.failures.clone());
            self.reclaim.failed = Some(Failed { deed, failures, index: 0, offset: 0, selection });
        }
        self.look_again(&running.work)
    }

    /// Lets the tree see what has become of it.
    fn look_again(&mut self, work: &Work) -> Option<Effect> {
        match work {
            Work::Remove(selection) | Work::Trash(selection) => {
                let places: Places = selection.places();
                let replaced = selection.items().filter_map(|(_, item)| item.directory).collect();
                let name = selection.groups.first().map(|group| self.tree.name(group.directory).to_vec());
                self.await_rescan(name.unwrap_or_default(), replaced);
                Some(Effect::LookAgain(places))
            }
            Work::Restore(trashed) => {
                let mut groups: Vec<Group> = trashed.iter().map(|it| it.from.clone()).collect();
                groups.sort_by_cached_key(Group::path);
                groups.dedup_by_key(|group| group.path());
                groups.dedup_by(|below, above| {
                    let (below, above) = (below.path(), above.path());
                    below.strip_prefix(above.as_slice()).is_some_and(|rest| rest.starts_with(b"/"))
                });
                groups.reverse();
                self.reclaim.returned = groups;
                self.read_returned()
            }
        }
    }

    /// Reads the next directory again that something came back to.
    fn read_returned(&mut self) -> Option<Effect> {
        while let Some(group) = self.reclaim.returned.pop() {
            if let Some(directory) = group.find(self.tree) {
                return self.begin_rescan(directory);
            }
        }
        self.say_outcome();
        None
    }

    /// The tree is right again, or one more part of it.
    pub(super) fn after_rescan(&mut self) -> Option<Effect> {
        let next = self.read_returned();
        if next.is_none() && self.reclaim.failed.is_some() && self.mode == Mode::List {
            self.mode = Mode::Failures;
        }
        next
    }

    fn say_outcome(&mut self) {
        if let Some(outcome) = self.reclaim.outcome.take() {
            self.notice = Some(Cow::Owned(outcome));
        }
    }

    fn outcome_of(&self, deed: Deed, report: &Report) -> String {
        let entries = match report.entries {
            1 => "1 entry".to_owned(),
            entries => format!("{} entries", grouped(entries)),
        };
        let mut text = match deed {
            Deed::Delete | Deed::Empty => {
                let mut text = format!("Deleted {entries}: {} freed", plain_size(report.freed, self.units));
                if let Some(gained) = report.gained {
                    let sign = if gained < 0 { "-" } else { "+" };
                    let gained = plain_size(gained.unsigned_abs(), self.units);
                    text.extend([", free space ", sign, &gained]);
                }
                text
            }
            Deed::Trash => format!("Moved {entries} to the trash (U restores): nothing is freed yet"),
            Deed::Restore => format!("Moved {entries} back"),
        };
        if report.is_cancelled {
            text = format!("Stopped. {text}");
        }
        match report.failures.count {
            0 => {}
            1 => text += "; 1 stays",
            count => text.extend(["; ", &grouped(count), " stay"]),
        }
        if let Some(reason) = &report.unwritten {
            text.extend(["; not in the journal: ", reason]);
        }
        text
    }

    /// What a key does to the list of what stays.
    pub(super) fn failures_command(&mut self, command: Command) -> Option<Effect> {
        let lines = layout(self.size).list_lines();
        let failed = self.reclaim.failed.as_mut()?;
        let count = failed.failures.first.len();
        match command {
            Command::Move(motion) => failed.index = moved(failed.index, motion, lines, count),
            Command::Retry => return self.retry(),
            _ => self.mode = Mode::List,
        }
        None
    }

    /// Asks about what stays, once more.
    fn retry(&mut self) -> Option<Effect> {
        self.mode = Mode::List;
        if self.may_not_change() {
            return None;
        }
        let failed = self.reclaim.failed.take()?;
        let selection = failed.selection.map(|selection| selection.renewed(self.tree));
        let Some(selection) = selection.filter(|selection| selection.count() > 0) else {
            self.notice = Some("There is nothing left of it".into());
            return None;
        };
        Some(self.ask_about(failed.deed, selection))
    }

    /// Scrolls the list of what stays as little as brings the cursor into view.
    pub(super) fn look_at_failures(&mut self) {
        let lines = layout(self.size).list_lines().max(1);
        if let Some(failed) = &mut self.reclaim.failed {
            let count = failed.failures.first.len();
            failed.index = failed.index.min(count.saturating_sub(1));
            let least = (failed.index + 1).saturating_sub(lines);
            failed.offset =
                failed.offset.clamp(least, failed.index.min(count.saturating_sub(lines)).max(least));
        }
    }
}
