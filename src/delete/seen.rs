//! Identities of the selected entries, recorded when the confirmation dialog opens. They prevent the deletion of an
//! entry that has replaced a selected one.
//!
//! The tree does not store enough to recognize an entry, because file systems reuse the inode numbers of deleted
//! files. When the dialog opens, duke therefore records the full identity of each entry that still matches the tree.
//! The operation then applies only to entries that still have this identity.
//!
//! Invariant: nothing in this module changes the file system.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Group, Item, Kept, Reason, Selection};
use crate::base::clock;
use crate::base::clock::Time;
use crate::base::job::{Job, Pool};
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::platform::{Directory, Errno, FileSystem, Identity};
use crate::tree::DirId;

/// Entries of a tree, each identified by its directory and name.
pub type EntryNames = Vec<(DirId, Vec<u8>)>;

/// Result of checking a selection.
pub(crate) struct Seen {
    /// Unchanged entries, each with its current identity.
    pub(crate) unchanged: Selection,
    /// Indexes of the changed entries in [`Selection::items`].
    pub(crate) changed: Vec<usize>,
    /// Counts of entries that cannot be moved to another directory, by reason.
    pub(crate) unmoved: Kept,
}

/// Records the current identity of the selected entries, and separates unchanged from changed entries.
pub(crate) fn check(selection: &Selection) -> Seen {
    let (mut groups, mut changed, mut number) = (selection.groups.clone(), Vec::new(), 0);
    let mut unmoved = Kept::default();
    for group in &mut groups {
        let opened = group.open();
        if let Ok(directory) = &opened {
            group.ignore_foreign_clock(directory);
        }
        let mut items = std::mem::take(&mut group.items);
        items.retain_mut(|item| {
            let is_kept = match &opened {
                Ok(directory) => {
                    let is_kept = item.record_identity(directory, group);
                    if let Some(Err(error)) = item.check_move(directory).filter(|_| is_kept) {
                        unmoved.count(error.into());
                    }
                    is_kept
                }
                Err(Reason::Changed) => false,
                // Any other error does not prove a change. The operation itself will report the error.
                Err(_) => true,
            };
            changed.extend((!is_kept).then_some(number));
            number += 1;
            is_kept
        });
        group.items = items;
    }
    groups.retain(|group| !group.items.is_empty());
    Seen {
        unchanged: Selection { groups, scope: selection.scope, copies: selection.copies.clone() },
        changed,
        unmoved,
    }
}

/// Starts a job that finds the changed entries of a selection. The result contains the directory and name of each
/// changed entry.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn changed(pool: &Pool, selection: Arc<Selection>) -> std::io::Result<Job<EntryNames>> {
    pool.start(move |task| {
        let changed: HashSet<usize> = check(&selection).changed.into_iter().collect();
        let entries = selection.items().enumerate().filter(|(number, _)| changed.contains(number));
        task.publish(entries.map(|(_, (group, item))| (group.directory, item.name.clone())).collect());
    })
}

impl Item {
    /// Records the current identity of the entry. Returns `false` if the entry has changed (see [`Item::is_still`]).
    /// Returns `true` if it has not, or if its identity cannot be read.
    fn record_identity(&mut self, directory: &Directory, group: &Group) -> bool {
        let Ok(now) = self.identity_in(directory, group) else { return true };
        let is_still = self.is_still(&now);
        self.identity = Some(now);
        is_still
    }

    /// Checks whether the user may move the item out of its directory; `None` if the item's identity is unknown.
    fn check_move(&self, directory: &Directory) -> Option<Result<(), Errno>> {
        let now = self.identity?;
        Some(directory.check_move(self.name.as_slice(), &now.attributes))
    }

    fn identity_in(&self, directory: &Directory, group: &Group) -> Result<Identity, Errno> {
        if group.steps.is_empty() {
            return Directory::open(Path::new(OsStr::from_bytes(&self.name)))?.identity();
        }
        directory.identity_of(self.name.as_slice())
    }

    /// Returns `true` if the entry has not changed since its identity was recorded. If no identity was recorded,
    /// compares `now` with the entry as it was scanned.
    pub fn is_still(&self, now: &Identity) -> bool {
        self.identity.map_or_else(|| self.is_as_read(now), |before| before.is_untouched(now))
    }

    /// Returns `true` if `now` is the identity of the entry in the tree. A directory that was created after the entry
    /// was read is another directory. A file that was changed after the entry was read counts as another file, even if
    /// its size and modification time have their old values again. For a file with several names, such a change is not
    /// noticed: the change time is ignored, because adding or deleting a name updates it.
    fn is_as_read(&self, now: &Identity) -> bool {
        let found = now.attributes;
        let is_same_inode = (found.kind, found.inode) == (self.kind, self.inode)
            && self.device.is_none_or(|device| device == found.device);
        let has_new_time = found.mtime != self.mtime;
        let is_another = match (self.kind, now.born) {
            (Kind::Directory, Some(born)) => self.is_since_read(born) || has_new_time && born.0 > self.mtime,
            // Adding or deleting a name in a directory updates both its modification time and its change time. If both
            // times have changed, the directory is therefore still treated as the directory that was read. If only the
            // change time has changed, the directory may be a different one, whose modification time was set to the
            // old value.
            (Kind::Directory, None) => !has_new_time && self.is_since_read(now.changed),
            _ => {
                let is_touched = self.is_single && self.is_since_read(now.changed);
                is_touched || has_new_time || found.apparent != self.apparent
            }
        };
        is_same_inode && !is_another
    }

    /// Returns `true` if `time`, as reported by the file system, is later than the time at which the entry was read.
    /// Returns `false` for a time in the future. Such a time was set by a wrong clock, and if it counted as later, the
    /// entry would still count as changed after a rescan.
    fn is_since_read(&self, time: Time) -> bool {
        let is_after = |read: Time| match time {
            // Some file systems store only whole seconds, so the change may have happened later in that second.
            (seconds, 0) => seconds >= read.0,
            time => time > read,
        };
        self.read_at.is_some_and(is_after) && time <= clock::precise()
    }
}

impl Group {
    /// Clears `read_at` of the items if the directory's file system may use the clock of another machine. Times from
    /// different clocks cannot be compared.
    pub(super) fn ignore_foreign_clock(&mut self, directory: &Directory) {
        if directory.file_system().ok() != Some(FileSystem::Ordinary) {
            self.items.iter_mut().for_each(|item| item.read_at = None);
        }
    }
}
