//! Result of a job that panics. Not a unit test, since those also run where panics abort.
#![allow(missing_docs)]

use std::time::Duration;

use duke::base::job::{Outcome, Pool};

#[test]
fn a_panic_is_an_outcome() {
    let job = Pool::new(1).unwrap().start::<u32>(|_| panic!("on purpose")).unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(Outcome::Panicked("on purpose".to_owned())));
}
