//! Btrfs subvolumes and snapshots, and the number of bytes that would be freed by deleting them.
//!
//! An extent is freed when the last subvolume that refers to it is deleted. Extents are therefore counted by the *set*
//! of subvolumes that refer to them. Deleting some subvolumes frees the extents of every set that contains only deleted
//! subvolumes.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::base::job::{Job, Pool};
use crate::base::os_error::OsError;
use crate::base::sync::Arc;
use crate::platform::fs::overhead::FileExtent;
use crate::platform::fs::overhead::btrfs::{self, Subvolume, TOP_LEVEL, block_groups, extents, used_data};
use crate::platform::{Directory, Errno};
use crate::scan::path_of;
use crate::tree::{Accuracy, DirId, Tree};

/// Maximum number of times the btrfs trees are read if files keep changing.
const ATTEMPTS: usize = 3;

/// Subvolume and the sizes of its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubvolumeSize {
    /// ID, path and other properties that btrfs reports.
    pub subvolume: Subvolume,
    /// Size on disk, in bytes, of all extents that the subvolume's files refer to.
    pub data: u64,
    /// Size on disk, in bytes, of the extents to which only this subvolume refers. Deleting the subvolume frees them.
    pub exclusive: u64,
}

/// Returns the reason why subvolumes cannot be read, with a remedy if there is one.
pub fn error_message(error: Errno) -> String {
    match error {
        Errno::ENOTTY => "cannot read subvolumes: not a btrfs file system".to_owned(),
        Errno::EPERM => {
            format!(
                "cannot read subvolumes: {}; run duke as root (in a container: on the host)",
                OsError(error as i32)
            )
        }
        _ => format!("cannot read subvolumes: {}", OsError(error as i32)),
    }
}

/// Starts a job that reads all subvolumes of the file system that contains directory `id`. If canceled, the job
/// publishes nothing.
///
/// # Errors
/// Returns an error if no thread can be started.
pub fn find(pool: &Pool, tree: Arc<Tree>, id: DirId) -> io::Result<Job<Result<Subvolumes, Errno>>> {
    pool.start(move |task| {
        let path = path_of(&tree, id).ok_or(Errno::ENOENT);
        let found = path.and_then(|path| Subvolumes::read(&path, &|| task.is_cancelled()));
        if !task.is_cancelled() {
            task.publish(found);
        }
    })
}

#[derive(Debug)]
pub struct Subvolumes {
    /// Subvolumes in order of their IDs, beginning with the top level.
    pub rows: Vec<SubvolumeSize>,
    /// Size of all extents in bytes, with each extent counted once.
    pub data: u64,
    pub accuracy: Accuracy,
    sets: Vec<(Vec<u32>, u64)>,
}

impl Subvolumes {
    /// Reads all subvolumes of the file system that `path` is on.
    ///
    /// # Errors
    /// Returns any error of open(2) or ioctl(2), such as `EPERM` without root privileges, or `ENOTTY` if the file
    /// system is not btrfs. Returns `ECANCELED` once `is_cancelled` returns `true`.
    pub fn read(path: &Path, is_cancelled: &dyn Fn() -> bool) -> Result<Self, Errno> {
        let directory = Directory::open(path)?;
        let mut found = Self::read_once(&directory, is_cancelled)?;
        for _ in 1..ATTEMPTS {
            if found.accuracy != Accuracy::Changing {
                break;
            }
            found = Self::read_once(&directory, is_cancelled)?;
        }
        Ok(found)
    }

    fn read_once(directory: &Directory, is_cancelled: &dyn Fn() -> bool) -> Result<Self, Errno> {
        let mut subvolumes = btrfs::subvolumes(directory)?;
        subvolumes.insert(0, Subvolume { id: TOP_LEVEL, ..Subvolume::default() });
        let mut owners = Owners::default();
        for (number, subvolume) in (0..).zip(&subvolumes) {
            extents(directory, subvolume.id, 0, |extent| {
                owners.add(number, extent);
                if is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if is_cancelled() {
                return Err(Errno::ECANCELED);
            }
            owners.end_subvolume();
        }
        let used = used_data(&block_groups(directory)?);
        Ok(Self::of_sets(subvolumes, owners.sets(), used))
    }

    /// Adds up the sizes of the extents for each subvolume. `sets` is the result of [`Owners::sets`]. `used` is the
    /// number of bytes of data that the file system reports as used, if it reports this number.
    fn of_sets(subvolumes: Vec<Subvolume>, sets: Vec<(Vec<u32>, u64)>, used: Option<u64>) -> Self {
        let data = sets.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        let accuracy = Accuracy::of(used, data);
        let bytes = |is: &dyn Fn(&[u32]) -> bool| {
            let bytes = sets.iter().filter(|(set, _)| is(set)).map(|(_, bytes)| *bytes);
            bytes.fold(0, u64::saturating_add)
        };
        let rows = (0..).zip(subvolumes).map(|(number, subvolume)| SubvolumeSize {
            subvolume,
            data: bytes(&|set| set.contains(&number)),
            exclusive: bytes(&|set| set == [number]),
        });
        Self { rows: rows.collect(), data, accuracy, sets }
    }

    /// Returns the number of bytes freed by deleting the subvolumes whose indexes in `rows` are in `deleted`.
    pub fn freed(&self, deleted: &[usize]) -> u64 {
        let is_deleted = |number: &u32| deleted.contains(&(*number as usize));
        let freed = self.sets.iter().filter(|(set, _)| set.iter().all(is_deleted)).map(|(_, bytes)| *bytes);
        freed.fold(0, u64::saturating_add)
    }
}

/// Extents and the sets of subvolumes that refer to them. An extent stores the ID of its set. A set stores one member
/// and the ID of the set of its other members. The memory used per extent therefore does not depend on the number of
/// snapshots.
#[derive(Default)]
struct Owners {
    extents: HashMap<u64, Owned>,
    /// Sets of subvolumes, except the empty set, whose ID is 0. The set with the ID `n` is at index `n - 1`.
    sets: Vec<Set>,
    /// Map from the ID of a set to the ID of that set with the current subvolume added. Cleared after each subvolume.
    joined: HashMap<u32, u32>,
}

/// Extent and the set of subvolumes that refer to it.
#[derive(Clone, Copy)]
struct Owned {
    /// Length of the extent in sectors of 512 bytes.
    sectors: u32,
    set: u32,
}

const _: () = assert!(size_of::<(u64, Owned)>() == 16);

/// Nonempty set of subvolumes.
#[derive(Clone, Copy)]
struct Set {
    /// ID of the set that contains all members except `last`; 0 if `last` is the only member.
    before: u32,
    last: u32,
}

impl Owners {
    /// Records that `subvolume` refers to `extent`. Extents of the same subvolume must be added consecutively.
    fn add(&mut self, subvolume: u32, extent: FileExtent) {
        let sectors = u32::try_from(extent.length / 512).unwrap_or(u32::MAX);
        let owned = self.extents.entry(extent.start).or_insert(Owned { sectors, set: 0 });
        let before = owned.set;
        if before > 0 && self.sets[before as usize - 1].last == subvolume {
            return;
        }
        let sets = &mut self.sets;
        owned.set = *self.joined.entry(before).or_insert_with(|| {
            sets.push(Set { before, last: subvolume });
            u32::try_from(sets.len()).expect("there are at most as many sets as extents in memory")
        });
    }

    fn end_subvolume(&mut self) {
        self.joined.clear();
    }

    /// Returns each set of subvolumes with the total length in bytes of the extents that belong to exactly that set.
    fn sets(&self) -> Vec<(Vec<u32>, u64)> {
        let mut bytes = vec![0_u64; self.sets.len()];
        for owned in self.extents.values().filter(|owned| owned.set > 0) {
            let sum = &mut bytes[owned.set as usize - 1];
            *sum = sum.saturating_add(u64::from(owned.sectors) * 512);
        }
        let members = |number: usize| {
            let next = |set: &Set| (set.before > 0).then(|| self.sets[set.before as usize - 1]);
            std::iter::successors(Some(self.sets[number]), next).map(|set| set.last).collect()
        };
        // Omits sets without extents of their own, which are stored only because larger sets refer to them (`before`).
        (0..bytes.len()).filter(|it| bytes[*it] > 0).map(|it| (members(it), bytes[it])).collect()
    }
}

/// Returns subvolumes with the IDs 5, 257 and 258. All three share 1 KiB, the last two share 2 KiB, and 258 has 4 KiB
/// of its own.
#[cfg(test)]
pub fn fixture() -> Subvolumes {
    let snapshot =
        |id, path: &str| Subvolume { id, path: path.into(), parent: Some([1; 16]), ..Subvolume::default() };
    let top = Subvolume { id: TOP_LEVEL, ..Subvolume::default() };
    let sets = vec![(vec![2, 1, 0], 1024), (vec![2, 1], 2048), (vec![2], 4096)];
    Subvolumes::of_sets(vec![top, snapshot(257, "monday"), snapshot(258, "tuesday")], sets, Some(7168))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::fixture::cases;

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn sets_equal_those_collected_one_by_one(
            references in prop::collection::vec(prop::collection::vec(1..20_u64, 0..30), 1..7),
        ) {
            let mut owners = Owners::default();
            let mut expected: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for (subvolume, starts) in (0..).zip(&references) {
                for start in starts {
                    owners.add(subvolume, FileExtent { inode: 256, start: *start, length: start * 4096, accounts_for: 0 });
                    expected.entry(*start).or_default().insert(subvolume);
                }
                owners.end_subvolume();
            }
            let mut sums: BTreeMap<BTreeSet<u32>, u64> = BTreeMap::new();
            for (start, set) in expected {
                *sums.entry(set).or_default() += start * 4096;
            }
            let found = owners.sets();
            prop_assert_eq!(found.len(), sums.len(), "each set occurs once");
            let found: BTreeMap<BTreeSet<u32>, u64> =
                found.into_iter().map(|(set, bytes)| (set.into_iter().collect(), bytes)).collect();
            prop_assert_eq!(found, sums);
        }
    }

    #[test]
    fn sizes_are_exact_only_if_all_data_was_found() {
        assert_eq!(Accuracy::of(Some(5), 5), Accuracy::Exact);
        assert_eq!(Accuracy::of(Some(5), 3), Accuracy::AtLeast { missing: 2 });
        assert_eq!(Accuracy::of(Some(5), 6), Accuracy::Changing);
    }
}
