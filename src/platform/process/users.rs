//! Names of users and groups.
//!
//! They may come from a server (nsswitch.conf(5), Open Directory), and a lookup may wait for it.
//!
//! Invariant: an unknown user has only a number, which is not an error: files keep the owners of the systems
//! they came from.

use std::path::PathBuf;

use nix::unistd::{Gid, Group, Uid, User, geteuid};

/// Returns the effective user of this process.
pub fn own() -> u32 {
    geteuid().as_raw()
}

/// Returns the home directory of this process's user, according to the user database.
pub fn own_home() -> Option<PathBuf> {
    User::from_uid(geteuid()).ok().flatten().map(|user| user.dir)
}

/// Returns the name of a user; `None` if there is none (`getpwuid_r(3)`).
pub fn user(number: u32) -> Option<String> {
    User::from_uid(Uid::from_raw(number)).ok().flatten().map(|user| user.name)
}

/// Returns the name of a group; `None` if there is none (`getgrgid_r(3)`).
pub fn group(number: u32) -> Option<String> {
    Group::from_gid(Gid::from_raw(number)).ok().flatten().map(|group| group.name)
}

/// Returns `true` if a group belongs to one user: it has the user's name, and no other members.
pub fn is_only_member(user: u32, group: u32) -> bool {
    let Some(name) = self::user(user) else { return false };
    let group = Group::from_gid(Gid::from_raw(group)).ok().flatten();
    group.is_some_and(|group| group.name == name && group.mem.iter().all(|member| *member == name))
}
