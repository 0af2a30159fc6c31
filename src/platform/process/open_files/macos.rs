//! Deleted but open files, found through libproc (libproc.h, `sys/proc_info.h`). Files that are only mapped into memory
//! are not found.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;

use super::{Files, Found, Holder, ProcessAccess, Through, UnlinkedFile};
use crate::platform::Errno;

/// `true` if `/proc` contains links to the open files of each process.
pub const HAS_PROC_FD_LINKS: bool = false;

/// `PROC_ALL_PIDS` of `sys/proc_info.h`.
const ALL: u32 = 1;
/// `PROC_PIDFDVNODEPATHINFO` of `sys/proc_info.h`.
const VNODE_AND_PATH: c_int = 2;
/// Initial size of the buffer, in descriptors. The buffer grows if a process has more descriptors.
const INITIAL_DESCRIPTORS: usize = 256;

/// `struct vnode_fdinfowithpath` of `sys/proc_info.h`.
#[repr(C)]
struct Opened {
    file: Opening,
    vnode: libc::vnode_info_path,
}

/// `struct proc_fileinfo` of `sys/proc_info.h`.
#[repr(C)]
struct Opening {
    flags: u32,
    status: u32,
    offset: i64,
    kind: i32,
    guards: u32,
}

// The kernel's reply begins with the 24 bytes of `Opening`.
const _: () = assert!(size_of::<Opening>() == 24 && std::mem::offset_of!(Opened, vnode) == 24);

/// Searches for deleted but open files. If `is_cancelled` returns `true`, returns the files found so far.
pub fn find(is_cancelled: impl Fn() -> bool + Sync) -> Found {
    let (mut files, mut seen, mut refused) = (Files::default(), 0_usize, false);
    for pid in processes() {
        if is_cancelled() {
            break;
        }
        match descriptors(pid) {
            Ok(descriptors) => {
                seen += 1;
                let vnodes = descriptors.iter().filter(|fd| fd.proc_fdtype == libc::PROX_FDTYPE_VNODE as u32);
                vnodes.filter_map(|fd| opened(pid, fd.proc_fd)).for_each(|file| files.add(file));
            }
            Err(Errno::EPERM | Errno::EACCES) => refused = true,
            // Any other error means that the process has ended.
            Err(_) => {}
        }
    }
    let is_root = nix::unistd::geteuid().is_root();
    files.found(match (seen, is_root && !refused) {
        (0, _) => ProcessAccess::None,
        (_, true) => ProcessAccess::All,
        (_, false) => ProcessAccess::Own,
    })
}

#[allow(unsafe_code)]
fn processes() -> Vec<c_int> {
    // SAFETY: without a buffer the call only returns the number of bytes.
    let bytes = unsafe { libc::proc_listpids(ALL, 0, std::ptr::null_mut(), 0) };
    let mut pids: Vec<c_int> = vec![0; usize::try_from(bytes).unwrap_or(0) / size_of::<c_int>() + 32];
    let room = c_int::try_from(pids.len() * size_of::<c_int>()).unwrap_or(0);
    // SAFETY: `pids` has at least `room` writable bytes.
    let filled = unsafe { libc::proc_listpids(ALL, 0, pids.as_mut_ptr().cast::<c_void>(), room) };
    pids.truncate(usize::try_from(filled).unwrap_or(0) / size_of::<c_int>());
    pids.retain(|pid| *pid > 0);
    pids
}

#[allow(unsafe_code)]
fn descriptors(pid: c_int) -> Result<Vec<libc::proc_fdinfo>, Errno> {
    let mut room = INITIAL_DESCRIPTORS;
    loop {
        let mut found: Vec<libc::proc_fdinfo> = Vec::with_capacity(room);
        let bytes = c_int::try_from(room * size_of::<libc::proc_fdinfo>()).map_err(|_| Errno::EOVERFLOW)?;
        let start = found.as_mut_ptr().cast::<c_void>();
        // SAFETY: `found` has room for `bytes` bytes.
        let filled = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDLISTFDS, 0, start, bytes) };
        let filled = usize::try_from(filled).unwrap_or(0);
        if filled == 0 {
            return Err(Errno::last());
        }
        let count = (filled / size_of::<libc::proc_fdinfo>()).min(room);
        // SAFETY: the call has filled `count` elements.
        unsafe { found.set_len(count) };
        // If the buffer is full, the list may be incomplete.
        if count < room {
            return Ok(found);
        }
        room *= 4;
    }
}

/// Returns the file that a descriptor refers to, if that file has been deleted.
#[allow(unsafe_code)]
fn opened(pid: c_int, fd: c_int) -> Option<UnlinkedFile> {
    let mut answer = MaybeUninit::<Opened>::zeroed();
    let size = c_int::try_from(size_of::<Opened>()).ok()?;
    // SAFETY: `answer` has `size` writable bytes.
    let filled = unsafe { libc::proc_pidfdinfo(pid, fd, VNODE_AND_PATH, answer.as_mut_ptr().cast(), size) };
    if filled < size {
        return None;
    }
    // SAFETY: the call has filled the whole structure, and all its fields are integers, for which every bit pattern is
    // valid.
    let Opened { vnode, .. } = unsafe { answer.assume_init() };
    let stat = vnode.vip_vi.vi_stat;
    if stat.vst_nlink > 0 {
        return None;
    }
    let path: Vec<u8> = vnode.vip_path.as_flattened().iter().map(|byte| byte.cast_unsigned()).collect();
    let holder = Holder { pid: pid.cast_unsigned(), name: name(pid), through: Through::Descriptor };
    Some(UnlinkedFile {
        device: u64::from(stat.vst_dev),
        mount: None,
        inode: stat.vst_ino,
        disk: Some(stat.vst_blocks.max(0).cast_unsigned().saturating_mul(512)),
        path: CStr::from_bytes_until_nul(&path)
            .map_or_else(|_| path.clone(), |path| path.to_bytes().to_vec()),
        holders: vec![holder],
    })
}

/// Returns the name of a process, or an empty name if it is unknown.
#[allow(unsafe_code)]
fn name(pid: c_int) -> Vec<u8> {
    let mut answer = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = c_int::try_from(size_of::<libc::proc_bsdinfo>()).unwrap_or(0);
    let start = answer.as_mut_ptr().cast();
    // SAFETY: `answer` has `size` writable bytes.
    let filled = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, start, size) };
    if filled < size {
        return Vec::new();
    }
    // SAFETY: the call has filled the whole structure, and all its fields are integers, for which every bit pattern is
    // valid.
    let name = unsafe { answer.assume_init() }.pbi_comm;
    name.iter().map(|byte| byte.cast_unsigned()).take_while(|byte| *byte != 0).collect()
}
