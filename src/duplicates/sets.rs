//! Sets of files with the same contents.
//!
//! Invariant: a set has at least two files, and every file is in at most one set.

use rayon::prelude::*;

use super::candidates::Candidate;
use super::contents::{ContentHash, OpenFile, SHORT};
use super::opened::{FileLocation, for_each, for_one, nanoseconds};
use super::search::DuplicateSearch;
use crate::base::sort::sort_by_key;
use crate::base::sync::{Arc, Ordering};
use crate::platform::entry::contents::{ContentState, StoredContents};
use crate::platform::entry::extents::{Sharing, sharing};
use crate::platform::entry::occupied_space::OccupiedSpace;
use crate::tree::EntryId;

/// Set of identical files.
#[derive(Clone, Debug)]
pub(crate) struct EqualFiles {
    /// Length of each file in bytes.
    pub(crate) size: u64,
    pub(crate) members: Vec<Member>,
}

/// File in a set.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) entry: EntryId,
    /// State of the file's contents at the end of the search. Files that changed after they were read are removed from
    /// the set.
    pub(crate) state: ContentState,
    pub(crate) storage: StoredData,
}

/// Data on disk that at least one member of a set uses.
#[derive(Clone, Debug)]
pub(crate) struct StoredData {
    /// ID of the data. Members that share all of their data have the same ID.
    pub(crate) number: u32,
    /// Location of the data on disk. Set only if some members of the set share part, but not all, of their data.
    pub(crate) location: Option<Arc<StoredContents>>,
}

/// File with a hash of its contents. The type is kept small, because there is one value per candidate.
#[derive(Clone, Copy, Debug)]
struct Compared {
    file: Candidate,
    /// Time of the last change to the file, in nanoseconds since 1970, as recorded before the contents were read.
    changed: i64,
    /// Hash of the first and last blocks, later replaced by the hash of the whole contents.
    contents: ContentHash,
}

/// Location of a file's contents on disk (see [`location`]), and the file.
type Located = (Option<Arc<StoredContents>>, Compared);

/// File in a set, before [`unchanged`] checks whether the file has changed since it was read.
pub(crate) struct Unchecked {
    file: Candidate,
    changed: i64,
    /// Index of the set that contains the file.
    set: usize,
    storage: StoredData,
}

/// Compares the candidates. Returns the files that are identical to others, sorted by directory.
pub(crate) fn find(search: &DuplicateSearch<'_>, mut files: Vec<Candidate>) -> Vec<Unchecked> {
    files.sort_unstable_by_key(|file| file.entry);
    let mut ends = for_each(
        search,
        &files,
        |file| *file,
        |file, location| {
            search.compared.fetch_add(1, Ordering::Relaxed);
            let opened = OpenFile::open(location)?;
            let contents = opened.ends(search)?;
            Ok(Compared { file: *file, changed: nanoseconds(opened.state.changed), contents })
        },
    );
    drop(files);
    // The largest files come first, because reading one of them may take longer than reading all others.
    ends.par_sort_unstable_by_key(|one| (std::cmp::Reverse(one.file.size), one.contents, one.file.entry));
    let sets: Vec<Vec<(StoredData, Compared)>> =
        equal(&ends).into_par_iter().flat_map_iter(|equal| of_equal_ends(search, equal)).collect();
    let mut found: Vec<Unchecked> = Vec::new();
    for (set, files) in sets.into_iter().enumerate() {
        let unchecked = |(storage, Compared { file, changed, .. })| Unchecked { file, changed, set, storage };
        found.extend(files.into_iter().map(unchecked));
    }
    sort_by_key(&mut found, |found| found.file.entry);
    found
}

/// Returns the groups of two or more files of equal size and hash. `files` must be sorted by size and hash.
fn equal(files: &[Compared]) -> Vec<&[Compared]> {
    let key = |one: &Compared| (one.file.size, one.contents);
    files.chunk_by(|one, other| key(one) == key(other)).filter(|equal| equal.len() > 1).collect()
}

/// Finds the sets of identical files among `files`, which must have the same size and equal first and last blocks.
fn of_equal_ends(search: &DuplicateSearch<'_>, files: &[Compared]) -> Vec<Vec<(StoredData, Compared)>> {
    let mut located: Vec<Located> = files.par_iter().map(|one| (location(search, one), *one)).collect();
    sort_by_key(&mut located, |(location, one)| (location.clone(), one.file.entry));
    let clones = located.chunk_by(|(one, _), (other, _)| one.is_some() && one == other);
    let clones: Vec<(u32, &[Located])> = (0..).zip(clones).collect();
    let hashed = clones.into_par_iter().flat_map_iter(|(number, clones)| {
        let location = &clones[0].0;
        let data = move |one| (StoredData { number, location: location.clone() }, one);
        contents_of_clones(search, clones).into_iter().map(data)
    });
    let mut hashed: Vec<(StoredData, Compared)> = hashed.collect();
    sort_by_key(&mut hashed, |(data, one)| (one.contents, data.number, one.file.entry));
    let sets = hashed.chunk_by_mut(|(_, one), (_, other)| one.contents == other.contents);
    sets.filter(|set| set.len() > 1).map(with_shared_locations).collect()
}

/// Returns the files of a set. Keeps the locations of their data only if some of the files share part, but not all, of
/// their data. `set` must be sorted by [`StoredData::number`].
fn with_shared_locations(set: &mut [(StoredData, Compared)]) -> Vec<(StoredData, Compared)> {
    let mut space = OccupiedSpace::default();
    let of_one = |clones: &[(StoredData, Compared)]| clones[0].0.location.clone();
    let locations = set.chunk_by(|(one, _), (other, _)| one.number == other.number).filter_map(of_one);
    if locations.map(|location| space.add(&location)).sum::<u64>() == 0 {
        for (data, _) in set.iter_mut() {
            data.location = None;
        }
    }
    set.to_vec()
}

/// Returns the files in `clones`, which all have the same location on disk, with hashes of their whole contents. If the
/// location determines the contents, reads only the first file and uses its hash for all files. Omits files that cannot
/// be read.
fn contents_of_clones(search: &DuplicateSearch<'_>, clones: &[Located]) -> Vec<Compared> {
    let (location, first) = &clones[0];
    if !location.as_ref().is_some_and(|location| location.determines_contents()) {
        return clones.iter().filter_map(|(_, one)| whole(search, one)).collect();
    }
    let Some(Compared { contents, .. }) = whole(search, first) else { return Vec::new() };
    clones.iter().map(|(_, one)| Compared { contents, ..*one }).collect()
}

/// Returns the location of a file's contents on disk; `None` if it is unknown, or if files cannot share data there.
fn location(search: &DuplicateSearch<'_>, one: &Compared) -> Option<Arc<StoredContents>> {
    if !search.can_share.load(Ordering::Relaxed) {
        return None;
    }
    let of_location = |location: &FileLocation<'_>| match sharing(location.directory) {
        Sharing::Bounded | Sharing::Unbounded => Ok(OpenFile::open(location)?.location().map(Arc::new)),
        Sharing::Never => Ok(None),
    };
    for_one(search, &one.file, of_location).flatten()
}

/// Returns the file with a hash of its whole contents; `None` if it cannot be read.
fn whole(search: &DuplicateSearch<'_>, one: &Compared) -> Option<Compared> {
    if one.file.size <= SHORT {
        return Some(*one);
    }
    for_one(search, &one.file, |location| {
        let opened = OpenFile::open(location)?;
        let contents = opened.whole(search)?;
        Ok(Compared { changed: nanoseconds(opened.state.changed), contents, ..*one })
    })
}

/// Returns the sets without the files that have changed since they were read.
pub(crate) fn unchanged(search: &DuplicateSearch<'_>, found: &[Unchecked]) -> Vec<EqualFiles> {
    let mut checked = for_each(
        search,
        found,
        |found| found.file,
        |found, location| {
            let state = location.state_since(found.changed)?;
            let Unchecked { file, set, storage, .. } = found;
            Ok((*set, file.size, Member { entry: file.entry, state, storage: storage.clone() }))
        },
    );
    sort_by_key(&mut checked, |(set, _, member)| (*set, member.entry));
    let sets = checked.chunk_by(|(one, ..), (other, ..)| one == other).filter(|set| set.len() > 1);
    let equal = |set: &[(usize, u64, Member)]| EqualFiles {
        size: set[0].1,
        members: set.iter().map(|(.., member)| member.clone()).collect(),
    };
    sets.map(equal).collect()
}
