//! Moving to the trash and back: a rename on one mount for each item, or nothing. Where trashes are says `place`.
//!
//! After the Trash specification 1.0 of freedesktop.org: the info file is made first and alone decides who has the name.
//! Nothing is copied, so nothing can be half moved, and nothing is freed. Where no trash is on the same mount, an item stays.
//!
//! Invariant: what was moved is what was selected, or is moved back.

mod place;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Zoned;

use super::{Failures, Group, Item, Reason, Selection, Unusable};
use crate::job::{Job, Pool, Task};
use crate::kind::Kind;
use crate::platform::mounts::{Mount, mounts};
use crate::platform::{Directory, Errno, cloud};
use crate::sync::Arc;
use crate::tree::join;
pub use place::Owner;
use place::{Trash, Trashes};

/// Names tried for one item.
const NUMBERS: u32 = 10_000;
/// The longest name of a file, and what an info file has behind it.
const LONGEST: usize = 255;
const INFO: &[u8] = b".trashinfo";

/// How far a trashing, or a restoring, has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trashing {
    /// What was moved.
    pub moved: Vec<Trashed>,
    /// What stays where it is.
    pub failures: Failures,
    /// Which items failed, by their number.
    pub failed: Vec<usize>,
    /// Whether nothing more will happen.
    pub is_over: bool,
}

/// Something in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trashed {
    /// Where it was: the group, with this item alone.
    pub from: Group,
    /// The directory of the trash.
    pub trash: PathBuf,
    /// Its name there.
    pub name: Vec<u8>,
}

/// Begins to move what is selected to the trash.
///
/// # Errors
/// When the system gives no thread.
pub fn trash(pool: &Pool, selection: Arc<Selection>, owner: Owner) -> std::io::Result<Job<Trashing>> {
    pool.start(move |task| task.publish(run(task, &selection, &owner, &|trashing| task.publish(trashing))))
}

/// Begins to move back what was trashed.
///
/// # Errors
/// When the system gives no thread.
pub fn restore(pool: &Pool, trashed: Arc<Vec<Trashed>>) -> std::io::Result<Job<Trashing>> {
    pool.start(move |task| task.publish(run_back(task, &trashed)))
}

/// Moves what is selected to the trash, telling `report` now and then how far that is, and returns how it went.
pub(super) fn run<T: Send + Sync>(
    task: &Task<T>,
    selection: &Selection,
    owner: &Owner,
    report: &dyn Fn(Trashing),
) -> Trashing {
    cloud::refuse();
    // Without a table, what is known is what each item says of itself.
    let mounts = mounts().unwrap_or_default();
    let mut trashing = Trashing::default();
    let mut number = 0;
    'groups: for group in &selection.groups {
        // Before anything is looked for or made.
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
            // Each is a handful of calls; a report now and then is enough.
            if number % 64 == 0 {
                report(trashing.clone());
            }
        }
    }
    Trashing { is_over: true, ..trashing }
}

/// Moves back what was trashed.
pub(super) fn run_back<T: Send + Sync>(task: &Task<T>, trashed: &[Trashed]) -> Trashing {
    let mut trashing = Trashing::default();
    for (number, it) in trashed.iter().enumerate() {
        if task.is_cancelled() {
            break;
        }
        let moved = move_back(it).map(|()| it.clone());
        for item in &it.from.items {
            trashing.take(number, &it.from, item, moved.clone());
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

/// Moves an item to the first trash that takes it.
fn move_in(
    group: &Group,
    item: &Item,
    directory: &Directory,
    trashes: &Trashes<'_>,
    mounts: &[Mount],
) -> Result<Trashed, Reason> {
    if !item.is_still(&directory.attributes_of(item.name.as_slice())?) {
        return Err(Reason::Changed);
    }
    // rename(2) takes along what is mounted further down, and whoever emptied the trash would empty that.
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

/// Whether something is mounted below a path.
fn holds_mount(path: &Path, mounts: &[Mount]) -> bool {
    let below = [path.as_os_str().as_bytes(), b"/"].concat();
    mounts.iter().any(|mount| mount.point.starts_with(&below))
}

/// Moves an item from a directory, which is at `path`, to a trash and says what it is called there.
fn move_to(
    path: Result<&Path, Unusable>,
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
        let moved = directory.move_to(item.name.as_slice(), &trash.files, name.as_slice());
        let is_it = moved.is_ok()
            && trash.files.attributes_of(name.as_slice()).is_ok_and(|found| item.is_still(&found));
        if is_it {
            return Ok(name);
        }
        let back =
            moved.is_ok().then(|| trash.files.move_to(name.as_slice(), directory, item.name.as_slice()));
        if let Some((info, _)) = &trash.info
            && back.is_none_or(|back| back.is_ok())
        {
            info.unlink(note.as_slice())?;
        }
        match moved {
            Ok(()) => return Err(Reason::Changed),
            Err(Errno::EEXIST | Errno::ENOTEMPTY) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Reason::System(Errno::EEXIST as i32))
}

fn move_back(it: &Trashed) -> Result<(), Reason> {
    let directory = it.from.open()?;
    let trash = Trash::open(&it.trash)?;
    for item in &it.from.items {
        if !item.is_still(&trash.files.attributes_of(it.name.as_slice())?) {
            return Err(Reason::Changed);
        }
        trash.files.move_to(it.name.as_slice(), &directory, item.name.as_slice())?;
        if let Some((info, _)) = &trash.info {
            // The item is back, whatever becomes of the note.
            let _ = info.unlink([it.name.as_slice(), INFO].concat().as_slice());
        }
    }
    Ok(())
}

/// The name tried as the `number`th, short enough for an info file.
fn numbered(name: &[u8], number: u32) -> Vec<u8> {
    let between = if cfg!(target_os = "macos") { " " } else { "." };
    let suffix = if number == 1 { String::new() } else { format!("{between}{number}") };
    let room = LONGEST - INFO.len() - suffix.len();
    [&name[..name.len().min(room)], suffix.as_bytes()].concat()
}

/// What the info file of an item says, the directory of which is at `path`; an error if its path cannot be told.
fn info_of(path: &Path, item: &Item, relative_to: Option<&Path>) -> Result<Vec<u8>, Unusable> {
    let path = match relative_to {
        Some(top) => path.strip_prefix(top).map_err(|_| Unusable::Nowhere)?,
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
    let date = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S");
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
