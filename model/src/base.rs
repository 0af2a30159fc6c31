//! Module `base` of the program, with loom's locks and atomics.

#[path = "../../src/base/clock.rs"]
pub mod clock;
#[path = "../../src/base/format/mod.rs"]
pub mod format;
#[path = "../../src/base/kind.rs"]
pub mod kind;
#[path = "../../src/base/os_error.rs"]
pub mod os_error;
#[path = "../../src/base/slots.rs"]
pub mod slots;
pub mod sync;
