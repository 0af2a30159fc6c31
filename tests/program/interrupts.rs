//! Gives SIGINT its default action in child processes, even if the tests were started with SIGINT ignored.

use std::sync::Once;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// Installs a SIGINT handler that ends this process, so that execve(2) resets SIGINT to its default action in children.
/// Otherwise, children would ignore SIGINT if a shell started the tests in the background.
pub fn heed() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        flag::register_conditional_shutdown(SIGINT, 130, AtomicBool::new(true).into())
            .expect("SIGINT may be handled");
    });
}
