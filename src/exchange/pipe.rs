//! Bytes from one thread to another, in chunks.
//!
//! Knows nothing of what they mean. Invariant: a chunk is never empty, at most [`AHEAD`] wait, and an end is only an end when
//! the sender said so: a sender that goes away without a word is a failure.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Bytes in a chunk that is read: below what the allocator would ask the system for each time.
pub(super) const CHUNK: usize = 64 << 10;
/// Chunks that wait for the receiver.
const AHEAD: usize = 16;

enum Piece {
    Bytes(Vec<u8>),
    Failed(io::Error),
    End,
}

/// What came next.
pub(super) enum Next {
    /// Some bytes.
    Bytes(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// Nothing more.
    End,
}

/// The sending side.
pub(super) struct Feed {
    pieces: SyncSender<Piece>,
}

/// The receiving side.
pub(super) struct Chunks {
    pieces: Receiver<Piece>,
    /// What [`Read`] has not handed out yet.
    rest: Vec<u8>,
    at: usize,
    has_ended: bool,
}

/// Both sides of a new pipe.
pub(super) fn pipe() -> (Feed, Chunks) {
    let (sender, receiver) = sync_channel(AHEAD);
    (Feed { pieces: sender }, Chunks { pieces: receiver, rest: Vec::new(), at: 0, has_ended: false })
}

impl Feed {
    /// Hands over bytes.
    ///
    /// # Errors
    /// When nobody receives them any more.
    pub(super) fn send(&self, bytes: Vec<u8>) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.pieces.send(Piece::Bytes(bytes)).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    /// Says how it ended.
    pub(super) fn finish(self, result: io::Result<()>) {
        // Who does not receive any more does not want to know.
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
    /// The next chunk, waiting for it at most for `limit`.
    ///
    /// # Errors
    /// Those of the sender.
    pub(super) fn next(&mut self, limit: Duration) -> io::Result<Next> {
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
            Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("a bug: a thread ended early")),
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
