//! Error messages with the same wording on all systems.

use std::collections::HashMap;
use std::{fmt, io};

use nix::errno::Errno;

/// Error number for an entry that no longer exists.
pub(crate) const ENOENT: i32 = Errno::ENOENT as i32;
/// Error number for an entry that is expected to be a directory but is not.
pub(crate) const ENOTDIR: i32 = Errno::ENOTDIR as i32;
/// Error number for an entry that an export marks as unreadable without recording an error number.
#[doc(hidden)]
pub const EIO: i32 = Errno::EIO as i32;

/// System error number. Displayed as a message in lower case, such as `permission denied`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OsError(pub i32);

impl fmt::Display for OsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // For files, only macOS returns `EDEADLK`. It means that reading the file would require a download.
        if self.0 == Errno::EDEADLK as i32 {
            return formatter.write_str("content is only in the cloud");
        }
        let text = Errno::from_raw(self.0).desc();
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            // An abbreviation stays capitalized, as in "RPC version wrong".
            (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
                write!(formatter, "{}{}", first.to_lowercase(), &text[first.len_utf8()..])
            }
            _ => formatter.write_str(text),
        }
    }
}

/// Returns the message for an error. For a system error, this is the message of [`OsError`].
pub fn io_error_text(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), |errno| OsError(errno).to_string())
}

/// Returns the message `cannot read: …` for a system error. duke's own errors already say what is wrong, so their
/// messages are returned unchanged.
pub(crate) fn cannot_read(error: &io::Error) -> String {
    cannot("read", error)
}

/// Returns the message `cannot write: …` for a system error, and treats other errors like [`cannot_read`].
pub(crate) fn cannot_write(error: &io::Error) -> String {
    cannot("write", error)
}

fn cannot(verb: &str, error: &io::Error) -> String {
    let text = io_error_text(error);
    if error.raw_os_error().is_some() { format!("cannot {verb}: {text}") } else { text }
}

/// Returns a map from the messages of [`OsError`] to their error numbers.
pub(crate) fn error_numbers() -> HashMap<String, i32> {
    // The error numbers of all systems are far below 256 (errno(3)).
    let known = (1..256).rev().filter(|errno| Errno::from_raw(*errno) != Errno::UnknownErrno);
    known.map(|errno| (OsError(errno).to_string(), errno)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capital_is_lowered() {
        assert_eq!(OsError(2).to_string(), "no such file or directory");
        assert_eq!(io_error_text(&io::Error::from_raw_os_error(13)), "permission denied");
        assert_eq!(io_error_text(&io::Error::other("cut short")), "cut short");
        assert_eq!(OsError(Errno::EDEADLK as i32).to_string(), "content is only in the cloud");
    }

    #[test]
    fn messages_lead_back_to_their_numbers() {
        let numbers = error_numbers();
        for errno in [Errno::EPERM, Errno::ENOENT, Errno::EIO, Errno::EACCES, Errno::ELOOP, Errno::EDEADLK] {
            assert_eq!(numbers.get(&OsError(errno as i32).to_string()), Some(&(errno as i32)));
        }
    }
}
