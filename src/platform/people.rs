//! The names of users and groups.
//!
//! They may come from a server (nsswitch.conf(5), Open Directory), so asking may take as long as that takes.
//!
//! Invariant: who has no name is a number, never an error: files keep the owners of systems they came from.

use nix::unistd::{Gid, Group, Uid, User};

/// The name of a user, if there is one (`getpwuid_r(3)`).
pub fn user(number: u32) -> Option<String> {
    User::from_uid(Uid::from_raw(number)).ok().flatten().map(|user| user.name)
}

/// The name of a group, if there is one (`getgrgid_r(3)`).
pub fn group(number: u32) -> Option<String> {
    Group::from_gid(Gid::from_raw(number)).ok().flatten().map(|group| group.name)
}
