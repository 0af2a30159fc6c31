//! Moves items to the trash and back. Each item is moved by a single rename within one mount, or not at all. `location`
//! finds the trash directories.
//!
//! The module follows the freedesktop.org Trash specification 1.0: the info file is created first, which reserves the
//! item's name in the trash. Data is never copied, so no item is ever left half moved. If there is no trash on the
//! item's mount, the item is not moved. Moving an item frees no space.
//!
//! Invariant: if a moved entry turns out not to be the selected one, it is moved back.

mod location;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Failures, Group, Item, NoTrash, Reason, Selection};
use crate::base::job::{Job, Pool, Task};
use crate::base::kind::Kind;
use crate::base::sync::Arc;
use crate::platform::fs::mounts::{Mount, mounts};
use crate::platform::process::desktop::TRASH_NAME_SEPARATOR;
use crate::platform::process::io_policy;
use crate::platform::{Boundary, Directory, Errno};
use crate::tree::join;
pub use location::Owner;
use location::{Trash, Trashes};

/// Maximum number of names to try for one item in the trash.
const NUMBERS: u32 = 10_000;
/// Maximum length of a file name in bytes.
const LONGEST: usize = 255;
const INFO: &[u8] = b".trashinfo";
/// Number of items moved between two progress reports. Moving an item takes only a few system calls, so one report
/// per item would be too many.
const REPORTED: usize = 64;

/// Progress of moving items to the trash or back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trashing {
    /// Items that have been moved so far.
    pub moved: Vec<Trashed>,
    /// Entries that could not be moved.
    pub failures: Failures,
    /// Items that could not be moved, as indexes into the selection or, when restoring, into the list of trashed items.
    pub failed: Vec<usize>,
    /// `true` once the operation has ended.
    pub is_over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trashed {
    /// Former location, as a group that contains only this item.
    pub from: Group,
    /// Path of the trash directory.
    pub trash: PathBuf,
    /// Name in the trash.
    pub name: Vec<u8>,
}

/// Starts moving the selection to the trash.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn trash(pool: &Pool, selection: Arc<Selection>, owner: Owner) -> std::io::Result<Job<Trashing>> {
    pool.start(move |task| {
        task.publish(run(task, &selection, &owner, &|trashing| task.publish(trashing.clone())));
    })
}

/// Starts moving trashed items back to their former locations.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn restore(pool: &Pool, trashed: Arc<Vec<Trashed>>) -> std::io::Result<Job<Trashing>> {
    pool.start(move |task| task.publish(run_back(task, &trashed, &|_| ())))
}

/// Moves the selection to the trash, calls `report` with the progress at intervals, and returns the result.
pub(crate) fn run<T: Send + Sync>(
    task: &Task<T>,
    selection: &Selection,
    owner: &Owner,
    report: &dyn Fn(&Trashing),
) -> Trashing {
    io_policy::refuse();
    // Without a mount table, an item that is a mount point is still recognized, but a mount point below an item is not.
    let mounts = mounts().unwrap_or_default();
    let mut trashing = Trashing::default();
    let mut number = 0;
    'groups: for group in &selection.groups {
        // Do not search for a trash or create one after a cancellation.
        if task.is_cancelled() {
            break;
        }
        let opened = group.open();
        let trashes = opened.as_ref().map(|directory| Trashes::new(group, directory, owner));
        for item in &group.items {
            if task.is_cancelled() {
                break 'groups;
            }
            let moved = match (&opened, &trashes) {
                (Ok(directory), Ok(trashes)) => move_in(group, item, directory, trashes, &mounts),
                (Err(reason), _) => Err(*reason),
                (_, Err(reason)) => Err(**reason),
            };
            trashing.take(number, group, item, moved);
            number += 1;
            if number % REPORTED == 0 {
                report(&trashing);
            }
        }
    }
    Trashing { is_over: true, ..trashing }
}

pub(crate) fn run_back<T: Send + Sync>(
    task: &Task<T>,
    trashed: &[Trashed],
    report: &dyn Fn(&Trashing),
) -> Trashing {
    let mut trashing = Trashing::default();
    for (number, it) in trashed.iter().enumerate() {
        if task.is_cancelled() {
            break;
        }
        let moved = move_back(it).map(|()| it.clone());
        for item in &it.from.items {
            trashing.take(number, &it.from, item, moved.clone());
        }
        if (number + 1) % REPORTED == 0 {
            report(&trashing);
        }
    }
    Trashing { is_over: true, ..trashing }
}

impl Trashing {
    fn take(&mut self, number: usize, group: &Group, item: &Item, moved: Result<Trashed, Reason>) {
        match moved {
            Ok(moved) => self.moved.push(moved),
            Err(reason) => {
                self.failed.push(number);
                self.failures.push(|| group.path_of(item), reason);
            }
        }
    }
}

/// Moves an item to the first trash that accepts it.
fn move_in(
    group: &Group,
    item: &Item,
    directory: &Directory,
    trashes: &Trashes<'_>,
    mounts: &[Mount],
) -> Result<Trashed, Reason> {
    let now = directory.identity_of(item.name.as_slice())?;
    if !item.is_still(&now) {
        return Err(Reason::Changed);
    }
    if now.attributes.border == Boundary::Dataless {
        return Err(Reason::NoTrash(NoTrash::InCloud));
    }
    let item = &Item { identity: Some(now), ..item.clone() };
    // Do not move an item with a mount point below it. rename(2) would move the mount as well, and emptying the trash
    // would then delete the mounted files.
    let takes_along = |path: &Path| holds_mount(&path.join(OsStr::from_bytes(&item.name)), mounts);
    let is_holder = item.kind == Kind::Directory && takes_along(trashes.path().map_err(Reason::NoTrash)?);
    if is_holder || directory.is_mount(item.name.as_slice())? {
        return Err(Reason::Mount);
    }
    trashes.first(|trash| {
        let name = move_to(trashes.path(), item, directory, trash)?;
        let from = Group { items: vec![item.clone()], ..group.clone() };
        Ok(Trashed { from, trash: trash.path.clone(), name })
    })
}

/// Returns `true` if there is a mount point below `path`.
fn holds_mount(path: &Path, mounts: &[Mount]) -> bool {
    let below = [path.as_os_str().as_bytes(), b"/"].concat();
    mounts.iter().any(|mount| mount.point.starts_with(&below))
}

/// Moves an item from `directory`, whose path is `path`, to `trash`. Returns the item's name in the trash.
fn move_to(
    path: Result<&Path, NoTrash>,
    item: &Item,
    directory: &Directory,
    trash: &Trash,
) -> Result<Vec<u8>, Reason> {
    for number in 1..=NUMBERS {
        let name = numbered(&item.name, number);
        let note = [name.as_slice(), INFO].concat();
        if let Some((info, relative_to)) = &trash.info {
            let content =
                path.and_then(|path| info_of(path, item, relative_to.as_deref())).map_err(Reason::NoTrash)?;
            match info.make_file(note.as_slice(), &content) {
                Err(Errno::EEXIST) => continue,
                other => other?,
            }
        }
        let inside = trash.inside(&name);
        let moved = directory.move_to(item.name.as_slice(), &trash.files, inside.as_slice());
        let is_it = moved.is_ok()
            && trash.files.identity_of(inside.as_slice()).is_ok_and(|found| {
                // The inode's change time is not compared, because moving updates it.
                item.identity.is_some_and(|before| before.is_unchanged(&found))
            });
        if is_it {
            return Ok(name);
        }
        let back =
            moved.is_ok().then(|| trash.files.move_to(inside.as_slice(), directory, item.name.as_slice()));
        if let Some((info, _)) = &trash.info
            && back.is_none_or(|back| back.is_ok())
        {
            info.unlink(note.as_slice())?;
        }
        match moved {
            Ok(()) => return Err(Reason::Changed),
            Err(Errno::EEXIST | Errno::ENOTEMPTY) => {}
            Err(Errno::EDEADLK) => return Err(Reason::NoTrash(NoTrash::InCloud)),
            Err(error) => return Err(error.into()),
        }
    }
    Err(Reason::System(Errno::EEXIST as i32))
}

fn move_back(it: &Trashed) -> Result<(), Reason> {
    let directory = it.from.open()?;
    let trash = Trash::open(&it.trash).map_err(Reason::NoTrash)?;
    for item in &it.from.items {
        let inside = trash.inside(&it.name);
        let now = trash.files.identity_of(inside.as_slice())?;
        // Only the inode is compared, so an item is moved back even if it was modified in the trash.
        if !item.identity.is_some_and(|before| before.is_same_inode(&now)) {
            return Err(Reason::Changed);
        }
        trash.files.move_to(inside.as_slice(), &directory, item.name.as_slice())?;
        if let Some((info, _)) = &trash.info {
            // The item has been restored, so a leftover info file does no harm.
            let _ = info.unlink([it.name.as_slice(), INFO].concat().as_slice());
        }
    }
    Ok(())
}

/// Returns the name in the trash to try on attempt `number`. `name` is the item's own name. A long name is shortened,
/// so that there is room for the number and for the suffix of the info file.
fn numbered(name: &[u8], number: u32) -> Vec<u8> {
    let suffix = if number == 1 { String::new() } else { format!("{TRASH_NAME_SEPARATOR}{number}") };
    let room = LONGEST - INFO.len() - suffix.len();
    [&name[..name.len().min(room)], suffix.as_bytes()].concat()
}

/// Returns the contents of the info file for `item` in the directory `path`. The recorded path is relative to
/// `relative_to`, if given. Returns an error if `path` is not inside `relative_to`.
fn info_of(path: &Path, item: &Item, relative_to: Option<&Path>) -> Result<Vec<u8>, NoTrash> {
    let path = match relative_to {
        Some(top) => path.strip_prefix(top).map_err(|_| NoTrash::Nowhere)?,
        None => path,
    };
    let path = join([path.as_os_str().as_bytes(), item.name.as_slice()]);
    let mut content = b"[Trash Info]\nPath=".to_vec();
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            content.push(byte);
        } else {
            content.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    let date = crate::base::calendar::local_now().strftime("%Y-%m-%dT%H:%M:%S");
    content.extend_from_slice(format!("\nDeletionDate={date}\n").as_bytes());
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_trash_leaves_room_for_its_info_file() {
        let long = vec![b'x'; 255];
        for number in [1, 2, NUMBERS] {
            let name = numbered(&long, number);
            assert_eq!(name.len() + INFO.len(), LONGEST);
        }
        assert_eq!(numbered(b"a", 1), b"a");
        assert_ne!(numbered(b"a", 2), numbered(b"a", 3));
    }
}
