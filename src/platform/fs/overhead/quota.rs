//! Quota of a user, read with `quotactl(2)`.

use std::ffi::CString;
use std::mem::MaybeUninit;

use crate::platform::Errno;
use crate::platform::fs::mounts::Mount;
use crate::platform::fs::overhead::Quota;

/// `Q_GETQUOTA` from sys/quota.h, for users (`USRQUOTA`).
const GET_USER: libc::c_int = 0x80_0007_u32.cast_signed() << 8;
/// `QIF_BLIMITS | QIF_SPACE`: flags that are set if the reply contains the limits and the used space.
const LIMIT_AND_SPACE: u32 = 3;

/// Returns the quota of the current user; `None` if it does not limit the disk space or cannot be read.
#[allow(unsafe_code)]
pub fn of_user(mount: &Mount) -> Option<Quota> {
    let device = CString::new(mount.source.clone()).ok()?;
    let user = nix::unistd::getuid().as_raw().cast_signed();
    let mut answer = MaybeUninit::<libc::dqblk>::zeroed();
    let start = answer.as_mut_ptr().cast();
    // SAFETY: `device` ends with NUL, and `start` points to a `dqblk`, the structure that `Q_GETQUOTA` fills.
    Errno::result(unsafe { libc::quotactl(GET_USER, device.as_ptr(), user, start) }).ok()?;
    // SAFETY: the structure was zeroed and then filled by the kernel. It has only integers, so any bytes are valid.
    let answer = unsafe { answer.assume_init() };
    if answer.dqb_valid & LIMIT_AND_SPACE != LIMIT_AND_SPACE {
        return None;
    }
    // Limits are in blocks of 1024 bytes; 0 means no limit.
    let limit =
        [answer.dqb_bsoftlimit, answer.dqb_bhardlimit].into_iter().filter(|limit| *limit > 0).min()?;
    Some(Quota { limit: limit.saturating_mul(1024), used: answer.dqb_curspace })
}
