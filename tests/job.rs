//! What becomes of a job that panics: not among the unit tests, as those also run where nothing can be unwound.
#![allow(missing_docs)]

use std::time::Duration;

use duke::job::{Outcome, Pool};

#[test]
fn a_panic_is_an_outcome() {
    let job = Pool::new(1).unwrap().start::<u32>(|_| panic!("on purpose")).unwrap();
    assert_eq!(job.wait(Duration::from_secs(60)), Some(Outcome::Panicked("on purpose".to_owned())));
}
