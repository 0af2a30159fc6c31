//! Ages and dates typed by users.
//!
//! ```text
//! age    = number unit                  90d; units are h, d, w, mo, y
//! moment = age                          that long ago
//!        | YYYY-MM-DD                   that day
//!        | YYYY-MM-DD (" "|"T") HH:MM   that minute
//! ```

use jiff::Zoned;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Units of an age with their lengths in seconds.
const UNITS: [(&str, i64); 5] = [("h", HOUR), ("d", DAY), ("w", 7 * DAY), ("mo", 30 * DAY), ("y", 365 * DAY)];

/// Reason why a text is no age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeFault<'t> {
    /// The text is empty.
    Empty,
    /// A number without a unit.
    UnitMissing(&'t str),
    /// A number with the unit `m`, which could mean months or minutes.
    Minutes(&'t str),
    /// An unknown unit.
    UnknownUnit(&'t str),
    /// A unit without a number.
    NumberMissing,
}

/// Parses an age, such as `90d`, into seconds.
///
/// # Errors
/// When `text` is no age.
pub fn age(text: &str) -> Result<i64, AgeFault<'_>> {
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let seconds = match (UNITS.iter().find(|(name, _)| *name == unit), unit) {
        (Some((_, seconds)), _) => *seconds,
        (None, "") if number.is_empty() => return Err(AgeFault::Empty),
        (None, "") => return Err(AgeFault::UnitMissing(number)),
        (None, "m") => return Err(AgeFault::Minutes(number)),
        (None, _) => return Err(AgeFault::UnknownUnit(unit)),
    };
    if number.is_empty() {
        return Err(AgeFault::NumberMissing);
    }
    Ok(number.parse().unwrap_or(i64::MAX).saturating_mul(seconds))
}

/// Parses a moment and returns the second after it, since 1970. A day or a minute ends with its last second. Only a
/// date needs the `zone`, which costs reading files.
pub fn end_of_moment(text: &str, now: i64, zone: impl FnOnce() -> TimeZone) -> Option<i64> {
    if let Ok(age) = age(text) {
        return Some(now.saturating_sub(age).saturating_add(1));
    }
    let end = |start: DateTime, length: Span| {
        let end = start.checked_add(length).ok().and_then(|end| end.to_zoned(zone()).ok());
        // After the end of the calendar the moment is later than any snapshot.
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

    #[test]
    fn ages_have_a_number_and_a_unit() {
        for (text, seconds) in
            [("2h", 7200), ("0d", 0), ("3w", 21 * DAY), ("1mo", 30 * DAY), ("1y", 365 * DAY)]
        {
            assert_eq!(age(text), Ok(seconds), "{text}");
        }
        assert_eq!(age("99999999999999999999y"), Ok(i64::MAX));
        for (text, fault) in [
            ("", AgeFault::Empty),
            ("90", AgeFault::UnitMissing("90")),
            ("90m", AgeFault::Minutes("90")),
            ("3q", AgeFault::UnknownUnit("q")),
            ("-3d", AgeFault::UnknownUnit("-3d")),
            ("d", AgeFault::NumberMissing),
        ] {
            assert_eq!(age(text), Err(fault), "{text}");
        }
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
}
