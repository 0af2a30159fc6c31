//! JSON writer: collects strings, numbers and punctuation in one large buffer. The caller is responsible for correct
//! structure.
//!
//! Invariant: a string written by [`JsonWriter::string`] is valid UTF-8. Characters that move the cursor, end a line or
//! change the writing direction are written as escapes, which every parser decodes.

use std::io::{self, Write};

use crate::base::os_error::OsError;
use crate::base::text::base64;

/// Size in bytes at which the buffer is written out: small enough for the CPU cache, large enough to save system calls.
const FULL: usize = 1 << 18;

/// `true` for each byte that needs no escape in a string: printable ASCII except the quote and the backslash.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        plain[byte] = byte != b'"' as usize && byte != b'\\' as usize;
        byte += 1;
    }
    plain
};

/// JSON writer. Only [`JsonWriter::spill`] and [`JsonWriter::finish`] write to `out`.
pub struct JsonWriter<'o> {
    out: &'o mut dyn Write,
    bytes: Vec<u8>,
}

impl<'o> JsonWriter<'o> {
    /// Creates an empty writer.
    pub fn new(out: &'o mut dyn Write) -> Self {
        Self { out, bytes: Vec::with_capacity(FULL + FULL / 8) }
    }

    /// Writes out the buffer if it is full. Should be called every few entries.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn spill(&mut self) -> io::Result<()> {
        if self.bytes.len() >= FULL { self.empty() } else { Ok(()) }
    }

    /// Writes out the rest of the buffer and flushes `out`.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.empty()?;
        self.out.flush()
    }

    /// Writes `text` unchanged. Used for punctuation, and for keys together with their punctuation.
    pub fn raw(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes an unsigned number.
    pub fn number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            #[allow(clippy::cast_possible_truncation)] // less than ten
            let digit = (rest % 10) as u8;
            digits[start] = b'0' + digit;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.bytes.extend_from_slice(&digits[start..]);
    }

    /// Writes a number that may be negative.
    pub fn signed(&mut self, number: i64) {
        if number < 0 {
            self.bytes.push(b'-');
        }
        self.number(number.unsigned_abs());
    }

    /// Writes `key` unchanged, then a number. The key must include its quotes and punctuation.
    pub fn field(&mut self, key: &str, number: u64) {
        self.raw(key);
        self.number(number);
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes the start of a document, up to the key `complete`. The caller writes the value of this key.
    pub fn head(&mut self, schema: &str) {
        for part in
            ["{\"schema\":\"", schema, "\",\"version\":\"", env!("CARGO_PKG_VERSION"), "\",\"complete\":"]
        {
            self.raw(part);
        }
    }

    /// Writes the `error` and `errno` fields of a read error. At least one other field must precede them.
    pub fn failure(&mut self, errno: i32) {
        self.raw(",\"error\":");
        self.string(OsError(errno).to_string().as_bytes());
        self.raw(",\"errno\":");
        self.signed(i64::from(errno));
    }

    /// Writes `bytes` as a string, with U+FFFD in place of invalid UTF-8. Returns `true` if nothing was replaced.
    pub fn string(&mut self, bytes: &[u8]) -> bool {
        self.bytes.push(b'"');
        let is_plain = bytes.iter().all(|byte| PLAIN[usize::from(*byte)]);
        let mut is_exact = true;
        if is_plain {
            self.bytes.extend_from_slice(bytes);
        } else {
            for chunk in bytes.utf8_chunks() {
                chunk.valid().chars().for_each(|char| self.char(char));
                if !chunk.invalid().is_empty() {
                    is_exact = false;
                    self.raw("\u{fffd}");
                }
            }
        }
        self.bytes.push(b'"');
        is_exact
    }

    /// Writes a name or path under `key`. If it is not valid UTF-8, its exact bytes follow under the same key with
    /// `_base64` appended. The key is not escaped.
    pub fn name(&mut self, key: &str, bytes: &[u8]) {
        self.key(key);
        if !self.string(bytes) {
            for part in [",\"", key, "_base64\":"] {
                self.raw(part);
            }
            self.base64(bytes);
        }
    }

    /// Writes `key` in quotes, followed by a colon. The key is not escaped.
    pub fn key(&mut self, key: &str) {
        for part in ["\"", key, "\":"] {
            self.raw(part);
        }
    }

    /// Writes `bytes` as a string the way ncdu does: only control characters, quotes and backslashes are escaped, and
    /// invalid UTF-8 is written unchanged.
    pub fn raw_string(&mut self, bytes: &[u8]) {
        self.bytes.push(b'"');
        for byte in bytes {
            match byte {
                b'"' => self.raw("\\\""),
                b'\\' => self.raw("\\\\"),
                b'\n' => self.raw("\\n"),
                b'\r' => self.raw("\\r"),
                b'\t' => self.raw("\\t"),
                8 => self.raw("\\b"),
                12 => self.raw("\\f"),
                0..0x20 | 0x7f => self.escape(u32::from(*byte)),
                byte => self.bytes.push(*byte),
            }
        }
        self.bytes.push(b'"');
    }

    /// Writes `bytes` as a base64 string (RFC 4648, section 4, with padding).
    pub fn base64(&mut self, bytes: &[u8]) {
        self.raw("\"");
        self.raw(&base64(bytes));
        self.raw("\"");
    }

    fn char(&mut self, char: char) {
        match char {
            '"' => self.raw("\\\""),
            '\\' => self.raw("\\\\"),
            '\n' => self.raw("\\n"),
            '\r' => self.raw("\\r"),
            '\t' => self.raw("\\t"),
            _ if char.is_control() || is_line_end_or_bidi(char) => self.escape(u32::from(char)),
            _ => self.raw(char.encode_utf8(&mut [0; 4])),
        }
    }

    /// Writes `code` as `\uXXXX`. All escaped characters are in the basic multilingual plane.
    fn escape(&mut self, code: u32) {
        self.raw("\\u");
        for shift in [12, 8, 4, 0] {
            self.bytes.push(b"0123456789abcdef"[(code >> shift & 15) as usize]);
        }
    }

    fn empty(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// Returns `true` for characters that end a line (U+2028, U+2029) or change the writing direction (section 2 of
/// Unicode Standard Annex 9).
fn is_line_end_or_bidi(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut out = Vec::new();
        let mut writer = JsonWriter::new(&mut out);
        write(&mut writer);
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn string(bytes: &[u8]) -> (String, bool) {
        let mut is_exact = false;
        let text = written(|writer| is_exact = writer.string(bytes));
        (text, is_exact)
    }

    #[test]
    fn numbers_are_whole_and_exact() {
        for number in [0, 7, 10, 99, 100, 12_345_678_901, u64::MAX] {
            assert_eq!(written(|writer| writer.number(number)), number.to_string());
        }
        for number in [i64::MIN, -1, 0, 1, i64::MAX] {
            assert_eq!(written(|writer| writer.signed(number)), number.to_string());
        }
    }

    #[test]
    fn a_plain_name_is_written_unchanged() {
        assert_eq!(string(b"main.rs ~!"), ("\"main.rs ~!\"".to_owned(), true));
        assert_eq!(string("größe 木".as_bytes()), ("\"größe 木\"".to_owned(), true));
    }

    #[test]
    fn control_characters_are_escaped_for_terminals_and_parsers() {
        let name = "\"\\\n\r\t\0\x1b\x7f\u{85}\u{9b}\u{202e}\u{2066}\u{2028}\u{200f}\u{61c}";
        let expected = r#""\"\\\n\r\t\u0000\u001b\u007f\u0085\u009b\u202e\u2066\u2028\u200f\u061c""#;
        assert_eq!(string(name.as_bytes()), (expected.to_owned(), true));
        // DEL (0x7f) is escaped even if it is the only special character in the string.
        assert_eq!(string(b"a\x7fb"), (r#""a\u007fb""#.to_owned(), true));
    }

    #[test]
    fn invalid_bytes_are_replaced_and_reported() {
        assert_eq!(string(b"same\xff"), ("\"same\u{fffd}\"".to_owned(), false));
        assert_eq!(string(b"\xe6\x9c|\xf0\x9f"), ("\"\u{fffd}|\u{fffd}\"".to_owned(), false));
        assert_eq!(string("\u{fffd}".as_bytes()), ("\"\u{fffd}\"".to_owned(), true));
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        let examples = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (example, expected) in examples.iter().zip(expected) {
            assert_eq!(written(|writer| writer.base64(example.as_bytes())), format!("\"{expected}\""));
        }
        assert_eq!(written(|writer| writer.base64(b"\xff\xfe\x00")), "\"//4A\"");
    }

    #[test]
    fn nothing_is_lost_when_the_buffer_is_full() {
        let text = "0123456789".repeat(7);
        let all = written(|writer| {
            for _ in 0..10_000 {
                writer.raw(&text);
                writer.spill().unwrap();
            }
        });
        assert_eq!(all, text.repeat(10_000));
    }
}
