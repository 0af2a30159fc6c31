//! Tests of jobs that panic. They are integration tests, because the unit tests are also run in a build where a panic
//! aborts the process.
#![allow(missing_docs)]

use std::time::Duration;

use duke::base::job::{JobEnd, JobError, Pool};
use duke::testing::ui::runner::{AtExit, Runner, Update};

#[test]
fn a_panic_is_reported_as_the_outcome() {
    let job = Pool::new(1).unwrap().start::<u32>(|_| panic!("on purpose")).unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(JobEnd::Panicked("on purpose".to_owned())));
}

#[test]
fn a_panic_of_an_operation_is_reported_once() {
    let mut runner = Runner::default();
    let bug = Pool::new(1).unwrap().start::<u32>(|_| panic!("on purpose"));
    runner.add(bug, AtExit::Cancel, |update| match update {
        Update::Failed(JobError::Panicked(message)) => message,
        other => panic!("{other:?}"),
    });
    let mut messages = Vec::new();
    while runner.is_busy() {
        messages.extend(runner.poll());
        std::thread::yield_now();
    }
    assert_eq!(messages, ["on purpose"]);
}
