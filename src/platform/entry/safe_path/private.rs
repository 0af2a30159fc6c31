//! Folders for duke's own files: snapshots, the journal, the trash.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Cause, Error, GROUP, OTHERS, Rule, Walk, components};
use crate::platform::{Attributes, Directory, Errno};

/// Folder that only this user and root can change. The folder does not have to exist yet.
///
/// No other user can change any component of the path, so files in the folder may be opened through
/// [`PrivateFolder::path`].
#[derive(Debug)]
pub struct PrivateFolder {
    walk: Walk,
    /// Names of the directories that have not been created yet, innermost first.
    missing: Vec<OsString>,
}

impl PrivateFolder {
    /// Finds the folder without creating anything.
    ///
    /// # Errors
    /// Returns any error of open(2), or `EINVAL` if `path` is relative. Returns [`Error::Refused`] if another user
    /// could redirect the path, can write to the folder, or owns the folder (or, if it does not exist, the deepest
    /// existing directory on its path).
    pub fn find(path: &Path) -> Result<Self, Error> {
        if !path.is_absolute() {
            return Err(Errno::EINVAL.into());
        }
        let mut walk = Walk::start(path, Rule::Private)?;
        let mut missing = Vec::new();
        while let Some((name, found)) = walk.next()? {
            if found.is_none() {
                missing = std::mem::take(&mut walk.rest);
                missing.push(name);
                break;
            }
            walk.enter(&name)?;
        }
        if missing.iter().any(|name| name == "..") {
            return Err(Errno::ENOENT.into());
        }
        let folder = Self { walk, missing };
        folder.check()?;
        Ok(folder)
    }

    /// Creates the missing directories with access for this user only.
    ///
    /// # Errors
    /// Returns any error of mkdir(2) and [`PrivateFolder::find`].
    pub fn make(mut self) -> Result<Self, Error> {
        while let Some(name) = self.missing.pop() {
            match self.walk.directory.make_directory(name.as_os_str()) {
                Ok(()) | Err(Errno::EEXIST) => self.walk.enter(&name)?,
                Err(error) => return Err(error.into()),
            }
        }
        self.check()?;
        Ok(self)
    }

    /// Returns `true` if the folder exists.
    pub fn exists(&self) -> bool {
        self.missing.is_empty()
    }

    /// Returns the folder or, if the folder does not exist, the deepest existing directory on its path. On Linux, the
    /// directory may have been opened with `O_PATH`.
    pub fn directory(&self) -> &Directory {
        &self.walk.directory
    }

    /// Returns the attributes of [`PrivateFolder::directory`].
    pub fn attributes(&self) -> &Attributes {
        &self.walk.attributes
    }

    /// Returns the path of [`PrivateFolder::directory`], without symbolic links.
    pub fn path(&self) -> &Path {
        &self.walk.path
    }

    /// Returns the directory and its path.
    pub fn into_parts(self) -> (Directory, PathBuf) {
        (self.walk.directory, self.walk.path)
    }

    /// Checks that the deepest existing directory on the path belongs to this user. If the private folder itself
    /// exists, also checks that neither its group nor other users have write permission, even if the group has no
    /// other members.
    fn check(&self) -> Result<(), Error> {
        let Walk { attributes, path, trusted, .. } = &self.walk;
        let cause = if attributes.uid != trusted[0] {
            Cause::Owner(attributes.uid)
        } else if self.exists() && attributes.mode & (GROUP | OTHERS) != 0 {
            Cause::Writable
        } else {
            return Ok(());
        };
        Err(self.walk.unsafe_path(path.clone(), cause))
    }
}

/// Opens the directory at an absolute path. No component of the path may be a symbolic link.
///
/// # Errors
/// Returns any error of open(2), such as `ENOTDIR` or `ELOOP` for a link.
pub fn open_without_links(path: &Path) -> Result<Directory, Errno> {
    let top = Directory::open(Path::new("/"))?;
    components(path.as_os_str()).iter().rev().try_fold(top, |above, name| above.step_into(name.as_os_str()))
}
