//! SIGINT in child processes, regardless of how the tests were started.

use std::sync::Once;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// Ends this process on SIGINT. A shell starts background jobs with SIGINT ignored, which children would inherit. A
/// handled signal, however, has its default action in children (execve(2)).
pub fn heed() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        flag::register_conditional_shutdown(SIGINT, 130, AtomicBool::new(true).into())
            .expect("SIGINT may be handled");
    });
}
