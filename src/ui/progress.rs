//! What the browser knows of the scan.
//!
//! Knows no tree. Invariant: it is only as new as the last tick.

use std::time::Duration;

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

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.last.outcome.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
