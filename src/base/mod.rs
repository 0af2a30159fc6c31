//! Types and helpers for all layers: kinds of entries, locks, background jobs, numbers and names as text, JSON.
//! Imports nothing else of duke.

#[doc(hidden)]
pub mod absolute;
#[cfg(feature = "delete")]
#[doc(hidden)]
pub mod calendar;
#[doc(hidden)]
pub mod clock;
pub mod format;
#[doc(hidden)]
pub mod job;
#[doc(hidden)]
pub mod json;
pub mod kind;
pub mod os_error;
pub(crate) mod slots;
#[doc(hidden)]
pub mod state_folder;
pub(crate) mod sync;
pub mod text;
