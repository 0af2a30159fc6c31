//! Current time of the system clock.
//!
//! Invariant: every current time that duke records or displays comes from this module.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time in seconds since 1970.
pub fn now() -> i64 {
    seconds(SystemTime::now())
}

/// Seconds since 1970, and nanoseconds within that second. Tuples compare in chronological order.
pub type Time = (i64, i64);

/// Returns the current time with nanosecond precision, like the times that file systems record.
pub fn precise() -> Time {
    let time = SystemTime::now();
    let within = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    (seconds(time), i64::from(within))
}

fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_beyond_the_calendar_are_formatted() {
        let later = UNIX_EPOCH + Duration::from_secs(300_000_000_000);
        assert_eq!(seconds(later), 300_000_000_000);
        assert_eq!(seconds(UNIX_EPOCH - Duration::from_secs(5)), -5);
    }
}
