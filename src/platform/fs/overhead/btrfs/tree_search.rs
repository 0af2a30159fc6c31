//! Search of a btrfs tree (`BTRFS_IOC_TREE_SEARCH_V2`).
//!
//! Invariant: no reply from the kernel causes a panic. Items that extend beyond the end of the reply are ignored.

use std::ops::ControlFlow;

use crate::platform::fs::imp::ioctl;
use crate::platform::fs::overhead::btrfs::items::TreeItem;
use crate::platform::{Directory, Errno};

/// Size of the buffer for items, in bytes. An item fits into a tree block, whose size is at most 64 KiB.
const ROOM: usize = 128 << 10;
/// Length in bytes of the arguments without the items. It is encoded in the request number.
const HEAD: usize = 112;
const TREE_SEARCH: u64 = ioctl::exchanges(0x94, 17, HEAD);

/// `struct btrfs_ioctl_search_args_v2` from linux/btrfs.h, with [`ROOM`] bytes for the items.
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
    room: u64,
    items: [u8; ROOM],
}
const _: () = assert!(size_of::<Search>() == HEAD + ROOM);

/// Calls `visit` with every item of `tree` that has an ID from `first` to `last`, until `visit` returns
/// `Break`. Skips items in blocks of the tree that were last written before the transaction `since`.
///
/// # Errors
/// Returns any error of ioctl(2), such as `EPERM` if the process may not read the tree, `ENOTTY` if the file system is
/// not btrfs, or `ENOENT` if the tree does not exist. Returns `EIO` if the keys of the items do not ascend.
#[allow(unsafe_code)]
#[allow(clippy::large_stack_arrays)] // 128 KiB, before it is moved to the heap
pub fn search(
    directory: &Directory,
    tree: u64,
    (first, last): (u64, u64),
    since: u64,
    mut visit: impl FnMut(&TreeItem<'_>) -> ControlFlow<()>,
) -> Result<(), Errno> {
    let mut question = Box::new(Search {
        tree,
        min_id: first,
        max_id: last,
        min_offset: 0,
        max_offset: u64::MAX,
        min_generation: since,
        max_generation: u64::MAX,
        min_kind: 0,
        max_kind: u32::MAX,
        count: 0,
        _unused: [0; 9],
        room: ROOM as u64,
        items: [0; ROOM],
    });
    loop {
        question.count = u32::MAX;
        // SAFETY: the request reads and writes a `Search`, which contains only integers, so any bytes are valid.
        // `room` is the length of `items`.
        unsafe { ioctl::ask(directory, TREE_SEARCH, &mut *question) }?;
        let mut rest = question.items.as_slice();
        let mut end = None;
        for _ in 0..question.count {
            let Some((item, after)) = split_item(rest) else { break };
            if visit(&item).is_break() {
                return Ok(());
            }
            end = Some((item.id, item.kind, item.offset));
            rest = after;
        }
        // The next call continues after the key of the last item.
        let next = match end {
            Some((id, kind, offset)) if offset < u64::MAX => (id, kind, offset + 1),
            Some((id, kind, _)) if kind < 255 => (id, kind + 1, 0),
            Some((id, ..)) if id < last => (id + 1, 0, 0),
            None | Some(_) => return Ok(()),
        };
        if next <= (question.min_id, question.min_kind, question.min_offset) {
            // btrfs returns keys in ascending order, so this answer cannot come from btrfs.
            return Err(Errno::EIO);
        }
        (question.min_id, question.min_kind, question.min_offset) = next;
    }
}

/// Splits off the first item: a `struct btrfs_ioctl_search_header` and data. Returns the item and the bytes after it.
fn split_item(bytes: &[u8]) -> Option<(TreeItem<'_>, &[u8])> {
    let wide = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let narrow = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let end = usize::try_from(narrow(28)?).ok()?.checked_add(32)?;
    let item = TreeItem { id: wide(8)?, kind: narrow(24)?, offset: wide(16)?, data: bytes.get(32..end)? };
    Some((item, &bytes[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_is_cut_short_is_ignored() {
        let mut bytes = vec![0; 32];
        (bytes[8], bytes[16], bytes[24], bytes[28]) = (1, 2, 3, 4);
        bytes.extend([9; 5]);
        let (item, rest) = split_item(&bytes).unwrap();
        assert_eq!((item.id, item.offset, item.kind, item.data, rest), (1, 2, 3, &[9; 4][..], &[9][..]));
        for length in 0..36 {
            assert!(split_item(&bytes[..length]).is_none(), "{length}");
        }
        bytes[28..32].fill(255);
        assert!(split_item(&bytes).is_none());
    }
}
