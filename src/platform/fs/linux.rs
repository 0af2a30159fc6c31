//! Mounts of Linux.

use super::{Errno, Mount, parse};
use crate::platform::errno_of;

/// Implements [`super::mounts`].
pub(super) fn mounts() -> Result<Vec<Mount>, Errno> {
    match std::fs::read("/proc/self/mountinfo") {
        Ok(table) => Ok(parse(&table)),
        Err(error) => Err(errno_of(&error)),
    }
}
