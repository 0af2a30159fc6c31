//! `ioctl(2)` calls for btrfs.
//!
//! Invariant: a number that this process may not read is `None`, never 0.

use std::ops::ControlFlow;
use std::path::Path;

#[path = "tree_search.rs"]
mod tree_search;

use crate::platform::fs::imp::ioctl;
use crate::platform::fs::overhead::FileExtent;
use crate::platform::fs::overhead::btrfs::items::{FIRST, LAST, RootItems, chunks, extent};
use crate::platform::fs::overhead::btrfs::{BlockGroups, Btrfs, Subvolume};
use crate::platform::{Directory, Errno};
use tree_search::search;

const SPACE_INFO: u64 = ioctl::exchanges(0x94, 20, 16);
const FS_INFO: u64 = ioctl::reads(0x94, 31, size_of::<FsInfo>());
const INO_LOOKUP: u64 = ioctl::exchanges(0x94, 18, 4096);
const ROOT_TREE: u64 = 1;
const QUOTA_TREE: u64 = 8;
const QUOTA_INFO: u32 = 242;

/// `struct btrfs_ioctl_ino_lookup_args` from linux/btrfs.h.
#[repr(C)]
struct Lookup {
    tree: u64,
    id: u64,
    path: [u8; 4080],
}

/// `struct btrfs_ioctl_fs_info_args` from linux/btrfs.h.
#[repr(C)]
struct FsInfo {
    _devices: [u64; 2],
    id: [u8; 16],
    _rest: [u64; 124],
}

const _: () = assert!(size_of::<FsInfo>() == 1024);

/// Reads the space usage and the subvolumes of the file system that `path` is on.
///
/// # Errors
/// Returns any error of open(2), or of ioctl(2) if the block groups cannot be read.
pub fn ask(path: &Path) -> Result<Btrfs, Errno> {
    let directory = Directory::open(path)?;
    Ok(Btrfs { chunks: block_groups(&directory)?, subvolumes: subvolumes(&directory).ok() })
}

/// Returns the total size and usage of the block groups for each purpose (such as data or metadata) and RAID profile.
///
/// # Errors
/// Returns any error of ioctl(2), such as `ENOTTY` if the file system is not btrfs.
#[allow(unsafe_code)]
pub fn block_groups(directory: &Directory) -> Result<Vec<BlockGroups>, Errno> {
    /// Maximum number of groups in the reply, which consists of two numbers and then three numbers for each group.
    const MOST: usize = 64;
    let mut answer = [0_u64; 2 + 3 * MOST];
    answer[0] = MOST as u64;
    // SAFETY: the request writes a header and at most `MOST` groups of three numbers, because `answer[0]`
    // sets this limit. `answer` has room for all of them.
    unsafe { ioctl::ask(directory, SPACE_INFO, &mut answer) }?;
    let count = usize::try_from(answer[1]).unwrap_or(MOST).min(MOST);
    let found = answer[2..].chunks_exact(3).take(count);
    Ok(found.filter_map(|one| chunks(one[0], one[1], one[2])).collect())
}

/// Returns `true` if the file system of `directory` is btrfs with unwritten file data, or if this is unknown.
#[allow(unsafe_code)]
pub fn has_unwritten_data(directory: &Directory) -> bool {
    let mut info = FsInfo { _devices: [0; 2], id: [0; 16], _rest: [0; 124] };
    // SAFETY: the request fills an `FsInfo`, which contains only integers, so any bytes are valid.
    let answer = readable(directory).and_then(|it| unsafe { ioctl::ask(&it, FS_INFO, &mut info) });
    if let Err(errno) = answer {
        return errno != Errno::ENOTTY;
    }
    let digits = format!("{:032x}", u128::from_be_bytes(info.id));
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &digits[group]).join("-");
    let number = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(format!("/sys/fs/btrfs/{groups}/allocation/{name}")).ok()?;
        text.trim_ascii().parse().ok()
    };
    // btrfs counts new data in `bytes_may_use` until it has chosen a location on the disk, and then in `bytes_reserved`
    // until the data is on the disk. In mixed block groups, `bytes_may_use` includes the reserve for metadata, so the
    // reserve is subtracted.
    let in_memory = number("data/bytes_may_use")
        .or_else(|| number("mixed/bytes_may_use")?.checked_sub(number("global_rsv_reserved")?));
    let in_flight = number("data/bytes_reserved").or_else(|| number("mixed/bytes_reserved"));
    (in_memory, in_flight) != (Some(0), Some(0))
}

/// Returns all subvolumes except the top-level one.
///
/// # Errors
/// Returns any error of ioctl(2), such as `EPERM` if the process may not list them.
pub fn subvolumes(directory: &Directory) -> Result<Vec<Subvolume>, Errno> {
    let mut roots = RootItems::default();
    search(directory, ROOT_TREE, (FIRST, LAST), 0, |item| {
        roots.take(item);
        ControlFlow::Continue(())
    })?;
    let mut subvolumes = roots.subvolumes(|tree, id| lookup(directory, tree, id).ok());
    // Errors are ignored, because the quota tree exists only if quotas are enabled.
    let _ = search(directory, QUOTA_TREE, (0, 0), 0, |item| {
        let exclusive = item.data.get(24..32).and_then(|field| field.try_into().ok()).map(u64::from_le_bytes);
        let owner = subvolumes.iter_mut().find(|it| item.kind == QUOTA_INFO && it.id == item.offset);
        if let Some(subvolume) = owner {
            subvolume.exclusive = exclusive;
        }
        ControlFlow::Continue(())
    });
    Ok(subvolumes)
}

/// Calls `each` for every reference from a file in the subvolume to an extent, in order of inode number. Stops if
/// `each` returns `Break`. References older than the transaction `since` may be missing. Returns `false` if the
/// subvolume no longer exists.
///
/// # Errors
/// Returns any error of ioctl(2), such as `EPERM` if the process may not read the tree.
pub fn extents(
    directory: &Directory,
    subvolume: u64,
    since: u64,
    mut each: impl FnMut(FileExtent) -> ControlFlow<()>,
) -> Result<bool, Errno> {
    let found = search(directory, subvolume, (FIRST, LAST), since, |item| {
        extent(item).map_or(ControlFlow::Continue(()), &mut each)
    });
    if found == Err(Errno::ENOENT) { Ok(false) } else { found.map(|()| true) }
}

/// Returns the ID of the subvolume that contains the directory.
///
/// # Errors
/// Returns any error of openat(2) or ioctl(2), such as `ENOTTY` if the file system is not btrfs, or `EPERM` if the
/// process may not read the file system's trees.
#[allow(unsafe_code)]
pub fn readable_subvolume(directory: &Directory) -> Result<u64, Errno> {
    let directory = &readable(directory)?;
    // This search finds nothing, but fails if the process lacks the root privileges that tree searches need.
    search(directory, ROOT_TREE, (0, 0), 0, |_| ControlFlow::Continue(()))?;
    let mut question = Box::new(Lookup { tree: 0, id: FIRST, path: [0; 4080] });
    // SAFETY: the request reads and writes a `Lookup`, which contains only integers, so any bytes are valid.
    unsafe { ioctl::ask(directory, INO_LOOKUP, &mut *question) }?;
    Ok(question.tree)
}

/// Reopens a directory for reading. The directory may be open for lookups only, which does not permit ioctl(2).
///
/// # Errors
/// Returns any error of openat(2).
pub fn readable(directory: &Directory) -> Result<Directory, Errno> {
    directory.open_child(c".")
}

#[allow(unsafe_code)]
fn lookup(directory: &Directory, tree: u64, id: u64) -> Result<Vec<u8>, Errno> {
    let mut question = Lookup { tree, id, path: [0; 4080] };
    // SAFETY: the request reads and writes a `Lookup`, which contains only integers, so any bytes are valid.
    unsafe { ioctl::ask(directory, INO_LOOKUP, &mut question) }?;
    let end = question.path.iter().position(|byte| *byte == 0).unwrap_or(0);
    Ok(question.path[..end].to_vec())
}
