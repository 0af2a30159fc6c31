//! Every lock and atomic of the program, in one place so that a model checker can replace them.
//!
//! No other module names `std::sync::atomic` or a mutex type.

pub use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

/// Locks `mutex`. After a panic elsewhere the data is still valid, since every critical section leaves it so.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
