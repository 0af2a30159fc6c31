//! Files without a name, as /proc tells of them (proc(5)).
//!
//! A link in `/proc/PID/fd` of such a file ends in ` (deleted)`. Only these are asked for their attributes, so that a file on a
//! server that is gone keeps nobody waiting. What a process has mapped is read from `maps`, which is one file for all of it; the
//! links of `map_files`, which tell the size, only root may follow.

use std::ffi::{CStr, CString};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use nix::fcntl::readlinkat;

use super::{Deleted, Files, Found, Holder, Reach, Through};
use crate::platform::{Buffer, Directory, Errno, Filled, Reader, status};

/// What the kernel puts behind the path of a file that has no name there any more (`d_path`).
const DELETED: &[u8] = b" (deleted)";
/// The number of the first namespace of processes (`PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &[u8] = b"pid:[4026531836]";
/// A name of a process has 16 bytes.
const NAME: usize = 64;

/// As [`super::find`].
pub(super) fn find(is_cancelled: &dyn Fn() -> bool) -> Found {
    let Ok(proc) = Directory::open(std::path::Path::new("/proc")) else { return Found::default() };
    let mut look = Look { files: Files::default(), refused: false, seen: 0 };
    let mut buffer = Buffer::default();
    let mut processes = Vec::new();
    let _ = each_name(&proc, &mut buffer, |name| {
        processes.extend(number(name.to_bytes()).map(|pid| (pid, name.to_owned())));
    });
    for (pid, name) in &processes {
        if is_cancelled() {
            break;
        }
        look.at(&proc, *pid, name, &mut buffer);
    }
    let reach = look.reach(&proc);
    look.files.found(reach)
}

struct Look {
    files: Files,
    /// Whether a process would not be looked into.
    refused: bool,
    /// How many were.
    seen: usize,
}

impl Look {
    /// Looks at one process. Whatever is gone by then was not to be found.
    fn at(&mut self, proc: &Directory, pid: u32, name: &CStr, buffer: &mut Buffer) {
        let Ok(process) = proc.open_child(name) else { return };
        let descriptors = process.open_child(c"fd");
        let through = match &descriptors {
            Ok(descriptors) => each_name(descriptors, buffer, |name| {
                if let Ok(path) = link(descriptors, name) {
                    // What fails now has been closed meanwhile.
                    let _ = self.meet(&process, descriptors, name, &path, (pid, Through::Descriptor));
                }
            }),
            Err(error) => Err(*error),
        };
        match through {
            Ok(()) => self.seen += 1,
            Err(Errno::EACCES | Errno::EPERM) => self.refused = true,
            Err(_) => return,
        }
        self.mapped(&process, pid);
    }

    /// Looks at what a process has mapped.
    fn mapped(&mut self, process: &Directory, pid: u32) {
        let Ok(maps) = read_all(process, c"maps") else { return };
        let mut mappings = maps.split(|byte| *byte == b'\n').filter_map(mapping).peekable();
        if mappings.peek().is_none() {
            return;
        }
        let links = process.open_child(c"map_files");
        for Mapping { range, device, inode, path } in mappings {
            let through = (pid, Through::Memory);
            let met = match (&links, CString::new(range)) {
                (Ok(links), Ok(range)) => self.meet(process, links, &range, path, through),
                (Err(error), _) => Err(*error),
                (_, Err(_)) => continue,
            };
            // Who it is can be told, but not how much it takes.
            if let Err(Errno::EPERM | Errno::EACCES) = met {
                let holders = vec![holder(process, through)];
                let path = former(path).to_vec();
                self.files.add(Deleted { device, mount: None, inode, disk: None, path, holders });
            }
        }
    }

    /// Takes the file that the link `name` leads to, if it has no name any more.
    fn meet(
        &mut self,
        process: &Directory,
        links: &Directory,
        name: &CStr,
        path: &[u8],
        through: (u32, Through),
    ) -> Result<(), Errno> {
        if !path.ends_with(DELETED) {
            return Ok(());
        }
        let status = status::of_child(links, name, libc::AT_STATX_DONT_SYNC)?;
        // Otherwise it has another name, or is simply called so.
        if status.attributes.links == 0 {
            self.files.add(Deleted {
                device: status.attributes.device,
                mount: status.mount,
                inode: status.attributes.inode,
                disk: Some(status.attributes.blocks.saturating_mul(512)),
                path: former(path).to_vec(),
                holders: vec![holder(process, through)],
            });
        }
        Ok(())
    }

    fn reach(&self, proc: &Directory) -> Reach {
        if self.seen == 0 {
            return Reach::None;
        }
        // Processes of others may be hidden (`hidepid`) as well as locked, so not being refused is not enough.
        if self.refused || !nix::unistd::geteuid().is_root() {
            return Reach::Own;
        }
        match readlinkat(proc, c"self/ns/pid") {
            Ok(name) if name.as_bytes() == FIRST_NAMESPACE => Reach::All,
            _ => Reach::Container,
        }
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

fn link(directory: &Directory, name: &CStr) -> Result<Vec<u8>, Errno> {
    Ok(readlinkat(directory.as_fd(), name)?.as_bytes().to_vec())
}

fn holder(process: &Directory, (pid, through): (u32, Through)) -> Holder {
    let mut start = [0; NAME];
    let length = process.read_start(c"comm", &mut start).unwrap_or(0);
    Holder { pid, name: start[..length].trim_ascii_end().to_vec(), through }
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
    std::fs::File::from(file)
        .read_to_end(&mut bytes)
        .map_err(|error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))?;
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
