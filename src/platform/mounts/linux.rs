//! The mounts of Linux.

use super::{Errno, Mount, parse};

/// As [`super::mounts`].
pub(super) fn mounts() -> Result<Vec<Mount>, Errno> {
    match std::fs::read("/proc/self/mountinfo") {
        Ok(table) => Ok(parse(&table)),
        Err(error) => Err(error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)),
    }
}
