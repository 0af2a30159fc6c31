//! Ages typed by users.
//!
//! ```text
//! age = number unit                  90d; units are h, d, w, mo, y
//! ```

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Age units with their lengths in seconds.
const UNITS: [(&str, i64); 5] = [("h", HOUR), ("d", DAY), ("w", 7 * DAY), ("mo", 30 * DAY), ("y", 365 * DAY)];

/// Reason why a string is not a valid age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeFault<'t> {
    /// The string is empty.
    Empty,
    /// The number has no unit. Contains the number.
    UnitMissing(&'t str),
    /// The unit is `m`, which could mean months or minutes. Contains the number.
    Minutes(&'t str),
    /// The unit is unknown. Contains the unit.
    UnknownUnit(&'t str),
    /// The unit has no number.
    NumberMissing,
}

/// Parses an age, such as `90d`, into seconds.
///
/// # Errors
/// Returns an error if `text` is not an age.
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
}
