//! Progress of the scan and of rescans, as of the last tick.
//!
//! Invariant: all values of a [`ScanProgress`] were read at the same tick.

use std::time::Duration;

use super::terminal::tab_progress;
use crate::scan::{Outcome, Progress};
use crate::tree::{DirId, Totals};

/// Minimum interval between measurements of the reading rate.
const RATE_EVERY: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, Default)]
pub struct ScanProgress {
    /// Time since the session began.
    pub now: Duration,
    /// Entries and bytes read so far, and the directory being read.
    pub progress: Progress,
    pub outcome: Option<Outcome>,
    pub elapsed: Duration,
}

#[derive(Clone, Debug)]
pub struct RescanMessage {
    pub progress: Progress,
    pub outcome: Option<Outcome>,
}

impl RescanMessage {
    /// Returns the state of a rescan that could not be started.
    pub fn failed() -> Self {
        Self { progress: Progress::default(), outcome: Some(Outcome::Stopped) }
    }
}

#[derive(Clone, Debug)]
pub struct Rescan {
    pub name: Vec<u8>,
    pub progress: Progress,
    /// Number of items that the directories in `replaced` had before the rescan.
    pub expected: u64,
    pub is_stopping: bool,
    /// Parent directory and former size of the rescanned entry, for the notice; `None` if no notice will be shown.
    pub wanted: Option<(DirId, u64)>,
    /// Directories that the rescan may replace or remove in the tree. The rescan also removes ancestors that no longer
    /// exist on disk. The list need not contain these ancestors.
    pub replaced: Vec<DirId>,
}

#[derive(Clone, Debug, Default)]
pub struct ScanState {
    pub last: ScanProgress,
    /// Rate at the last measurement, in entries per second.
    pub rate: u64,
    pub is_stopping: bool,
    /// Totals recorded by the previous scan, if its sizes are shown.
    pub recorded: Option<Totals>,
    /// Time and number of entries at the last measurement of the rate.
    rated: (Duration, u64),
}

impl ScanState {
    /// Stores the progress at a tick, and updates the rate if a measurement is due.
    pub fn take(&mut self, tick: ScanProgress) {
        let (at, entries) = self.rated;
        if let Some(time) = tick.now.checked_sub(at).filter(|time| *time >= RATE_EVERY) {
            let read = u128::from(tick.progress.entries.saturating_sub(entries));
            self.rate = u64::try_from(read * 1000 / time.as_millis()).unwrap_or(u64::MAX);
            self.rated = (tick.now, tick.progress.entries);
        }
        self.last = tick;
    }

    /// Returns the percentage of the scan that is done. If the totals of the previous scan are known, this is the
    /// percentage of their bytes or of their entries, whichever is smaller: early in the scan, a large file or several
    /// names of an inode may account for most of the bytes. Otherwise, the bytes are compared with the used space of
    /// the file system. Returns `None` if the used space is also unknown, for example because the scan does not read
    /// exactly one whole file system.
    ///
    /// The percentage never falls, because the counters only grow. The maximum is 99, because the counters may exceed
    /// the totals if some data is counted twice or grows during the scan.
    pub fn percent(&self) -> Option<u8> {
        let Progress { disk, expected, entries, .. } = self.last.progress;
        let Some(totals) = &self.recorded else { return Some(percentage(disk, expected?)) };
        let of_entries = percentage(entries, totals.items);
        Some(if totals.disk == 0 { of_entries } else { of_entries.min(percentage(disk, totals.disk)) })
    }

    /// Returns the progress to show in the terminal's tab.
    pub fn in_tab(&self) -> tab_progress::TabState {
        match (self.is_running(), self.percent()) {
            (true, Some(percent)) => tab_progress::TabState::Percent(percent),
            (true, None) => tab_progress::TabState::Going,
            (false, _) => tab_progress::TabState::Nothing,
        }
    }

    pub fn is_running(&self) -> bool {
        self.last.outcome.is_none()
    }
}

fn percentage(read: u64, whole: u64) -> u8 {
    let hundredths = u128::from(read) * 100 / u128::from(whole.max(1));
    u8::try_from(hundredths.min(99)).unwrap_or(99)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Totals;

    #[test]
    fn a_percentage_exists_only_for_whole_file_systems_and_never_reaches_100() {
        let mut scan = ScanState::default();
        for (disk, expected, percent) in [
            (50, None, None),
            (0, Some(200), Some(0)),
            (50, Some(200), Some(25)),
            (999, Some(200), Some(99)),
            (u64::MAX, Some(1), Some(99)),
        ] {
            let progress = Progress { disk, expected, ..Progress::default() };
            scan.take(ScanProgress { progress, ..ScanProgress::default() });
            assert_eq!(scan.percent(), percent);
        }
        assert_eq!(scan.in_tab(), tab_progress::TabState::Percent(99));
        scan.take(ScanProgress { outcome: Some(Outcome::Complete), ..ScanProgress::default() });
        assert_eq!(scan.in_tab(), tab_progress::TabState::Nothing);
    }

    #[test]
    fn the_percentage_confirmed_is_that_of_bytes_or_entries() {
        let percent = |(disk, items), (read, entries)| {
            let totals = Totals { disk, items, ..Totals::default() };
            let mut scan = ScanState { recorded: Some(totals), ..ScanState::default() };
            let progress = Progress { disk: read, entries, expected: Some(1), ..Progress::default() };
            scan.take(ScanProgress { progress, ..ScanProgress::default() });
            scan.percent().unwrap()
        };
        assert_eq!(percent((400, 10), (100, 9)), 25);
        assert_eq!(percent((400, 10), (500, 10)), 99);
        // The first of ten entries already adds all 400 bytes, because this entry is a large file, or because all ten
        // are names of one inode. The smaller percentage, that of the entries, is therefore returned.
        assert_eq!(percent((400, 10), (400, 1)), 10);
        // The recorded disk usage is 0 if all files are empty and the directories take no blocks.
        assert_eq!(percent((0, 10), (0, 3)), 30);
        assert_eq!(percent((0, 10), (0, 11)), 99);
    }

    #[test]
    fn the_rate_is_that_of_the_last_half_second() {
        let mut scan = ScanState::default();
        for (milliseconds, entries, rate) in
            [(100, 7, 0), (500, 1000, 2000), (900, 9000, 2000), (1000, 1250, 500)]
        {
            let progress = Progress { entries, ..Progress::default() };
            scan.take(ScanProgress {
                now: Duration::from_millis(milliseconds),
                progress,
                ..ScanProgress::default()
            });
            assert_eq!(scan.rate, rate);
        }
    }
}
