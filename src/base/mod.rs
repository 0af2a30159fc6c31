//! Types and helpers for the rest of duke, such as kinds of entries, locks, background jobs, sorting, formatting and
//! JSON. The modules in `base` do not import any module outside `base`.

#[doc(hidden)]
pub mod absolute;
pub(crate) mod base64;
#[cfg(feature = "formats")]
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
pub(crate) mod sort;
#[doc(hidden)]
pub mod state_folder;
pub(crate) mod sync;
pub mod text;
#[cfg(feature = "formats")]
pub(crate) mod width;
