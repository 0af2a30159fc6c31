//! Foundation of the program: kinds of entries, locks, background jobs, numbers and names as text, JSON.
//! Imports nothing else of duke.

#[doc(hidden)]
pub mod absolute;
pub(crate) mod clock;
pub mod format;
#[doc(hidden)]
pub mod job;
pub(crate) mod json;
pub mod kind;
pub mod os_error;
pub(crate) mod slots;
pub(crate) mod state_folder;
pub(crate) mod sync;
pub mod text;
