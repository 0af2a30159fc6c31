//! Moving to the trash and back: a rename on one mount for each item, or nothing.
//!
//! ```text
//! $XDG_DATA_HOME/Trash         on the mount of the home        files/NAME  info/NAME.trashinfo
//! $topdir/.Trash/$uid          elsewhere, if .Trash is there, no link, and sticky
//! $topdir/.Trash-$uid          elsewhere otherwise
//! ~/.Trash, $topdir/.Trashes/$uid   macOS: the items themselves
//! ```
//!
//! After the Trash specification 1.0 of freedesktop.org: the info file is made first and alone decides who has the name.
//! Nothing is copied, so nothing can be half moved, and nothing is freed. Where no trash is on the same mount, an item stays.
//!
//! Invariant: what was moved is what was selected, or is moved back.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use jiff::Zoned;

use super::{Failures, Group, Item, Reason, Selection};
use crate::job::{Job, Pool, Task};
use crate::platform::{Attributes, Directory, Errno, cloud};
use crate::sync::Arc;
use crate::tree::join;

/// Names tried for one item.
const NUMBERS: u32 = 10_000;
/// The longest name of a file, and what an info file has behind it.
const LONGEST: usize = 255;
const INFO: &[u8] = b".trashinfo";

/// Whose trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Where the home trash is; none without a home.
    pub home_trash: Option<PathBuf>,
    /// The user.
    pub uid: u32,
}

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

impl Owner {
    /// Of this process.
    pub fn of_process() -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let home_trash = if cfg!(target_os = "macos") {
            home.map(|home| home.join(".Trash"))
        } else {
            let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|data| data.is_absolute());
            data.or_else(|| home.map(|home| home.join(".local/share"))).map(|data| data.join("Trash"))
        };
        Self { home_trash, uid: nix::unistd::geteuid().as_raw() }
    }
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
    let mut trashing = Trashing::default();
    let mut number = 0;
    for group in &selection.groups {
        let opened = group.open();
        let trashes = opened.as_ref().map(|directory| Trashes::new(group, directory, owner));
        for item in &group.items {
            if task.is_cancelled() {
                break;
            }
            let moved = match (&opened, &trashes) {
                (Ok(directory), Ok(trashes)) => move_in(group, item, directory, trashes),
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

/// The trashes that may be on the mount of a directory, the most natural first. What is not needed is neither looked for nor made.
struct Trashes<'g> {
    group: &'g Group,
    owner: &'g Owner,
    home: Option<Trash>,
    of_top: OnceCell<Option<Trash>>,
}

impl<'g> Trashes<'g> {
    fn new(group: &'g Group, directory: &Directory, owner: &'g Owner) -> Self {
        let home = owner.home_trash.as_ref().and_then(|path| {
            let here = directory.attributes().ok()?;
            Trash::home(path, &here, owner)
        });
        Self { group, owner, home, of_top: OnceCell::new() }
    }

    fn of_top(&self) -> Option<&Trash> {
        let find = || Trash::of_top(&top_of(&real_path(self.group)?)?, self.owner);
        self.of_top.get_or_init(find).as_ref()
    }

    fn iter(&self) -> impl Iterator<Item = &Trash> {
        self.home.iter().chain(std::iter::once_with(|| self.of_top()).flatten())
    }
}

/// An open trash.
struct Trash {
    path: PathBuf,
    files: Directory,
    /// Where the info files are, and the path of the directory they are relative to, if they are.
    info: Option<(Directory, Option<PathBuf>)>,
}

impl Trash {
    /// The trash of the home, made if need be, if it is on the same device and belongs to the user.
    fn home(path: &Path, here: &Attributes, owner: &Owner) -> Option<Self> {
        let above = path.ancestors().find_map(|above| Directory::open(above).ok())?;
        if above.attributes().ok()?.device != here.device {
            return None;
        }
        if !cfg!(target_os = "macos") {
            use std::os::unix::fs::DirBuilderExt;
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).ok()?;
        }
        let directory = Directory::open(path).ok()?;
        Self::in_directory(path.to_owned(), directory, owner, None)
    }

    /// The trash of a mount point, made if need be.
    #[cfg(not(target_os = "macos"))]
    fn of_top(top: &Path, owner: &Owner) -> Option<Self> {
        const STICKY: u32 = 0o1000;
        let directory = Directory::open(top).ok()?;
        let own = |above: &Directory, path: PathBuf, name: &str| {
            let _ = above.make_directory(name);
            let directory = above.open_inside(name).ok()?;
            Self::in_directory(path.join(name), directory, owner, Some(top.to_owned()))
        };
        let shared = directory.open_inside(".Trash").ok();
        let shared = shared.filter(|shared| shared.attributes().is_ok_and(|found| found.mode & STICKY != 0));
        let shared = shared.and_then(|shared| own(&shared, top.join(".Trash"), &owner.uid.to_string()));
        let alone = || own(&directory, top.to_owned(), &format!(".Trash-{}", owner.uid));
        shared.or_else(alone)
    }
    /// The trash of a mount point, made if need be.
    #[cfg(target_os = "macos")]
    fn of_top(top: &Path, owner: &Owner) -> Option<Self> {
        let all = Directory::open(top).and_then(|directory| directory.open_inside(".Trashes")).ok()?;
        let name = owner.uid.to_string();
        let _ = all.make_directory(name.as_str());
        let own = all.open_inside(name.as_str()).ok()?;
        Self::in_directory(top.join(".Trashes").join(&name), own, owner, None)
    }

    /// The trash in a directory, if that belongs to the user.
    fn in_directory(
        path: PathBuf,
        directory: Directory,
        owner: &Owner,
        relative_to: Option<PathBuf>,
    ) -> Option<Self> {
        if directory.attributes().ok()?.uid != owner.uid {
            return None;
        }
        if cfg!(target_os = "macos") {
            return Some(Self { path, files: directory, info: None });
        }
        let part = |name: &str| {
            let _ = directory.make_directory(name);
            directory.open_inside(name).ok()
        };
        Some(Self { path, files: part("files")?, info: Some((part("info")?, relative_to)) })
    }

    /// Opens it again to take something out.
    fn open(path: &Path) -> Result<Self, Errno> {
        let directory = Directory::open(path)?;
        if cfg!(target_os = "macos") {
            return Ok(Self { path: path.to_owned(), files: directory, info: None });
        }
        let info = directory.open_inside("info")?;
        Ok(Self { path: path.to_owned(), files: directory.open_inside("files")?, info: Some((info, None)) })
    }
}

/// Moves an item to the first trash that takes it.
fn move_in(
    group: &Group,
    item: &Item,
    directory: &Directory,
    trashes: &Trashes<'_>,
) -> Result<Trashed, Reason> {
    if !item.is_still(&directory.attributes_of(item.name.as_slice())?) {
        return Err(Reason::Changed);
    }
    if directory.is_mount(item.name.as_slice())? {
        return Err(Reason::Mount);
    }
    for trash in trashes.iter() {
        match move_to(group, item, directory, trash) {
            Err(Reason::Mount) => {}
            Ok(name) => {
                let from = Group { items: vec![item.clone()], ..group.clone() };
                return Ok(Trashed { from, trash: trash.path.clone(), name });
            }
            Err(reason) => return Err(reason),
        }
    }
    Err(Reason::NoTrash)
}

/// Moves an item to a trash and says what it is called there.
fn move_to(group: &Group, item: &Item, directory: &Directory, trash: &Trash) -> Result<Vec<u8>, Reason> {
    for number in 1..NUMBERS {
        let name = numbered(&item.name, number);
        let note = [name.as_slice(), INFO].concat();
        if let Some((info, relative_to)) = &trash.info {
            let content = info_of(group, item, relative_to.as_deref()).ok_or(Reason::NoTrash)?;
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

/// What the info file of an item says; none if its path cannot be told.
fn info_of(group: &Group, item: &Item, relative_to: Option<&Path>) -> Option<Vec<u8>> {
    let path = real_path(group)?;
    let path = match relative_to {
        Some(top) => path.strip_prefix(top).ok()?.to_owned(),
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
    Some(content)
}

/// The absolute path of a group's directory, without symbolic links: there are none below a root.
fn real_path(group: &Group) -> Option<PathBuf> {
    let (root, below) = group.steps.split_first()?;
    let root = std::fs::canonicalize(OsStr::from_bytes(&root.name)).ok()?;
    Some(below.iter().fold(root, |path, step| path.join(OsStr::from_bytes(&step.name))))
}

/// The directory on which the mount of `path` is mounted.
fn top_of(path: &Path) -> Option<PathBuf> {
    let mut top: Option<(PathBuf, u64)> = None;
    for above in path.ancestors() {
        let directory = Directory::open(above).ok()?;
        let device = directory.attributes().ok()?.device;
        if top.as_ref().is_some_and(|(_, below)| *below != device) {
            break;
        }
        top = Some((above.to_owned(), device));
        if directory.is_mount(".").unwrap_or(false) {
            break;
        }
    }
    top.map(|(top, _)| top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_trash_leaves_room_for_its_info_file() {
        let long = vec![b'x'; 255];
        for number in [1, 2, 9_999] {
            let name = numbered(&long, number);
            assert_eq!(name.len() + INFO.len(), LONGEST);
        }
        assert_eq!(numbered(b"a", 1), b"a");
        assert_ne!(numbered(b"a", 2), numbered(b"a", 3));
    }
}
