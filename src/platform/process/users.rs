//! Names of users and groups.
//!
//! Names may come from a server (nsswitch.conf(5), Open Directory), in which case a lookup waits for that server.
//!
//! Invariant: a user or group without a name is not an error, because files may have owners from another system.

use std::path::PathBuf;

use nix::unistd::{Gid, Group, Uid, User, geteuid};

/// Returns the effective user ID of this process.
pub fn own() -> u32 {
    geteuid().as_raw()
}

/// Returns the home directory of this process's user, according to the user database.
pub fn own_home() -> Option<PathBuf> {
    User::from_uid(geteuid()).ok().flatten().map(|user| user.dir)
}

/// Returns the name of the user with this ID; `None` if the user has no name (`getpwuid_r(3)`).
pub fn user(number: u32) -> Option<String> {
    User::from_uid(Uid::from_raw(number)).ok().flatten().map(|user| user.name)
}

/// Returns the name of the group with this ID; `None` if the group has no name (`getgrgid_r(3)`).
pub fn group(number: u32) -> Option<String> {
    Group::from_gid(Gid::from_raw(number)).ok().flatten().map(|group| group.name)
}

/// Returns `true` if `group` is the private group of `user`, that is, it has the user's name and no other members.
pub fn is_only_member(user: u32, group: u32) -> bool {
    let Some(name) = self::user(user) else { return false };
    let group = Group::from_gid(Gid::from_raw(group)).ok().flatten();
    group.is_some_and(|group| group.name == name && group.mem.iter().all(|member| *member == name))
}
