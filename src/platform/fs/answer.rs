//! Calls to file systems that may never answer, such as a file system on an unreachable server.
//!
//! A thread in such a call stays in the kernel until the server answers, and only SIGKILL can end it. Therefore each
//! call runs on its own thread if the system can start one. After the time limit, the thread is abandoned. The process
//! can exit while the thread is still in the call.
//!
//! Invariant: the threads started by [`within`] run in parallel and share one time limit, regardless of their number.

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::base::sync::Arc;

/// Time within which a file system must answer.
pub const LIMIT: Duration = Duration::from_secs(2);

/// Runs all `questions` at the same time and returns their results, with `None` for each question that takes longer
/// than `limit`. A question for which no thread can be started runs on the calling thread, without a time limit.
pub fn within<T: Send + 'static>(
    limit: Duration,
    questions: impl IntoIterator<Item = impl Fn() -> T + Send + Sync + 'static>,
) -> Vec<Option<T>> {
    let (sender, receiver) = channel();
    let mut answers = Vec::new();
    for (index, question) in questions.into_iter().enumerate() {
        let question = Arc::new(question);
        let (asked, sender) = (Arc::clone(&question), sender.clone());
        let ask = move || {
            // After the time limit, the receiver no longer exists, so a late result is dropped.
            let _ = sender.send((index, asked()));
        };
        let thread = thread::Builder::new().name("ask".into()).spawn(ask);
        answers.push(if thread.is_err() { Some(question()) } else { None });
    }
    drop(sender);
    let end = Instant::now() + limit;
    while let Ok((index, answer)) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
        answers[index] = Some(answer);
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::{Mutex, lock};

    #[test]
    fn a_silent_file_system_delays_no_other() {
        let gate = Arc::new(Mutex::new(()));
        let held = lock(&gate);
        let questions = (0..20).map(|number| {
            let gate = Arc::clone(&gate);
            move || {
                if number % 2 == 0 {
                    drop(lock(&gate));
                }
                number
            }
        });
        let begun = Instant::now();
        let answers = within(Duration::from_millis(300), questions);
        assert!(begun.elapsed() < Duration::from_secs(3), "one after another");
        let expected: Vec<_> = (0..20).map(|number| (number % 2 == 1).then_some(number)).collect();
        assert_eq!(answers, expected);
        drop(held);
    }
}
