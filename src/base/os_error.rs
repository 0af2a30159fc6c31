//! Text of errors, the same on every screen and in every message.

use std::io;

use nix::errno::Errno;

/// Error number of an entry that no longer exists.
pub(crate) const ENOENT: i32 = Errno::ENOENT as i32;
/// Error number of an entry that an export calls unreadable.
#[doc(hidden)]
pub const EIO: i32 = Errno::EIO as i32;

/// Returns the text of an error: the system's text for an error of the system.
pub fn words(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), error_text)
}

/// Returns the text of an error number, without a capital: `permission denied`.
pub fn error_text(errno: i32) -> String {
    let text = Errno::from_raw(errno).desc();
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        // An abbreviation, as in "RPC version wrong", keeps its capitals.
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capital_is_lowered() {
        assert_eq!(error_text(2), "no such file or directory");
        assert_eq!(words(&io::Error::from_raw_os_error(13)), "permission denied");
        assert_eq!(words(&io::Error::other("cut short")), "cut short");
    }
}
