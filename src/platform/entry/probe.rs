//! Details of one entry that are cheap to read: more than a scan reads, and read again.
//!
//! Invariant: reading it opens, mounts and downloads nothing, and follows no symbolic link.

use std::ffi::CStr;

use nix::fcntl::readlinkat;

use crate::base::kind::Kind;
use crate::platform::{Attributes, Directory, Errno};

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

/// Reads the facts about `name` in `directory`.
///
/// # Errors
/// Those of statx(2), or fstatat(2).
pub fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
    let mut probe = system::probe(directory, name)?;
    if probe.attributes.kind == Kind::Symlink {
        // The link may have been replaced meanwhile, and then it has no target.
        probe.target = readlinkat(directory, name).ok().map(std::os::unix::ffi::OsStringExt::into_vec);
    }
    Ok(probe)
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

/// Returns the traits whose bits are set.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn traits(bits: u64, known: &[(u64, Trait)]) -> Vec<Trait> {
    let mut traits: Vec<_> =
        known.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, is_so)| *is_so).collect();
    traits.dedup();
    traits
}

#[cfg(target_os = "linux")]
mod system {
    use super::{CStr, Directory, Errno, Probe, Trait, traits};
    use crate::platform::entry::statx;

    /// `STATX_ATTR_*` of linux/stat.h.
    const KNOWN: [(u64, Trait); 9] = [
        (0x4, Trait::Compressed),
        (0x800, Trait::Encrypted),
        (0x10, Trait::Immutable),
        (0x20, Trait::AppendOnly),
        (0x40, Trait::NoDump),
        (0x10_0000, Trait::Verity),
        (0x20_0000, Trait::Direct),
        (statx::MOUNT_ROOT, Trait::MountPoint),
        (0x1000, Trait::Trigger),
    ];

    pub(crate) fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
        const MASK: u32 = libc::STATX_BASIC_STATS | libc::STATX_BTIME | statx::MOUNT_ID;
        let answer = match statx::ask(directory, name, libc::AT_SYMLINK_NOFOLLOW, MASK) {
            // Older kernels and sandboxes do not have the call.
            Err(Errno::ENOSYS | Errno::EPERM) => return super::stat::probe(directory, name),
            answer => answer?,
        };
        let born = answer.stx_mask & libc::STATX_BTIME != 0;
        Ok(Probe {
            attributes: statx::attributes(&answer),
            accessed: answer.stx_atime.tv_sec,
            changed: answer.stx_ctime.tv_sec,
            born: born.then_some(answer.stx_btime.tv_sec),
            traits: traits(statx::said(&answer), &KNOWN),
            target: None,
            mount: statx::mount(&answer),
        })
    }
}

/// Implementation with `fstatat(2)`, which every system has.
mod stat {
    use nix::fcntl::AtFlags;
    use nix::sys::stat::{FileStat, fstatat};

    use super::{CStr, Directory, Errno, Probe};
    use crate::platform::retry;

    #[cfg_attr(target_os = "macos", allow(dead_code))] // macOS uses its two parts
    pub(crate) fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
        ask(directory, name).map(of)
    }

    pub(crate) fn ask(directory: &Directory, name: &CStr) -> Result<FileStat, Errno> {
        retry(|| fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW))
    }

    pub(crate) fn of(stat: FileStat) -> Probe {
        Probe {
            attributes: stat.into(),
            accessed: stat.st_atime,
            changed: stat.st_ctime,
            born: None,
            traits: Vec::new(),
            target: None,
            mount: None,
        }
    }
}

#[cfg(target_os = "macos")]
mod system {
    use super::{CStr, Directory, Errno, Probe, Trait, traits};
    use crate::platform::Border;

    /// `UF_*` and `SF_*` of sys/stat.h.
    const KNOWN: [(u64, Trait); 9] = [
        (libc::UF_COMPRESSED as u64, Trait::Compressed),
        (libc::UF_IMMUTABLE as u64, Trait::Immutable),
        (libc::SF_IMMUTABLE as u64, Trait::Immutable),
        (libc::UF_APPEND as u64, Trait::AppendOnly),
        (libc::SF_APPEND as u64, Trait::AppendOnly),
        (libc::UF_NODUMP as u64, Trait::NoDump),
        // `SF_RESTRICTED`
        (0x8_0000, Trait::Restricted),
        (Border::DATALESS_FLAG as u64, Trait::Dataless),
        (Border::FIRMLINK_FLAG as u64, Trait::Firmlink),
    ];

    pub(crate) fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
        let stat = super::stat::ask(directory, name)?;
        let traits = traits(stat.st_flags.into(), &KNOWN);
        Ok(Probe { born: Some(stat.st_birthtime), traits, ..super::stat::of(stat) })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use stat as system;
