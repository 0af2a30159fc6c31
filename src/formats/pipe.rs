//! Pipe that passes bytes from one thread to another in chunks.
//!
//! Invariant: a chunk is never empty, at most [`AHEAD`] chunks wait, and the stream ends only when the sender
//! ends it explicitly. If the sender is dropped before that, the receiver gets an error.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Size of a chunk in bytes: small enough that the allocator does not request memory from the kernel for every chunk.
pub(crate) const CHUNK: usize = 64 << 10;
/// Maximum number of chunks waiting for the receiver.
const AHEAD: usize = 16;

enum Piece {
    Bytes(Vec<u8>),
    Failed(io::Error),
    End,
}

/// Result of waiting for the next chunk of a stream.
pub(crate) enum Next {
    Bytes(Vec<u8>),
    /// No chunk arrived within the time limit.
    Nothing,
    /// End of the stream.
    End,
}

/// Sending side of a pipe.
pub(crate) struct Feed {
    pieces: SyncSender<Piece>,
}

/// Receiving side of a pipe.
pub(crate) struct Chunks {
    pieces: Receiver<Piece>,
    /// Last chunk received. The bytes from `at` on have not been returned by [`Read`] yet.
    rest: Vec<u8>,
    at: usize,
    has_ended: bool,
}

/// Creates a pipe and returns its sending side and its receiving side.
pub(crate) fn pipe() -> (Feed, Chunks) {
    let (sender, receiver) = sync_channel(AHEAD);
    (Feed { pieces: sender }, Chunks { pieces: receiver, rest: Vec::new(), at: 0, has_ended: false })
}

impl Feed {
    /// Sends a chunk, unless it is empty.
    ///
    /// # Errors
    /// Returns an error if the receiver was dropped.
    pub(crate) fn send(&self, bytes: Vec<u8>) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.pieces.send(Piece::Bytes(bytes)).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Ends the stream. If `result` is an error, the receiver gets this error.
    pub(crate) fn finish(self, result: io::Result<()>) {
        // The only possible error is that the receiver was dropped. In that case, the result is not needed.
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
    /// Returns the next chunk. Waits at most `limit` for it.
    ///
    /// # Errors
    /// Returns the sender's error, or another error if the sender was dropped before it ended the stream.
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
