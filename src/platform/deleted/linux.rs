//! Files without a name, as /proc tells of them (proc(5)).
//!
//! A link in `/proc/PID/fd` of such a file ends in ` (deleted)`. Only these are asked for their attributes, so that a file on a
//! server that is gone keeps nobody waiting. What a process has mapped is read from `maps`, which is one file for all of it; the
//! links of `map_files`, which tell the size, only root may follow.

use std::cell::OnceCell;
use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, AsRawFd};

use super::{Deleted, Files, Found, Holder, Reach, Through};
use crate::platform::{Buffer, Directory, Errno, Filled, Reader, limits, status};
use crate::sync::{AtomicUsize, Ordering};

/// What the kernel puts behind the path of a file that has no name there any more (`d_path`).
const DELETED: &[u8] = b" (deleted)";
/// The number of the first namespace of processes (`PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &[u8] = b"pid:[4026531836]";
/// A name of a process has 16 bytes.
const NAME: usize = 64;
/// The longest path that a link of /proc tells: a page.
const LINK: usize = 4096;
/// More workers than this only wait for each other's locks.
const MOST_WORKERS: usize = 8;

/// As [`super::find`].
pub(super) fn find(is_cancelled: &(dyn Fn() -> bool + Sync)) -> Found {
    let Ok(proc) = Directory::open(std::path::Path::new("/proc")) else { return Found::default() };
    let mut processes = Vec::new();
    // What was listed before an error is looked at all the same.
    let _ = each_name(&proc, &mut Buffer::default(), |name| {
        processes.extend(number(name.to_bytes()).map(|pid| (pid, name.to_owned())));
    });
    // Each worker takes the next process; `Relaxed`: the number guards no data.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut look = Look::default();
        while let Some((pid, name)) = processes.get(next.fetch_add(1, Ordering::Relaxed))
            && !is_cancelled()
        {
            look.at(&proc, *pid, name);
        }
        look
    };
    let mut look = Look::default();
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..limits::processors().min(MOST_WORKERS)).filter_map(spawn).collect();
        look.absorb(work());
        for worker in workers {
            match worker.join() {
                Ok(other) => look.absorb(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let reach = look.reach(&proc);
    look.files.found(reach)
}

/// What a worker has found.
#[derive(Default)]
struct Look {
    files: Files,
    /// Whether a process would not be looked into.
    refused: bool,
    /// How many were.
    seen: usize,
    buffer: Buffer,
}

/// A process that is being looked at.
struct Process {
    directory: Directory,
    pid: u32,
    /// Asked for when it holds something.
    name: OnceCell<Vec<u8>>,
}

impl Look {
    /// Looks at one process. Whatever is gone by then was not to be found.
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

    /// Looks at what a process has descriptors of.
    fn opened(&mut self, process: &Process) -> Result<(), Errno> {
        let links = process.directory.open_child(c"fd")?;
        let mut path = [0; LINK];
        each_name(&links, &mut self.buffer, |name| {
            if let Ok(path) = link(&links, name, &mut path)
                && path.ends_with(DELETED)
            {
                // What fails now has been closed meanwhile.
                let _ = self.files.meet(process, &links, name, path, Through::Descriptor);
            }
        })
    }

    /// Looks at what a process has mapped.
    fn mapped(&mut self, process: &Process) {
        let Ok(maps) = read_all(&process.directory, c"maps") else { return };
        let mut mappings = maps.split(|byte| *byte == b'\n').filter_map(mapping).peekable();
        if mappings.peek().is_none() {
            return;
        }
        let links = process.directory.open_child(c"map_files");
        for Mapping { range, device, inode, path } in mappings {
            let met = match (&links, CString::new(range)) {
                (Ok(links), Ok(range)) => self.files.meet(process, links, &range, path, Through::Memory),
                (Err(error), _) => Err(*error),
                (_, Err(_)) => continue,
            };
            // Which one it is can be told, but not how much it takes.
            if let Err(Errno::EPERM | Errno::EACCES) = met {
                let holders = vec![process.holder(Through::Memory)];
                let path = former(path).to_vec();
                self.files.add(Deleted { device, mount: None, inode, disk: None, path, holders });
            }
        }
    }

    fn absorb(&mut self, other: Self) {
        self.refused |= other.refused;
        self.seen += other.seen;
        other.files.files.into_iter().for_each(|file| self.files.add(file));
    }

    fn reach(&self, proc: &Directory) -> Reach {
        if self.seen == 0 {
            return Reach::None;
        }
        // Processes of others may be hidden (`hidepid`) as well as locked, so not being refused is not enough.
        if self.refused || !nix::unistd::geteuid().is_root() {
            return Reach::Own;
        }
        match link(proc, c"self/ns/pid", &mut [0; LINK]) {
            Ok(FIRST_NAMESPACE) => Reach::All,
            _ => Reach::Container,
        }
    }
}

impl Files {
    /// Takes the file that the link `name` leads to, if it has no name any more.
    fn meet(
        &mut self,
        process: &Process,
        links: &Directory,
        name: &CStr,
        path: &[u8],
        through: Through,
    ) -> Result<(), Errno> {
        let status = status::of_child(links, name, libc::AT_STATX_DONT_SYNC)?;
        // Otherwise it has another name, or is simply called so.
        if status.attributes.links == 0 {
            self.add(Deleted {
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
            let mut start = [0; NAME];
            let length = self.directory.read_start(c"comm", &mut start).unwrap_or(0);
            start[..length].trim_ascii_end().to_vec()
        });
        Holder { pid: self.pid, name: name.clone(), through }
    }
}

/// A mapped file without a name.
struct Mapping<'m> {
    range: &'m [u8],
    device: u64,
    inode: u64,
    path: &'m [u8],
}

/// `7f12-7f34 r--p 00000000 fe:00 1234      /tmp/x (deleted)`
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

/// Where a link leads.
#[allow(unsafe_code)]
fn link<'p>(directory: &Directory, name: &CStr, path: &'p mut [u8; LINK]) -> Result<&'p [u8], Errno> {
    let fd = directory.as_fd().as_raw_fd();
    // SAFETY: `name` ends in NUL, and `path` has as many writable bytes as the call is told.
    let length = unsafe { libc::readlinkat(fd, name.as_ptr(), path.as_mut_ptr().cast(), LINK) };
    Ok(&path[..usize::try_from(Errno::result(length)?).map_err(|_| Errno::EIO)?])
}

/// Calls `meet` with each name in `directory`.
fn each_name(directory: &Directory, buffer: &mut Buffer, mut meet: impl FnMut(&CStr)) -> Result<(), Errno> {
    let mut reader = Reader::new(directory);
    while reader.fill(buffer)? == Filled::Some {
        buffer.entries().for_each(|entry| meet(entry.name));
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
    fn a_mapping_without_a_name_is_told_from_others() {
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
