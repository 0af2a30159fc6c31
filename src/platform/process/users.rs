//! Names of users and groups.
//!
//! They may come from a server (nsswitch.conf(5), Open Directory), so a lookup may take as long as that
//! takes.
//!
//! Invariant: an unknown user is a number, never an error, since files keep the owners of the systems they
//! came from.

use std::path::PathBuf;

use nix::unistd::{Gid, Group, Uid, User, geteuid};

/// Returns the user that this process acts as.
pub fn own() -> u32 {
    geteuid().as_raw()
}

/// Returns the home that the system has on record for this process.
pub fn own_home() -> Option<PathBuf> {
    User::from_uid(geteuid()).ok().flatten().map(|user| user.dir)
}

/// Returns the name of a user, if there is one (`getpwuid_r(3)`).
pub fn user(number: u32) -> Option<String> {
    User::from_uid(Uid::from_raw(number)).ok().flatten().map(|user| user.name)
}

/// Returns the name of a group, if there is one (`getgrgid_r(3)`).
pub fn group(number: u32) -> Option<String> {
    Group::from_gid(Gid::from_raw(number)).ok().flatten().map(|group| group.name)
}

/// Returns `true` if a group belongs to one user: it has the user's name, and no other members.
pub fn is_only_member(user: u32, group: u32) -> bool {
    let Some(name) = self::user(user) else { return false };
    let group = Group::from_gid(Gid::from_raw(group)).ok().flatten();
    group.is_some_and(|group| group.name == name && group.mem.iter().all(|member| *member == name))
}
