//! Guards: rules that refuse a deletion or warn the user about it. Directories are recognized by their file IDs, not
//! by their paths.
//!
//! Invariant: nothing in this module changes the file system.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::group::{Group, Item};
use super::reason::Blocked;
use super::selection::Selection;
use crate::base::kind::Kind;
use crate::platform::entry::safe_path::others_may_write;
use crate::platform::fs::mounts::standing;
use crate::platform::process::users;
use crate::platform::{Attributes, Directory, FileId, STICKY, attributes_of_path};

/// Warning that requires a special confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteWarning {
    /// The entry with this path is the home directory of a user.
    UserHome(Vec<u8>),
    /// duke runs as root, and another user could change the directory of the entries during the deletion. Contains the
    /// path of this directory and the user ID of its owner, which is 0 if root owns it but other users can write to it.
    OthersDirectory(Vec<u8>, u32),
}

impl DeleteWarning {
    /// Returns the path that the warning is about.
    pub fn path(&self) -> &[u8] {
        match self {
            Self::UserHome(path) | Self::OthersDirectory(path, _) => path,
        }
    }

    /// Returns the warning as text. `path` is [`Self::path`], escaped for a terminal.
    pub fn text(&self, path: &str) -> String {
        match self {
            Self::UserHome(_) => format!("{path} is a user's home directory"),
            Self::OthersDirectory(_, 0) => format!("you are root, and other users can change {path}"),
            Self::OthersDirectory(_, user) => format!("you are root, and user ID {user} can change {path}"),
        }
    }
}

/// Applies the guards to a selection. Returns the indexes of the refused items with the reasons, and the warnings.
pub fn check(selection: &Selection) -> (Vec<(usize, Blocked)>, Vec<DeleteWarning>) {
    let protected = protected();
    let homes = homes();
    let last_copies = selection.copies.last_copies();
    let mut blocked = Vec::new();
    let mut warnings = Vec::new();
    let mut number = 0;
    for group in &selection.groups {
        let opened = group.open();
        if let Ok(directory) = &opened
            && let Ok(found) = directory.attributes()
            && users::own() == 0
            && let Some(user) = other_user_in_control(directory, &found)
        {
            warnings.push(DeleteWarning::OthersDirectory(group.path(), user));
        }
        for item in &group.items {
            let reason = match &opened {
                Ok(directory) => check_item(group, item, directory, &protected),
                // The deletion will report that the directory cannot be opened.
                Err(_) => None,
            };
            let is_last = || last_copies.contains(group.path_of(item).as_slice());
            let reason =
                reason.or_else(|| (!last_copies.is_empty() && is_last()).then_some(Blocked::LastCopy));
            if item.kind == Kind::Directory
                && let Some(home) =
                    item.device.and_then(|device| homes.get(&FileId { device, inode: item.inode }))
            {
                warnings.push(DeleteWarning::UserHome(home.clone()));
            }
            blocked.extend(reason.map(|reason| (number, reason)));
            number += 1;
        }
    }
    (blocked, warnings)
}

fn check_item(
    group: &Group,
    item: &Item,
    directory: &Directory,
    protected: &HashMap<FileId, Blocked>,
) -> Option<Blocked> {
    if item.kind != Kind::Directory {
        return None;
    }
    let found = if group.steps.is_empty() {
        attributes_of_path(Path::new(OsStr::from_bytes(&item.name)))
    } else {
        directory.attributes_of(item.name.as_slice())
    };
    let found = found.ok()?;
    if let Some(blocked) = protected.get(&found.file_id()) {
        return Some(*blocked);
    }
    let is_mount = if group.steps.is_empty() {
        standing(Path::new(OsStr::from_bytes(&item.name))).is_ok_and(|standing| standing.is_mount_point)
    } else {
        directory.is_mount(item.name.as_slice()).unwrap_or(false)
            || directory.attributes().is_ok_and(|here| here.device != found.device)
    };
    is_mount.then_some(Blocked::Mount)
}

/// Returns the user ID of a directory's owner if a user other than root can change the directory's entries, otherwise
/// `None`. An owner other than root can always change them. Other users can change them if the mode or the access
/// control list permits it, and the directory has no sticky bit.
fn other_user_in_control(directory: &Directory, found: &Attributes) -> Option<u32> {
    let is_open = || found.mode & STICKY == 0 && others_may_write(directory, found);
    (found.uid != 0 || is_open()).then_some(found.uid)
}

/// Returns the directories that are never deleted, with the reasons, keyed by file ID.
fn protected() -> HashMap<FileId, Blocked> {
    let mut protected = HashMap::new();
    let mut add = |path: &Path, blocked: Blocked| {
        if let Ok(found) = attributes_of_path(path) {
            protected.insert(found.file_id(), blocked);
        }
    };
    // A later reason for a directory replaces an earlier one, so the most specific reasons are added last.
    if let Ok(working) = std::env::current_dir() {
        for above in working.ancestors() {
            add(above, Blocked::Working);
        }
    }
    let homes: Vec<PathBuf> = std::env::home_dir().into_iter().chain(users::own_home()).collect();
    let real = |home: &PathBuf| std::fs::canonicalize(home).ok();
    for home in homes.iter().filter_map(real) {
        home.ancestors().skip(1).for_each(|above| add(above, Blocked::HoldsHome));
    }
    for home in &homes {
        add(home, Blocked::Home);
    }
    add(Path::new("/"), Blocked::Root);
    protected
}

/// Returns the home directories in `/etc/passwd`, and the directories in `/home` and `/Users`, keyed by file ID.
fn homes() -> HashMap<FileId, Vec<u8>> {
    let record = std::fs::read("/etc/passwd").unwrap_or_default();
    let fields =
        record.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b':').nth(5));
    let mut paths: Vec<PathBuf> = fields
        .filter(|home| home.len() > 1 && home.starts_with(b"/"))
        .map(|home| PathBuf::from(OsStr::from_bytes(home)))
        .collect();
    for all in ["/home", "/Users"] {
        let entries = std::fs::read_dir(all).into_iter().flatten().flatten();
        paths.extend(entries.map(|entry| entry.path()));
    }
    let identify = |path: PathBuf| {
        let found = attributes_of_path(&path).ok().filter(Attributes::is_directory)?;
        Some((found.file_id(), path.into_os_string().as_bytes().to_vec()))
    };
    paths.into_iter().filter_map(identify).collect()
}
