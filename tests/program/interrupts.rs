//! Children that an interrupt reaches, however the tests were started.

use std::sync::Once;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// What a shell starts in the background ignores SIGINT, and so would the children of the tests. What a process handles its children
/// have as the system has it (execve(2)), so an interrupt is handled here, by ending.
pub fn heed() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        flag::register_conditional_shutdown(SIGINT, 130, AtomicBool::new(true).into())
            .expect("SIGINT may be handled");
    });
}
