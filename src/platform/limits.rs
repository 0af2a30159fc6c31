//! What the system allows this process: descriptors, processors, and threads within the addresses it may use.
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

/// Processors this process may run on and has room for a thread each, at least one.
pub fn processors() -> usize {
    threads(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// So many of `wanted` threads as the addresses this process may use are enough for (`RLIMIT_AS`), at least one.
///
/// The system gives threads beyond that too, but one that then finds no room for its memory ends the process. From this call
/// on all threads share what the C library's allocator reserves, where addresses are limited.
pub fn threads(wanted: usize) -> usize {
    // macOS has the name of this limit for another one, of what is resident.
    #[cfg(target_os = "linux")]
    if let Ok((addresses, _)) = getrlimit(Resource::RLIMIT_AS)
        && addresses != nix::sys::resource::RLIM_INFINITY
    {
        /// Its stack of 2 MiB and the memory it writes entries to, which begins small and grows with the tree.
        const EACH: u64 = 8 << 20;
        share_reserves();
        return wanted.min(usize::try_from(addresses / EACH).unwrap_or(usize::MAX)).max(1);
    }
    wanted
}

/// Keeps the C library's allocator from reserving 64 MiB of addresses for each thread (mallopt(3), `M_ARENA_MAX`).
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn share_reserves() {
    #[cfg(target_env = "gnu")]
    // SAFETY: a number is set under the allocator's own lock; no memory changes its owner. Where it is refused, all stays as
    // it was.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Descriptors this process has open, those it inherited included.
pub(super) fn descriptors_in_use() -> usize {
    // Where the folder is missing, those of the terminal and a few more.
    std::fs::read_dir("/dev/fd").map_or(8, Iterator::count)
}
