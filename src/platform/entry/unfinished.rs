//! Files with temporary names that are deleted when this process ends, even if a signal ends it.
//!
//! A file is created and registered inside one call to [`shielded`], and renamed and unregistered inside another. When
//! a signal or exit(3) ends the process, the files registered at that time are deleted. Before the process ends, it
//! waits for calls to [`shielded`] that are still running; later calls fail.
//!
//! A signal handler can neither allocate memory nor take locks, so the names are stored in static slots.
//!
//! Invariant: a name is deleted only in the directory that was open when the name was registered, and only by the
//! process that registered it.

use std::ffi::{CStr, CString, c_char};
use std::os::fd::{AsFd, AsRawFd};
use std::ptr::null_mut;
use std::time::Duration;

use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::unistd::{Pid, getpid};
use signal_hook::low_level;

use crate::base::sync::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, OnceLock, Ordering};
use crate::platform::terminal::actions::{is_default, is_watched};
use crate::platform::{Directory, Errno};

/// Maximum number of files registered at the same time. Additional files are not registered.
const MOST: usize = 16;
/// Maximum time in milliseconds to wait for running calls to [`shielded`] before the process ends. A call on an
/// unresponsive file system may never return.
const PATIENCE: u32 = 500;

/// Signals that end a process by default. Before one of them ends this process, registered files are deleted.
const ENDS: [Signal; 13] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGPIPE,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGABRT,
];

/// Slot for a registered file: its directory and its name, which is null if no file is registered. The thread that
/// takes the slot sets directory and name. A thread that replaces the name with null becomes the owner of the name.
struct Slot {
    is_taken: AtomicBool,
    directory: AtomicI32,
    name: AtomicPtr<c_char>,
}

// All accesses are `SeqCst`. This is necessary for `BUSY` and `IS_OVER`: `shielded` and `remove_all` each write one of
// them and then read the other. For the slots, with few accesses per file, a weaker ordering would save nothing.
static SLOTS: [Slot; MOST] = [const {
    Slot { is_taken: AtomicBool::new(false), directory: AtomicI32::new(-1), name: AtomicPtr::new(null_mut()) }
}; MOST];
/// Number of threads that are inside [`shielded`].
static BUSY: AtomicU32 = AtomicU32::new(0);
/// `true` once the process has begun to exit.
static IS_OVER: AtomicBool = AtomicBool::new(false);
/// ID of the process that registered the names; a forked child has a different ID. Set when the handlers are installed.
static OWNER: OnceLock<Pid> = OnceLock::new();

/// File that is deleted if the process ends before this value is dropped.
#[derive(Debug)]
pub struct Unfinished {
    slot: Option<usize>,
}

impl Unfinished {
    /// Registers the file `name` in `directory`, which must stay open. Must be called inside [`shielded`].
    pub fn new(directory: &Directory, name: &CStr) -> Self {
        let take = |slot: &Slot| !slot.is_taken.swap(true, Ordering::SeqCst);
        let slot = SLOTS.iter().position(take);
        if let Some(slot) = slot {
            SLOTS[slot].directory.store(directory.as_fd().as_raw_fd(), Ordering::SeqCst);
            SLOTS[slot].name.store(CString::from(name).into_raw(), Ordering::SeqCst);
        }
        Self { slot }
    }
}

impl Drop for Unfinished {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        let Some(slot) = self.slot.map(|slot| &SLOTS[slot]) else { return };
        let name = slot.name.swap(null_mut(), Ordering::SeqCst);
        if !name.is_null() {
            // SAFETY: `name` comes from `into_raw` in `new`, and this thread took it out of the slot, so no other
            // thread has it.
            drop(unsafe { CString::from_raw(name) });
        }
        slot.is_taken.store(false, Ordering::SeqCst);
    }
}

/// Runs `act` with all signals blocked in this thread. If the process is about to end while `act` runs, the process
/// waits up to [`PATIENCE`] for `act` to return.
///
/// # Errors
/// Returns any error of `act`, or `ECANCELED` if the process is about to end.
pub fn shielded<T>(act: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    OWNER.get_or_init(watch);
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    BUSY.fetch_add(1, Ordering::SeqCst);
    let result = if IS_OVER.load(Ordering::SeqCst) { Err(Errno::ECANCELED) } else { act() };
    BUSY.fetch_sub(1, Ordering::SeqCst);
    before.thread_set_mask()?;
    result
}

/// Deletes the registered files. Called when the process is about to end, possibly in a signal handler.
#[allow(unsafe_code)]
pub(crate) fn remove_all() {
    if OWNER.get() != Some(&getpid()) {
        return;
    }
    IS_OVER.store(true, Ordering::SeqCst);
    for _ in 0..PATIENCE {
        if BUSY.load(Ordering::SeqCst) == 0 {
            break;
        }
        // `sleep` calls nanosleep(2), which is async-signal-safe.
        std::thread::sleep(Duration::from_millis(1));
    }
    for slot in &SLOTS {
        // The memory of the name is not freed, because a signal handler must not free memory.
        let name = slot.name.swap(null_mut(), Ordering::SeqCst);
        if !name.is_null() {
            // SAFETY: `name` ends with NUL. This thread has taken the name out of the slot, so the name has no other
            // owner. A failed call changes nothing.
            unsafe { libc::unlinkat(slot.directory.load(Ordering::SeqCst), name, 0) };
        }
    }
}

/// Returns `true` if duke can see a process with this ID. Also returns `true` if the ID is not positive, because
/// kill(2) interprets such an ID as a group of processes.
pub fn is_running(process: i32) -> bool {
    process <= 0 || kill(Pid::from_raw(process), None) != Err(Errno::ESRCH)
}

/// Installs the handlers that delete registered files, and returns the ID of this process. Signals that are ignored or
/// already have a handler keep their current action.
#[allow(unsafe_code)]
fn watch() -> Pid {
    for signal in ENDS.into_iter().filter(|signal| is_default(*signal)) {
        let end = move || {
            // A thread that watches for this signal deletes the files and ends the process (`signals::die`).
            if is_watched(signal) {
                return;
            }
            remove_all();
            let _ = low_level::emulate_default_handler(signal as i32);
            low_level::exit(128 + signal as i32);
        };
        // SAFETY: the handler calls only async-signal-safe functions (signal-safety(7)): getpid, nanosleep, unlinkat,
        // sigaction, sigemptyset, sigaddset, sigprocmask, raise, abort, _exit, and atomics. It allocates nothing.
        let _ = unsafe { low_level::register(signal as i32, end) };
    }
    // SAFETY: the function exists until the program ends, and it does not unwind.
    let _ = unsafe { libc::atexit(at_exit) };
    getpid()
}

extern "C" fn at_exit() {
    remove_all();
}
