//! Where trashes are, on which mount, and whose.
//!
//! ```text
//! $XDG_DATA_HOME/Trash         on the mount of the home        files/NAME  info/NAME.trashinfo
//! $topdir/.Trash/$uid          elsewhere, if .Trash is there, no link, and sticky
//! $topdir/.Trash-$uid          elsewhere otherwise
//! ~/.Trash, $topdir/.Trashes/$uid   macOS: the items themselves
//! ```
//!
//! Invariant: what is not needed is neither looked for nor made, and nothing is made in what belongs to somebody else's home.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::delete::{Group, Reason, Unusable};
#[cfg(not(target_os = "macos"))]
use crate::platform::STICKY;
use crate::platform::{Attributes, Directory, Errno, errno_of, state};

/// Whose trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Where the home trash is; none without a home.
    pub home_trash: Option<PathBuf>,
    /// The user.
    pub uid: u32,
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

/// The trashes that may be on the mount of a directory, the most natural first.
pub(super) struct Trashes<'g> {
    group: &'g Group,
    owner: &'g Owner,
    path: OnceCell<Result<PathBuf, Unusable>>,
    home: Result<Trash, Unusable>,
    of_top: OnceCell<Result<Trash, Unusable>>,
}

impl<'g> Trashes<'g> {
    pub(super) fn new(group: &'g Group, directory: &Directory, owner: &'g Owner) -> Self {
        let home = owner.home_trash.as_ref().ok_or(Unusable::Nowhere);
        let home = home.and_then(|path| Trash::home(path, &directory.attributes()?, owner));
        Self { group, owner, path: OnceCell::new(), home, of_top: OnceCell::new() }
    }

    /// The absolute path of the directory.
    pub(super) fn path(&self) -> Result<&Path, Unusable> {
        self.path.get_or_init(|| real_path(self.group)).as_deref().map_err(|why| *why)
    }

    fn of_top(&self) -> Result<&Trash, Unusable> {
        let find = || Trash::of_top(&top_of(self.path()?)?, self.owner);
        self.of_top.get_or_init(find).as_ref().map_err(|why| *why)
    }

    /// The first that `attempt` does not find to be on another mount, or why there is none.
    pub(super) fn first<T>(&self, mut attempt: impl FnMut(&Trash) -> Result<T, Reason>) -> Result<T, Reason> {
        let mut why = Unusable::Nowhere;
        let home = self.home.as_ref().map_err(|why| *why);
        for trash in [home].into_iter().chain(std::iter::once_with(|| self.of_top())) {
            match trash.map(&mut attempt) {
                Ok(Err(Reason::Mount)) => {}
                Ok(result) => return result,
                // The most natural one that is on the mount says why.
                Err(reason) if why == Unusable::Nowhere => why = reason,
                Err(_) => {}
            }
        }
        Err(Reason::NoTrash(why))
    }
}

/// An open trash.
pub(super) struct Trash {
    pub(super) path: PathBuf,
    pub(super) files: Directory,
    /// Where the info files are, and the path of the directory they are relative to, if they are.
    pub(super) info: Option<(Directory, Option<PathBuf>)>,
}

impl Trash {
    /// The trash of the home, made if need be, if it is on the same device and belongs to the user.
    fn home(path: &Path, here: &Attributes, owner: &Owner) -> Result<Self, Unusable> {
        let above =
            path.ancestors().find_map(|above| Directory::open(above).ok()).ok_or(Unusable::Nowhere)?;
        if above.attributes()?.device != here.device {
            return Err(Unusable::Nowhere);
        }
        // Root would make one that the user cannot use, where sudo keeps the home.
        if !state::is_ours(path).map_err(|error| errno_of(&error))? {
            return Err(Unusable::Foreign);
        }
        if !cfg!(target_os = "macos") {
            use std::os::unix::fs::DirBuilderExt;
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
            made.map_err(|error| errno_of(&error))?;
        }
        Self::in_directory(path.to_owned(), Directory::open(path)?, owner, None)
    }

    /// The trash of a mount point, made if need be.
    #[cfg(not(target_os = "macos"))]
    fn of_top(top: &Path, owner: &Owner) -> Result<Self, Unusable> {
        let directory = Directory::open(top)?;
        let own = |above: &Directory, path: PathBuf, name: &str| {
            let directory = opened_or_made(above, name)?;
            Self::in_directory(path.join(name), directory, owner, Some(top.to_owned()))
        };
        let shared = directory.open_inside(".Trash").ok();
        let shared = shared.filter(|shared| shared.attributes().is_ok_and(|found| found.mode & STICKY != 0));
        let shared = shared.and_then(|shared| own(&shared, top.join(".Trash"), &owner.uid.to_string()).ok());
        let alone = || own(&directory, top.to_owned(), &format!(".Trash-{}", owner.uid));
        shared.map_or_else(alone, Ok)
    }
    /// The trash of a mount point, made if need be.
    #[cfg(target_os = "macos")]
    fn of_top(top: &Path, owner: &Owner) -> Result<Self, Unusable> {
        let all = match Directory::open(top)?.open_inside(".Trashes") {
            Err(Errno::ENOENT) => return Err(Unusable::Nowhere),
            all => all?,
        };
        let name = owner.uid.to_string();
        let own = opened_or_made(&all, &name)?;
        Self::in_directory(top.join(".Trashes").join(&name), own, owner, None)
    }

    /// The trash in a directory, if that belongs to the user.
    fn in_directory(
        path: PathBuf,
        directory: Directory,
        owner: &Owner,
        relative_to: Option<PathBuf>,
    ) -> Result<Self, Unusable> {
        if directory.attributes()?.uid != owner.uid {
            return Err(Unusable::Foreign);
        }
        if cfg!(target_os = "macos") {
            return Ok(Self { path, files: directory, info: None });
        }
        let files = opened_or_made(&directory, "files")?;
        Ok(Self { path, files, info: Some((opened_or_made(&directory, "info")?, relative_to)) })
    }

    /// Opens it again to take something out.
    pub(super) fn open(path: &Path) -> Result<Self, Errno> {
        let directory = Directory::open(path)?;
        if cfg!(target_os = "macos") {
            return Ok(Self { path: path.to_owned(), files: directory, info: None });
        }
        let info = directory.open_inside("info")?;
        Ok(Self { path: path.to_owned(), files: directory.open_inside("files")?, info: Some((info, None)) })
    }
}

/// Opens a directory of a trash, and makes it if there is none.
fn opened_or_made(above: &Directory, name: &str) -> Result<Directory, Errno> {
    match above.open_inside(name) {
        Err(Errno::ENOENT) => match above.make_directory(name) {
            Ok(()) | Err(Errno::EEXIST) => above.open_inside(name),
            Err(error) => Err(error),
        },
        result => result,
    }
}

/// The absolute path of a group's directory, without symbolic links: there are none below a root.
fn real_path(group: &Group) -> Result<PathBuf, Unusable> {
    let (root, below) = group.steps.split_first().ok_or(Unusable::Nowhere)?;
    let root = std::fs::canonicalize(OsStr::from_bytes(&root.name)).map_err(|error| errno_of(&error))?;
    Ok(below.iter().fold(root, |path, step| path.join(OsStr::from_bytes(&step.name))))
}

/// The directory on which the mount of `path` is mounted.
fn top_of(path: &Path) -> Result<PathBuf, Unusable> {
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
    top.map(|(top, _)| top.to_owned()).ok_or(Unusable::Nowhere)
}
