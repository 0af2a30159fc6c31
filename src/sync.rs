//! Where every lock and atomic of the program comes from, so that a model checker can stand in for them.
//!
//! Nothing else in the crate names `std::sync::atomic` or a mutex type.

pub use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

/// Locks `mutex`; a panic elsewhere does not make the data unreadable, since every critical section leaves it whole.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
