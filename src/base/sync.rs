//! Locks and atomics for the whole program, kept in one place so that a model checker can replace them.
//!
//! No other module uses `std::sync::atomic` or a mutex type directly.

pub use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError,
    atomic::{
        AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    },
};
use std::thread;
use std::time::{Duration, Instant};

/// Locks `mutex`, even if another thread panicked while holding the lock. This is safe because critical sections keep
/// the data valid at every step.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks `mutex` like [`lock`], but returns `None` if the lock cannot be taken within `limit`.
pub fn lock_within<T: ?Sized>(mutex: &Mutex<T>, limit: Duration) -> Option<MutexGuard<'_, T>> {
    let end = Instant::now() + limit;
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(Duration::from_millis(1)),
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}
