//! Current time, limited to the range of the calendar library, which would panic outside it.
//!
//! Invariant: nothing else reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Returns the current time in seconds since 1970.
pub fn now() -> i64 {
    seconds(SystemTime::now())
}

/// Seconds since 1970 and nanoseconds, in their order.
pub type Time = (i64, i64);

/// Returns the present as file systems of this machine tell it.
pub fn precise() -> Time {
    let time = SystemTime::now();
    let within = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    (seconds(time), i64::from(within))
}

/// Returns the current time as a date, limited to the end of the calendar in the year 9999.
pub fn date() -> Timestamp {
    within_calendar(now())
}

/// Returns the current date in the local time zone.
pub fn local_date() -> Zoned {
    date().to_zoned(TimeZone::system())
}

fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
    }
}

fn within_calendar(seconds: i64) -> Timestamp {
    let end = if seconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_second(seconds).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_present_is_told_beyond_the_calendar() {
        let later = UNIX_EPOCH + Duration::from_secs(300_000_000_000);
        assert_eq!(seconds(later), 300_000_000_000);
        assert_eq!(seconds(UNIX_EPOCH - Duration::from_secs(5)), -5);
        assert_eq!(within_calendar(i64::MAX).strftime("%Y").to_string(), "9999");
        assert_eq!(within_calendar(i64::MIN).strftime("%Y").to_string(), "-9999");
        assert_eq!(within_calendar(0), Timestamp::UNIX_EPOCH);
        // The limits are valid in any time zone.
        for end in [Timestamp::MIN, Timestamp::MAX] {
            for zone in
                [TimeZone::UTC, TimeZone::fixed(jiff::tz::offset(14)), TimeZone::fixed(jiff::tz::offset(-12))]
            {
                assert!(!end.to_zoned(zone).strftime("%Y%m%d-%H%M%S").to_string().is_empty());
            }
        }
    }
}
