//! Decoding of btrfs block groups and tree items.
//!
//! This module makes no system calls. Invariant: decoding an item never panics, whatever bytes the item contains.

use std::collections::HashMap;

use super::{BlockGroups, Purpose, Subvolume};
use crate::platform::fs::overhead::FileExtent;

/// Decodes the block groups of one kind. `flags` is a combination of `BTRFS_BLOCK_GROUP_*` and
/// `BTRFS_SPACE_INFO_GLOBAL_RSV`. Returns `None` if the kind is unknown.
pub fn chunks(flags: u64, size: u64, used: u64) -> Option<BlockGroups> {
    const DATA: u64 = 1;
    const SYSTEM: u64 = 2;
    const METADATA: u64 = 4;
    const RESERVE: u64 = 1 << 49;
    let purpose = match flags & (DATA | SYSTEM | METADATA | RESERVE) {
        DATA => Purpose::Data,
        SYSTEM => Purpose::System,
        METADATA => Purpose::Metadata,
        _ if flags & RESERVE != 0 => Purpose::Reserve,
        _ if flags & (DATA | METADATA) == DATA | METADATA => Purpose::Mixed,
        _ => return None,
    };
    // 3 copies: RAID1C3. 4 copies: RAID1C4. 2 copies: RAID1, DUP, RAID10. As in df, parity does not count as a copy.
    let copies = match flags {
        _ if flags & (1 << 9) != 0 => 3,
        _ if flags & (1 << 10) != 0 => 4,
        _ if flags & (1 << 4 | 1 << 5 | 1 << 6) != 0 => 2,
        _ => 1,
    };
    Some(BlockGroups { purpose, size, used, copies })
}

/// Item of a btrfs tree: its key and its data.
pub struct TreeItem<'i> {
    /// ID of the object, the first part of the key.
    pub id: u64,
    /// Type of the item, the second part of the key.
    pub kind: u32,
    /// Third and last part of the key. Its meaning depends on the type of the item.
    pub offset: u64,
    pub data: &'i [u8],
}

const ROOT_ITEM: u32 = 132;
const ROOT_BACKREF: u32 = 144;
/// `BTRFS_ROOT_SUBVOL_RDONLY`.
const READ_ONLY: u64 = 1;
/// Smallest inode number in a subvolume, and smallest ID of a subvolume below the top-level one
/// (`BTRFS_FIRST_FREE_OBJECTID`). Smaller tree IDs belong to the file system itself.
pub const FIRST: u64 = 256;
/// Largest inode number and largest ID of a subvolume (`BTRFS_LAST_FREE_OBJECTID`).
pub const LAST: u64 = 256_u64.wrapping_neg();

/// Returns the extent that an item in a subvolume's tree describes, or `None` if the item is of another type, describes
/// a hole, or is too short.
pub fn extent(item: &TreeItem<'_>) -> Option<FileExtent> {
    const EXTENT_DATA: u32 = 108;
    /// Value of byte 20 if the item itself contains the data.
    const INLINE: u8 = 0;
    if item.kind != EXTENT_DATA {
        return None;
    }
    if *item.data.get(20)? == INLINE {
        return Some(FileExtent { inode: item.id, start: 0, length: 0, accounts_for: u64::MAX });
    }
    let number = |at: usize| Some(u64::from_le_bytes(item.data.get(at..at + 8)?.try_into().ok()?));
    let (start, length, accounts_for) = (number(21)?, number(29)?, number(45)?);
    (start != 0).then_some(FileExtent { inode: item.id, start, length, accounts_for })
}

/// Location of a subvolume: ID of the parent subvolume, inode number of the directory that contains the subvolume, and
/// name in that directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SubvolumeLocation {
    parent: u64,
    directory: u64,
    name: Vec<u8>,
}

/// Subvolumes and their names, collected from the root tree.
#[derive(Default)]
pub struct RootItems {
    subvolumes: Vec<Subvolume>,
    locations: HashMap<u64, SubvolumeLocation>,
}

impl RootItems {
    /// Adds an item of the root tree.
    pub fn take(&mut self, item: &TreeItem<'_>) {
        let number = |at: usize, length: usize| -> Option<u64> {
            let field = item.data.get(at..at + length)?;
            Some(field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        };
        match item.kind {
            ROOT_ITEM if (FIRST..=LAST).contains(&item.id) => {
                // Fields of `struct btrfs_root_item`. Old items end before `parent_uuid`.
                let flags = number(208, 8).unwrap_or(0);
                let references = number(216, 4);
                let parent = item.data.get(263..279).and_then(|uuid| uuid.try_into().ok());
                let changed = number(295, 8);
                let created = number(303, 8).unwrap_or(0);
                self.subvolumes.push(Subvolume {
                    id: item.id,
                    parent: parent.filter(|uuid| *uuid != [0; 16]),
                    created,
                    is_unchanged: flags & READ_ONLY != 0 && changed.is_some_and(|changed| changed <= created),
                    is_deleted: references == Some(0),
                    ..Subvolume::default()
                });
            }
            ROOT_BACKREF => {
                let name =
                    number(16, 2).and_then(|length| item.data.get(18..18 + usize::try_from(length).ok()?));
                if let (Some(directory), Some(name)) = (number(0, 8), name) {
                    let location = SubvolumeLocation { parent: item.offset, directory, name: name.to_vec() };
                    self.locations.insert(item.id, location);
                }
            }
            _ => {}
        }
    }

    /// Returns the subvolumes with their paths. `lookup` takes the ID of a subvolume and the inode number of a
    /// directory in it, and returns the path of this directory within the subvolume, with a trailing slash.
    pub fn subvolumes(mut self, lookup: impl Fn(u64, u64) -> Option<Vec<u8>>) -> Vec<Subvolume> {
        let path = |id: u64| {
            let mut names: Vec<Vec<u8>> = Vec::new();
            let mut next = self.locations.get(&id);
            // The number of steps is limited, because a damaged file system may contain a loop.
            while let Some(location) = next.filter(|_| names.len() <= self.locations.len()) {
                let mut name = lookup(location.parent, location.directory).unwrap_or_default();
                name.extend_from_slice(&location.name);
                names.push(name);
                next = self.locations.get(&location.parent);
            }
            names.reverse();
            names.join(&b'/')
        };
        for subvolume in &mut self.subvolumes {
            subvolume.path = path(subvolume.id);
        }
        self.subvolumes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::cases;
    use proptest::prelude::*;

    fn backref(id: u64, parent: u64, name: &[u8]) -> (u64, u64, Vec<u8>) {
        let mut data = 7_u64.to_le_bytes().to_vec();
        data.extend([0; 8]);
        data.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        data.extend(name);
        (id, parent, data)
    }

    #[test]
    fn block_groups_are_distinguished_by_their_flags() {
        assert_eq!(chunks(1, 10, 5).map(|it| (it.purpose, it.copies)), Some((Purpose::Data, 1)));
        assert_eq!(chunks(4 | 32, 10, 5).map(|it| (it.purpose, it.copies)), Some((Purpose::Metadata, 2)));
        assert_eq!(chunks(2 | 512, 0, 0).map(|it| (it.purpose, it.copies)), Some((Purpose::System, 3)));
        assert_eq!(chunks(1 | 4, 0, 0).map(|it| it.purpose), Some(Purpose::Mixed));
        assert_eq!(chunks(1 << 49 | 4, 0, 0).map(|it| it.purpose), Some(Purpose::Reserve));
        assert_eq!(chunks(0, 0, 0), None);
    }

    #[test]
    fn a_path_leads_through_the_subvolumes_above() {
        let mut roots = RootItems::default();
        let mut root = vec![0; 439];
        root[216] = 1;
        for id in [256, 257] {
            roots.take(&TreeItem { id, kind: ROOT_ITEM, offset: 0, data: &root });
        }
        root[216] = 0;
        (root[208], root[265], root[295], root[303]) = (1, 9, 7, 8);
        roots.take(&TreeItem { id: 258, kind: ROOT_ITEM, offset: 33, data: &root });
        for (id, parent, data) in [backref(256, 5, b"home"), backref(257, 256, b"inner")] {
            roots.take(&TreeItem { id, kind: ROOT_BACKREF, offset: parent, data: &data });
        }
        let found = roots.subvolumes(|tree, _| Some(if tree == 256 { b"dir/".to_vec() } else { Vec::new() }));
        let paths: Vec<&[u8]> = found.iter().map(|it| it.path.as_slice()).collect();
        assert_eq!(paths, [&b"home"[..], b"home/dir/inner", b""]);
        assert!(!found[0].is_snapshot() && !found[0].is_unchanged && !found[0].is_deleted);
        assert!(found[2].is_snapshot() && found[2].is_unchanged && found[2].is_deleted);
        assert_eq!(found[2].created, 8);
    }

    #[test]
    fn extents_are_items_with_an_address() {
        let mut data = vec![0; 53];
        (data[20], data[21], data[30], data[46]) = (1, 7, 16, 32);
        let of = |kind, data: &[u8]| extent(&TreeItem { id: 300, kind, offset: 0, data });
        assert_eq!(
            of(108, &data),
            Some(FileExtent { inode: 300, start: 7, length: 4096, accounts_for: 8192 })
        );
        assert_eq!((of(107, &data), of(108, &data[..52])), (None, None), "another type, or too short");
        data[20] = 0;
        assert_eq!(of(108, &data).map(|extent| extent.length), Some(0), "in the metadata");
        (data[20], data[21]) = (2, 0);
        assert_eq!(of(108, &data), None, "a hole");
    }

    #[test]
    fn a_loop_of_subvolumes_ends() {
        let mut roots = RootItems::default();
        roots.take(&TreeItem { id: 256, kind: ROOT_ITEM, offset: 0, data: &[] });
        let (id, parent, data) = backref(256, 256, b"x");
        roots.take(&TreeItem { id, kind: ROOT_BACKREF, offset: parent, data: &data });
        assert_eq!(roots.subvolumes(|_, _| None).len(), 1);
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn any_item_is_accepted(kind in 130_u32..160, data in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut roots = RootItems::default();
            roots.take(&TreeItem { id: 256, kind, offset: 5, data: &data });
            prop_assert!(roots.subvolumes(|_, _| None).len() <= 1);
            extent(&TreeItem { id: 256, kind: 108, offset: 0, data: &data });
        }
    }
}
