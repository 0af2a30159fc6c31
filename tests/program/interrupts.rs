//! Gives SIGINT its default action in child processes, even if the tests were started with SIGINT ignored.

use std::sync::Once;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// Installs a handler that ends this process on SIGINT. A shell starts background jobs with SIGINT ignored. Children
/// would inherit this, but execve(2) resets a signal that has a handler to its default action.
pub fn heed() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        flag::register_conditional_shutdown(SIGINT, 130, AtomicBool::new(true).into())
            .expect("SIGINT may be handled");
    });
}
