//! Path lookup that does not follow symbolic links placed by other users. A lookup of duke's own files does not enter
//! directories of other users either.
//!
//! A path is walked one component at a time, each relative to the open directory above it and without following links
//! (`O_NOFOLLOW`). A link is read and checked, and the path in it is then walked in the same way. There are two rules:
//!
//! | rule | directories | symbolic links |
//! |---|---|---|
//! | `Rule::Named`, for a path that the user typed | any | any; but in a directory that other users can write to, only those of this user or of the directory's owner |
//! | `Rule::Private`, for duke's own files | owned by root or this user; writable by others only if sticky | owned by root or this user |
//!
//! `Rule::Private` trusts the owner of `/` like root.
//!
//! Linux has the same rule as `Rule::Named` if `fs.protected_symlinks` is set, but only for the last component, and
//! only in directories with the sticky bit. Here the rule applies to every component, and to all directories that other
//! users can write to.
//!
//! Invariant: the result is an open directory, so renaming a component later does not change where the caller writes.

mod output;
mod private;

pub use output::Output;
pub use private::{PrivateFolder, open_without_links};

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use nix::unistd::geteuid;

use crate::base::kind::Kind;
use crate::base::text::escape_path;
use crate::platform::process::users;
use crate::platform::{Attributes, Directory, Errno, STICKY};

/// Maximum number of links followed in one path; Linux has the same limit.
const LINKS: u32 = 40;
/// Write permission for the group (chmod(2)).
const GROUP: u32 = 0o020;
/// Write permission for others (chmod(2)).
const OTHERS: u32 = 0o002;

/// Rule that determines which links are followed and which directories are entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Named,
    Private,
}

/// Reason why a path is refused although the system would allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsafePath {
    /// Path that ends with the refused component, for the error message. `None` if the path given by the user
    /// (`Rule::Named`) is enough for the message: the refused component is the last one, and the lookup came across at
    /// most one symbolic link (which may be the refused component).
    pub path: Option<PathBuf>,
    pub cause: Cause,
}

/// Reason for refusing a component of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The component is a symbolic link in a directory that others can write to. Contains the link owner's user ID.
    Link(u32),
    /// The component is a pipe, socket or device in a directory that others can write to. Contains the owner's user ID.
    Special(u32),
    /// The component is a symbolic link on the path to a private folder. Contains the user ID of the link's owner.
    PrivateLink(u32),
    /// The component is a directory that belongs to another user. Contains the owner's user ID.
    Owner(u32),
    /// The component is a directory that other users can write to.
    Writable,
}

/// Error of a path lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The system reported this error.
    System(Errno),
    /// The path is unsafe and was refused.
    Refused(UnsafePath),
}

impl fmt::Display for UnsafePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(formatter, "{}: ", escape_path(path))?;
        }
        let user = |number: u32| users::user(number).unwrap_or_else(|| format!("user {number}"));
        match self.cause {
            Cause::Link(owner) => {
                write!(formatter, "{}'s link in a shared directory; use its target", user(owner))
            }
            Cause::Special(owner) => {
                write!(
                    formatter,
                    "{}'s pipe, socket or device in a shared directory; use a regular file",
                    user(owner)
                )
            }
            Cause::PrivateLink(owner) => {
                write!(formatter, "symbolic link owned by {}; replace it with a directory", user(owner))
            }
            // This happens, for example, if sudo keeps the user's HOME: duke then looks for its own files in that
            // user's directories.
            Cause::Owner(owner) if users::own() == 0 => {
                write!(formatter, "belongs to {}, but duke runs as root; use sudo -H", user(owner))
            }
            Cause::Owner(owner) => {
                write!(formatter, "belongs to {}, not to you", user(owner))
            }
            Cause::Writable => formatter.write_str("other users can write to it; run chmod go-w on it"),
        }
    }
}

impl std::error::Error for UnsafePath {}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Self {
        Self::System(errno)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::System(errno) => errno.into(),
            Error::Refused(unsafe_path) => Self::new(io::ErrorKind::PermissionDenied, unsafe_path),
        }
    }
}

/// State of a path lookup that has reached `directory`.
#[derive(Debug)]
struct Walk {
    rule: Rule,
    directory: Directory,
    attributes: Attributes,
    /// Path of `directory`, without symbolic links.
    path: PathBuf,
    /// Remaining components in reverse order.
    rest: Vec<OsString>,
    /// Number of symbolic links followed so far.
    links: u32,
    /// User IDs of the effective user and of the owner of `/`. The owner of `/` is root, but in a user namespace the
    /// system may show another ID for root.
    trusted: [u32; 2],
}

/// Component of the path that is not a symbolic link: its name in the directory that the walk has reached, and its
/// attributes. The attributes are `None` if there is no entry with this name.
type Found = (OsString, Option<Attributes>);

impl Walk {
    /// Starts a lookup at `/` or, if the path is relative, in the current directory.
    fn start(path: &Path, rule: Rule) -> Result<Self, Error> {
        let top = Directory::open(Path::new("/"))?;
        let owner = top.attributes()?.uid;
        let is_absolute = path.is_absolute();
        let directory = if is_absolute { top } else { Directory::open(Path::new("."))? };
        let walk = Self {
            rule,
            attributes: directory.attributes()?,
            directory,
            path: PathBuf::from(if is_absolute { "/" } else { "" }),
            rest: components(path.as_os_str()),
            links: 0,
            trusted: [geteuid().as_raw(), owner],
        };
        walk.check_directory()?;
        Ok(walk)
    }

    /// Follows links up to the next component that is not a link, and returns it; `None` at the end of the path.
    fn next(&mut self) -> Result<Option<Found>, Error> {
        while let Some(name) = self.rest.pop() {
            match self.directory.attributes_of(name.as_os_str()) {
                Ok(found) if found.kind == Kind::Symlink => self.follow(&name)?,
                Ok(found) => return Ok(Some((name, Some(found)))),
                Err(Errno::ENOENT) => return Ok(Some((name, None))),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Enters the directory `name`. Returns an error if `check_directory` rejects the directory.
    fn enter(&mut self, name: &OsStr) -> Result<(), Error> {
        self.directory = self.directory.step_into(name)?;
        self.attributes = self.directory.attributes()?;
        self.path = self.path_of(name);
        self.check_directory()
    }

    /// Replaces the link `name` in the path with its target, unless the rule forbids the link.
    fn follow(&mut self, name: &OsStr) -> Result<(), Error> {
        self.links += 1;
        if self.links > LINKS {
            return Err(Errno::ELOOP.into());
        }
        let (link, text) = self.directory.read_link(name)?;
        let is_trusted = match self.rule {
            Rule::Named => self.is_allowed(&link),
            Rule::Private => self.trusts(link.uid),
        };
        if !is_trusted {
            let cause = if self.rule == Rule::Named { Cause::Link } else { Cause::PrivateLink };
            return Err(self.unsafe_path(self.path_of(name), cause(link.uid)));
        }
        if text.as_bytes().starts_with(b"/") {
            self.directory = Directory::open(Path::new("/"))?;
            self.attributes = self.directory.attributes()?;
            self.path = PathBuf::from("/");
            self.check_directory()?;
        }
        self.rest.extend(components(&text));
        Ok(())
    }

    /// Returns `true` if the entry belongs to this user or to the owner of the directory, or if no other user could
    /// have created it.
    fn is_allowed(&self, entry: &Attributes) -> bool {
        entry.uid == self.trusted[0]
            || entry.uid == self.attributes.uid
            || !others_may_write(&self.directory, &self.attributes)
    }

    /// Returns `true` if `owner` is the effective user of this process, root, or the owner of `/`.
    fn trusts(&self, owner: u32) -> bool {
        owner == 0 || self.trusted.contains(&owner)
    }

    fn check_directory(&self) -> Result<(), Error> {
        let found = &self.attributes;
        if self.rule == Rule::Named {
            Ok(())
        } else if !self.trusts(found.uid) {
            Err(self.unsafe_path(self.path.clone(), Cause::Owner(found.uid)))
        } else if found.mode & STICKY == 0 && others_may_write(&self.directory, found) {
            Err(self.unsafe_path(self.path.clone(), Cause::Writable))
        } else {
            Ok(())
        }
    }

    fn path_of(&self, name: &OsStr) -> PathBuf {
        match name.as_bytes() {
            b"." => self.path.clone(),
            b".." if self.path.file_name().is_some() => {
                self.path.parent().map(Path::to_owned).unwrap_or_default()
            }
            b".." if self.path.is_absolute() => self.path.clone(),
            _ => self.path.join(name),
        }
    }

    fn unsafe_path(&self, path: PathBuf, cause: Cause) -> Error {
        let is_last = self.rule == Rule::Named && self.rest.is_empty() && self.links <= 1;
        Error::Refused(UnsafePath { path: (!is_last).then_some(path), cause })
    }
}

/// Returns the components of a path in reverse order. A trailing slash counts as a final `.` component.
fn components(path: &OsStr) -> Vec<OsString> {
    let names = Path::new(path).components().filter(|component| *component != Component::RootDir);
    let mut names: Vec<OsString> = names.map(|name| name.as_os_str().to_owned()).collect();
    if path.as_bytes().ends_with(b"/") || path.as_bytes().ends_with(b"/.") {
        names.push(".".into());
    }
    names.reverse();
    names
}

/// Returns `true` if users other than root and the owner may write to an open directory.
///
/// Two groups are ignored because they have no other members: root's group, and the owner's private group. (Many
/// systems create a private group for each user, which can write to the user's directories.) If the directory has an
/// access control list, no group is ignored, because the group bits then also apply to the users and groups in the
/// list.
pub fn others_may_write(directory: &Directory, found: &Attributes) -> bool {
    let by_group = || {
        let is_private = found.gid == 0 || users::is_only_member(found.uid, found.gid);
        !is_private || directory.has_access_list()
    };
    found.mode & OTHERS != 0 || found.mode & GROUP != 0 && by_group()
}
