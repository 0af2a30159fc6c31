//! Text for the terminal: escaping and shell quoting; with the feature `formats` also measuring and truncating.
//!
//! A name can contain any bytes. Nothing is dropped, so two different names never look the same. Everything that could
//! move the cursor, change colors, reverse the reading order or be invisible is replaced with a visible escape:
//!
//! ```text
//! \n \t \r          these three control characters
//! \x1b \xff         other controls below 0x80, and bytes that are not UTF-8
//! \u{9b} \u{202e}   other controls, format characters, invisible characters, blanks other than the space
//! \\                a backslash
//! \x20              a space at either end of a name, where it would be invisible
//! ```
//!
//! Invariant: the result of [`escape`] contains no control character and no standalone zero-width character, and
//! identifies the name uniquely.

use std::borrow::Cow;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[cfg(feature = "formats")]
pub use super::width::{beginning, first_words, fit, pad, width, wrap};

/// Ranges of non-control characters that are blank or invisible, change the appearance of their neighbors, or have no
/// agreed appearance. They include the general categories Cf, Zl, Zp and Zs except the space, and the property
/// `Default_Ignorable_Code_Point` (Unicode 16). Comments explain the other characters.
const UNSEEN: [(u32, u32); 55] = [
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
    (0x2800, 0x2800), // the empty Braille pattern looks blank, although it is in another category
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
    // Other characters without width: marks that precede their letter, and unassigned code points reserved for marks.
    (0x05c8, 0x05c9),
    (0x0b53, 0x0b54),
    (0x0d4e, 0x0d4e),
    (0x1ade, 0x1adf),
    (0x1aec, 0x1af0),
    (0xa8fa, 0xa8fa),
    (0x1_0ecb, 0x1_0ecf),
    (0x1_0ef0, 0x1_0ef9),
    (0x1_11c2, 0x1_11c3),
    (0x1_13d1, 0x1_13d1),
    (0x1_193f, 0x1_193f),
    (0x1_1941, 0x1_1941),
    (0x1_1a84, 0x1_1a89),
    (0x1_1d46, 0x1_1d46),
    (0x1_1df0, 0x1_1df0),
    (0x1_1f02, 0x1_1f02),
    (0x1_d127, 0x1_d128),
    (0x1_d250, 0x1_d252),
    (0x1_d25b, 0x1_d25c),
    (0x1_d25f, 0x1_d25f),
    (0x1_d280, 0x1_d281),
    // Private-use characters have no agreed appearance or width.
    (0xe000, 0xf8ff),
    (0xf_0000, 0xf_ffff),
    (0x10_0000, 0x10_ffff),
    // Unicode noncharacters never represent text.
    (0xfdd0, 0xfdef),
    (0xfffe, 0xffff),
];

/// Escapes a name or path for the terminal.
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

/// Escapes text for the terminal. Unlike [`escape`], keeps leading and trailing spaces as they are.
pub fn printable(text: &[u8]) -> Cow<'_, str> {
    if text.iter().all(|byte| matches!(byte, b' '..=b'~' if *byte != b'\\')) {
        return String::from_utf8_lossy(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for chunk in text.utf8_chunks() {
        let mut before = None;
        for character in chunk.valid().chars() {
            before = push(&mut escaped, character, before);
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\x{byte:02x}");
        }
    }
    Cow::Owned(escaped)
}

/// Escapes a path for the terminal.
pub fn escape_path(path: &Path) -> String {
    escape(path.as_os_str().as_bytes()).into_owned()
}

/// Returns POSIX shell code, safe to print for any path, that runs `command` with exactly `path` as its last argument.
pub fn command(command: &str, path: &[u8]) -> String {
    match plain(path) {
        Some(text) => format!("{command} {}", quoted(text)),
        None => format!("{} && {command} \"${{p%_}}\"", printed("p", path)),
    }
}

/// Returns a line of POSIX shell code that assigns exactly `value` to a variable. The line is safe to print.
pub fn assignment(variable: &str, value: &[u8]) -> String {
    match plain(value) {
        Some(text) => format!("{variable}={}", quoted(text)),
        None => format!("{}; {variable}=${{{variable}%_}}", printed(variable, value)),
    }
}

/// Quotes `text` as one POSIX shell word.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns the path as a string if it can be printed unchanged.
fn plain(path: &[u8]) -> Option<&str> {
    let readable = |text: &&str| escape(path).replace("\\\\", "\\") == **text;
    std::str::from_utf8(path).ok().filter(readable)
}

/// Returns a command that assigns `value` and a trailing underscore to a variable. Without the underscore, `$()` would
/// strip line feeds from the end of the value.
fn printed(variable: &str, value: &[u8]) -> String {
    format!("{variable}=$(printf '%b_' '{}')", octal(value))
}

/// Formats a command as a suggestion to the user, like [`command`] but with quotes only if the shell needs them.
pub fn advice(command: &str, path: &Path) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(byte);
    let path = path.as_os_str().as_bytes();
    match std::str::from_utf8(path) {
        Ok(text) if !text.is_empty() && path.iter().all(is_plain) => format!("{command} {text}"),
        _ => self::command(command, path),
    }
}

/// Encodes `path` as an argument for `printf %b`.
fn octal(path: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'/' | b'.' | b'-' | b'_' | b' ' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("\\0{byte:03o}"),
    };
    path.iter().map(byte).collect()
}

/// Encodes bytes in base64 (RFC 4648, section 4, with padding).
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

/// Appends a character, escaped if necessary. `before` is the preceding character, or `None` at the start and
/// after an escape. Returns the appended character, or `None` if it was escaped.
fn push(escaped: &mut String, character: char, before: Option<char>) -> Option<char> {
    // A mark at the start of a name would attach to the text before the name. Marks, Hangul vowels and Hangul final
    // consonants are therefore escaped if they cannot combine with a preceding character of the name.
    let joins = before.is_some_and(|before| !is_jamo(character) || continues_syllable(before, character));
    let is_alone = !joins && (is_jamo(character) || is_mark(character));
    // Writing to a string cannot fail.
    let _ = match character {
        '\\' => escaped.write_str("\\\\"),
        '\n' => escaped.write_str("\\n"),
        '\t' => escaped.write_str("\\t"),
        '\r' => escaped.write_str("\\r"),
        '\0'..='\x1f' | '\x7f' => write!(escaped, "\\x{:02x}", u32::from(character)),
        _ if is_alone || character.is_control() || is_unseen(character) => {
            write!(escaped, "\\u{{{:x}}}", u32::from(character))
        }
        _ => {
            escaped.push(character);
            return Some(character);
        }
    };
    None
}

/// Returns `true` if the character combines with the preceding character (`Grapheme_Extend`). The standard library has
/// no function for this property, but `char::escape_debug` escapes every character that has the property. `is_ascii`
/// and `is_unassigned` rule out all other characters that are escaped.
fn is_mark(character: char) -> bool {
    !character.is_ascii() && character.escape_debug().len() > 1 && !is_unassigned(character)
}

/// Returns `true` for a non-ASCII character that `str::escape_debug` escapes at every position, not only at the start
/// of the string. Unassigned characters are an example.
fn is_unassigned(character: char) -> bool {
    !character.is_ascii() && "a".chars().chain([character]).collect::<String>().escape_debug().count() > 2
}

/// Returns `true` for Hangul vowels and final consonants, which have no width of their own.
fn is_jamo(character: char) -> bool {
    is_vowel(character) || is_final(character)
}

fn is_vowel(character: char) -> bool {
    matches!(character, '\u{1160}'..='\u{11a7}' | '\u{d7b0}'..='\u{d7c6}')
}

fn is_final(character: char) -> bool {
    matches!(character, '\u{11a8}'..='\u{11ff}' | '\u{d7cb}'..='\u{d7fb}')
}

/// Returns `true` if `jamo`, a Hangul vowel or final consonant, belongs to the same syllable as `before`, the
/// preceding character (Unicode Standard Annex 29, rules GB6 to GB8).
fn continues_syllable(before: char, jamo: char) -> bool {
    const FINALS: u32 = 28;
    let is_syllable = ('\u{ac00}'..='\u{d7a3}').contains(&before);
    let is_open = is_vowel(before) || is_syllable && (u32::from(before) - 0xac00) % FINALS == 0;
    if is_vowel(jamo) {
        is_open || matches!(before, '\u{1100}'..='\u{115f}' | '\u{a960}'..='\u{a97c}')
    } else {
        is_open || is_syllable || is_final(before)
    }
}

fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn paths_are_one_word_of_a_shell_and_can_be_read() {
        let cases: [(&[u8], &str); 6] = [
            (b"/a b/c", "rm -- '/a b/c'"),
            (b"/it's", "rm -- '/it'\\''s'"),
            (b"/$(x)`y`\\\"", "rm -- '/$(x)`y`\\\"'"),
            ("/gr\u{f6}\u{df}e".as_bytes(), "rm -- '/gr\u{f6}\u{df}e'"),
            (b"/a\n", "p=$(printf '%b_' '/a\\0012') && rm -- \"${p%_}\""),
            (b"/\xff'\x1b", "p=$(printf '%b_' '/\\0377\\0047\\0033') && rm -- \"${p%_}\""),
        ];
        for (path, expected) in cases {
            assert_eq!(command("rm --", path), expected);
        }
        assert_eq!(assignment("name", b"it's"), "name='it'\\''s'");
        assert_eq!(assignment("name", b"a\n"), "name=$(printf '%b_' 'a\\0012'); name=${name%_}");
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        for name in ["plain", "with space", "größe", "日本語", "e\u{301}tude", "emoji 🎉", "العربية"]
        {
            assert_eq!(escape(name.as_bytes()), name);
        }
    }

    #[test]
    fn control_characters_are_shown_as_escapes() {
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
    #[cfg(feature = "formats")]
    fn every_character_is_printed_with_a_width_or_escaped() {
        for character in '\0'..=char::MAX {
            let name = character.to_string();
            let shown = escape(name.as_bytes());
            assert!(width(&shown) > 0, "{character:?}");
            assert!(!shown.contains(char::is_control), "{character:?}");
        }
    }

    #[test]
    #[cfg(feature = "formats")]
    fn no_character_is_invisible_behind_another() {
        use unicode_segmentation::UnicodeSegmentation;

        // A letter, a mark, three Hangul letters (an initial consonant, a vowel and a final consonant), two Hangul
        // syllables (without and with a final consonant), a virama, a joiner, an emoji, half a flag, and characters
        // that are escaped.
        let before =
            "a\u{301}\u{1100}\u{1161}\u{11a8}\u{ac00}\u{ac01}\u{94d}\u{200d}\u{1f389}\u{1f1e6}\n\u{a0}";
        let without_width =
            ('\0'..=char::MAX).filter(|character| width(character.encode_utf8(&mut [0; 4])) == 0);
        for character in without_width {
            for before in before.chars() {
                let shown = escape(format!("{before}{character}").as_bytes()).into_owned();
                assert!(
                    shown.graphemes(true).all(|grapheme| width(grapheme) > 0),
                    "{before:?} {character:?}"
                );
            }
        }
        assert_eq!(escape("a\u{301}".as_bytes()), "a\u{301}");
        assert_eq!(escape("\u{1112}\u{1161}\u{11ab}".as_bytes()), "\u{1112}\u{1161}\u{11ab}");
        assert_eq!(escape("\u{a0}\u{301}".as_bytes()), "\\u{a0}\\u{301}");
    }

    #[test]
    fn commands_are_quoted_where_a_shell_needs_it() {
        let advice = |path: &[u8]| advice("duke df", Path::new(OsStr::from_bytes(path)));
        assert_eq!(advice(b"/mnt/big-disk_2"), "duke df /mnt/big-disk_2");
        assert_eq!(advice(b"/mnt/it's big"), "duke df '/mnt/it'\\''s big'");
        assert_eq!(advice(b"/m\n"), "p=$(printf '%b_' '/m\\0012') && duke df \"${p%_}\"");
    }
}
