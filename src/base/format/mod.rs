//! Formats sizes, counts, shares and durations in fixed widths, so that columns stay aligned, and parses sizes and ages
//! typed by users.
//!
//! Invariant: every number can be formatted, and the text has the documented width.

mod age;

use std::time::Duration;

pub use age::{AgeFault, age};

/// Units in which sizes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Powers of 1024: KiB, MiB.
    #[default]
    Binary,
    /// Powers of 1000: kB, MB (SI).
    Decimal,
    /// Bytes without a unit, for scripts. Columns that are too narrow for all digits use powers of 1024.
    Bytes,
}

/// Kind of size that is shown and used for sorting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Disk usage: allocated blocks.
    #[default]
    Disk,
    /// Apparent size: length in bytes.
    Apparent,
}

impl Measure {
    /// Returns the word shown after a size, as in `1.2 GiB disk`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Apparent => "apparent",
        }
    }

    /// Returns `disk` or `apparent`, depending on the measure.
    pub fn of(self, disk: u64, apparent: u64) -> u64 {
        match self {
            Self::Disk => disk,
            Self::Apparent => apparent,
        }
    }
}

impl Units {
    const fn base(self) -> u128 {
        match self {
            Self::Binary | Self::Bytes => 1024,
            Self::Decimal => 1000,
        }
    }

    const fn names(self) -> [&'static str; 7] {
        match self {
            Self::Binary | Self::Bytes => ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"],
            Self::Decimal => ["B", "kB", "MB", "GB", "TB", "PB", "EB"],
        }
    }

    /// Returns the width in columns of the text that [`size`] returns.
    pub const fn width(self) -> usize {
        match self {
            Self::Binary => 9,
            Self::Decimal => 8,
            // The largest `u64` has 20 digits.
            Self::Bytes => 20,
        }
    }
}

/// Width in columns of the text that [`brief_size`] returns.
pub const BRIEF: usize = 4;
/// Width in columns of the text that [`count`] returns.
pub const COUNT: usize = 7;
/// Width in columns of the text that [`percent`] returns.
pub const PERCENT: usize = 6;

/// Formats a size, such as `  1.5 GiB`, right-aligned in [`Units::width`] columns. A size in bytes has no fraction.
pub fn size(bytes: u64, units: Units) -> String {
    let width = units.width();
    if units == Units::Bytes {
        return format!("{bytes:>width$}");
    }
    let (tenths, step) = scale(bytes, units);
    let width = width - 6;
    let unit = units.names()[step];
    match step {
        0 => format!("{bytes:>5} {unit:>width$}"),
        _ => format!("{:>3}.{} {unit:>width$}", tenths / 10, tenths % 10),
    }
}

/// Formats a size, such as `1.5 GiB`, without padding.
pub fn plain_size(bytes: u64, units: Units) -> String {
    size(bytes, units).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Formats a change, such as `+1.5 GiB`. A change of zero has no sign.
pub fn change(before: u64, after: u64, units: Units) -> String {
    let sign = match before.cmp(&after) {
        std::cmp::Ordering::Less => "+",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "-",
    };
    format!("{sign}{}", plain_size(before.abs_diff(after), units))
}

/// Formats a size, such as `1.5G`, right-aligned in [`BRIEF`] columns.
pub fn brief_size(bytes: u64, units: Units) -> String {
    let (tenths, step) = scale(bytes, units);
    let unit = &units.names()[step][..1];
    match (step, tenths) {
        (0, _) => format!("{bytes:>3}{unit}"),
        (_, 0..100) => format!("{}.{}{unit}", tenths / 10, tenths % 10),
        // Rounding up to 1000 would need one more column, so the number is capped at 999.
        _ => format!("{:>3}{unit}", ((tenths + 5) / 10).min(999)),
    }
}

/// Returns `bytes` in tenths of the smallest unit that keeps the result below 10,000, and the index of that unit.
fn scale(bytes: u64, units: Units) -> (u128, usize) {
    let mut unit = 1;
    let mut step = 0;
    loop {
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        // In the first iteration, `unit` is one byte, so `tenths` is exact. The loop ends because seven units are
        // enough for a `u64`.
        if tenths < 10_000 {
            return (tenths, step);
        }
        unit *= units.base();
        step += 1;
    }
}

/// Formats a count, right-aligned in [`COUNT`] columns: `12,345` up to 999,999, and `1.23 M` above.
pub fn count(number: u64) -> String {
    const STEPS: [(u64, char); 5] = [
        (1_000_000, 'M'),
        (1_000_000_000, 'G'),
        (1_000_000_000_000, 'T'),
        (10_u64.pow(15), 'P'),
        (10_u64.pow(18), 'E'),
    ];
    let Some((unit, name)) = STEPS.iter().rev().find(|(unit, _)| number >= *unit) else {
        return format!("{:>COUNT$}", grouped(number));
    };
    // The fraction is truncated, because a rounded value could overstate the count or need one more column.
    let (whole, hundredths) = (number / unit, u128::from(number % unit) * 100 / u128::from(*unit));
    let text = match whole {
        0..10 => format!("{whole}.{hundredths:02} {name}"),
        10..100 => format!("{whole}.{} {name}", hundredths / 10),
        _ => format!("{whole} {name}"),
    };
    format!("{text:>COUNT$}")
}

/// Formats a count, such as `1,234,567`, without padding.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun, such as `1 entry` or `1,234 entries`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// Returns `part` as a share of `whole` in thousandths, at most 1000. Returns 0 if `whole` is 0.
pub fn share(part: u64, whole: u64) -> u16 {
    let thousandths =
        (u128::from(part) * 1000 + u128::from(whole) / 2).checked_div(u128::from(whole)).unwrap_or(0);
    u16::try_from(thousandths.min(1000)).unwrap_or(1000)
}

/// Formats a share, such as `12.3%`, right-aligned in [`PERCENT`] columns.
pub fn percent(thousandths: u16) -> String {
    format!("{:>3}.{}%", thousandths / 10, thousandths % 10)
}

/// Formats the time between `then` and `now`, such as `3 days`, without padding.
pub fn elapsed(then: i64, now: i64) -> String {
    const STEPS: [(u64, &str); 6] = [
        (365 * 86_400, "year"),
        (30 * 86_400, "month"),
        (7 * 86_400, "week"),
        (86_400, "day"),
        (3600, "hour"),
        (60, "minute"),
    ];
    // The clocks of two machines may differ, so a time in the future is treated as now.
    let seconds = now.saturating_sub(then).max(0).unsigned_abs();
    // The unit is the largest that gives a count of at least two. Such a count is more precise: 36 hours, not 1 day.
    let step = STEPS.iter().find(|(length, _)| seconds >= 2 * length);
    match step {
        Some((length, unit)) => format!("{} {unit}s", grouped(seconds / length)),
        None if seconds >= 60 => "a minute".to_owned(),
        None => "a moment".to_owned(),
    }
}

/// Formats a duration, such as `0.8 s`, `12 s`, `3:05` or `1:02:03`, without padding.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match seconds {
        0..10 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// Parses a number of bytes, such as `10k`, `1.5G`, `200MB` or `4KiB`. A number that is too large becomes `u64::MAX`.
pub fn parse(text: &str) -> Option<u64> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = factor(&unit.to_ascii_lowercase())?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    // A number with too many digits becomes `u64::MAX`, which no size exceeds.
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().unwrap_or(u64::MAX) };
    // Fractional digits after the eighteenth are ignored. Even in the largest unit, they amount to about one byte.
    let digits = &fraction[..fraction.len().min(18)];
    let tenths = digits.bytes().fold(0_u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
    let part = tenths * u128::from(factor) / digits.bytes().fold(1, |power, _| power * 10);
    Some(whole.saturating_mul(factor).saturating_add(u64::try_from(part).unwrap_or(u64::MAX)))
}

/// Returns the number of bytes in `unit`, which must be in lower case, or `None` if the unit is unknown. An empty
/// unit means bytes; `k`, `ki` and `kib` mean 1024 bytes, and `kb` means 1000 bytes.
fn factor(unit: &str) -> Option<u64> {
    let mut letters = unit.chars();
    let Some(power) = letters.next().filter(|letter| *letter != 'b') else {
        return matches!(unit, "" | "b").then_some(1);
    };
    let power = u32::try_from("kmgtpe".find(power)?).ok()? + 1;
    match letters.as_str() {
        "" | "i" | "ib" => Some(1024_u64.pow(power)),
        "b" => Some(1000_u64.pow(power)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_to_a_tenth_of_their_unit() {
        let cases = [
            (0, "    0   B"),
            (999, "  999   B"),
            (1000, "  1.0 KiB"),
            (1536, "  1.5 KiB"),
            (1_023_898, "999.9 KiB"),
            (1_023_999, "  1.0 MiB"),
            (5_046_586_573, "  4.7 GiB"),
            (u64::MAX, " 16.0 EiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes, Units::Binary), text);
        }
        assert_eq!(size(1_500, Units::Decimal), "  1.5 kB");
        assert_eq!(size(u64::MAX, Units::Decimal), " 18.4 EB");
    }

    #[test]
    fn a_size_in_a_sentence_has_one_space() {
        assert_eq!(plain_size(0, Units::Binary), "0 B");
        assert_eq!(plain_size(1536, Units::Decimal), "1.5 kB");
    }

    #[test]
    fn every_size_and_count_has_the_width_it_promises() {
        for shift in 0..64 {
            for near in [-1_i64, 0, 1, 511] {
                let number = (1_u64 << shift).wrapping_add_signed(near);
                for units in [Units::Binary, Units::Decimal] {
                    assert_eq!(size(number, units).len(), units.width(), "{number}");
                    assert_eq!(brief_size(number, units).len(), BRIEF, "{number}");
                }
                assert_eq!(count(number).len(), COUNT, "{number}");
            }
        }
    }

    #[test]
    fn brief_sizes_fit_four_columns() {
        let cases = [
            (0, "  0B"),
            (999, "999B"),
            (1536, "1.5K"),
            (10 << 20, " 10M"),
            (1_048_051_712, "999M"),
            (u64::MAX, " 16E"),
        ];
        for (bytes, text) in cases {
            assert_eq!(brief_size(bytes, Units::Binary), text);
        }
    }

    #[test]
    fn counts_are_grouped_and_shortened_by_cutting() {
        let cases = [
            (0, "      0"),
            (999_999, "999,999"),
            (1_239_999, " 1.23 M"),
            (99_990_000, " 99.9 M"),
            (u64::MAX, " 18.4 E"),
        ];
        for (number, text) in cases {
            assert_eq!(count(number), text);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn a_share_is_never_more_than_all() {
        assert_eq!(share(0, 0), 0);
        assert_eq!(share(1, 3), 333);
        assert_eq!(share(2, 3), 667);
        assert_eq!(share(u64::MAX, 1), 1000);
        assert_eq!(share(u64::MAX, u64::MAX), 1000);
        assert_eq!(percent(1000), "100.0%");
        assert_eq!(percent(7), "  0.7%");
    }

    #[test]
    fn the_elapsed_time_is_given_in_the_largest_unit_with_at_least_two() {
        let day = 86_400;
        for (seconds, text) in [
            (-5, "a moment"),
            (59, "a moment"),
            (60, "a minute"),
            (120, "2 minutes"),
            (2 * 3600 - 1, "119 minutes"),
            (2 * 3600, "2 hours"),
            (3 * day, "3 days"),
            (14 * day, "2 weeks"),
            (60 * day, "2 months"),
            (730 * day, "2 years"),
            (i64::MAX, "292,471,208,677 years"),
        ] {
            assert_eq!(elapsed(0, seconds), text);
        }
        assert_eq!(elapsed(i64::MIN, i64::MAX), "292,471,208,677 years");
    }

    #[test]
    fn durations_grow_coarser() {
        let cases = [(840, "0.8 s"), (12_345, "12 s"), (185_000, "3:05"), (3_723_000, "1:02:03")];
        for (milliseconds, text) in cases {
            assert_eq!(duration(Duration::from_millis(milliseconds)), text);
        }
    }

    #[test]
    fn sizes_are_exact_and_clamp() {
        assert_eq!(parse("1.5k"), Some(1536));
        assert_eq!(parse("0.1"), Some(0));
        assert_eq!(parse(".25M"), Some(262_144));
        assert_eq!(parse("2MB"), Some(2_000_000));
        assert_eq!(parse("2mib"), Some(2 << 20));
        assert_eq!(parse("17E"), Some(u64::MAX));
        assert_eq!(parse("99999999999999999999"), Some(u64::MAX));
        for wrong in [".", "1.2.3", "k", "1x", "1kx", "-1", "1 k"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
