//! Splits a list into records: lines, NUL-terminated records, or CSV records that may contain quoted newlines.
//!
//! Invariant: memory holds one chunk and one record of at most [`LONGEST_RECORD`] bytes. A record is rejected if it is
//! longer, or if its quote is never closed. Reading then continues after the first line end in the rejected record, or
//! after the next NUL if records end with NUL.

use std::ops::{ControlFlow, Range};

use super::separated::CsvState;
use super::value::LineError;
use crate::formats::input::{Pulse, Reason, next_chunk};
use crate::formats::json_lexer::Lexer;
use crate::formats::pipe::Chunks;

/// Maximum length of a record in bytes.
const LONGEST_RECORD: usize = 1 << 18;

/// Terminator of the records in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordEnd {
    Newline,
    Nul,
    /// Newline outside quoted fields. The value is the separator between fields. A quoted field can begin only at the
    /// start of a record or after a separator.
    Csv(u8),
}

/// Record that has been read.
pub(crate) struct RawRecord {
    /// Line number where the record begins, or record number if records end with NUL. Both are counted from 1.
    pub(crate) number: u64,
    /// Position in the buffer, or the reason why the record was rejected.
    pub(crate) bytes: Result<Range<usize>, LineError>,
}

/// Reader that splits an input into records.
pub(crate) struct RecordReader<'a> {
    chunks: Chunks,
    pulse: &'a dyn Fn(Pulse) -> ControlFlow<()>,
    bytes: Vec<u8>,
    /// Start of the next record.
    at: usize,
    has_ended: bool,
    /// Number of the next record, counted as in [`RawRecord::number`].
    number: u64,
}

impl<'a> RecordReader<'a> {
    pub(crate) fn new(chunks: Chunks, pulse: &'a dyn Fn(Pulse) -> ControlFlow<()>) -> Self {
        Self { chunks, pulse, bytes: Vec::new(), at: 0, has_ended: false, number: 1 }
    }

    /// Returns a lexer for the whole input. Must be called before any record is taken.
    pub(crate) fn into_lexer(self) -> Lexer<'a> {
        Lexer::resume(self.bytes, self.chunks, self.pulse)
    }

    /// Returns the pending bytes: those in the buffer that have been neither taken nor skipped. First reads input until
    /// `is_enough` accepts the pending bytes, or until the input ends.
    ///
    /// # Errors
    /// Returns an error if reading is stopped or fails.
    pub(crate) fn peek(&mut self, is_enough: impl Fn(&[u8]) -> bool) -> Result<&[u8], Reason> {
        while !is_enough(&self.bytes[self.at..]) && self.fill()? {}
        Ok(&self.bytes[self.at..])
    }

    /// Skips the next `bytes` bytes, which belong to no record.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Reads to the end of the input. Returns all bytes that have not been taken or skipped yet.
    ///
    /// # Errors
    /// Returns an error if reading is stopped or fails.
    pub(crate) fn rest(mut self) -> Result<Vec<u8>, Reason> {
        while self.fill()? {}
        Ok(self.bytes.split_off(self.at))
    }

    /// Returns the number of the next record, counted as in [`RawRecord::number`].
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the bytes of a record. `record` is its position from [`RawRecord::bytes`], which is valid only until
    /// the next record is taken.
    pub(crate) fn bytes(&self, record: Range<usize>) -> &[u8] {
        &self.bytes[record]
    }

    /// Takes the next record, without its terminator. Returns `None` at the end of the input.
    ///
    /// # Errors
    /// Returns an error if reading is stopped or fails.
    pub(crate) fn next(&mut self, end: RecordEnd) -> Result<Option<RawRecord>, Reason> {
        let number = self.number;
        loop {
            let rest = &self.bytes[self.at..];
            if let Some(length) = record_length(rest, end).filter(|length| *length <= LONGEST_RECORD) {
                let start = self.at;
                self.advance(length + 1, end);
                return Ok(Some(RawRecord { number, bytes: Ok(start..start + length) }));
            }
            if rest.len() > LONGEST_RECORD {
                return self.reject(end, "longer than 256 KiB").map(Some);
            }
            if !self.fill()? {
                break;
            }
        }
        let (start, length) = (self.at, self.bytes.len() - self.at);
        if length == 0 {
            return Ok(None);
        }
        match end {
            RecordEnd::Csv(separator) if is_quote_open(&self.bytes[start..], separator) => {
                return self.reject(end, "quote is not closed").map(Some);
            }
            RecordEnd::Nul => {
                return self.reject(end, "no NUL at its end; the list may be truncated").map(Some);
            }
            RecordEnd::Csv(_) | RecordEnd::Newline => {}
        }
        self.advance(length, end);
        Ok(Some(RawRecord { number, bytes: Ok(start..start + length) }))
    }

    /// Rejects a record. Skips the input up to the next line end or, if records end with NUL, up to the next NUL.
    fn reject(&mut self, end: RecordEnd, reason: &'static str) -> Result<RawRecord, Reason> {
        let (number, terminator) = (self.number, end.terminator());
        loop {
            let rest = &self.bytes[self.at..];
            if let Some(length) = rest.iter().position(|byte| *byte == terminator) {
                self.at += length + 1;
                break;
            }
            self.at = self.bytes.len();
            if !self.fill()? {
                break;
            }
        }
        self.number += 1;
        Ok(RawRecord { number, bytes: Err(reason.into()) })
    }

    fn advance(&mut self, length: usize, end: RecordEnd) {
        self.number += match end {
            RecordEnd::Newline | RecordEnd::Nul => 1,
            RecordEnd::Csv(_) => {
                let taken = &self.bytes[self.at..(self.at + length).min(self.bytes.len())];
                taken.split(|byte| *byte == b'\n').skip(1).count() as u64
            }
        };
        self.at += length;
    }

    /// Appends the next chunk to the unread bytes. Returns `false` at the end of the input.
    fn fill(&mut self) -> Result<bool, Reason> {
        if self.has_ended {
            return Ok(false);
        }
        let Some(chunk) = next_chunk(&mut self.chunks, self.pulse)? else {
            self.has_ended = true;
            return Ok(false);
        };
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(&chunk);
        Ok(true)
    }
}

impl RecordEnd {
    fn terminator(self) -> u8 {
        if self == Self::Nul { 0 } else { b'\n' }
    }
}

/// Returns the length of the first record, or `None` if `bytes` does not contain its end.
fn record_length(bytes: &[u8], end: RecordEnd) -> Option<usize> {
    match end {
        RecordEnd::Newline | RecordEnd::Nul => {
            let terminator = end.terminator();
            bytes.iter().position(|byte| *byte == terminator)
        }
        RecordEnd::Csv(separator) => {
            let mut state = CsvState::Start;
            bytes.iter().position(|byte| state.next(*byte, separator) == CsvState::End)
        }
    }
}

/// Returns `true` if the bytes end within a quoted field.
fn is_quote_open(bytes: &[u8], separator: u8) -> bool {
    let mut state = CsvState::Start;
    bytes.iter().map(|byte| state.next(*byte, separator)).last() == Some(CsvState::Quoted)
}
