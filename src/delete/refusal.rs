//! What is refused, and what wants a second thought: told by what a directory is, never by how its path is spelled.
//!
//! Invariant: nothing in here changes anything.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Group, Item, Reason, Selection};
use crate::kind::Kind;
use crate::platform::mounts::standing;
use crate::platform::{Attributes, STICKY, attributes_of_path};

/// Why something is not done, whatever anybody confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is the root of all.
    Root,
    /// It is this person's home.
    Home,
    /// This person's home lies in it.
    HoldsHome,
    /// Something is mounted there.
    Mount,
    /// This program works in it.
    Working,
    /// It is not what was scanned.
    Changed,
}

impl Refusal {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Root => "the root of everything is not removed",
            Self::Home => "your home is not removed",
            Self::HoldsHome => "your home lies in it",
            Self::Mount => "something is mounted there",
            Self::Working => "this program was started in it",
            Self::Changed => "changed since it was read",
        }
    }
}

/// Why it has to be confirmed in particular.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concern {
    /// It is somebody's home: its path.
    SomebodysHome(Vec<u8>),
    /// Root is about to work in a directory that another may change: its path, and that user.
    OthersDirectory(Vec<u8>, u32),
}

type Identity = (u64, u64);

/// What is to be said against a selection, by number of the item, and in all.
pub fn judge(selection: &Selection) -> (Vec<(usize, Refusal)>, Vec<Concern>) {
    let protected = protected();
    let homes = homes();
    let mut refusals = Vec::new();
    let mut concerns = Vec::new();
    let mut number = 0;
    for group in &selection.groups {
        let opened = group.open();
        if let Ok(directory) = &opened
            && let Ok(found) = directory.attributes()
            && let Some(user) = other_master(&found, nix::unistd::geteuid().as_raw())
        {
            concerns.push(Concern::OthersDirectory(group.path(), user));
        }
        for item in &group.items {
            let refusal = match &opened {
                Ok(directory) => judge_item(group, item, directory, &protected),
                Err(Reason::Changed) => Some(Refusal::Changed),
                // The removal will say why.
                Err(_) => None,
            };
            if item.kind == Kind::Directory
                && let Some(home) = item.device.and_then(|device| homes.get(&(device, item.inode)))
            {
                concerns.push(Concern::SomebodysHome(home.clone()));
            }
            refusals.extend(refusal.map(|refusal| (number, refusal)));
            number += 1;
        }
    }
    (refusals, concerns)
}

fn judge_item(
    group: &Group,
    item: &Item,
    directory: &crate::platform::Directory,
    protected: &HashMap<Identity, Refusal>,
) -> Option<Refusal> {
    if item.kind != Kind::Directory {
        return None;
    }
    let found = if group.steps.is_empty() {
        attributes_of_path(Path::new(OsStr::from_bytes(&item.name)))
    } else {
        directory.attributes_of(item.name.as_slice())
    };
    let found = found.ok()?;
    if let Some(refusal) = protected.get(&(found.device, found.inode)) {
        return Some(*refusal);
    }
    let is_mount = if group.steps.is_empty() {
        standing(Path::new(OsStr::from_bytes(&item.name))).is_ok_and(|standing| standing.is_mount_point)
    } else {
        directory.is_mount(item.name.as_slice()).unwrap_or(false)
            || directory.attributes().is_ok_and(|here| here.device != found.device)
    };
    is_mount.then_some(Refusal::Mount)
}

/// The user other than root who may change the directory `found`, if `me` is root: its owner, or for one that all may
/// write to without the sticky bit nobody in particular, who is told as the owner too.
fn other_master(found: &Attributes, me: u32) -> Option<u32> {
    const ALL_MAY_WRITE: u32 = 0o002;
    let is_open = found.mode & ALL_MAY_WRITE != 0 && found.mode & STICKY == 0;
    (me == 0 && (found.uid != 0 || is_open)).then_some(found.uid)
}

/// The directories that are never removed, by identity.
fn protected() -> HashMap<Identity, Refusal> {
    let mut protected = HashMap::new();
    let mut add = |path: &Path, refusal: Refusal| {
        if let Ok(found) = attributes_of_path(path) {
            protected.insert((found.device, found.inode), refusal);
        }
    };
    // Later ones replace earlier ones: the most particular comes last.
    if let Ok(working) = std::env::current_dir() {
        for above in working.ancestors() {
            add(above, Refusal::Working);
        }
    }
    let homes: Vec<PathBuf> = std::env::home_dir().into_iter().chain(own_home()).collect();
    let real = |home: &PathBuf| std::fs::canonicalize(home).ok();
    for home in homes.iter().filter_map(real) {
        home.ancestors().skip(1).for_each(|above| add(above, Refusal::HoldsHome));
    }
    for home in &homes {
        add(home, Refusal::Home);
    }
    add(Path::new("/"), Refusal::Root);
    protected
}

/// The home the system has on record for this process.
fn own_home() -> Option<PathBuf> {
    nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.dir)
}

/// The homes of all users on record and the directories beside them, by identity.
fn homes() -> HashMap<Identity, Vec<u8>> {
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
        Some(((found.device, found.inode), path.into_os_string().as_bytes().to_vec()))
    };
    paths.into_iter().filter_map(identify).collect()
}
