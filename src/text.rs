//! Names to the terminal: the one place that makes bytes safe to print, and measures and cuts what is printed.
//!
//! A name is any bytes. What could move the cursor, change colours, reverse the reading order or not be seen at all is
//! replaced by a visible escape, never dropped, so that two different names do not print the same:
//!
//! ```text
//! \n \t \r          these three control characters
//! \x1b \xff         other controls below 0x80, and bytes that are no UTF-8
//! \u{9b} \u{202e}   other controls, format characters, invisible characters, blanks other than the space
//! \\                a backslash
//! \x20              a space at either end of a name, where nobody would see it
//! ```
//!
//! Knows no screen. Invariant: the result of [`escape`] holds no character of zero width of its own and no control, and
//! gives the name back uniquely.

use std::borrow::Cow;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Characters that are blank, invisible, or change how their neighbours are shown, besides the controls: general
/// categories Cf, Zl, Zp and Zs except the space, and `Default_Ignorable_Code_Point` (Unicode 16).
const UNSEEN: [(u32, u32); 34] = [
    (0x00a0, 0x00a0),
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x0600, 0x0605),
    (0x061c, 0x061c),
    (0x06dd, 0x06dd),
    (0x070f, 0x070f),
    (0x0890, 0x0891),
    (0x08e2, 0x08e2),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800), // the empty Braille pattern is no blank by category, but by looks
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
    // Planes of private use have no agreed look or width.
    (0xe000, 0xf8ff),
    (0xf_0000, 0xf_ffff),
    (0x10_0000, 0x10_ffff),
    // Noncharacters.
    (0xfdd0, 0xfdef),
    (0xfffe, 0xffff),
];

/// The name, or path, as it may be printed anywhere.
pub fn escape(name: &[u8]) -> Cow<'_, str> {
    if !name.starts_with(b" ") && !name.ends_with(b" ") {
        return printable(name);
    }
    let is_space = |byte: &&u8| **byte == b' ';
    let before = name.iter().take_while(is_space).count();
    let inner = &name[before..];
    let behind = inner.iter().rev().take_while(is_space).count();
    let space = |count| "\\x20".repeat(count);
    Cow::Owned(space(before) + &printable(&inner[..inner.len() - behind]) + &space(behind))
}

/// A text that is no name, as it may be printed anywhere: as [`escape`], but spaces at its ends are spaces.
pub fn printable(text: &[u8]) -> Cow<'_, str> {
    if text.iter().all(|byte| matches!(byte, b' '..=b'~' if *byte != b'\\')) {
        return String::from_utf8_lossy(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for chunk in text.utf8_chunks() {
        for grapheme in chunk.valid().graphemes(true) {
            push(&mut escaped, grapheme);
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    Cow::Owned(escaped)
}

/// The path as it may be printed anywhere.
pub fn escape_path(path: &Path) -> String {
    escape(path.as_os_str().as_bytes()).into_owned()
}

/// `command` with one more word, in POSIX shell: the path, byte for byte. Whatever is in it, it can be read on a terminal, and acts on
/// none.
pub fn command(command: &str, path: &[u8]) -> String {
    let readable = |text: &&str| escape(path).replace("\\\\", "\\") == **text;
    match std::str::from_utf8(path).ok().filter(readable) {
        Some(text) => format!("{command} '{}'", text.replace('\'', "'\\''")),
        // The underscore keeps the line ends at the end of the name, which `$()` would take away.
        None => format!("p=$(printf '%b_' '{}') && {command} \"${{p%_}}\"", octal(path)),
    }
}

/// [`command`] for a person to read, without quotes where the path is the same to a shell without.
pub fn advice(command: &str, path: &Path) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(byte);
    let path = path.as_os_str().as_bytes();
    match std::str::from_utf8(path) {
        Ok(text) if !text.is_empty() && path.iter().all(is_plain) => format!("{command} {text}"),
        _ => self::command(command, path),
    }
}

/// `path` as the argument of `printf %b`.
fn octal(path: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'/' | b'.' | b'-' | b'_' | b' ' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("\\0{byte:03o}"),
    };
    path.iter().map(byte).collect()
}

/// The bytes in base64 (RFC 4648, section 4, with padding).
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let six = bits >> (18 - 6 * digit) & 63;
            text.push(if digit > three.len() { '=' } else { char::from(DIGITS[six as usize]) });
        }
    }
    text
}

/// How many columns of the terminal `text` takes.
pub fn width(text: &str) -> usize {
    // Grapheme by grapheme, as the screen is drawn.
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// `text` in at most `columns` columns: whole, or its two ends with `gap` in place of what is missing between them.
/// Looks only at what it keeps, however long the text is.
pub fn fit<'t>(text: &'t str, columns: usize, gap: &str) -> Cow<'t, str> {
    let whole = start(text, columns);
    if whole.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(width(gap)).filter(|room| *room > 0) else {
        return Cow::Borrowed(whole);
    };
    // The end of a name, with its suffix and number, says as much as its beginning.
    let head = start(text, room - room / 2);
    let tail = end(text, room - width(head));
    Cow::Owned(format!("{head}{gap}{tail}"))
}

/// `text` in at most `columns` columns: whole, or its beginning and `gap`.
pub fn beginning<'t>(text: &'t str, columns: usize, gap: &str) -> Cow<'t, str> {
    if start(text, columns).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let head = start(text, columns.saturating_sub(width(gap)));
    Cow::Owned(format!("{}{gap}", head.trim_end()))
}

/// `text` in lines of at most `columns` columns, broken behind blanks and slashes where there are some. A character
/// wider than a line has one to itself.
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let most = start(rest, columns);
        if most.len() == rest.len() {
            lines.push(rest);
            return lines;
        }
        let behind = most.rfind([' ', '/']).map_or(most.len(), |at| at + 1);
        // Nothing fits: one character all the same, or there would be no end.
        let first = || rest.graphemes(true).next().map_or(rest.len(), str::len);
        let end = if behind == 0 { first() } else { behind };
        lines.push(&rest[..end]);
        rest = &rest[end..];
        if rest.is_empty() {
            return lines;
        }
    }
}

/// `text` cut or filled with spaces to exactly `columns` columns.
pub fn pad(text: &str, columns: usize, gap: &str) -> String {
    let mut padded = fit(text, columns, gap).into_owned();
    let missing = columns - width(&padded).min(columns);
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

fn push(escaped: &mut String, grapheme: &str) {
    // A mark with nothing before it would sit on what is printed in front of the name.
    let alone = UnicodeWidthStr::width(grapheme) == 0;
    for character in grapheme.chars() {
        // Writing to a string cannot fail.
        let _ = match character {
            '\\' => escaped.write_str("\\\\"),
            '\n' => escaped.write_str("\\n"),
            '\t' => escaped.write_str("\\t"),
            '\r' => escaped.write_str("\\r"),
            '\0'..='\x1f' | '\x7f' => write!(escaped, "\\x{:02x}", u32::from(character)),
            _ if alone || character.is_control() || is_unseen(character) => {
                write!(escaped, "\\u{{{:x}}}", u32::from(character))
            }
            _ => escaped.write_char(character),
        };
    }
}

fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// The longest beginning of `text` of at most `columns` columns.
fn start(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let Some(rest) = left.checked_sub(UnicodeWidthStr::width(grapheme)) else { break };
        left = rest;
        end = at + grapheme.len();
    }
    &text[..end]
}

/// The longest end of `text` of at most `columns` columns.
fn end(text: &str, columns: usize) -> &str {
    let mut left = columns;
    let mut start = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        let Some(rest) = left.checked_sub(UnicodeWidthStr::width(grapheme)) else { break };
        left = rest;
        start = at;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn ordinary_names_stay_as_they_are() {
        for name in ["plain", "with space", "größe", "日本語", "e\u{301}tude", "emoji 🎉", "العربية"]
        {
            assert_eq!(escape(name.as_bytes()), name);
        }
    }

    #[test]
    fn what_a_terminal_would_act_on_is_shown_instead() {
        let cases: [(&[u8], &str); 15] = [
            (b" ", "\\x20"),
            (b"  a b ", "\\x20\\x20a b\\x20"),
            (b" \xff", "\\x20\\xff"),
            (b"a\x1b[31mb", "a\\x1b[31mb"),
            (b"a\nb\tc\rd", "a\\nb\\tc\\rd"),
            (b"\x00\x7f", "\\x00\\x7f"),
            ("\u{9b}31m".as_bytes(), "\\u{9b}31m"),
            (b"\x9b31m", "\\x9b31m"),
            ("\u{202e}txt.exe".as_bytes(), "\\u{202e}txt.exe"),
            ("\u{2066}a\u{2069}".as_bytes(), "\\u{2066}a\\u{2069}"),
            ("a\u{2028}b\u{a0}c\u{3000}d".as_bytes(), "a\\u{2028}b\\u{a0}c\\u{3000}d"),
            ("a\u{200d}b\u{fe0f}\u{feff}".as_bytes(), "a\\u{200d}b\\u{fe0f}\\u{feff}"),
            (b"same\xff\xc3", "same\\xff\\xc3"),
            (b"back\\slash", "back\\\\slash"),
            ("\u{301}alone".as_bytes(), "\\u{301}alone"),
        ];
        for (name, shown) in cases {
            assert_eq!(escape(name), shown);
        }
    }

    #[test]
    fn names_that_differ_are_shown_differently() {
        let names: [&[u8]; 8] = [
            b"x\xff",
            b"x\\xff",
            b"x\\\\xff",
            b"x\xfe",
            "x\u{fffd}".as_bytes(),
            b"x\n",
            b"x\\n",
            "x\u{a}\u{301}".as_bytes(),
        ];
        for (index, name) in names.iter().enumerate() {
            assert!(names[index + 1..].iter().all(|other| escape(name) != escape(other)), "{name:?}");
        }
    }

    #[test]
    fn every_character_is_printed_with_a_width_or_escaped() {
        for character in '\0'..=char::MAX {
            let name = character.to_string();
            let shown = escape(name.as_bytes());
            assert!(width(&shown) > 0, "{character:?}");
            assert!(!shown.contains(char::is_control), "{character:?}");
        }
    }

    #[test]
    fn a_command_is_quoted_where_a_shell_would_read_something_else() {
        let advice = |path: &[u8]| advice("duke df", Path::new(OsStr::from_bytes(path)));
        assert_eq!(advice(b"/mnt/big-disk_2"), "duke df /mnt/big-disk_2");
        assert_eq!(advice(b"/mnt/it's big"), "duke df '/mnt/it'\\''s big'");
        assert_eq!(advice(b"/m\n"), "p=$(printf '%b_' '/m\\0012') && duke df \"${p%_}\"");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(fit("abcdefghij", 10, "…"), "abcdefghij");
        assert_eq!(fit("abcdefghij", 7, "…"), "abc…hij");
        assert_eq!(fit("abcdefghij", 4, ".."), "a..j");
        assert_eq!(fit("abcdefghij", 2, "…"), "a…");
        assert_eq!(fit("abcdefghij", 1, "…"), "a");
        assert_eq!(fit("abcdefghij", 0, "…"), "");
        assert_eq!(beginning("abc defghij", 11, "…"), "abc defghij");
        assert_eq!(beginning("abc defghij", 5, "…"), "abc…");
    }

    #[test]
    fn lines_break_behind_blanks_and_slashes_and_nothing_is_lost() {
        assert_eq!(wrap("/usr/share/doc", 8), ["/usr/", "share/", "doc"]);
        assert_eq!(wrap("two words here", 9), ["two ", "words ", "here"]);
        assert_eq!(wrap("unbroken", 3), ["unb", "rok", "en"]);
        assert_eq!(wrap("日本", 1), ["日", "本"]);
        assert_eq!(wrap("", 0), [""]);
        for columns in 0..20 {
            let text = "a 日本語/of some length, e\u{301} too";
            assert_eq!(wrap(text, columns).concat(), text);
            assert!(columns < 2 || wrap(text, columns).iter().all(|line| width(line) <= columns));
        }
    }

    #[test]
    fn a_wide_character_is_never_split() {
        for columns in 0..12 {
            let fitted = fit("日本語日本語", columns, "…").into_owned();
            assert!(width(&fitted) <= columns);
            assert!(fitted.chars().all(|character| "日本語…".contains(character)));
            assert_eq!(width(&pad("日本語日本語", columns, "…")), columns);
        }
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2, "…"), "e\u{301}…");
    }
}
