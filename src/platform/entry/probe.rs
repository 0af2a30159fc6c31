//! Details of a single entry that are cheap to read. A probe always reads the current values, including some that
//! a scan does not read.
//!
//! Invariant: a probe does not open, mount or download anything, and follows no symbolic link.

use crate::platform::Attributes;

pub use super::imp::probe;

/// Details of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Attributes that a scan also reads.
    pub attributes: Attributes,
    /// Time of the last access to the contents, in seconds since 1970.
    pub accessed: i64,
    /// Time of the last change to the inode, in seconds since 1970.
    pub changed: i64,
    /// Birth time in seconds since 1970, if the file system records it.
    pub born: Option<i64>,
    pub traits: Vec<Trait>,
    /// Target of a symbolic link, which can contain any bytes.
    pub target: Option<Vec<u8>>,
    /// ID of the mount that the entry is on, if the system has mount IDs.
    pub mount: Option<u64>,
}

/// Unusual property of an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// Compressed by the file system.
    Compressed,
    /// Encrypted by the file system.
    Encrypted,
    /// Immutable: even root cannot change or delete the entry until the flag is cleared.
    Immutable,
    /// Append-only: existing data cannot be changed.
    AppendOnly,
    /// Verified against a hash by the file system (fs-verity).
    Verity,
    /// Accessed directly in persistent memory, without a copy in the page cache (DAX).
    Direct,
    /// Marked for exclusion from backups.
    NoDump,
    /// Protected from all users, including root, by System Integrity Protection (macOS).
    Restricted,
    /// Stored only in the cloud; accessing the entry downloads its contents.
    Dataless,
    /// Root of a mount.
    MountPoint,
    /// Automount trigger: opening the entry would mount something.
    Trigger,
    /// Link to another volume of the same volume group (macOS).
    Firmlink,
}

impl Trait {
    /// Returns the traits in `known` whose bits are set in `bits`.
    pub fn of_bits(bits: u64, known: &[(u64, Self)]) -> Vec<Self> {
        let mut traits: Vec<_> =
            known.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, is_so)| *is_so).collect();
        traits.dedup();
        traits
    }
}

/// Returns the major and minor numbers of a device, as shown by `ls`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast
)]
pub fn major_minor(device: u64) -> (u32, u32) {
    // The type `dev_t` differs between systems. The value fits, because `device` was reported by this system.
    let device = device as libc::dev_t;
    (libc::major(device) as u32, libc::minor(device) as u32)
}
