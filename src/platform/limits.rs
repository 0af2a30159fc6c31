//! What the system allows this process: descriptors and processors.
//!
//! Knows nothing of scans. Invariant: asking never fails; where the system does not tell, a careful guess stands in.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{SysconfVar, sysconf};

/// Raises the soft limit of open descriptors to the hard one and returns how many this process may then have
/// (getrlimit(2)).
pub(super) fn raise_descriptors() -> u64 {
    /// The least any system grants (`_POSIX_OPEN_MAX`).
    const LEAST: u64 = 20;
    // Asked first, since it may be answered where the limit itself is hidden or does not exist.
    let Ok(Some(open)) = sysconf(SysconfVar::OPEN_MAX) else { return LEAST };
    let open = u64::try_from(open).unwrap_or(LEAST);
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return open };
    // macOS refuses more than OPEN_MAX however high the hard limit is.
    let wanted = if cfg!(target_os = "macos") { hard.min(10_240) } else { hard };
    if wanted > soft && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft }
}

/// Processors this process may run on, at least one.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Descriptors this process has open, those it inherited included.
pub(super) fn descriptors_in_use() -> usize {
    // Where the folder is missing, those of the terminal and a few more.
    std::fs::read_dir("/dev/fd").map_or(8, Iterator::count)
}
