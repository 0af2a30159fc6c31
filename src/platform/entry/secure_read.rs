//! Safe access to configuration files and to the journal of deletions. Reading never blocks and has a size limit. If
//! duke runs as root, configuration files that other users can write to are rejected.
//!
//! Invariant: the data comes from the same file that was checked.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::platform::{NO_CTTY, STICKY};
use nix::fcntl::OFlag;
use nix::unistd::geteuid;

/// Reason why a file is not read.
#[derive(Debug)]
pub enum Refused {
    /// The file does not exist, or this user cannot see it.
    Missing(io::Error),
    /// The system reported this error.
    Failed(io::Error),
    /// The path is a directory, a named pipe, a device or another special file.
    NotRegular,
    /// The file is larger than allowed.
    TooLong,
    /// The file belongs neither to this user nor to root.
    Foreign,
    /// The process is running as root, and another user can write to this path.
    Writable(PathBuf),
}

/// Write permission for the group (chmod(2)).
const GROUP: u32 = 0o020;
/// Write permission for others (chmod(2)).
const OTHERS: u32 = 0o002;

/// Returns the contents of the regular file at `path`. The file may have at most `limit` bytes, and must belong to root
/// or to the user who runs duke. If duke runs as root, a file that another user could write to or replace is refused.
///
/// # Errors
/// Returns the reason why the file was not read.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Refused> {
    // Opening a named pipe would wait for a writer, and opening a terminal could make it the controlling terminal.
    let flags = OFlag::O_NONBLOCK | NO_CTTY;
    let opened = File::options().read(true).custom_flags(flags.bits()).open(path);
    let file = opened.map_err(|error| match fs::symlink_metadata(path) {
        Ok(_) => Refused::Failed(error),
        Err(_) => Refused::Missing(error),
    })?;
    let status = file.metadata().map_err(Refused::Failed)?;
    if !status.is_file() {
        return Err(Refused::NotRegular);
    }
    if geteuid().is_root() {
        check_writers(path, &status)?;
    } else if status.uid() != 0 && status.uid() != geteuid().as_raw() {
        return Err(Refused::Foreign);
    }
    let mut bytes = Vec::new();
    // The limit applies to the bytes read, because the file may grow or report no length.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(Refused::Failed)?;
    if bytes.len() as u64 > limit { Err(Refused::TooLong) } else { Ok(bytes) }
}

/// Opens a regular file of this user for reading and appending. A missing file is created with access for this user
/// only. For an existing file, all permissions of the group and of other users are cleared.
///
/// # Errors
/// Returns any error of open(2), which also fails for a symbolic link, or [`io::ErrorKind::PermissionDenied`] if the
/// file is not regular or belongs to another user.
pub fn open_own(path: &Path) -> io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let mut options = File::options();
    let file =
        options.read(true).append(true).create(true).mode(0o600).custom_flags(flags.bits()).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != geteuid().as_raw() {
        let words = "not a regular file, or owned by another user; delete or move it";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words));
    }
    if found.mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Checks that only root can write to the open file or change the target of `path`. Both the path as given and the
/// resolved path are checked, so that no other user can redirect a link.
fn check_writers(path: &Path, open: &Metadata) -> Result<(), Refused> {
    let written = std::path::absolute(path).map_err(Refused::Failed)?;
    let real = fs::canonicalize(path).map_err(Refused::Failed)?;
    for path in written.ancestors().chain(real.ancestors()) {
        let status = fs::symlink_metadata(path).map_err(Refused::Failed)?;
        if may_others_write(&status) {
            return Err(Refused::Writable(path.to_owned()));
        }
    }
    let status = fs::symlink_metadata(&real).map_err(Refused::Failed)?;
    let is_same = (status.dev(), status.ino()) == (open.dev(), open.ino());
    if is_same { Ok(()) } else { Err(Refused::Writable(real)) }
}

/// Returns `true` if a user other than root can write to a file or directory with this status. The permission bits are
/// ignored for a symbolic link, where they have no meaning, and for a sticky directory, which protects root's files.
fn may_others_write(status: &Metadata) -> bool {
    let mode = status.mode();
    let by_group = mode & GROUP != 0 && status.gid() != 0;
    let by_mode = by_group || mode & OTHERS != 0;
    let is_kept = status.is_symlink() || status.is_dir() && mode & STICKY != 0;
    status.uid() != 0 || by_mode && !is_kept
}
