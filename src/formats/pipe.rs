//! Pipe that carries bytes from one thread to another in chunks.
//!
//! Does not interpret the bytes. Invariant: a chunk is never empty, at most [`AHEAD`] chunks wait, and the
//! stream ends only when the sender ends it explicitly; a sender that is dropped earlier is an error.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Size in bytes of a chunk: less than the allocator would request from the system each time.
pub(crate) const CHUNK: usize = 64 << 10;
/// Largest number of chunks waiting for the receiver.
const AHEAD: usize = 16;

enum Piece {
    Bytes(Vec<u8>),
    Failed(io::Error),
    End,
}

/// Next part of the stream.
pub(crate) enum Next {
    /// Chunk of bytes.
    Bytes(Vec<u8>),
    /// Nothing within the time limit.
    Nothing,
    /// End of the stream.
    End,
}

/// Sending side.
pub(crate) struct Feed {
    pieces: SyncSender<Piece>,
}

/// Receiving side.
pub(crate) struct Chunks {
    pieces: Receiver<Piece>,
    /// Bytes that [`Read`] has not returned yet.
    rest: Vec<u8>,
    at: usize,
    has_ended: bool,
}

/// Creates a pipe and returns both sides.
pub(crate) fn pipe() -> (Feed, Chunks) {
    let (sender, receiver) = sync_channel(AHEAD);
    (Feed { pieces: sender }, Chunks { pieces: receiver, rest: Vec::new(), at: 0, has_ended: false })
}

impl Feed {
    /// Sends bytes.
    ///
    /// # Errors
    /// When the receiver was dropped.
    pub(crate) fn send(&self, bytes: Vec<u8>) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.pieces.send(Piece::Bytes(bytes)).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Ends the stream with a result.
    pub(crate) fn finish(self, result: io::Result<()>) {
        // A receiver that was dropped does not need the result.
        let _ = self.pieces.send(result.map_or_else(Piece::Failed, |()| Piece::End));
    }
}

impl Write for Feed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send(bytes.to_vec()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Chunks {
    /// Returns the next chunk, waiting at most `limit` for it.
    ///
    /// # Errors
    /// The sender's error.
    pub(crate) fn next(&mut self, limit: Duration) -> io::Result<Next> {
        if self.has_ended {
            return Ok(Next::End);
        }
        match self.pieces.recv_timeout(limit) {
            Ok(Piece::Bytes(bytes)) => Ok(Next::Bytes(bytes)),
            Ok(Piece::Failed(error)) => Err(error),
            Ok(Piece::End) => {
                self.has_ended = true;
                Ok(Next::End)
            }
            Err(RecvTimeoutError::Timeout) => Ok(Next::Nothing),
            Err(RecvTimeoutError::Disconnected) => {
                Err(io::Error::other("internal error: a thread ended early"))
            }
        }
    }
}

impl Read for Chunks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.rest.len() {
            match self.next(Duration::from_secs(1))? {
                Next::Bytes(bytes) => (self.rest, self.at) = (bytes, 0),
                Next::Nothing => {}
                Next::End => return Ok(0),
            }
        }
        let length = into.len().min(self.rest.len() - self.at);
        into[..length].copy_from_slice(&self.rest[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
