//! Putting a directory that was read again in the place of the old one.
//!
//! A rescan fills a *detached* directory: it has a number, a parent and a name, but no listing names it, and completing
//! it adds nothing to its parent. So a rescan can be stopped and dropped without a trace, and until it is complete
//! everybody sees the old directory. Then the parent gets a listing that names the new one, and everything above gets
//! the difference. Readers see the old subtree or the new one. The numbers of what was dropped are used again later.
//!
//! Invariant: nothing is counted twice: totals change by the difference of two complete ones, once.

use std::collections::{HashMap, HashSet};

use super::encoding::Draft;
use super::{Batch, Content, DirId, Facts, Record, Successors, Totals, Tree, Walk};
use crate::kind::Kind;
use crate::platform::memory::Address;
use crate::sync::{Ordering, lock};

/// Bytes of records in one segment of a rewritten listing: what a batch of the kernel becomes, more or less.
const SEGMENT: usize = 32 << 10;

#[doc(hidden)]
impl Tree {
    /// A detached directory to read `old` into again. `facts` are the directory's own by now, `device` is the index of
    /// the device it is on by now.
    pub fn detached(&self, batch: &mut Batch, old: DirId, facts: &Facts, device: u32) -> Option<DirId> {
        let id = batch.new_directory(self, self.parent(old)?, facts, device);
        let (new, old) = (self.dir(id), self.dir(old));
        new.record.store(old.record.load(Ordering::Relaxed), Ordering::Relaxed);
        new.detached.store(true, Ordering::Relaxed);
        Some(id)
    }

    /// Makes roots that lie inside the replaced directory aliases of what is there now.
    pub(super) fn renew_aliases(&self, batch: &mut Batch, replaced: &[DirId]) {
        let is_inside = |id: DirId| {
            self.parent(id) != Some(DirId::TOP) && self.ancestry(id).any(|above| replaced.contains(&above))
        };
        let top = self.listing(DirId::TOP);
        let is_lost = |record: &Record<'_>| matches!(record.content, Content::Failed(libc::ENOENT));
        if !top.directories().any(is_inside) && !top.entries().any(|(_, root)| is_lost(&root)) {
            return;
        }
        let mut successors = Successors::new(self, replaced.iter().copied());
        let (mut contents, mut errors) = (HashMap::new(), [0, 0]);
        for (_, root) in top.entries() {
            let found = match root.content {
                Content::Known(Facts { directory: Some(id), .. }) if is_inside(id) => successors.find(id),
                // It may be there again.
                Content::Failed(libc::ENOENT) => {
                    self.way_to(root.name).and_then(|(id, name)| self.entry(id, name)?.directory())
                }
                _ => continue,
            };
            let facts = found.and_then(|id| self.own_facts(id));
            let content = facts.map_or(Content::Failed(libc::ENOENT), Content::Known);
            errors[0] += u32::from(is_lost(&root));
            errors[1] += u32::from(facts.is_none());
            contents.insert(root.name, content);
        }
        let [before, after] = errors.map(|errors| Totals { errors, ..Totals::default() });
        self.rewrite_listing(batch, DirId::TOP, |record| match contents.get(record.name) {
            Some(Content::Known(facts)) => {
                Some(Record { kind: Kind::Directory, content: Content::Known(*facts), ..record })
            }
            Some(content) => Some(Record { content: *content, ..record }),
            None => Some(record),
        });
        self.exchange(DirId::TOP, &before, &after);
    }

    /// A listing names the detached directory by now.
    pub(super) fn attach(&self, id: DirId) {
        self.dir(id).detached.store(false, Ordering::Relaxed);
    }

    pub(super) fn is_detached(&self, id: DirId) -> bool {
        self.dir(id).detached.load(Ordering::Relaxed)
    }

    /// What `id` adds to its parent, itself included. A root is no item of the top.
    pub(super) fn counted(&self, parent: DirId, id: DirId) -> Totals {
        let totals = self.totals(id);
        Totals { items: totals.items.saturating_add(u64::from(parent != DirId::TOP)), ..totals }
    }

    /// Forgets a directory that is in no listing, and everything below it. Their numbers are used again
    /// after the next call, so that a reader who still holds one sees the old directory for a while.
    pub fn drop_subtree(&self, id: DirId) {
        self.drop_subtrees(&[id]);
    }

    /// Forgets directories as [`Tree::drop_subtree`] does.
    pub fn drop_subtrees(&self, ids: &[DirId]) {
        let below = |id: &DirId| Walk::new(self, *id).map(|(id, _)| id).collect::<Vec<_>>();
        let gone: HashSet<DirId> = ids.iter().flat_map(below).collect();
        lock(&self.failures).retain(|failure| !gone.contains(&failure.directory));
        lock(&self.linked).retain(|name| !gone.contains(&name.directory));
        lock(&self.free).put(gone.into_iter().collect());
    }

    /// Publishes a new listing of `id` made from its present one, record by record.
    pub(super) fn rewrite_listing<'t>(
        &'t self,
        batch: &mut Batch,
        id: DirId,
        rewrite: impl Fn(Record<'t>) -> Option<Record<'t>>,
    ) {
        let mut draft = Draft::default();
        let mut newest = None;
        for (_, record) in self.listing(id).entries() {
            if let Some(record) = rewrite(record) {
                draft.push(&record);
            }
            if draft.length() >= SEGMENT {
                newest = Some(batch.append(self, newest, &mut draft));
                draft.clear();
            }
        }
        if !draft.is_empty() {
            newest = Some(batch.append(self, newest, &mut draft));
        }
        self.dir(id).listing.store(newest.map_or(0, Address::to_bits), Ordering::Release);
    }
}
