//! Replacement for `crate::base::sync` of the program, with loom's locks and atomics. `OnceLock` comes from the
//! standard library. Its value need not be modeled, because the tree publishes the value through one of these locks or
//! atomics.

pub use std::sync::{Arc, OnceLock, PoisonError};

pub use loom::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
pub use loom::sync::{Condvar, Mutex, MutexGuard};

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
