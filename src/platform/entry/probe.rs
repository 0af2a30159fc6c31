//! Details of one entry that are cheap to read: more than a scan reads, and read again.
//!
//! Invariant: reading it opens, mounts and downloads nothing, and follows no symbolic link.

use crate::platform::Attributes;

pub use super::imp::probe;

/// Facts about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Attributes that a scan reads too.
    pub attributes: Attributes,
    /// Last access to the content, in seconds since 1970.
    pub accessed: i64,
    /// Last change of the inode, in seconds since 1970.
    pub changed: i64,
    /// Time of birth in seconds since 1970, if the file system records it.
    pub born: Option<i64>,
    /// Unusual properties.
    pub traits: Vec<Trait>,
    /// Target of a symbolic link, any bytes.
    pub target: Option<Vec<u8>>,
    /// ID of its mount, if the system has mount IDs.
    pub mount: Option<u64>,
}

/// Unusual property of an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// Compressed by the file system.
    Compressed,
    /// Stored encrypted.
    Encrypted,
    /// Immutable: cannot be changed or deleted, not even by root, until the flag is cleared.
    Immutable,
    /// Append-only.
    AppendOnly,
    /// Verified against a hash by the file system (fs-verity).
    Verity,
    /// Read without a copy from memory that keeps its content (DAX).
    Direct,
    /// Marked to be skipped by backups.
    NoDump,
    /// Protected by the system against all users (SIP, macOS).
    Restricted,
    /// Content in the cloud.
    Dataless,
    /// Mount point.
    MountPoint,
    /// Automount trigger: opening it would mount something.
    Trigger,
    /// Link to another volume of the same system (macOS).
    Firmlink,
}

impl Trait {
    /// Returns the traits whose bits are set.
    pub fn of_bits(bits: u64, known: &[(u64, Self)]) -> Vec<Self> {
        let mut traits: Vec<_> =
            known.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, is_so)| *is_so).collect();
        traits.dedup();
        traits
    }
}

/// Returns major and minor number of a device, as `ls` shows them.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast
)]
pub fn major_minor(device: u64) -> (u32, u32) {
    // The type `dev_t` differs between systems; the number came from the system.
    let device = device as libc::dev_t;
    (libc::major(device) as u32, libc::minor(device) as u32)
}
