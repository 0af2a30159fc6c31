//! `ioctl(2)` calls of btrfs.
//!
//! Invariant: numbers that this process may not read are absent.

use std::path::Path;

use super::ioctl;
use crate::platform::fs::overhead::btrfs::items::{FIRST, LAST, RootItems, TreeItem, chunks};
use crate::platform::fs::overhead::btrfs::{BlockGroups, Btrfs, Subvolume};
use crate::platform::{Directory, Errno};

const SPACE_INFO: u64 = ioctl::exchanges(0x94, 20, 16);
const TREE_SEARCH: u64 = ioctl::exchanges(0x94, 17, 4096);
const INO_LOOKUP: u64 = ioctl::exchanges(0x94, 18, 4096);
const ROOT_TREE: u64 = 1;
const QUOTA_TREE: u64 = 8;
const QUOTA_INFO: u32 = 242;

/// `struct btrfs_ioctl_search_args` of linux/btrfs.h.
#[repr(C)]
struct Search {
    tree: u64,
    min_id: u64,
    max_id: u64,
    min_offset: u64,
    max_offset: u64,
    min_generation: u64,
    max_generation: u64,
    min_kind: u32,
    max_kind: u32,
    count: u32,
    _unused: [u32; 9],
    items: [u8; 3992],
}
const _: () = assert!(size_of::<Search>() == 4096);

/// `struct btrfs_ioctl_ino_lookup_args` of linux/btrfs.h.
#[repr(C)]
struct Lookup {
    tree: u64,
    id: u64,
    path: [u8; 4080],
}

/// Reads the space usage and the subvolumes of the file system that `path` is on.
///
/// # Errors
/// Returns any error of open(2), or of ioctl(2) if the block groups cannot be read.
pub fn ask(path: &Path) -> Result<Btrfs, Errno> {
    let directory = Directory::open(path)?;
    Ok(Btrfs { chunks: all_chunks(&directory)?, subvolumes: subvolumes(&directory).ok() })
}

#[allow(unsafe_code)]
fn all_chunks(directory: &Directory) -> Result<Vec<BlockGroups>, Errno> {
    /// Maximum number of block groups in the reply, which has a header of two numbers and three numbers for each group.
    const MOST: usize = 64;
    let mut answer = [0_u64; 2 + 3 * MOST];
    answer[0] = MOST as u64;
    // SAFETY: after the header, the request writes at most as many triples of numbers as the first number
    // says, and there is room for all.
    unsafe { ioctl::ask(directory, SPACE_INFO, &mut answer) }?;
    let count = usize::try_from(answer[1]).unwrap_or(MOST).min(MOST);
    let found = answer[2..].chunks_exact(3).take(count);
    Ok(found.filter_map(|one| chunks(one[0], one[1], one[2])).collect())
}

fn subvolumes(directory: &Directory) -> Result<Vec<Subvolume>, Errno> {
    let mut roots = RootItems::default();
    search(directory, ROOT_TREE, (FIRST, LAST), |item| roots.take(item))?;
    let mut subvolumes = roots.subvolumes(|tree, id| lookup(directory, tree, id).ok());
    // An error is ignored, because the quota tree exists only if quotas are enabled.
    let _ = search(directory, QUOTA_TREE, (0, 0), |item| {
        let exclusive = item.data.get(24..32).and_then(|field| field.try_into().ok()).map(u64::from_le_bytes);
        let owner = subvolumes.iter_mut().find(|it| item.kind == QUOTA_INFO && it.id == item.offset);
        if let Some(subvolume) = owner {
            subvolume.exclusive = exclusive;
        }
    });
    Ok(subvolumes)
}

/// Calls `meet` for every item of `tree` with an ID from `first` to `last`.
#[allow(unsafe_code)]
fn search(
    directory: &Directory,
    tree: u64,
    (first, last): (u64, u64),
    mut meet: impl FnMut(&TreeItem<'_>),
) -> Result<(), Errno> {
    let mut next = (first, 0_u32, 0_u64);
    loop {
        let mut question = Search {
            tree,
            min_id: next.0,
            max_id: last,
            min_offset: next.2,
            max_offset: u64::MAX,
            min_generation: 0,
            max_generation: u64::MAX,
            min_kind: next.1,
            max_kind: u32::MAX,
            count: u32::MAX,
            _unused: [0; 9],
            items: [0; 3992],
        };
        // SAFETY: the structure is that of the request, and consists only of numbers.
        unsafe { ioctl::ask(directory, TREE_SEARCH, &mut question) }?;
        let mut rest = question.items.as_slice();
        let mut end = None;
        for _ in 0..question.count {
            let Some((item, after)) = split_item(rest) else { break };
            meet(&item);
            end = Some((item.id, item.kind, item.offset));
            rest = after;
        }
        // Continues after the key of the last item.
        next = match end {
            Some((id, kind, offset)) if offset < u64::MAX => (id, kind, offset + 1),
            Some((id, kind, _)) if kind < 255 => (id, kind + 1, 0),
            Some((id, ..)) if id < last => (id + 1, 0, 0),
            None | Some(_) => return Ok(()),
        };
    }
}

/// Splits off the first item, which consists of `struct btrfs_ioctl_search_header` and data. Returns the item and the
/// bytes after it.
fn split_item(bytes: &[u8]) -> Option<(TreeItem<'_>, &[u8])> {
    let wide = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let narrow = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let end = 32 + usize::try_from(narrow(28)?).ok()?;
    let item = TreeItem { id: wide(8)?, kind: narrow(24)?, offset: wide(16)?, data: bytes.get(32..end)? };
    Some((item, &bytes[end..]))
}

#[allow(unsafe_code)]
fn lookup(directory: &Directory, tree: u64, id: u64) -> Result<Vec<u8>, Errno> {
    let mut question = Lookup { tree, id, path: [0; 4080] };
    // SAFETY: the structure is that of the request, and consists only of numbers.
    unsafe { ioctl::ask(directory, INO_LOOKUP, &mut question) }?;
    let end = question.path.iter().position(|byte| *byte == 0).unwrap_or(0);
    Ok(question.path[..end].to_vec())
}
