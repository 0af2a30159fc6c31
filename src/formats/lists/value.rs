//! Parsers for the values in the columns of a list.
//!
//! Invariant: an invalid value is rejected and never replaced by a guess.

use std::borrow::Cow;

use crate::base::calendar;
use crate::base::kind::Kind;
use crate::tree::Exclusion;

/// Reason why a value or a line cannot be read.
pub(crate) type LineError = Cow<'static, str>;

/// Reason why a path with `..` after a name is refused.
pub(crate) const MISPLACED_PARENT: &str = "'..' is allowed only at the start of a relative path";

/// Checks the path given with `--root`. `has_parent` is `true` if the path contains `..` anywhere except at the start
/// of a relative path.
pub(super) fn check_part(path: &[u8], has_parent: bool) -> Result<(), LineError> {
    if path.is_empty() {
        return Err("the path is empty".into());
    }
    if path.contains(&0) {
        return Err("the path contains a NUL byte".into());
    }
    if has_parent {
        return Err(MISPLACED_PARENT.into());
    }
    Ok(())
}

/// Words for the kinds of entries in lists, including those of duke, `find -printf %y` and `%Y`, and `stat -c %F`.
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Directory, &["directory", "dir", "d", "folder"]),
    (Kind::File, &["file", "f", "regular", "regular file", "regular empty file", "reg", "-"]),
    (Kind::Symlink, &["symlink", "l", "link", "lnk", "symbolic link"]),
    (Kind::Fifo, &["fifo", "p", "pipe"]),
    (Kind::Socket, &["socket", "s", "sock"]),
    (Kind::BlockDevice, &["block_device", "b", "blk", "block special file"]),
    (Kind::CharDevice, &["char_device", "c", "chr", "character special file"]),
    (Kind::Unknown, &["unknown", "u", "?"]),
];

/// Parses a whole number.
pub(crate) fn whole(text: &[u8]) -> Result<u64, LineError> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err("not a whole number".into());
    }
    let mut number: u64 = 0;
    for digit in text {
        let next = number.checked_mul(10).and_then(|ten| ten.checked_add(u64::from(digit - b'0')));
        number = next.ok_or("number does not fit into 64 bits")?;
    }
    Ok(number)
}

/// Parses a whole number of at most 32 bits.
pub(crate) fn narrow(text: &[u8]) -> Result<u32, LineError> {
    u32::try_from(whole(text)?).map_err(|_| "number does not fit into 32 bits".into())
}

/// Parses a size and returns it in bytes. Returns `None` for -1, which rclone writes for an unknown size.
pub(crate) fn bytes(text: &[u8], unit: u64) -> Result<Option<u64>, LineError> {
    if text == b"-1" {
        return Ok(None);
    }
    whole(text)?.checked_mul(unit).map(Some).ok_or_else(|| "more than 2^64-1 bytes".into())
}

/// Parses a time: seconds since 1970, or a date with or without a time of day (RFC 3339, in UTC if no time zone is
/// given). A fraction of a second is dropped.
pub(crate) fn seconds(text: &[u8]) -> Result<i64, LineError> {
    let (is_negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let dot = rest.iter().position(|byte| *byte == b'.');
    let (before, after) = dot.map_or((rest, &b"0"[..]), |dot| (&rest[..dot], &rest[dot + 1..]));
    if before.iter().chain(after).all(u8::is_ascii_digit) && !before.is_empty() {
        let number = whole(before)?;
        let signed = if is_negative { 0_i64.checked_sub_unsigned(number) } else { number.try_into().ok() };
        return signed.ok_or_else(|| "time out of range".into());
    }
    let date = std::str::from_utf8(text).ok().and_then(calendar::parse_utc);
    date.ok_or_else(|| "neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z".into())
}

pub(crate) fn boolean(text: &[u8]) -> Result<bool, LineError> {
    match text.to_ascii_lowercase().as_slice() {
        b"true" | b"t" | b"yes" | b"1" => Ok(true),
        b"false" | b"f" | b"no" | b"0" => Ok(false),
        _ => Err("neither true nor false".into()),
    }
}

pub(crate) fn kind(text: &[u8]) -> Result<Kind, LineError> {
    let known = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    let kind = KINDS.iter().find(|(_, words)| known(words)).map(|(kind, _)| *kind);
    kind.ok_or_else(|| "unknown kind of entry".into())
}

/// Parses the reason for an exclusion.
pub(crate) fn exclusion(text: &[u8]) -> Result<Exclusion, LineError> {
    let found = Exclusion::ALL.into_iter().find(|exclusion| exclusion.name().as_bytes() == text);
    found.ok_or_else(|| "unknown reason for the exclusion".into())
}

/// Decodes URL-encoded text in which a plus sign stands for a space, as in the keys of S3 Inventory. Returns an error
/// if a percent sign is not followed by two hexadecimal digits.
pub(crate) fn url_decoded(text: &[u8]) -> Result<Vec<u8>, LineError> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
                let byte = digits.filter(|two| !two.starts_with('+')).map(|two| u8::from_str_radix(two, 16));
                rest = rest.get(2..).unwrap_or_default();
                let Some(Ok(byte)) = byte else {
                    return Err("'%' without two hexadecimal digits after it".into());
                };
                byte
            }
            byte => *byte,
        });
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_dates() {
        let cases: [(&str, Option<i64>); 20] = [
            ("0", Some(0)),
            ("1700000000", Some(1_700_000_000)),
            ("1700000000.9876543210", Some(1_700_000_000)),
            ("-5.5", Some(-5)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("2026-11-21T08:15:00Z", Some(1_795_248_900)),
            ("2026-11-21T08:15:00.000Z", Some(1_795_248_900)),
            ("2026-11-21T09:15:00.123456789+01:00", Some(1_795_248_900)),
            ("2026-11-21 08:15:00", Some(1_795_248_900)),
            ("2026-11-21", Some(1_795_219_200)),
            ("", None),
            ("-", None),
            (".5", None),
            ("1e9", None),
            ("1.2.3", None),
            ("9223372036854775808", None),
            ("18446744073709551616", None),
            ("tomorrow", None),
            ("2026-13-01", None),
            ("21.11.2026", None),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text.as_bytes()).ok(), expected, "{text}");
        }
    }

    #[test]
    fn sizes_are_multiplied_and_never_wrap() {
        assert_eq!(bytes(b"3", 1024), Ok(Some(3072)));
        assert_eq!(bytes(b"-1", 1), Ok(None));
        assert_eq!(bytes(b"18446744073709551615", 1), Ok(Some(u64::MAX)));
        for wrong in ["", "-2", "+1", "1.5", "1k", "0x10", "18446744073709551616", "\u{663}"] {
            assert!(bytes(wrong.as_bytes(), 1).is_err(), "{wrong}");
        }
        assert!(bytes(b"18014398509481984", 1024).is_err());
    }

    #[test]
    fn keys_are_decoded() {
        assert_eq!(url_decoded(b"a+b%20c%2Fd%ff%2b"), Ok(b"a b c/d\xff+".to_vec()));
        for wrong in ["%", "%1", "%zz", "%+1"] {
            assert!(url_decoded(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
