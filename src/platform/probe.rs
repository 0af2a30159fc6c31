//! Everything that is cheap to know of one entry: more than a scan asks, and asked anew.
//!
//! Knows no tree. Invariant: nothing is opened, mounted or fetched by asking, and no symbolic link is followed.

use std::ffi::CStr;

use nix::fcntl::readlinkat;

use super::{Attributes, Directory, Errno};
use crate::kind::Kind;

/// What the kernel says of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// What a scan asks, too.
    pub attributes: Attributes,
    /// Last reading of the content, in seconds since 1970.
    pub accessed: i64,
    /// Last change of the inode, in seconds since 1970.
    pub changed: i64,
    /// When it was made, in seconds since 1970, where the file system keeps that.
    pub born: Option<i64>,
    /// What is unusual about it.
    pub traits: Vec<Trait>,
    /// Where a symbolic link leads, any bytes.
    pub target: Option<Vec<u8>>,
    /// The number of its mount, where the system numbers them.
    pub mount: Option<u64>,
}

/// What the kernel may say of an inode beyond its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// The file system compresses it.
    Compressed,
    /// It is stored encrypted.
    Encrypted,
    /// It cannot be changed or removed, not even by root, before this is taken back.
    Immutable,
    /// Only more can be written to it.
    AppendOnly,
    /// The file system checks its content against a hash (fs-verity).
    Verity,
    /// It is read from memory that keeps its content, without a copy (DAX).
    Direct,
    /// Backups are asked to leave it out.
    NoDump,
    /// The system protects it against everybody (SIP, macOS).
    Restricted,
    /// Its content is in the cloud.
    Dataless,
    /// Something is mounted on it.
    MountPoint,
    /// Opening it would mount something.
    Trigger,
    /// It leads to another volume of the same system (macOS).
    Firmlink,
}

/// Asks about `name` in `directory`.
///
/// # Errors
/// As statx(2), or fstatat(2).
pub fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
    let mut probe = system::probe(directory, name)?;
    if probe.attributes.kind == Kind::Symlink {
        // It may have been replaced by something else a moment ago; then there is nothing to say.
        probe.target = readlinkat(directory, name).ok().map(std::os::unix::ffi::OsStringExt::into_vec);
    }
    Ok(probe)
}

/// The two numbers of a device, as `ls` shows them.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast
)]
pub fn major_minor(device: u64) -> (u32, u32) {
    // `dev_t` differs between systems; it came from there.
    let device = device as libc::dev_t;
    (libc::major(device) as u32, libc::minor(device) as u32)
}

/// The traits whose bits are set.
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
    use crate::platform::status;

    /// `STATX_ATTR_*` of linux/stat.h.
    const KNOWN: [(u64, Trait); 9] = [
        (0x4, Trait::Compressed),
        (0x800, Trait::Encrypted),
        (0x10, Trait::Immutable),
        (0x20, Trait::AppendOnly),
        (0x40, Trait::NoDump),
        (0x10_0000, Trait::Verity),
        (0x20_0000, Trait::Direct),
        (status::MOUNT_ROOT, Trait::MountPoint),
        (0x1000, Trait::Trigger),
    ];

    pub(super) fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
        const MASK: u32 = libc::STATX_BASIC_STATS | libc::STATX_BTIME | status::MOUNT_ID;
        let answer = match status::ask(directory, name, libc::AT_SYMLINK_NOFOLLOW, MASK) {
            // Kernels and sandboxes that are older than the call.
            Err(Errno::ENOSYS | Errno::EPERM) => return super::stat::probe(directory, name),
            answer => answer?,
        };
        let born = answer.stx_mask & libc::STATX_BTIME != 0;
        Ok(Probe {
            attributes: status::attributes(&answer),
            accessed: answer.stx_atime.tv_sec,
            changed: answer.stx_ctime.tv_sec,
            born: born.then_some(answer.stx_btime.tv_sec),
            traits: traits(status::said(&answer), &KNOWN),
            target: None,
            mount: status::mount(&answer),
        })
    }
}

/// By `fstatat(2)`, which every system has.
mod stat {
    use nix::fcntl::AtFlags;
    use nix::sys::stat::{FileStat, fstatat};

    use super::{CStr, Directory, Errno, Probe};
    use crate::platform::retry;

    #[cfg_attr(target_os = "macos", allow(dead_code))] // there its two parts are used
    pub(super) fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
        ask(directory, name).map(of)
    }

    pub(super) fn ask(directory: &Directory, name: &CStr) -> Result<FileStat, Errno> {
        retry(|| fstatat(directory, name, AtFlags::AT_SYMLINK_NOFOLLOW))
    }

    pub(super) fn of(stat: FileStat) -> Probe {
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

    pub(super) fn probe(directory: &Directory, name: &CStr) -> Result<Probe, Errno> {
        let stat = super::stat::ask(directory, name)?;
        let traits = traits(stat.st_flags.into(), &KNOWN);
        Ok(Probe { born: Some(stat.st_birthtime), traits, ..super::stat::of(stat) })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use stat as system;
