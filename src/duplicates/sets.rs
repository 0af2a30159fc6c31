//! Sets of files with the same contents.
//!
//! Invariant: a set has at least two files, and every file is in at most one set.

use rayon::prelude::*;

use super::candidates::Candidate;
use super::contents::{Hash, Opened, SHORT};
use super::{DuplicateSearch, SkipReason};
use crate::base::sync::Ordering;
use crate::platform::entry::contents::ContentState;
use crate::tree::EntryId;

/// Files with the same contents.
#[derive(Clone, Debug)]
pub(super) struct EqualFiles {
    /// Length of each file in bytes.
    pub(super) size: u64,
    pub(super) members: Vec<Member>,
}

/// File in a set.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) entry: EntryId,
    /// State of the contents when they were read.
    pub(super) state: ContentState,
    /// Number that is equal for members that share their data on the disk.
    pub(super) storage: u32,
}

/// Candidate with the hashes known so far.
#[derive(Clone, Copy)]
struct Compared {
    entry: EntryId,
    state: ContentState,
    /// `true` if files on this file system can share data.
    may_share: bool,
    /// Hash of the ends and, later, of the whole contents.
    contents: Hash,
    /// Hash of the places on the disk, if they determine the contents.
    location: Option<Hash>,
}

/// Compares the candidates, which are ordered by size.
pub(super) fn find(search: &DuplicateSearch<'_>, files: &[Candidate]) -> Vec<EqualFiles> {
    let sizes: Vec<&[Candidate]> = files.chunk_by(|one, other| one.size == other.size).collect();
    // The largest files come first, because one of them may take longer than all others together.
    sizes.into_par_iter().rev().flat_map_iter(|files| of_size(search, files)).collect()
}

/// Returns the sets among files of the same size.
fn of_size(search: &DuplicateSearch<'_>, files: &[Candidate]) -> Vec<EqualFiles> {
    let size = files[0].size;
    let ends = |file: &Candidate| {
        let compared = compare(search, file, |opened| {
            let contents = opened.ends(search)?;
            let may_share = opened.may_share(search);
            Ok(Compared { entry: file.entry, state: opened.state, may_share, contents, location: None })
        });
        search.compared.fetch_add(1, Ordering::Relaxed);
        compared
    };
    let mut ends: Vec<Compared> = files.par_iter().filter_map(ends).collect();
    let mut sets = Vec::new();
    for_equal(&mut ends, |equal| {
        if size <= SHORT {
            locate(search, size, equal);
            sets.extend(EqualFiles::new(size, equal));
        } else {
            let mut whole = hash(search, size, equal);
            for_equal(&mut whole, |equal| sets.extend(EqualFiles::new(size, equal)));
        }
    });
    sets
}

/// Calls `each` for the files of each hash that occurs more than once.
fn for_equal(files: &mut [Compared], mut each: impl FnMut(&mut [Compared])) {
    files.sort_unstable_by_key(|file| (file.contents, file.entry));
    let equal = files.chunk_by_mut(|one, other| one.contents == other.contents);
    equal.filter(|equal| equal.len() > 1).for_each(&mut each);
}

/// Opens a candidate for `work`, and records the reason if that fails.
fn compare<T>(
    search: &DuplicateSearch<'_>,
    file: &Candidate,
    work: impl FnOnce(&Opened) -> Result<T, Option<SkipReason>>,
) -> Option<T> {
    if search.task.is_cancelled() {
        return None;
    }
    let result = Opened::open(search, file).and_then(|opened| work(&opened));
    result.map_err(|reason| search.skip(file.entry, reason)).ok()
}

/// Determines which of the files, whose hashes are equal, share their data.
fn locate(search: &DuplicateSearch<'_>, size: u64, files: &mut [Compared]) {
    files.par_iter_mut().filter(|file| file.may_share).for_each(|file| {
        let candidate = Candidate { size, entry: file.entry };
        file.location = compare(search, &candidate, |opened| Ok(opened.location())).flatten();
    });
}

/// Hashes the whole contents of files with equal ends. One of several clones is read for all of them.
fn hash(search: &DuplicateSearch<'_>, size: u64, files: &mut [Compared]) -> Vec<Compared> {
    locate(search, size, files);
    files.sort_unstable_by_key(|file| (file.location, file.entry));
    let clones: Vec<&[Compared]> =
        files.chunk_by(|one, other| one.location.is_some() && one.location == other.location).collect();
    let hashed = clones.into_par_iter().flat_map_iter(|clones| {
        let candidate = Candidate { size, entry: clones[0].entry };
        let contents = compare(search, &candidate, |opened| {
            let contents = opened.whole(search)?;
            Ok((opened.state, contents))
        });
        let with = move |(first, contents): (ContentState, Hash)| {
            let clone = move |clone: &Compared| {
                let state = if clone.entry == candidate.entry { first } else { clone.state };
                Compared { state, contents, ..*clone }
            };
            clones.iter().map(clone)
        };
        contents.map(with).into_iter().flatten()
    });
    hashed.collect()
}

impl EqualFiles {
    /// Creates the set of files with equal contents; `None` if only one of them is left.
    fn new(size: u64, files: &mut [Compared]) -> Option<Self> {
        files.sort_unstable_by_key(|file| (file.location, file.entry));
        let mut members: Vec<Member> = Vec::with_capacity(files.len());
        let mut previous = None;
        for (number, file) in (0..).zip(files.iter()) {
            let is_clone = file.location.is_some() && file.location == previous;
            previous = file.location;
            let storage = members.last().filter(|_| is_clone).map_or(number, |last| last.storage);
            members.push(Member { entry: file.entry, state: file.state, storage });
        }
        (members.len() > 1).then_some(Self { size, members })
    }
}

/// Returns the sets without the files that have changed since they were read.
pub(super) fn unchanged(search: &DuplicateSearch<'_>, sets: Vec<EqualFiles>) -> Vec<EqualFiles> {
    let is_unchanged = |size: u64, member: &Member| {
        let candidate = Candidate { size, entry: member.entry };
        let check = |opened: &Opened| {
            if opened.state == member.state { Ok(()) } else { Err(Some(SkipReason::Changing)) }
        };
        compare(search, &candidate, check).is_some()
    };
    let kept = sets.into_par_iter().filter_map(|EqualFiles { size, members }| {
        let members: Vec<Member> =
            members.into_par_iter().filter(|member| is_unchanged(size, member)).collect();
        (members.len() > 1).then_some(EqualFiles { size, members })
    });
    kept.collect()
}
