//! Deleted but open files. Their space is freed when the last process closes them.
//!
//! | system | source |
//! |---|---|
//! | Linux | `/proc/PID/fd`, `/proc/PID/maps` and `/proc/PID/map_files` (proc(5)) |
//! | macOS | libproc: `proc_pidinfo`, `proc_pidfdinfo` |
//!
//! The caller assigns the files to file systems by device. Invariant: each inode occurs only once in the result, even
//! if several descriptors refer to it. A process that ends during the search causes no error.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "unix.rs")]
mod imp;

pub use imp::{HAS_PROC_FD_LINKS, find};

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::base::sort::sort_by_key;
use crate::platform::FileId;

/// Open file whose last name was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlinkedFile {
    /// Device (`st_dev`).
    pub device: u64,
    /// ID of the mount through which the file was opened, if the system reports it.
    pub mount: Option<u64>,
    pub inode: u64,
    /// Disk usage in bytes; `None` if this process may not read it.
    pub disk: Option<u64>,
    /// Last path of the file before it was deleted.
    pub path: Vec<u8>,
    /// Processes that hold the file open, sorted by ID.
    pub holders: Vec<Holder>,
}

/// Process that holds a file open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    /// Name of the process, which can contain any bytes.
    pub name: Vec<u8>,
    pub through: Through,
}

/// Way in which a process holds a file open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Through {
    /// Open descriptor.
    Descriptor,
    /// Memory mapping, such as a running program, a library, or a file mapped with mmap(2).
    Memory,
}

/// Set of processes that the search could access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessAccess {
    /// No processes.
    #[default]
    None,
    /// Only the processes that duke may access, usually those of the same user.
    Own,
    /// All processes in this container. duke cannot see processes outside the container.
    Container,
    /// All processes on this machine.
    All,
}

#[derive(Clone, Debug, Default)]
pub struct Found {
    pub files: Vec<UnlinkedFile>,
    pub access: ProcessAccess,
}

/// Files found so far, with one element per inode.
#[derive(Default)]
struct Files {
    files: Vec<UnlinkedFile>,
    by_identity: HashMap<FileId, usize>,
}

impl Files {
    /// Adds a file that a process holds open.
    fn add(&mut self, file: UnlinkedFile) {
        let UnlinkedFile { device, inode, disk, ref holders, .. } = file;
        match self.by_identity.entry(FileId { device, inode }) {
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

    fn found(self, access: ProcessAccess) -> Found {
        let mut files = self.files;
        let own = std::process::id();
        for file in &mut files {
            // If another process holds the file too, duke has probably inherited the file, so duke is not listed.
            if file.holders.len() > 1 {
                file.holders.retain(|holder| holder.pid != own);
            }
            sort_by_key(&mut file.holders, |holder| holder.pid);
        }
        Found { files, access }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(inode: u64, pid: u32, through: Through, disk: Option<u64>) -> UnlinkedFile {
        let holders = vec![Holder { pid, name: b"tail".to_vec(), through }];
        UnlinkedFile { device: 1, mount: None, inode, disk, path: b"/tmp/x".to_vec(), holders }
    }

    #[test]
    fn a_deleted_file_is_listed_once_with_all_its_processes() {
        let mut files = Files::default();
        files.add(file(5, 20, Through::Memory, None));
        files.add(file(5, 10, Through::Descriptor, Some(4096)));
        files.add(file(5, 20, Through::Descriptor, Some(4096)));
        files.add(file(6, 10, Through::Descriptor, Some(0)));
        let found = files.found(ProcessAccess::Own);
        assert_eq!(found.files.len(), 2);
        let first = &found.files[0];
        assert_eq!(first.disk, Some(4096), "known as soon as one of them tells");
        let holders: Vec<_> = first.holders.iter().map(|holder| (holder.pid, holder.through)).collect();
        assert_eq!(holders, [(10, Through::Descriptor), (20, Through::Descriptor)]);
    }
}
