//! Reading a directory again.
//!
//! What is shown stays until the new numbers are complete. Then everything that holds the number of a directory finds it
//! again by name: where one stands, the way there, the cursors remembered, the marks.
//!
//! Invariant: after a rescan nothing here holds a number from before it.

use super::{App, Effect};
use crate::platform::error_text;
use crate::scan::{Outcome, Progress};
use crate::size::{change, plain_size};
use crate::source::Nature;
use crate::text::escape;
use crate::tree::{Content, DirId, Record, Successors};
use crate::ui::place::Place;
use crate::ui::progress::Again;
use crate::ui::window::totals_size;

/// A rescan that runs.
#[derive(Clone, Debug)]
pub struct Rescan {
    /// The name of what is read.
    pub name: Vec<u8>,
    /// What was read so far.
    pub progress: Progress,
    /// Whether it was asked to stop.
    pub is_stopping: bool,
    /// If a person wants to know what it takes now: the directory it is in, and what it took.
    wanted: Option<(DirId, u64)>,
    replaced: Vec<DirId>,
}

impl App<'_> {
    /// The rescan that runs.
    pub fn rescan(&self) -> Option<&Rescan> {
        self.rescan.as_ref()
    }

    /// Begins to read the directory under the cursor again; where that is none, the one that is shown.
    pub(super) fn read_again(&mut self) -> Option<Effect> {
        let under_cursor = self.place.entry();
        match (under_cursor.and_then(|entry| entry.directory()), self.place.id) {
            (Some(directory), _) => self.begin_rescan(directory),
            (None, DirId::TOP) => self.look_at_root(under_cursor?),
            (None, shown) => self.begin_rescan(shown),
        }
    }

    /// Begins to read the root again that is shown, or under the cursor.
    pub(super) fn read_root_again(&mut self) -> Option<Effect> {
        match self.tree.ancestry(self.place.id).last() {
            Some(root) => self.begin_rescan(root),
            None => self.read_again(),
        }
    }

    /// Begins to look again at a root that is no directory.
    fn look_at_root(&mut self, root: Record<'_>) -> Option<Effect> {
        if !self.may_read() {
            return None;
        }
        // What lies in another root is found by reading that.
        if let (Content::Failed(_), Some((directory, _))) = (root.content, self.tree.way_to(root.name)) {
            return self.begin_rescan(directory);
        }
        let wanted = Some((DirId::TOP, self.size_of(&root.content)));
        self.await_rescan(root.name.to_vec(), wanted, Vec::new());
        Some(Effect::LookAgain(vec![(DirId::TOP, vec![root.name.to_vec()])]))
    }

    /// Whether anything can be read again now; otherwise says why not.
    fn may_read(&mut self) -> bool {
        let why = if self.is_deleting() {
            "Something is being deleted: wait until that is over"
        } else if self.is_scanning() || self.rescan.is_some() {
            "Something is being read already"
        } else if self.nature == Nature::Recorded {
            "This was recorded, and cannot be read again"
        } else {
            return true;
        };
        self.say(why);
        false
    }

    pub(super) fn begin_rescan(&mut self, directory: DirId) -> Option<Effect> {
        if !self.may_read() {
            return None;
        }
        let name = self.tree.name(directory).to_vec();
        let size = totals_size(&self.tree.totals(directory), self.order.measure);
        let wanted = self.tree.parent(directory).map(|parent| (parent, size));
        self.await_rescan(name, wanted, vec![directory]);
        Some(Effect::Rescan(directory))
    }

    /// Something is being read again, which may replace these directories. `wanted` is as in [`Rescan`].
    pub(super) fn await_rescan(&mut self, name: Vec<u8>, wanted: Option<(DirId, u64)>, replaced: Vec<DirId>) {
        let progress = Progress::default();
        self.rescan = Some(Rescan { name, progress, is_stopping: false, wanted, replaced });
    }

    /// Asks the rescan to stop, if there is one that was not asked yet.
    pub(super) fn stop_rescan(&mut self) -> Option<Effect> {
        let rescan = self.rescan.as_mut().filter(|rescan| !rescan.is_stopping)?;
        rescan.is_stopping = true;
        self.say("Stopping; the old numbers stay");
        Some(Effect::StopRescan)
    }

    pub(super) fn take_again(&mut self, again: Again) -> Option<Effect> {
        let rescan = self.rescan.as_mut()?;
        rescan.progress = again.progress;
        let outcome = again.outcome?;
        let replaced = std::mem::take(&mut rescan.replaced);
        let wanted = rescan.wanted.filter(|_| outcome == Outcome::Complete);
        let name = std::mem::take(&mut rescan.name);
        self.rescan = None;
        match outcome {
            Outcome::Panicked(_) => self.say("Reading again failed; the old numbers stay"),
            Outcome::Broken(why) => {
                self.say(format!("Reading again failed: {}; the old numbers stay", why.join("; ")));
            }
            Outcome::Complete | Outcome::Stopped => {}
        }
        if let Some((directory, before)) = wanted {
            self.say_read(directory, &name, before);
        }
        self.renew(replaced);
        self.after_rescan()
    }

    /// Says what has become of an entry that was read again, and what it takes now.
    fn say_read(&mut self, directory: DirId, name: &[u8], before: u64) {
        let content = self.tree.entry(directory, name).map(|entry| entry.content);
        let after = content.as_ref().map_or(0, |content| self.size_of(content));
        let errno = match content {
            Some(Content::Failed(errno)) => Some(errno),
            Some(Content::Known(facts)) => facts.directory.and_then(|id| self.tree.status(id).errno),
            Some(Content::Excluded(_)) | None => None,
        };
        let (now, by) = (plain_size(after, self.units), change(before, after, self.units));
        let name = escape(name);
        self.say(match (content, errno) {
            (None, _) => format!("{name} is gone: {by}"),
            (_, Some(errno)) => format!("{name}: {}", error_text(errno)),
            _ if before == after => format!("{name} was read again: {now} as before"),
            _ => format!("{name} was read again: {now}, {by}"),
        });
    }

    /// What an entry takes, with everything in it.
    fn size_of(&self, content: &Content) -> u64 {
        let Content::Known(facts) = content else { return 0 };
        match facts.directory {
            Some(id) => totals_size(&self.tree.totals(id), self.order.measure),
            None => self.order.measure.of(facts.disk(), facts.apparent),
        }
    }

    fn renew(&mut self, replaced: Vec<DirId>) {
        let mut successors = Successors::new(self.tree, replaced);
        let way: Vec<DirId> = self.trail.iter().copied().chain([self.place.id]).collect();
        let mut kept: Vec<DirId> = way.iter().map_while(|id| successors.find(*id)).collect();
        let is_gone = kept.len() < way.len();
        let memories = std::mem::take(&mut self.memories);
        self.memories =
            memories.into_iter().filter_map(|(id, memory)| Some((successors.find(id)?, memory))).collect();
        let id = kept.pop().unwrap_or(DirId::TOP);
        self.trail = kept;
        let memory =
            if is_gone { self.memories.remove(&id).unwrap_or_default() } else { self.place.memory() };
        self.renew_filter(&mut successors);
        self.renew_growth(&mut successors);
        self.place = Place::new(id, memory);
        self.path = self.place_path();
        self.sort();
        if is_gone {
            self.say("The directory is gone; this is the one above");
        }
        self.enter_only_root();
        self.renew_marks(&mut successors);
        self.renew_views(&mut successors);
        self.renew_details(&mut successors);
    }
}
