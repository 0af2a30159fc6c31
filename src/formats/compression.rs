//! Stream compression: zstd in both directions, gzip only for reading.
//!
//! Compression and decompression run on a separate thread, while the caller's thread reads or writes the
//! text. `ruzstd` has only one compression level, somewhat worse than `zstd -1`; docs/exchange.md has
//! figures.
//!
//! Invariant: input that expands much more than a real export is rejected before it fills the memory.

use std::cell::RefCell;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::iter;
use std::rc::Rc;
use std::thread;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, FrameCompressor};

use super::matcher::RowMatcher;
use super::pipe::{CHUNK, Chunks, Feed, pipe};
use crate::formats::ncdu_binary;

/// First bytes of a zstd frame (RFC 8878, 3.1.1). A skippable frame begins with a byte that varies, followed by the
/// three bytes of `SKIPPABLE` (3.1.2).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
/// First bytes of a gzip member (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Maximum accepted ratio of decompressed to compressed bytes. Exports usually shrink to a tenth of their size, and at
/// best to a fortieth. A higher ratio suggests a file designed to exhaust memory.
pub(super) const RATIO: u64 = 100;
/// Number of decompressed bytes up to which [`RATIO`] is not checked.
pub(super) const HARMLESS: u64 = 8 << 20;

/// Detects how the data from `reader` is compressed, and decompresses the data on a separate thread.
///
/// # Errors
/// Returns an error if no thread can be started.
pub(crate) fn unpack(reader: impl Read + Send + 'static) -> io::Result<Chunks> {
    let (feed, chunks) = pipe();
    let work = move || {
        let result = unpack_into(reader, &feed);
        feed.finish(result);
    };
    thread::Builder::new().name("unpack".into()).spawn(work)?;
    Ok(chunks)
}

fn unpack_into(reader: impl Read, feed: &Feed) -> io::Result<()> {
    let taken = Rc::new(RefCell::new(0));
    let mut packed = BufReader::with_capacity(CHUNK, Counted { reader, taken: Rc::clone(&taken) });
    let head = first_bytes(&mut packed)?;
    let mut source = io::Cursor::new(head.clone()).chain(packed);
    if head == ncdu_binary::MAGIC {
        return Err(io::Error::other(
            "cannot read a binary export from standard input or a pipe; give the name of a file",
        ));
    }
    let mut text = TextSink { feed, sent: 0, taken };
    if head.starts_with(&ZSTD) || head.get(1..4) == Some(&SKIPPABLE) && head[0] & 0xf0 == 0x50 {
        unpack_zstd(&mut source, &mut text)
    } else if head.starts_with(&GZIP) {
        text.take(&mut MultiGzDecoder::new(BufReader::with_capacity(CHUNK, source)), TextOrigin::Unpacked)
    } else {
        text.take(&mut source, TextOrigin::Plain)
    }
}

/// Returns the bytes at the start of the input that identify its format.
fn first_bytes(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(ncdu_binary::MAGIC.len());
    reader.take(ncdu_binary::MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Decompresses one frame after another.
fn unpack_zstd(source: &mut impl Read, text: &mut TextSink<'_>) -> io::Result<()> {
    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    let mut source = BufReader::with_capacity(CHUNK, source);
    while !source.fill_buf()?.is_empty() {
        match StreamingDecoder::new(&mut source) {
            Ok(mut frame) => text.take(&mut frame, TextOrigin::Unpacked)?,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let skipped = io::copy(&mut source.by_ref().take(u64::from(length)), &mut io::sink())?;
                if skipped < u64::from(length) {
                    return Err(io::Error::other(DAMAGED));
                }
            }
            Err(error) => return Err(cause(&error)),
        }
    }
    Ok(())
}

/// Returns the system error that caused `error`, or the reason [`DAMAGED`] if no system error caused it.
fn cause(error: &(dyn Error + 'static)) -> io::Error {
    let mut causes = iter::successors(Some(error), |error| (*error).source());
    let errno = causes.find_map(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error());
    errno.map_or_else(|| io::Error::other(DAMAGED), io::Error::from_raw_os_error)
}

/// Reason why compressed data cannot be decompressed.
pub(crate) const DAMAGED: &str = "compressed data is truncated or damaged";

/// Reader that counts the bytes it has read.
struct Counted<R> {
    reader: R,
    taken: Rc<RefCell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        *self.taken.borrow_mut() += read as u64;
        Ok(read)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextOrigin {
    /// Text of a file that is not compressed.
    Plain,
    /// Decompressed text.
    Unpacked,
}

/// Destination of plain or decompressed text.
struct TextSink<'f> {
    feed: &'f Feed,
    sent: u64,
    /// Number of bytes read from the input, before decompression.
    taken: Rc<RefCell<u64>>,
}

impl TextSink<'_> {
    fn take(&mut self, reader: &mut impl Read, origin: TextOrigin) -> io::Result<()> {
        loop {
            let mut chunk = vec![0; CHUNK];
            let length = match reader.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if origin == TextOrigin::Unpacked => return Err(cause(&error)),
                Err(error) => return Err(error),
            };
            chunk.truncate(length);
            self.sent += length as u64;
            let most = self.taken.borrow().saturating_mul(RATIO).max(HARMLESS);
            if origin == TextOrigin::Unpacked && self.sent > most {
                let reason = format!("expands to more than {RATIO} times its size; decompress it first");
                return Err(io::Error::other(reason));
            }
            self.feed.send(chunk)?;
        }
    }
}

/// Compresses the text that `write` produces, and writes the result to `out`. The compression runs on its own thread.
///
/// # Errors
/// Returns an error if `write` or the compression fails. If both fail, returns the compression error.
pub fn pack(
    out: &mut (dyn Write + Send),
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (mut feed, chunks) = pipe();
    thread::scope(|scope| {
        let packer = thread::Builder::new().name("pack".into()).spawn_scoped(scope, move || {
            compress(chunks, &mut *out)?;
            out.flush()
        })?;
        let written = write(&mut feed);
        feed.finish(Ok(()));
        let result = packer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("internal error: compression ended early")));
        // When compression fails, the writer only sees a closed pipe, so the compression error takes precedence.
        result.and(written)
    })
}

/// Input or output of the compressor. Stores the first error instead of returning it: the compressor panics on errors.
struct KeepsError<S> {
    stream: S,
    error: Rc<RefCell<Option<io::Error>>>,
}

impl<S> KeepsError<S> {
    fn note(&self, error: io::Error) {
        self.error.borrow_mut().get_or_insert(error);
    }
}

impl<R: Read> Read for KeepsError<R> {
    /// Returns 0 (end of file) once reading the input or writing the output has failed; [`compress`] returns the
    /// error at the end.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.error.borrow().is_some() {
            return Ok(0);
        }
        Ok(self.stream.read(into).unwrap_or_else(|error| {
            self.note(error);
            0
        }))
    }
}

impl<W: Write> Write for KeepsError<W> {
    /// Discards everything written after an error; [`compress`] returns the error at the end.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.error.borrow().is_none()
            && let Err(error) = self.stream.write_all(bytes)
        {
            self.note(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn compress(source: impl Read, drain: impl Write) -> io::Result<()> {
    let error = Rc::new(RefCell::new(None));
    let mut compressor = FrameCompressor::new_with_matcher(RowMatcher::default(), CompressionLevel::Fastest);
    compressor.set_source(KeepsError { stream: source, error: Rc::clone(&error) });
    compressor.set_drain(KeepsError { stream: drain, error: Rc::clone(&error) });
    compressor.compress();
    drop(compressor);
    error.take().map_or(Ok(()), Err)
}
