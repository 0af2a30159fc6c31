//! Limits of this process: descriptors, processors, and the number of threads that fit into its address space.
//!
//! Invariant: no function fails. If the system does not report a limit, a small value is used.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::unistd::{SysconfVar, sysconf};

use super::imp::{MOST_DESCRIPTORS, threads_with_room};
pub use super::imp::{MOST_THREADS, lower_priority, return_large_blocks};

/// Raises the soft limit on open descriptors (getrlimit(2)) as far as the system permits. Returns the resulting limit.
pub(crate) fn raise_descriptors() -> u64 {
    /// Lowest limit that a system may have (`_POSIX_OPEN_MAX`).
    const LEAST: u64 = 20;
    // `sysconf` is called first, because it may work even where getrlimit(2) does not.
    let Ok(Some(open)) = sysconf(SysconfVar::OPEN_MAX) else { return LEAST };
    let open = u64::try_from(open).unwrap_or(LEAST);
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return open };
    let wanted = MOST_DESCRIPTORS.map_or(hard, |most| hard.min(most));
    let granted =
        if wanted > soft && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() { wanted } else { soft };
    // `rlim_t` is signed on FreeBSD.
    #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
    u64::try_from(granted).unwrap_or(u64::MAX)
}

/// Returns the number of processors available to this process. The result is at least one, and at most the number of
/// threads that fit into the address space of this process.
pub fn processors() -> usize {
    threads(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// Returns the number of threads, up to `wanted` and at least one, that fit into the address space of this process
/// (`RLIMIT_AS`).
///
/// More threads could be started. However, the process would end as soon as one of them could not allocate its memory.
/// On Linux with glibc, this call also makes all threads share one arena of the allocator if the address space is
/// limited.
pub fn threads(wanted: usize) -> usize {
    threads_with_room(wanted)
}

/// Returns the number of open descriptors, including inherited ones.
pub(crate) fn descriptors_in_use() -> usize {
    // If `/dev/fd` does not exist, the standard streams and a few more descriptors are assumed to be open.
    std::fs::read_dir("/dev/fd").map_or(8, Iterator::count)
}
