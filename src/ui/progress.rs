//! What the browser knows of the scan.
//!
//! Knows no tree. Invariant: it is only as new as the last tick.

use std::time::Duration;

use super::tab;
use crate::scan::{Outcome, Progress};

/// How often the rate of reading is worked out.
const RATE_EVERY: Duration = Duration::from_millis(500);

/// What is new about the scan.
#[derive(Clone, Debug, Default)]
pub struct Tick {
    /// Time since the browser began.
    pub now: Duration,
    /// What was read so far.
    pub progress: Progress,
    /// How the scan ended, if it did.
    pub outcome: Option<Outcome>,
    /// How long the scan took, or has taken so far.
    pub elapsed: Duration,
}

/// What is new about a rescan.
#[derive(Clone, Debug)]
pub struct Again {
    /// What was read so far.
    pub progress: Progress,
    /// How it ended, if it did.
    pub outcome: Option<Outcome>,
}

impl Again {
    /// It could not begin.
    pub fn failed() -> Self {
        Self { progress: Progress::default(), outcome: Some(Outcome::Stopped) }
    }
}

/// What is known of the scan.
#[derive(Clone, Debug, Default)]
pub struct ScanState {
    /// What came with the last tick.
    pub last: Tick,
    /// Entries read per second, lately.
    pub rate: u64,
    /// Whether it was asked to stop.
    pub is_stopping: bool,
    /// When the rate was worked out, and from how many entries.
    rated: (Duration, u64),
}

impl ScanState {
    /// Takes what is new.
    pub fn take(&mut self, tick: Tick) {
        let (at, entries) = self.rated;
        if let Some(time) = tick.now.checked_sub(at).filter(|time| *time >= RATE_EVERY) {
            let read = u128::from(tick.progress.entries.saturating_sub(entries));
            self.rate = u64::try_from(read * 1000 / time.as_millis()).unwrap_or(u64::MAX);
            self.rated = (tick.now, tick.progress.entries);
        }
        self.last = tick;
    }

    /// How much of a whole file system was read, of a hundred; what is counted twice or grows never makes it all.
    pub fn percent(&self) -> Option<u8> {
        let Progress { disk, expected, .. } = self.last.progress;
        let hundredths = u128::from(disk) * 100 / u128::from(expected?.max(1));
        Some(u8::try_from(hundredths.min(99)).unwrap_or(99))
    }

    /// What a tab shows of it.
    pub fn in_tab(&self) -> tab::Shown {
        match (self.is_running(), self.percent()) {
            (true, Some(percent)) => tab::Shown::Percent(percent),
            (true, None) => tab::Shown::Going,
            (false, _) => tab::Shown::Nothing,
        }
    }

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.last.outcome.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_percentage_of_whole_file_systems_only_and_never_all_of_it() {
        let mut scan = ScanState::default();
        for (disk, expected, percent) in [
            (50, None, None),
            (0, Some(200), Some(0)),
            (50, Some(200), Some(25)),
            (999, Some(200), Some(99)),
            (u64::MAX, Some(1), Some(99)),
        ] {
            let progress = Progress { disk, expected, ..Progress::default() };
            scan.take(Tick { progress, ..Tick::default() });
            assert_eq!(scan.percent(), percent);
        }
        assert_eq!(scan.in_tab(), tab::Shown::Percent(99));
        scan.take(Tick { outcome: Some(Outcome::Complete), ..Tick::default() });
        assert_eq!(scan.in_tab(), tab::Shown::Nothing);
    }

    #[test]
    fn the_rate_is_that_of_the_last_half_second() {
        let mut scan = ScanState::default();
        for (milliseconds, entries, rate) in
            [(100, 7, 0), (500, 1000, 2000), (900, 9000, 2000), (1000, 1250, 500)]
        {
            let progress = Progress { entries, ..Progress::default() };
            scan.take(Tick { now: Duration::from_millis(milliseconds), progress, ..Tick::default() });
            assert_eq!(scan.rate, rate);
        }
    }
}
