//! Files without a name that processes still have open: their space is free when the last of these lets go.
//!
//! | system | where they are found |
//! |---|---|
//! | Linux | `/proc/PID/fd`, `/proc/PID/maps` and `/proc/PID/map_files` (proc(5)) |
//! | macOS | libproc: `proc_pidinfo`, `proc_pidfdinfo` |
//!
//! Knows no file system: the caller sorts them by device. Invariant: an inode is in the result once, however many descriptors lead to
//! it, and a process that ends meanwhile is no error.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A file without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its device (`st_dev`).
    pub device: u64,
    /// The number of the mount it was opened through, where the system tells.
    pub mount: Option<u64>,
    /// Its inode.
    pub inode: u64,
    /// Disk bytes it takes; none if this process may not ask.
    pub disk: Option<u64>,
    /// Its last path.
    pub path: Vec<u8>,
    /// Who has it open, in the order of their numbers.
    pub holders: Vec<Holder>,
}

/// A process that has a file open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub pid: u32,
    /// Its name, any bytes.
    pub name: Vec<u8>,
    /// Whether through a descriptor or only mapped into its memory.
    pub through: Through,
}

/// How a process has a file open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Through {
    /// By a descriptor.
    Descriptor,
    /// Mapped into memory: a library, a program, or by mmap(2).
    Memory,
}

/// Whose files could be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Nobody's.
    #[default]
    None,
    /// Those of processes this one may look into: its own person's.
    Own,
    /// Those of all processes this container sees; there may be more outside.
    Container,
    /// All.
    All,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The files.
    pub files: Vec<Deleted>,
    /// Whose.
    pub reach: Reach,
}

/// Looks for them. `is_cancelled` is asked now and then; what was found until then is returned.
#[cfg(target_os = "linux")]
pub fn find(is_cancelled: impl Fn() -> bool + Sync) -> Found {
    linux::find(&is_cancelled)
}
/// Looks for them. `is_cancelled` is asked now and then; what was found until then is returned.
#[cfg(target_os = "macos")]
pub fn find(is_cancelled: impl Fn() -> bool + Sync) -> Found {
    macos::find(&is_cancelled)
}
/// Nothing is known.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn find(_: impl Fn() -> bool) -> Found {
    Found::default()
}

/// Files by identity.
#[derive(Default)]
struct Files {
    files: Vec<Deleted>,
    by_identity: HashMap<(u64, u64), usize>,
}

impl Files {
    /// Adds one that a process has open.
    fn add(&mut self, file: Deleted) {
        let Deleted { disk, ref holders, .. } = file;
        match self.by_identity.entry((file.device, file.inode)) {
            Entry::Vacant(entry) => {
                entry.insert(self.files.len());
                self.files.push(file);
            }
            Entry::Occupied(entry) => {
                let known = &mut self.files[*entry.get()];
                known.disk = known.disk.or(disk);
                for holder in holders {
                    match known.holders.iter_mut().rfind(|it| it.pid == holder.pid) {
                        Some(same) => same.through = same.through.min(holder.through),
                        None => known.holders.push(holder.clone()),
                    }
                }
            }
        }
    }

    fn found(self, reach: Reach) -> Found {
        let mut files = self.files;
        let own = std::process::id();
        for file in &mut files {
            // What was handed to this process by one that still has it: it will not be this one that keeps it.
            if file.holders.len() > 1 {
                file.holders.retain(|holder| holder.pid != own);
            }
            file.holders.sort_by_key(|holder| holder.pid);
        }
        Found { files, reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(inode: u64, pid: u32, through: Through, disk: Option<u64>) -> Deleted {
        let holders = vec![Holder { pid, name: b"tail".to_vec(), through }];
        Deleted { device: 1, mount: None, inode, disk, path: b"/tmp/x".to_vec(), holders }
    }

    #[test]
    fn a_file_is_there_once_with_all_who_hold_it() {
        let mut files = Files::default();
        files.add(file(5, 20, Through::Memory, None));
        files.add(file(5, 10, Through::Descriptor, Some(4096)));
        files.add(file(5, 20, Through::Descriptor, Some(4096)));
        files.add(file(6, 10, Through::Descriptor, Some(0)));
        let found = files.found(Reach::Own);
        assert_eq!(found.files.len(), 2);
        let first = &found.files[0];
        assert_eq!(first.disk, Some(4096), "known as soon as one of them tells");
        let holders: Vec<_> = first.holders.iter().map(|holder| (holder.pid, holder.through)).collect();
        assert_eq!(holders, [(10, Through::Descriptor), (20, Through::Descriptor)]);
    }
}
