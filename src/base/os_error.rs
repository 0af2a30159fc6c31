//! Error messages with the same wording on all systems.

use std::collections::HashMap;
use std::io;

use nix::errno::Errno;

/// Error number for an entry that no longer exists.
pub(crate) const ENOENT: i32 = Errno::ENOENT as i32;
/// Error number for an entry that is expected to be a directory but is not.
pub(crate) const ENOTDIR: i32 = Errno::ENOTDIR as i32;
/// Error number for an entry that an export marks as unreadable without recording an error number.
#[doc(hidden)]
pub const EIO: i32 = Errno::EIO as i32;

/// Returns the message for an error. For a system error, this is the message that [`error_text`] returns.
pub fn io_error_text(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), error_text)
}

/// Returns the message for an error number, in lower case, such as `permission denied`.
pub fn error_text(errno: i32) -> String {
    // For files, only macOS returns `EDEADLK`. It means that reading the file would require a download.
    if errno == Errno::EDEADLK as i32 {
        return "content is only in the cloud".to_owned();
    }
    let text = Errno::from_raw(errno).desc();
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        // An abbreviation stays capitalized, as in "RPC version wrong".
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    }
}

/// Returns a map from the messages of [`error_text`] to their error numbers.
pub(crate) fn error_numbers() -> HashMap<String, i32> {
    // The error numbers of all systems are far below 256 (errno(3)).
    let known = (1..256).rev().filter(|errno| Errno::from_raw(*errno) != Errno::UnknownErrno);
    known.map(|errno| (error_text(errno), errno)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capital_is_lowered() {
        assert_eq!(error_text(2), "no such file or directory");
        assert_eq!(io_error_text(&io::Error::from_raw_os_error(13)), "permission denied");
        assert_eq!(io_error_text(&io::Error::other("cut short")), "cut short");
        assert_eq!(error_text(Errno::EDEADLK as i32), "content is only in the cloud");
    }

    #[test]
    fn messages_lead_back_to_their_numbers() {
        let numbers = error_numbers();
        for errno in [Errno::EPERM, Errno::ENOENT, Errno::EIO, Errno::EACCES, Errno::ELOOP, Errno::EDEADLK] {
            assert_eq!(numbers.get(&error_text(errno as i32)), Some(&(errno as i32)));
        }
    }
}
