//! Shared state of a search: the sums so far, and the file that each thread is reading.
//!
//! Invariant: the extents of an inode are added once, regardless of the number of its names.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::extents::{FileExtents, Method, PartOfVolume, is_new, mark_as_lower_bound};
use super::plan::{ExtentPlan, PlannedFile};
use super::references::{ChangedFile, ChangedFiles};
use super::sums::ExclusiveSums;
use crate::platform::entry::contents::ContentState;
use crate::tree::{ExclusiveCoverage, InodeKey};

/// Shared state of a search, updated by its threads after each file.
pub(crate) struct SearchState {
    pub(crate) sums: ExclusiveSums,
    pub(crate) coverage: ExclusiveCoverage,
    /// Number of pieces of the plan that threads have taken.
    pub(crate) taken: usize,
    /// For each running thread, by thread number: its position in the plan, and the start and time limit of its current
    /// system call.
    pub(crate) waits: HashMap<usize, Wait>,
    /// Number of threads started so far.
    pub(crate) started: usize,
    pub(crate) is_stopped: bool,
    /// Method for finding exclusive bytes on each device, by device index.
    pub(crate) methods: HashMap<u32, Method>,
    /// IDs of the volumes. Each volume has the same index here and in `sums`.
    pub(crate) volumes: Vec<u64>,
    /// Files that have changed since the scan, or whose new data may not be on the disk yet. Only files on devices that
    /// use [`Method::Volume`] are recorded here, because their extents are read last, at the end of the search.
    pub(super) changed: ChangedFiles,
    /// Inodes that [`SearchState::add`] has already handled. Contains only inodes that may have several names.
    pub(crate) added: HashSet<InodeKey>,
}

/// Position of a thread in the plan, and the start of its current wait.
pub(crate) struct Wait {
    pub(crate) piece: usize,
    /// Number of files in `piece` that need no more work.
    pub(crate) done: usize,
    pub(crate) since: Instant,
    /// Time limit for the current system call; `None` if the thread is not waiting for a system call. A thread that
    /// exceeds the limit is replaced.
    pub(crate) limit: Option<Duration>,
}

impl SearchState {
    pub(crate) fn new(sums: ExclusiveSums) -> Self {
        Self {
            sums,
            coverage: ExclusiveCoverage::default(),
            taken: 0,
            waits: HashMap::new(),
            started: 0,
            is_stopped: false,
            methods: HashMap::new(),
            volumes: Vec::new(),
            changed: ChangedFiles::default(),
            added: HashSet::new(),
        }
    }

    /// Takes the next piece of the plan, and returns its index; `None` if no piece is left. `pieces` is the number of
    /// pieces in the plan.
    pub(crate) fn take(&mut self, pieces: usize) -> Option<usize> {
        let piece = self.taken;
        (piece < pieces).then(|| self.taken += 1)?;
        Some(piece)
    }

    pub(crate) fn add(
        &mut self,
        plan: &ExtentPlan,
        file: &PlannedFile<'_>,
        extents: &FileExtents,
        method: Method,
    ) {
        let names = plan.names_of(file, extents.links());
        match method {
            Method::LinkCount => self.coverage.by_links += 1,
            Method::Extents(_) | Method::Volume(_) | Method::PrivateSize => self.coverage.read += 1,
        }
        if let (Method::Volume(part), Some(state)) = (method, &extents.state) {
            self.note_changes(file, state, part);
        }
        // The extents of an inode with several names are added only once.
        let linked = file.metadata.linked_inode();
        if linked.is_some_and(|inode| !self.added.insert(inode)) {
            return;
        }
        match method {
            Method::LinkCount => self.sums.hold(&names, file.metadata.disk()),
            // The extents of a volume are read at the end of the search, when all devices of the volume are known.
            Method::Volume(_) => {}
            Method::PrivateSize => extents.add(&mut self.sums, &names, method, 0),
            Method::Extents(volume) => {
                let number = self.volume(volume.id);
                extents.add(&mut self.sums, &names, method, number);
            }
        }
    }

    /// Records a file if it has changed since the scan, or has new data that may not be on the disk yet.
    fn note_changes(&mut self, file: &PlannedFile<'_>, state: &ContentState, part: PartOfVolume) {
        let node = file.node;
        let scanned = file.metadata.several_names().map_or(1, |links| links.count);
        if (state.links, state.disk) != (scanned, file.metadata.disk()) {
            let links = u32::try_from(state.links).unwrap_or(u32::MAX);
            self.changed.since_scan.push(ChangedFile { node, links, disk: state.disk });
        }
        if part.has_unwritten_data && is_new(state) {
            self.changed.unwritten.push(node);
        }
    }

    /// Counts a file as unread, and records that deleting its names may free more bytes than the sums show.
    pub(crate) fn skip(&mut self, plan: &ExtentPlan, file: &PlannedFile<'_>) {
        mark_as_lower_bound(&mut self.sums, &plan.names_of(file, 1));
        self.coverage.unread += 1;
    }

    /// Returns the index of `id` in `volumes`. Adds `id` if it is missing.
    pub(crate) fn volume(&mut self, id: u64) -> usize {
        self.volumes.iter().position(|known| *known == id).unwrap_or_else(|| {
            self.volumes.push(id);
            self.volumes.len() - 1
        })
    }
}
