//! Location of a file that the user wants to write.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, fstatat};

use super::{Cause, Error, Rule, Walk};
use crate::base::kind::Kind;
use crate::platform::{Attributes, Directory, Errno, FileSystem, NO_CTTY, retry};

/// File to write, with the directory that contains or will contain it.
#[derive(Debug)]
pub struct Output {
    /// Directory of the file. On Linux, the descriptor of the directory can be an `O_PATH` descriptor.
    pub directory: Directory,
    /// Name of the file in the directory. The file is not a symbolic link unless [`Output::is_stream`] is `true`.
    pub name: OsString,
    /// `true` if the file can be written to but not replaced: a device, a pipe, or a descriptor of this process.
    pub is_stream: bool,
    /// `true` if `name` is a link in /proc that stands for an open file rather than a path.
    is_descriptor: bool,
}

impl Output {
    /// Finds the location of `path`. Symbolic links are followed, except those that another user could have planted.
    ///
    /// # Errors
    /// Returns any error of open(2) for writing, or [`Error::Refused`] for another user's link, pipe, socket or
    /// device in a directory that others can write to.
    pub fn find(path: &Path) -> Result<Self, Error> {
        let mut walk = Walk::start(path, Rule::Named)?;
        if walk.rest.is_empty() && !path.is_absolute() {
            return Err(Errno::ENOENT.into());
        }
        loop {
            if let Some(name) = walk.descriptor()? {
                return Ok(Self { directory: walk.directory, name, is_stream: true, is_descriptor: true });
            }
            let (name, found) = walk.next()?.ok_or(Errno::EISDIR)?;
            if !walk.rest.is_empty() {
                if found.is_none() {
                    return Err(Errno::ENOENT.into());
                }
                walk.enter(&name)?;
                continue;
            }
            let is_stream = match found {
                Some(found) if found.is_directory() => return Err(Errno::EISDIR.into()),
                Some(found) if found.kind != Kind::File => {
                    if !walk.is_allowed(&found) {
                        return Err(walk.unsafe_path(walk.path_of(&name), Cause::Special(found.uid)));
                    }
                    true
                }
                _ => false,
            };
            return Ok(Self { directory: walk.directory, name, is_stream, is_descriptor: false });
        }
    }

    /// Opens the file for writing, without replacing it. Used if [`Output::is_stream`] is `true`.
    ///
    /// # Errors
    /// Returns any error of openat(2).
    pub fn open_stream(&self) -> Result<File, Errno> {
        let follow = if self.is_descriptor { OFlag::empty() } else { OFlag::O_NOFOLLOW };
        let flags = OFlag::O_WRONLY | OFlag::O_CLOEXEC | NO_CTTY | follow;
        let file = retry(|| openat(&self.directory, self.name.as_os_str(), flags, Mode::empty()))?;
        Ok(file.into())
    }
}

impl Walk {
    /// Removes and returns the last component of the path if it is a link in a kernel file system such as `/proc`, and
    /// the target of the link is neither a directory nor a regular file with a name. Otherwise returns `None`. For
    /// example, `/dev/stdout` leads to the link `/proc/self/fd/1`, whose target may be `pipe:[123]`.
    fn descriptor(&mut self) -> Result<Option<OsString>, Error> {
        let [name] = self.rest.as_slice() else { return Ok(None) };
        let is_link =
            self.directory.attributes_of(name.as_os_str()).is_ok_and(|found| found.kind == Kind::Symlink);
        if !is_link || self.directory.file_system()? != FileSystem::Kernel {
            return Ok(None);
        }
        let target = fstatat(&self.directory, name.as_os_str(), AtFlags::empty()).map(Attributes::from)?;
        let has_name = target.is_directory() || target.kind == Kind::File && target.links > 0;
        Ok(if has_name { None } else { self.rest.pop() })
    }
}
