//! Lexer for a JSON stream: reads strings and whole numbers, and can skip any value.
//!
//! The lexer accepts two deviations from JSON. A string may contain any bytes from 0x80 on, because ncdu writes file
//! names unchanged. The digits and signs of a number are not checked if the number is skipped or read as text.
//!
//! Invariant: no function is recursive, memory holds one chunk and one string of at most [`LONGEST`] bytes, and every
//! error names the byte at which it occurred.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::input::next_chunk;
pub(crate) use super::input::{Fault, Pulse, Reason};
use super::pipe::Chunks;

/// Maximum length of a string in bytes. No root has a longer path, because Linux rejects longer command-line arguments
/// (execve(2), `MAX_ARG_STRLEN`).
pub(crate) const LONGEST: usize = 128 << 10;
/// Maximum nesting depth of a skipped value.
const LEVELS: usize = 4096;

/// Lexer for JSON that arrives in chunks.
pub(crate) struct Lexer<'a> {
    /// Input; `None` if texts are loaded with [`Lexer::load`].
    chunks: Option<Chunks>,
    /// Function called after each chunk, and whenever no input arrives for a while. `Break` stops reading.
    pulse: &'a dyn Fn(Pulse) -> ControlFlow<()>,
    bytes: Vec<u8>,
    at: usize,
    /// Number of bytes in all chunks before the current one.
    before: u64,
    text: Vec<u8>,
}

type Result<T> = std::result::Result<T, Fault>;

impl<'a> Lexer<'a> {
    /// Creates a lexer for an input whose first bytes have already been read.
    pub(crate) fn resume(
        bytes: Vec<u8>,
        chunks: Chunks,
        pulse: &'a dyn Fn(Pulse) -> ControlFlow<()>,
    ) -> Self {
        Self { chunks: Some(chunks), pulse, bytes, at: 0, before: 0, text: Vec::new() }
    }

    /// Creates a lexer for texts that are loaded one at a time with [`Lexer::load`].
    pub(crate) fn of_texts() -> Self {
        let pulse = &|_| ControlFlow::Continue(());
        Self { chunks: None, pulse, bytes: Vec::new(), at: 0, before: 0, text: Vec::new() }
    }

    /// Replaces the input with `text`. Offsets begin at 0 again.
    pub(crate) fn load(&mut self, text: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(text);
        (self.at, self.before) = (0, 0);
    }

    /// Returns an error at the current byte.
    pub(crate) fn fault<T>(&self, reason: impl Into<Cow<'static, str>>) -> Result<T> {
        self.fault_at(self.offset(), reason)
    }

    /// Returns an error at the byte `offset`, which has already been read.
    #[allow(clippy::unused_self)] // a method, so that it is called like `fault`
    pub(crate) fn fault_at<T>(&self, offset: u64, reason: impl Into<Cow<'static, str>>) -> Result<T> {
        Err(Fault { offset, reason: Reason::Wrong(reason.into()) })
    }

    /// Returns an error at the byte that was consumed last.
    pub(crate) fn fault_at_last<T>(&self, reason: impl Into<Cow<'static, str>>) -> Result<T> {
        self.fault_at(self.offset() - 1, reason)
    }

    /// Returns the error for input that ends too early.
    fn fault_at_end<T>(&self) -> Result<T> {
        // An input without chunks is a single line of a list, set with `load`.
        let is_line = self.chunks.is_none();
        self.fault(if is_line { "the object does not end on this line" } else { "unexpected end of input" })
    }

    /// Returns the position of the next byte in the input, which is the number of bytes consumed so far.
    pub(crate) fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Skips whitespace, then consumes and returns the next byte.
    pub(crate) fn significant(&mut self) -> Result<u8> {
        let byte = self.peek_significant()?;
        self.at += 1;
        Ok(byte)
    }

    /// Skips whitespace and returns the next byte without consuming it.
    pub(crate) fn peek_significant(&mut self) -> Result<u8> {
        match self.blanks()? {
            Some(byte) => Ok(byte),
            None if self.offset() == 0 => {
                Err(Fault { offset: 0, reason: Reason::Unreadable("the input is empty".into()) })
            }
            None => self.fault_at_end(),
        }
    }

    /// Skips whitespace and consumes the next byte, which must be `byte`.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.peek_significant()? == byte {
            self.at += 1;
            return Ok(());
        }
        self.fault(format!("expected '{}'", char::from(byte)))
    }

    /// Checks that the rest of the input is whitespace.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.blanks()? {
            None => Ok(()),
            Some(_) => self.fault("trailing data"),
        }
    }

    /// Reads a string and returns it unescaped.
    pub(crate) fn string(&mut self) -> Result<&[u8]> {
        self.expect(b'"')?;
        self.text.clear();
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|byte| !PLAIN[usize::from(*byte)]).unwrap_or(rest.len());
            if self.text.len() + plain > LONGEST {
                return self.fault("string longer than 128 KiB");
            }
            self.text.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match self.byte()? {
                b'"' => return Ok(&self.text),
                b'\\' => self.escape()?,
                _ => {
                    self.at -= 1;
                    // This byte may be plain if `byte()` has loaded a new chunk. The next iteration then adds it to
                    // the string.
                    if !PLAIN[usize::from(self.bytes[self.at])] {
                        return self.fault("control character in a string");
                    }
                }
            }
        }
    }

    /// Returns the last string that was read.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Reads a whole number of at most 64 bits.
    pub(crate) fn whole(&mut self) -> Result<u64> {
        let first = self.peek_significant()?;
        if !first.is_ascii_digit() {
            return self.fault("expected a whole number");
        }
        let start = self.offset();
        let mut number: u64 = 0;
        let mut digits = 0;
        while let Some(byte @ b'0'..=b'9') = self.peek()? {
            self.at += 1;
            digits += 1;
            let next = number.checked_mul(10).and_then(|ten| ten.checked_add(u64::from(byte - b'0')));
            match next {
                Some(next) => number = next,
                None => return self.fault_at(start, "number does not fit into 64 bits"),
            }
            if first == b'0' && digits > 1 {
                return self.fault_at(start, "number with a leading zero");
            }
        }
        match self.peek()? {
            Some(b'e' | b'E') => self.fault("numbers with exponents are not supported"),
            _ => Ok(number),
        }
    }

    /// Reads seconds since 1970: a number with an optional minus sign. A fraction is dropped.
    pub(crate) fn seconds(&mut self) -> Result<i64> {
        let start = self.offset();
        let is_negative = self.peek_significant()? == b'-';
        self.at += usize::from(is_negative);
        let number = self.whole()?;
        if self.peek()? == Some(b'.') {
            self.at += 1;
            while let Some(b'0'..=b'9') = self.peek()? {
                self.at += 1;
            }
        }
        let seconds = if is_negative { 0_i64.checked_sub_unsigned(number) } else { number.try_into().ok() };
        seconds.map_or_else(|| self.fault_at(start, "time out of range"), Ok)
    }

    pub(crate) fn boolean(&mut self) -> Result<bool> {
        let word: &[u8] = match self.peek_significant()? {
            b't' => b"true",
            b'f' => b"false",
            _ => return self.fault("expected true or false"),
        };
        self.word(word)?;
        Ok(word == b"true")
    }

    /// Reads a string, a number or a boolean as text. Skips any other value and returns `None`.
    pub(crate) fn scalar(&mut self) -> Result<Option<&[u8]>> {
        match self.peek_significant()? {
            b'"' => return self.string().map(Some),
            b't' | b'f' => {
                let is_true = self.boolean()?;
                return Ok(Some(if is_true { b"true" } else { b"false" }));
            }
            b'-' | b'0'..=b'9' => {}
            _ => return self.skip().map(|()| None),
        }
        self.text.clear();
        while let Some(byte @ (b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) = self.peek()? {
            if self.text.len() == LONGEST {
                return self.fault("number longer than 128 KiB");
            }
            self.text.push(byte);
            self.at += 1;
        }
        Ok(Some(&self.text))
    }

    /// Skips a value of any type.
    pub(crate) fn skip(&mut self) -> Result<()> {
        // Closing bracket of each open level.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek_significant()? {
                b'"' => {
                    self.string()?;
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                b'-' | b'0'..=b'9' => {
                    while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek()? {
                        self.at += 1;
                    }
                }
                begin @ (b'[' | b'{') => {
                    self.at += 1;
                    if open.len() == LEVELS {
                        return self.fault("values nested too deeply");
                    }
                    open.push(begin + 2);
                    if self.peek_significant()? != begin + 2 {
                        self.skip_key(begin + 2)?;
                        continue;
                    }
                }
                _ => return self.fault("expected a value"),
            }
            // After the value, the arrays and objects that contain it may end too.
            loop {
                let Some(end) = open.last().copied() else { return Ok(()) };
                match self.peek_significant()? {
                    b',' => {
                        self.at += 1;
                        self.skip_key(end)?;
                        break;
                    }
                    byte if byte == end => {
                        self.at += 1;
                        open.pop();
                    }
                    _ => return self.fault(format!("expected ',' or '{}'", char::from(end))),
                }
            }
        }
    }

    /// Skips the key before the next value of an object. `end` is the byte that closes the array or object.
    fn skip_key(&mut self, end: u8) -> Result<()> {
        if end == b'}' {
            self.string()?;
            self.expect(b':')?;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<()> {
        let start = self.offset();
        for expected in word {
            if self.byte()? != *expected {
                return self.fault_at(start, "expected a value");
            }
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<()> {
        let start = self.offset() - 1;
        let byte = match self.byte()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.character(start),
            _ => return self.fault_at(start, "unknown escape sequence"),
        };
        self.text.push(byte);
        Ok(())
    }

    /// Decodes the character of one `\uXXXX` escape, or of two that form a surrogate pair (RFC 8259, section 7).
    fn character(&mut self, start: u64) -> Result<()> {
        let mut units = vec![self.unit(start)?];
        if (0xd800..0xdc00).contains(&units[0]) {
            let is_pair = self.byte()? == b'\\' && self.byte()? == b'u';
            if !is_pair {
                return self.fault_at(start, "unpaired surrogate");
            }
            units.push(self.unit(start)?);
        }
        let Some(Ok(character)) = char::decode_utf16(units).next() else {
            return self.fault_at(start, "unpaired surrogate");
        };
        self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn unit(&mut self, start: u64) -> Result<u16> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = char::from(self.byte()?).to_digit(16) else {
                return self.fault_at(start, "expected four hexadecimal digits after \\u");
            };
            unit = unit << 4 | u16::try_from(digit).expect("a digit is below 16");
        }
        Ok(unit)
    }

    fn blanks(&mut self) -> Result<Option<u8>> {
        while let Some(byte) = self.peek()? {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Ok(Some(byte));
            }
            self.at += 1;
        }
        Ok(None)
    }

    fn byte(&mut self) -> Result<u8> {
        let Some(byte) = self.peek()? else { return self.fault_at_end() };
        self.at += 1;
        Ok(byte)
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        if self.at == self.bytes.len() && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.bytes[self.at]))
    }

    /// Receives the next chunk. Returns `false` at the end of the input.
    fn fill(&mut self) -> Result<bool> {
        let Some(chunks) = &mut self.chunks else { return Ok(false) };
        let next = next_chunk(chunks, self.pulse);
        let Some(bytes) = next.map_err(|reason| Fault { offset: self.offset(), reason })? else {
            return Ok(false);
        };
        self.before += self.bytes.len() as u64;
        (self.bytes, self.at) = (bytes, 0);
        Ok(true)
    }
}

/// `true` for each byte that stands for itself in a string: all except control characters, quotes and backslashes.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain
};
