//! Deleted but open files, found in /proc (proc(5)).
//!
//! In `/proc/PID/fd`, the link to such a file has a target that ends with ` (deleted)`. Attributes are read only for
//! these files, so that a file on an unreachable server does not block the search. The mapped files of a process are
//! listed in `/proc/PID/maps`. Their sizes are read through the links in `/proc/PID/map_files`, which only root can
//! follow.

use std::cell::OnceCell;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd};

use super::{Files, Found, Holder, ProcessAccess, Through, UnlinkedFile};
use crate::base::sync::{AtomicUsize, Ordering};
use crate::platform::entry::imp::statx;
use crate::platform::process::limits;
use crate::platform::{Buffer, Directory, Errno, Filled, Reader};

/// `true` if `/proc` contains links to the open files of each process.
pub const HAS_PROC_FD_LINKS: bool = true;

/// Suffix that the kernel appends to the path of a deleted file (`d_path`).
const DELETED: &[u8] = b" (deleted)";
/// Target of the link `/proc/PID/ns/pid` in the initial PID namespace (`PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &[u8] = b"pid:[4026531836]";
/// Size in bytes of the buffer for a process name. This is more than enough: a name and the newline after the name have
/// at most 16 bytes.
const NAME_BUFFER: usize = 64;
/// Maximum length of a link target in /proc: one page.
const LINK: usize = 4096;
/// Maximum number of workers. More workers would only wait for kernel locks that other workers hold.
const MOST_WORKERS: usize = 8;

/// Searches for deleted but open files. If `is_cancelled` returns `true`, returns the files found so far.
pub fn find(is_cancelled: impl Fn() -> bool + Sync) -> Found {
    let is_cancelled: &(dyn Fn() -> bool + Sync) = &is_cancelled;
    let Ok(proc) = Directory::open(std::path::Path::new("/proc")) else { return Found::default() };
    let mut processes = Vec::new();
    // If listing /proc fails, the processes listed before the error are still searched.
    let _ = each_name(&proc, &mut Buffer::default(), |name| {
        processes.extend(number(name.to_bytes()).map(|pid| (pid, name.to_owned())));
    });
    // Index of the next process to search. `Relaxed` ordering is enough, because the index guards no data.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut search = Search::default();
        while let Some((pid, name)) = processes.get(next.fetch_add(1, Ordering::Relaxed))
            && !is_cancelled()
        {
            search.at(&proc, *pid, name);
        }
        search
    };
    let mut search = Search::default();
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..limits::processors().min(MOST_WORKERS)).filter_map(spawn).collect();
        search.merge(work());
        for worker in workers {
            match worker.join() {
                Ok(other) => search.merge(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let access = search.access(&proc);
    search.files.found(access)
}

/// State and results of one worker's search.
#[derive(Default)]
struct Search {
    files: Files,
    /// `true` if a process could not be accessed.
    refused: bool,
    /// Number of processes searched.
    seen: usize,
    buffer: Buffer,
}

struct Process {
    directory: Directory,
    pid: u32,
    /// Name of the process. It is not read until a deleted file is found open in the process.
    name: OnceCell<Vec<u8>>,
}

impl Search {
    /// Searches one process, unless it has ended.
    fn at(&mut self, proc: &Directory, pid: u32, name: &CStr) {
        let Ok(directory) = proc.open_child(name) else { return };
        let process = Process { directory, pid, name: OnceCell::new() };
        match self.opened(&process) {
            Ok(()) => self.seen += 1,
            Err(Errno::EACCES | Errno::EPERM) => self.refused = true,
            Err(_) => return,
        }
        self.mapped(&process);
    }

    /// Searches the descriptors of a process for deleted files.
    fn opened(&mut self, process: &Process) -> Result<(), Errno> {
        let links = process.directory.open_child(c"fd")?;
        let mut path = [0; LINK];
        each_name(&links, &mut self.buffer, |name| {
            if let Ok(path) = link(&links, name, &mut path)
                && path.ends_with(DELETED)
            {
                // An error means that the descriptor has been closed since it was listed.
                let _ = self.files.add_if_deleted(process, &links, name, path, Through::Descriptor);
            }
        })
    }

    /// Searches the memory mappings of a process for deleted files.
    fn mapped(&mut self, process: &Process) {
        let Ok(maps) = read_all(&process.directory, c"maps") else { return };
        let mut mappings = maps.split(|byte| *byte == b'\n').filter_map(mapping).peekable();
        if mappings.peek().is_none() {
            return;
        }
        let links = process.directory.open_child(c"map_files");
        for Mapping { range, device, inode, path } in mappings {
            let added = match (&links, CString::new(range)) {
                (Ok(links), Ok(range)) => {
                    self.files.add_if_deleted(process, links, &range, path, Through::Memory)
                }
                (Err(error), _) => Err(*error),
                (_, Err(_)) => continue,
            };
            // Without permission to follow the link in `map_files`, the file is added without its size.
            if let Err(Errno::EPERM | Errno::EACCES) = added {
                let holders = vec![process.holder(Through::Memory)];
                let path = former(path).to_vec();
                self.files.add(UnlinkedFile { device, mount: None, inode, disk: None, path, holders });
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.refused |= other.refused;
        self.seen += other.seen;
        other.files.files.into_iter().for_each(|file| self.files.add(file));
    }

    fn access(&self, proc: &Directory) -> ProcessAccess {
        if self.seen == 0 {
            return ProcessAccess::None;
        }
        // Without root, the system may hide other users' processes (`hidepid`) instead of refusing access.
        if self.refused || !nix::unistd::geteuid().is_root() {
            return ProcessAccess::Own;
        }
        match link(proc, c"self/ns/pid", &mut [0; LINK]) {
            Ok(FIRST_NAMESPACE) => ProcessAccess::All,
            _ => ProcessAccess::Container,
        }
    }
}

impl Files {
    /// Adds the file that the link `name` refers to, if the file has been deleted.
    fn add_if_deleted(
        &mut self,
        process: &Process,
        links: &Directory,
        name: &CStr,
        path: &[u8],
        through: Through,
    ) -> Result<(), Errno> {
        let status = statx::of_child(links, name, libc::AT_STATX_DONT_SYNC)?;
        // A file with links still exists: it has another name, or its real name ends with ` (deleted)`.
        if status.attributes.links == 0 {
            self.add(UnlinkedFile {
                device: status.attributes.device,
                mount: status.mount,
                inode: status.attributes.inode,
                disk: Some(status.attributes.blocks.saturating_mul(512)),
                path: former(path).to_vec(),
                holders: vec![process.holder(through)],
            });
        }
        Ok(())
    }
}

impl Process {
    fn holder(&self, through: Through) -> Holder {
        let name = self.name.get_or_init(|| {
            let mut start = [0; NAME_BUFFER];
            let length = self.directory.read_start(c"comm", &mut start).unwrap_or(0);
            start[..length].trim_ascii_end().to_vec()
        });
        Holder { pid: self.pid, name: name.clone(), through }
    }
}

/// Mapping of a deleted file.
struct Mapping<'m> {
    range: &'m [u8],
    device: u64,
    inode: u64,
    path: &'m [u8],
}

/// Parses a line of `maps` such as `7f12-7f34 r--p 00000000 fe:00 1234      /tmp/x (deleted)`. Returns
/// `None` if the line does not end in ` (deleted)`, or if it is malformed.
fn mapping(line: &[u8]) -> Option<Mapping<'_>> {
    if !line.ends_with(DELETED) {
        return None;
    }
    let path = &line[line.iter().position(|byte| *byte == b'/')?..];
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let range = fields.next()?;
    let device = fields.nth(2)?;
    let inode: u64 = number(fields.next()?)?;
    let colon = device.iter().position(|byte| *byte == b':')?;
    let hex = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    let device = libc::makedev(hex(&device[..colon])?, hex(&device[colon + 1..])?);
    Some(Mapping { range, device, inode, path })
}

fn number<N: std::str::FromStr>(name: &[u8]) -> Option<N> {
    std::str::from_utf8(name).ok()?.parse().ok()
}

fn former(path: &[u8]) -> &[u8] {
    path.strip_suffix(DELETED).unwrap_or(path)
}

/// Reads the target of the link `name` into `path`, and returns the target.
#[allow(unsafe_code)]
fn link<'p>(directory: &Directory, name: &CStr, path: &'p mut [u8; LINK]) -> Result<&'p [u8], Errno> {
    let fd = directory.as_fd().as_raw_fd();
    // SAFETY: `name` ends with NUL, and `path` has `LINK` writable bytes.
    let length = unsafe { libc::readlinkat(fd, name.as_ptr(), path.as_mut_ptr().cast(), LINK) };
    Ok(&path[..usize::try_from(Errno::result(length)?).map_err(|_| Errno::EIO)?])
}

fn each_name(directory: &Directory, buffer: &mut Buffer, mut visit: impl FnMut(&CStr)) -> Result<(), Errno> {
    let mut reader = Reader::new(directory);
    while reader.fill(buffer)? == Filled::Some {
        buffer.entries().for_each(|entry| visit(entry.name));
    }
    Ok(())
}

fn read_all(directory: &Directory, name: &CStr) -> Result<Vec<u8>, Errno> {
    use std::io::Read;
    let file = nix::fcntl::openat(
        directory,
        name,
        nix::fcntl::OFlag::O_RDONLY | nix::fcntl::OFlag::O_CLOEXEC,
        nix::sys::stat::Mode::empty(),
    )?;
    let mut bytes = Vec::new();
    std::fs::File::from(file).read_to_end(&mut bytes).map_err(|error| crate::platform::errno_of(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_without_a_file_are_distinguished() {
        let line = b"7f12-7f34 rw-s 00000000 fe:10 1234                       /tmp/a b (deleted)";
        let mapping = mapping(line).unwrap();
        assert_eq!((mapping.range, mapping.inode), (&b"7f12-7f34"[..], 1234));
        assert_eq!(mapping.device, libc::makedev(0xfe, 0x10));
        assert_eq!(former(mapping.path), b"/tmp/a b");
        for line in [&b"7f12-7f34 rw-s 0 fe:10 1234 /tmp/a"[..], b"", b" (deleted)", b"x / (deleted)"] {
            assert!(super::mapping(line).is_none());
        }
    }
}
