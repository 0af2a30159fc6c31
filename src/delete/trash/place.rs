//! Trash directories of a mount, and their owners.
//!
//! ```text
//! $XDG_DATA_HOME/Trash         on the mount of the home        files/NAME  info/NAME.trashinfo
//! $topdir/.Trash/$uid          elsewhere, if .Trash exists, is not a link, and is sticky
//! $topdir/.Trash-$uid          elsewhere otherwise
//! ~/.Trash, $topdir/.Trashes/$uid   macOS: the items themselves
//! ```
//!
//! Invariant: a trash is searched for or created only when needed, and nothing is created in another user's home
//! directory.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::delete::{Group, NoTrash, Reason};
use crate::platform::STICKY;
use crate::platform::entry::safe_path::{PrivateFolder, open_without_links, others_may_write};
use crate::platform::process::desktop::{self, TRASH_HAS_INFO};
use crate::platform::process::users;
use crate::platform::{Attributes, Directory, Errno, errno_of};

/// Owner of a trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Path of the trash in the home directory; `None` if there is no home directory.
    pub home_trash: Option<PathBuf>,
    /// User ID.
    pub uid: u32,
}

impl Owner {
    /// Returns the user of this process.
    pub fn of_process() -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        Self { home_trash: desktop::home_trash(home), uid: users::own() }
    }
}

/// Trash directories that may be on the same mount as a directory, in order of preference.
pub struct Trashes<'g> {
    group: &'g Group,
    owner: &'g Owner,
    path: OnceCell<Result<PathBuf, NoTrash>>,
    home: Result<Trash, NoTrash>,
    of_top: OnceCell<Result<Trash, NoTrash>>,
}

impl<'g> Trashes<'g> {
    pub fn new(group: &'g Group, directory: &Directory, owner: &'g Owner) -> Self {
        let home = owner.home_trash.as_ref().ok_or(NoTrash::Nowhere);
        let home = home.and_then(|path| Trash::home(path, &directory.attributes()?, owner));
        Self { group, owner, path: OnceCell::new(), home, of_top: OnceCell::new() }
    }

    /// Returns the absolute path of the group's directory.
    pub fn path(&self) -> Result<&Path, NoTrash> {
        self.path.get_or_init(|| real_path(self.group)).as_deref().map_err(|why| *why)
    }

    fn of_top(&self) -> Result<&Trash, NoTrash> {
        let find = || Trash::of_top(&top_of(self.path()?)?, self.owner);
        self.of_top.get_or_init(find).as_ref().map_err(|why| *why)
    }

    /// Calls `attempt` for the first trash on the same mount, or returns the reason why there is none.
    pub fn first<T>(&self, mut attempt: impl FnMut(&Trash) -> Result<T, Reason>) -> Result<T, Reason> {
        let mut why = NoTrash::Nowhere;
        let home = self.home.as_ref().map_err(|why| *why);
        for trash in [home].into_iter().chain(std::iter::once_with(|| self.of_top())) {
            match trash.map(&mut attempt) {
                Ok(Err(Reason::Mount)) => {}
                Ok(result) => return result,
                // Reports the reason of the most preferred trash.
                Err(reason) if why == NoTrash::Nowhere => why = reason,
                Err(_) => {}
            }
        }
        Err(Reason::NoTrash(why))
    }
}

/// Trash with its directories open.
pub struct Trash {
    pub path: PathBuf,
    pub files: Directory,
    /// Directory of the info files and, if these contain relative paths, the directory that the paths are relative to.
    pub info: Option<(Directory, Option<PathBuf>)>,
}

impl Trash {
    /// Opens or creates the trash of the home directory, if it is on the same device as the items and belongs to the
    /// user.
    fn home(path: &Path, here: &Attributes, owner: &Owner) -> Result<Self, NoTrash> {
        let above = path.ancestors().find_map(|above| Directory::open(above).ok()).ok_or(NoTrash::Nowhere)?;
        if above.attributes()?.device != here.device {
            return Err(NoTrash::Nowhere);
        }
        // If sudo keeps HOME, root would create a trash that the user cannot use.
        let folder = PrivateFolder::find(path)?;
        let folder = if TRASH_HAS_INFO { folder.make()? } else { folder };
        if !folder.exists() {
            return Err(Errno::ENOENT.into());
        }
        let (directory, path) = folder.into_parts();
        Self::in_directory(path, directory, Access { uid: owner.uid, is_open: false }, None)
    }

    /// Opens or creates the trash of a mount point.
    fn of_top(top: &Path, owner: &Owner) -> Result<Self, NoTrash> {
        let directory = open_without_links(top)?;
        let access = Access::of_top(&directory, owner)?;
        if !TRASH_HAS_INFO {
            let all = match directory.open_inside(".Trashes") {
                Err(Errno::ENOENT) => return Err(NoTrash::Nowhere),
                all => all?,
            };
            let name = owner.uid.to_string();
            let own = opened_or_made(&all, &name)?;
            return Self::in_directory(top.join(".Trashes").join(&name), own, access, None);
        }
        let own = |above: &Directory, path: PathBuf, name: &str| {
            let directory = opened_or_made(above, name)?;
            Self::in_directory(path.join(name), directory, access, Some(top.to_owned()))
        };
        let shared = directory.open_inside(".Trash").ok();
        let shared = shared.filter(|shared| shared.attributes().is_ok_and(|found| found.mode & STICKY != 0));
        let shared = shared.and_then(|shared| own(&shared, top.join(".Trash"), &owner.uid.to_string()).ok());
        let alone = || own(&directory, top.to_owned(), &format!(".Trash-{}", owner.uid));
        shared.map_or_else(alone, Ok)
    }

    /// Opens the trash in a directory after checking who can write to each directory of it.
    fn in_directory(
        path: PathBuf,
        directory: Directory,
        access: Access,
        relative_to: Option<PathBuf>,
    ) -> Result<Self, NoTrash> {
        access.check(&directory)?;
        if !TRASH_HAS_INFO {
            return Ok(Self { path, files: directory, info: None });
        }
        let [files, info] = ["files", "info"].map(|name| {
            let inside = opened_or_made(&directory, name)?;
            access.check(&inside).map(|()| inside)
        });
        Ok(Self { path, files: files?, info: Some((info?, relative_to)) })
    }

    /// Opens the trash at `path` to move something out of it. Creates nothing.
    pub fn open(path: &Path) -> Result<Self, NoTrash> {
        // Other users may have gained access in the meantime. This is harmless, because restored items are compared
        // with the trashed ones.
        let access = Access { uid: users::own(), is_open: true };
        let directory = open_without_links(path)?;
        access.check(&directory)?;
        if !TRASH_HAS_INFO {
            return Ok(Self { path: path.to_owned(), files: directory, info: None });
        }
        let [files, info] = ["files", "info"].map(|name| {
            let inside = directory.open_inside(name)?;
            access.check(&inside).map(|()| inside)
        });
        Ok(Self { path: path.to_owned(), files: files?, info: Some((info?, None)) })
    }
}

/// Access of other users to the directories of a trash.
#[derive(Clone, Copy)]
struct Access {
    /// User ID that must own the directories.
    uid: u32,
    /// `true` if other users may write to the directories.
    is_open: bool,
}

impl Access {
    /// Returns the access to the trash of a mount point. Some file systems give all directories the same permissions,
    /// so if all users can write to the top of the file system, they may also be able to write to the trash.
    fn of_top(top: &Directory, owner: &Owner) -> Result<Self, Errno> {
        let found = top.attributes()?;
        Ok(Self { uid: owner.uid, is_open: found.mode & STICKY == 0 && others_may_write(top, &found) })
    }

    fn check(self, directory: &Directory) -> Result<(), NoTrash> {
        let found = directory.attributes()?;
        if found.uid != self.uid {
            return Err(NoTrash::Foreign);
        }
        if !self.is_open && others_may_write(directory, &found) {
            return Err(NoTrash::Writable);
        }
        Ok(())
    }
}

/// Opens a directory of a trash, creating it if necessary.
fn opened_or_made(above: &Directory, name: &str) -> Result<Directory, Errno> {
    match above.open_inside(name) {
        Err(Errno::ENOENT) => match above.make_directory(name) {
            Ok(()) | Err(Errno::EEXIST) => above.open_inside(name),
            Err(error) => Err(error),
        },
        result => result,
    }
}

/// Returns the absolute path of a group's directory, without symbolic links. Only the root needs to be resolved,
/// because no path below a root contains links.
fn real_path(group: &Group) -> Result<PathBuf, NoTrash> {
    let (root, below) = group.steps.split_first().ok_or(NoTrash::Nowhere)?;
    let root = std::fs::canonicalize(OsStr::from_bytes(&root.name)).map_err(|error| errno_of(&error))?;
    Ok(below.iter().fold(root, |path, step| path.join(OsStr::from_bytes(&step.name))))
}

/// Returns the mount point of the mount that `path` is on.
fn top_of(path: &Path) -> Result<PathBuf, NoTrash> {
    let mut top: Option<(&Path, u64)> = None;
    for above in path.ancestors() {
        let directory = Directory::open(above)?;
        let device = directory.attributes()?.device;
        if top.is_some_and(|(_, below)| below != device) {
            break;
        }
        top = Some((above, device));
        if directory.is_mount(".").unwrap_or(false) {
            break;
        }
    }
    top.map(|(top, _)| top.to_owned()).ok_or(NoTrash::Nowhere)
}
