//! Calendar dates: the current date, dates as text, and dates typed by users.
//!
//! ```text
//! moment = age                          that long ago
//!        | YYYY-MM-DD                   that day
//!        | YYYY-MM-DD (" "|"T") HH:MM   that minute
//! ```
//!
//! Invariant: the calendar library is never given a time outside its range, because it would panic.

use std::{env, fs};

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

use crate::base::clock::now;
use crate::base::format::age;

/// Width in columns of the text that [`date`] returns.
pub const DATE: usize = 10;
/// Width in columns of the text that [`date_and_time`] returns.
pub const DATE_AND_TIME: usize = 16;

/// Returns the current time, clamped to the end of the calendar in year 9999.
pub fn utc_now() -> Timestamp {
    within_calendar(now())
}

/// Returns the current date and time in the local time zone.
pub fn local_now() -> Zoned {
    utc_now().to_zoned(local_zone())
}

/// Returns the local time zone, which is set by the variable `TZ` or the file `/etc/localtime`.
pub fn local_zone() -> TimeZone {
    // The zone file is read directly, because `TimeZone::system` first lists the whole zone database, which
    // delays the first frame by 1 ms.
    let link = "/etc/localtime";
    let local = || TimeZone::tzif(link, &fs::read(link).ok()?).ok();
    env::var_os("TZ").is_none().then(local).flatten().unwrap_or_else(TimeZone::system)
}

/// Parses a date with an optional time (RFC 3339) and returns seconds since 1970. A date without a time zone is
/// interpreted as UTC.
pub fn parse_utc(text: &str) -> Option<i64> {
    let zoned = text.parse::<Timestamp>();
    let plain = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp());
    zoned.ok().or_else(plain).map(Timestamp::as_second)
}

fn within_calendar(seconds: i64) -> Timestamp {
    let end = if seconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_second(seconds).unwrap_or(end)
}

/// Formats a date, such as `2026-11-21`, in [`DATE`] columns. A date outside the calendar is shown as a year, such as
/// `year 12345`, or as `long ago` or `far future`.
pub fn date(seconds: i64, zone: &TimeZone) -> String {
    time(seconds, zone, "%Y-%m-%d", DATE)
}

/// Formats a date and time, such as `2026-11-21 08:15`. The text is [`DATE_AND_TIME`] columns wide. A time outside the
/// calendar (years 0 to 9999) is shown as in [`date`].
pub fn date_and_time(seconds: i64, zone: &TimeZone) -> String {
    time(seconds, zone, "%Y-%m-%d %H:%M", DATE_AND_TIME)
}

/// Formats a time with seconds, such as `2026-11-21 08:15:42`. A time outside the calendar is shown as in [`date`].
pub fn exact_time(seconds: i64, zone: &TimeZone) -> String {
    time(seconds, zone, "%Y-%m-%d %H:%M:%S", 0)
}

/// Formats a time, such as `today 08:15`, `yesterday 18:40` or `2026-11-21 08:15`. `now` determines the current day.
pub fn day_and_time(seconds: i64, now: i64, zone: &TimeZone) -> String {
    let full = date_and_time(seconds, zone);
    let day = |seconds| zone.to_datetime(within_calendar(seconds)).date();
    let (today, clock) = (day(now), full.get(DATE + 1..).unwrap_or_default());
    if day(seconds) == today {
        format!("today {clock}")
    } else if Some(day(seconds)) == today.yesterday().ok() {
        format!("yesterday {clock}")
    } else {
        full.trim_end().to_owned()
    }
}

fn time(seconds: i64, zone: &TimeZone, format: &str, width: usize) -> String {
    let text = Timestamp::from_second(seconds)
        .ok()
        .map(|time| zone.to_datetime(time))
        .filter(|time| time.year() >= 0)
        .and_then(|time| jiff::fmt::strtime::format(format, time).ok())
        .unwrap_or_else(|| out_of_calendar(seconds));
    format!("{text:<width$}")
}

/// Describes a time outside the calendar by its approximate year, or as `long ago` or `far future`. File systems can
/// store any number as a time.
fn out_of_calendar(seconds: i64) -> String {
    const YEAR: i64 = 31_556_952;
    match 1970 + seconds / YEAR {
        year @ -9999..=99_999 => format!("year {year}"),
        ..0 => "long ago".to_owned(),
        _ => "far future".to_owned(),
    }
}

/// Parses a time given as an age, a day or a minute. Returns the first second after that time, in seconds since 1970;
/// for a day, the start of the next day. Calls `zone`, which reads files, only for days and minutes.
pub fn end_of_moment(text: &str, now: i64, zone: impl FnOnce() -> TimeZone) -> Option<i64> {
    if let Ok(age) = age(text) {
        return Some(now.saturating_sub(age).saturating_add(1));
    }
    let end = |start: DateTime, length: Span| {
        let end = start.checked_add(length).ok().and_then(|end| end.to_zoned(zone()).ok());
        // If the time is beyond the end of the calendar, the result is later than the time of any snapshot.
        end.map_or(i64::MAX, |end: Zoned| end.timestamp().as_second())
    };
    if let Ok(day) = Date::strptime("%Y-%m-%d", text) {
        return Some(end(day.to_datetime(Time::midnight()), 1.day()));
    }
    let minute =
        ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"].iter().find_map(|form| DateTime::strptime(form, text).ok());
    minute.map(|minute| end(minute, 1.minute()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    #[test]
    fn any_number_of_seconds_is_a_time() {
        let zone = TimeZone::UTC;
        assert_eq!(date(0, &zone), "1970-01-01");
        assert_eq!(date_and_time(1_795_161_600, &zone), "2026-11-20 08:00");
        assert_eq!(date(-1, &zone), "1969-12-31");
        for seconds in [i64::MIN, -1 << 40, -377_705_116_801, 253_402_300_800, 1 << 40, 1 << 45, i64::MAX] {
            assert_eq!(date(seconds, &zone).len(), DATE, "{seconds}");
            assert_eq!(date_and_time(seconds, &zone).len(), DATE_AND_TIME, "{seconds}");
        }
    }

    #[test]
    fn today_and_yesterday_take_the_place_of_the_date() {
        let now = 1_795_161_600; // 2026-11-20 08:00
        let text = |seconds| day_and_time(seconds, now, &TimeZone::UTC);
        assert_eq!(text(now), "today 08:00");
        assert_eq!(text(now - 8 * HOUR), "today 00:00");
        assert_eq!(text(now - 9 * HOUR), "yesterday 23:00");
        assert_eq!(text(now - 33 * HOUR), "2026-11-18 23:00");
        assert_eq!(text(i64::MIN), "long ago");
    }

    #[test]
    fn a_moment_ends_with_its_day_or_minute() {
        let now = 1_700_000_000;
        let end = |text: &str| end_of_moment(text, now, || TimeZone::UTC);
        assert_eq!(end("0h"), Some(now + 1));
        assert_eq!(end("3d"), Some(now - 3 * DAY + 1));
        assert_eq!(end("99999999999999999999y"), Some(now - i64::MAX + 1));
        assert_eq!(end("1970-01-02"), Some(2 * DAY));
        assert_eq!(end("1970-01-02 01:02"), Some(DAY + HOUR + 180));
        assert_eq!(end("1970-01-02T01:02"), end("1970-01-02 01:02"));
        assert_eq!(end("9999-12-31"), Some(i64::MAX));
        let east = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(end_of_moment("1970-01-02", now, || east), Some(2 * DAY - 2 * HOUR));
        for text in ["", "yesterday", "3", "2023-13-01", "2023-01-01 25:00", "2023-01-01 ", "2023"] {
            assert_eq!(end(text), None, "{text}");
        }
    }

    #[test]
    fn the_ends_of_the_calendar_are_formatted() {
        assert_eq!(within_calendar(i64::MAX).strftime("%Y").to_string(), "9999");
        assert_eq!(within_calendar(i64::MIN).strftime("%Y").to_string(), "-9999");
        assert_eq!(within_calendar(0), Timestamp::UNIX_EPOCH);
        // The smallest and the largest timestamp can be formatted in any time zone.
        for end in [Timestamp::MIN, Timestamp::MAX] {
            for zone in
                [TimeZone::UTC, TimeZone::fixed(jiff::tz::offset(14)), TimeZone::fixed(jiff::tz::offset(-12))]
            {
                assert!(!end.to_zoned(zone).strftime("%Y%m%d-%H%M%S").to_string().is_empty());
            }
        }
    }
}
