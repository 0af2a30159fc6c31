//! Trash directories of a mount, and their owners.
//!
//! ```text
//! $XDG_DATA_HOME/Trash         on the mount of the home        files/NAME  info/NAME.trashinfo
//! $topdir/.Trash/$uid          on other mounts, if .Trash exists, is not a link, and is sticky
//! $topdir/.Trash-$uid          on other mounts otherwise
//! ~/.Trash, $topdir/.Trashes/$uid   macOS: the items themselves
//! ```
//!
//! On macOS, privacy settings and permissions may forbid opening a trash, but still allow moving entries into it. duke
//! therefore does not open the trash there, but moves entries to a path relative to a directory above the trash.
//!
//! Invariant: a trash is searched for or created only when it is needed, and nothing is created in another
//! user's home.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::delete::{Group, NoTrash, Reason};
use crate::platform::STICKY;
use crate::platform::entry::safe_path::{PrivateFolder, open_without_links, others_may_write};
use crate::platform::fs::mounts::standing;
use crate::platform::process::desktop::{self, TRASH_HAS_INFO};
use crate::platform::process::users;
use crate::platform::{Attributes, Directory, Errno, errno_of};

/// Name of the directory that contains the trashes of all users on a macOS volume. It is at the top of the volume.
const VOLUME_TRASHES: &str = ".Trashes";

/// User whose trash receives the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Path of the user's own trash: `~/.Trash` on macOS; on other systems, `$XDG_DATA_HOME/Trash` or, if that
    /// variable is not an absolute path, `~/.local/share/Trash`. `None` if the home directory is needed but unknown.
    pub home_trash: Option<PathBuf>,
    pub uid: u32,
}

impl Owner {
    /// Returns the user who runs this process.
    pub fn of_process() -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        Self { home_trash: desktop::home_trash(home), uid: users::own() }
    }
}

/// Trash directories to try for a group, in order of preference: the trash in the home directory, if it is on the
/// same device as the group's directory, and the trash of the mount that contains the group's directory.
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

    /// Calls `attempt` with each usable trash in turn, and returns the first result other than [`Reason::Mount`].
    /// Without such a result, returns the reason why no trash can be used.
    pub fn first<T>(&self, mut attempt: impl FnMut(&Trash) -> Result<T, Reason>) -> Result<T, Reason> {
        let mut why = NoTrash::Nowhere;
        let home = self.home.as_ref().map_err(|why| *why);
        for trash in [home].into_iter().chain(std::iter::once_with(|| self.of_top())) {
            match trash.map(&mut attempt) {
                Ok(Err(Reason::Mount)) => {}
                Ok(result) => return result,
                // Report the first reason other than `Nowhere`. The preferred trash is tried first, so its reason takes
                // precedence.
                Err(reason) if why == NoTrash::Nowhere => why = reason,
                Err(_) => {}
            }
        }
        Err(Reason::NoTrash(why))
    }
}

/// Trash whose owner and permissions have been checked. Items are moved to paths relative to the directory `files`.
pub struct Trash {
    pub path: PathBuf,
    /// Directory that contains the items, or an open directory above it.
    pub files: Directory,
    /// Path from `files` to the items, with a slash at the end. Empty if `files` itself contains the items.
    below: Vec<u8>,
    /// Directory of the info files, and the base of the paths in these files. Without a base, the paths are absolute.
    /// `None` if the trash has no info files.
    pub info: Option<(Directory, Option<PathBuf>)>,
}

impl Trash {
    /// Opens the trash of the home directory. The trash must be on the same device as the items and belong to the user.
    /// If the trash does not exist, it is created, except on macOS.
    fn home(path: &Path, here: &Attributes, owner: &Owner) -> Result<Self, NoTrash> {
        let above = path
            .ancestors()
            .skip(1)
            .find_map(|above| Directory::open_for_lookup(above).ok())
            .ok_or(NoTrash::Nowhere)?;
        if above.attributes()?.device != here.device {
            return Err(NoTrash::Nowhere);
        }
        if !TRASH_HAS_INFO {
            let home = path.parent().ok_or(NoTrash::Nowhere)?;
            let (home, real) = PrivateFolder::find(home)?.into_parts();
            let path = real.join(path.file_name().ok_or(NoTrash::Nowhere)?);
            return Self::unopened(path, home, Access { uid: owner.uid, is_open: false });
        }
        // sudo may keep the HOME of another user. `find` refuses this HOME. Without this check, root would create a
        // trash that the other user cannot use.
        let (directory, path) = PrivateFolder::find(path)?.make()?.into_parts();
        Self::in_directory(path, &directory, Access { uid: owner.uid, is_open: false }, None)
    }

    /// Opens or creates the trash of a mount point.
    fn of_top(top: &Path, owner: &Owner) -> Result<Self, NoTrash> {
        let directory = open_without_links(top)?;
        let access = Access::of_top(&directory, owner)?;
        if !TRASH_HAS_INFO {
            let all = match directory.attributes_of(VOLUME_TRASHES) {
                Err(Errno::ENOENT) => return Err(NoTrash::NoTrashes),
                all => all?,
            };
            if !all.is_directory() {
                return Err(NoTrash::NoDirectory);
            }
            let name = format!("{VOLUME_TRASHES}/{}", owner.uid);
            match directory.make_directory(name.as_str()) {
                Ok(()) | Err(Errno::EEXIST) => {}
                Err(error) => return Err(error.into()),
            }
            return Self::unopened(top.join(name), directory, access);
        }
        let own = |above: &Directory, path: PathBuf, name: &str| {
            let directory = opened_or_made(above, name)?;
            Self::in_directory(path.join(name), &directory, access, Some(top.to_owned()))
        };
        let shared = directory.open_inside(".Trash").ok();
        let shared = shared.filter(|shared| shared.attributes().is_ok_and(|found| found.mode & STICKY != 0));
        let shared = shared.and_then(|shared| own(&shared, top.join(".Trash"), &owner.uid.to_string()).ok());
        let alone = || own(&directory, top.to_owned(), &format!(".Trash-{}", owner.uid));
        shared.map_or_else(alone, Ok)
    }

    /// Opens the trash in `directory`, and creates its `files` and `info` directories if they are missing. Checks the
    /// owner and permissions of all three directories.
    fn in_directory(
        path: PathBuf,
        directory: &Directory,
        access: Access,
        relative_to: Option<PathBuf>,
    ) -> Result<Self, NoTrash> {
        access.check(directory)?;
        let [files, info] = ["files", "info"].map(|name| {
            let inside = opened_or_made(directory, name)?;
            access.check(&inside).map(|()| inside)
        });
        Ok(Self { path, files: files?, below: Vec::new(), info: Some((info?, relative_to)) })
    }

    /// Checks the owner and permissions of the trash at `path`, and returns the trash without opening it. `above` is
    /// an open directory above the trash.
    fn unopened(path: PathBuf, above: Directory, access: Access) -> Result<Self, NoTrash> {
        let name = path.file_name().ok_or(NoTrash::Nowhere)?.as_bytes();
        let is_of_volume = path.parent().is_some_and(|parent| parent.ends_with(VOLUME_TRASHES));
        let mut below =
            if is_of_volume { [VOLUME_TRASHES.as_bytes(), b"/", name].concat() } else { name.to_vec() };
        let found = above.attributes_of(below.as_slice())?;
        if !found.is_directory() {
            return Err(NoTrash::NoDirectory);
        }
        access.check_found(&above, &found)?;
        below.push(b'/');
        Ok(Self { path, files: above, below, info: None })
    }

    /// Returns the path of an item relative to [`Trash::files`].
    pub fn inside(&self, name: &[u8]) -> Vec<u8> {
        [self.below.as_slice(), name].concat()
    }

    /// Opens the trash at `path` to move something out of it. Creates nothing.
    pub fn open(path: &Path) -> Result<Self, NoTrash> {
        // Directories that other users can write to are accepted, because they may have become writable after the item
        // was moved to the trash. duke restores an item only if its inode is still the same.
        let access = Access { uid: users::own(), is_open: true };
        if !TRASH_HAS_INFO {
            let above = path
                .parent()
                .map(|above| if above.ends_with(VOLUME_TRASHES) { above.parent() } else { Some(above) });
            let above = above.flatten().ok_or(NoTrash::Nowhere)?;
            return Self::unopened(path.to_owned(), open_without_links(above)?, access);
        }
        let directory = open_without_links(path)?;
        access.check(&directory)?;
        let [files, info] = ["files", "info"].map(|name| {
            let inside = directory.open_inside(name)?;
            access.check(&inside).map(|()| inside)
        });
        Ok(Self { path: path.to_owned(), files: files?, below: Vec::new(), info: Some((info?, None)) })
    }
}

/// Owner and permissions that the directories of the trash must have.
#[derive(Clone, Copy)]
struct Access {
    /// ID of the user who must own the directories.
    uid: u32,
    /// `true` if directories to which other users can write are accepted.
    is_open: bool,
}

impl Access {
    /// Returns the required owner and permissions for the trash of a mount point. The trash is allowed to be writable
    /// by other users if the mount point itself is writable by them and has no sticky bit, because some file systems
    /// give all directories the same permissions.
    fn of_top(top: &Directory, owner: &Owner) -> Result<Self, Errno> {
        let found = top.attributes()?;
        Ok(Self { uid: owner.uid, is_open: found.mode & STICKY == 0 && others_may_write(top, &found) })
    }

    fn check(self, directory: &Directory) -> Result<(), NoTrash> {
        self.check_found(directory, &directory.attributes()?)
    }

    /// Checks the owner and permissions in `found`, the attributes of `directory` or of a directory below it.
    fn check_found(self, directory: &Directory, found: &Attributes) -> Result<(), NoTrash> {
        if found.uid != self.uid {
            return Err(NoTrash::Foreign);
        }
        if !self.is_open && others_may_write(directory, found) {
            return Err(NoTrash::Writable);
        }
        Ok(())
    }
}

/// Opens the directory `name` in `above`, creating it if necessary.
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

/// Returns the mount point of the mount that contains `path`.
fn top_of(path: &Path) -> Result<PathBuf, NoTrash> {
    if let Some(point) = standing(path)?.point {
        return Ok(PathBuf::from(OsStr::from_bytes(&point)));
    }
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
