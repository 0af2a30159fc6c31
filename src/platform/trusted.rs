//! Reading a file that decides what the program does: never waiting for it, never much of it, and for root only what
//! nobody else can write.
//!
//! Knows nothing of what is in it. Invariant: what is returned was read from the file that was judged.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{NOT_OURS, STICKY};
use nix::fcntl::OFlag;
use nix::unistd::geteuid;

/// Why a file is not read.
#[derive(Debug)]
pub enum Refused {
    /// There is none, as far as this user may see.
    Missing(io::Error),
    /// The system does not let it be read.
    Failed(io::Error),
    /// It is a directory, a named pipe, a device or the like.
    NotRegular,
    /// It is longer than allowed.
    TooLong,
    /// It belongs to another user.
    Foreign,
    /// This is root, and another user can write this.
    Writable(PathBuf),
}

/// Permissions of others to write (chmod(2)).
const GROUP: u32 = 0o020;
const OTHERS: u32 = 0o002;

/// The content of the regular file at `path`, which has at most `limit` bytes and belongs to this user or to root. For
/// root, nobody else may be able to write it, or to put another in its place.
///
/// # Errors
/// Why it is not read.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Refused> {
    // Opening a named pipe would wait for a writer, a terminal might become ours.
    let flags = OFlag::O_NONBLOCK | NOT_OURS;
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
        judge(path, &status)?;
    } else if status.uid() != 0 && status.uid() != geteuid().as_raw() {
        return Err(Refused::Foreign);
    }
    let mut bytes = Vec::new();
    // It may grow, or have told no length.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(Refused::Failed)?;
    if bytes.len() as u64 > limit { Err(Refused::TooLong) } else { Ok(bytes) }
}

/// Whether only root can write the open file or change what `path` leads to. The way there is walked as it is written,
/// so that nobody else can turn a link, and as it is.
fn judge(path: &Path, open: &Metadata) -> Result<(), Refused> {
    let written = std::path::absolute(path).map_err(Refused::Failed)?;
    let real = fs::canonicalize(path).map_err(Refused::Failed)?;
    for place in written.ancestors().chain(real.ancestors()) {
        let status = fs::symlink_metadata(place).map_err(Refused::Failed)?;
        if may_others_write(&status) {
            return Err(Refused::Writable(place.to_owned()));
        }
    }
    let status = fs::symlink_metadata(&real).map_err(Refused::Failed)?;
    let is_same = (status.dev(), status.ino()) == (open.dev(), open.ino());
    if is_same { Ok(()) } else { Err(Refused::Writable(real)) }
}

/// Whether another user than root can write here. The permissions of a symbolic link mean nothing; in a sticky directory
/// what belongs to root stays.
fn may_others_write(status: &Metadata) -> bool {
    let mode = status.mode();
    let by_group = mode & GROUP != 0 && status.gid() != 0;
    let by_mode = by_group || mode & OTHERS != 0;
    let is_kept = status.is_symlink() || status.is_dir() && mode & STICKY != 0;
    status.uid() != 0 || by_mode && !is_kept
}
