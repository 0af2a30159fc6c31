//! Linux: limit on the number of threads, settings of the C library's memory allocator, thread priority, and a check
//! for closed standard streams that runs before `main`.

#[path = "unix.rs"]
#[allow(dead_code)] // this file replaces some items of `unix`
mod unix;

use nix::sys::resource::{Resource, getrlimit};

use crate::platform::terminal::streams::note;

pub use unix::*;

/// `true` if stat(1) prints the birth time with nanoseconds.
pub const BIRTH_HAS_NANOSECONDS: bool = true;

/// Returns the number of threads, up to `wanted`, that fit into a limited address space (`RLIMIT_AS`).
pub fn threads_with_room(wanted: usize) -> usize {
    /// Address space to allow for each thread, in bytes: 2 MiB for its stack, and the rest for entries. The rest is an
    /// estimate, because the memory for entries grows with the tree.
    const EACH: u64 = 8 << 20;
    match getrlimit(Resource::RLIMIT_AS) {
        Ok((addresses, _)) if addresses != nix::sys::resource::RLIM_INFINITY => {
            use_one_arena();
            wanted.min(usize::try_from(addresses / EACH).unwrap_or(usize::MAX)).max(1)
        }
        _ => wanted,
    }
}

/// Lowers the priority of the calling thread, so that it yields to other programs. Ignores errors.
#[allow(unsafe_code)]
pub fn lower_priority() {
    const NICENESS: libc::c_int = 10;
    // SAFETY: the call takes no pointers. On Linux, the call changes only the priority of the calling thread.
    unsafe {
        libc::nice(NICENESS);
    }
}

/// Prevents the C library's allocator from reserving 64 MiB of address space per thread (mallopt(3), `M_ARENA_MAX`).
#[allow(unsafe_code)]
fn use_one_arena() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call sets a parameter of the allocator under its own lock, and moves no memory. If the call fails,
    // nothing changes.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Makes the C library return large blocks of memory to the system as soon as they are freed (mallopt(3),
/// `M_MMAP_THRESHOLD`). By default, glibc keeps up to 64 MiB for later use after a program has freed a large block.
#[allow(unsafe_code)]
pub fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    {
        /// Minimum size in bytes of a block that is returned to the system.
        const LARGE: libc::c_int = 1 << 20;
        // SAFETY: the call sets a parameter of the allocator under its own lock, and moves no memory. If the call
        // fails, nothing changes.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        }
    }
}

/// Function that the loader calls before `main` (System V ABI, "Initialization and Termination Functions").
#[allow(unsafe_code)]
// SAFETY: the section `.init_array` contains pointers to functions. `note` ignores the arguments that the loader
// passes, and needs nothing that is set up between this call and `main`.
#[unsafe(link_section = ".init_array")]
#[used]
static NOTE: extern "C" fn() = note;
