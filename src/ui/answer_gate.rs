//! Gate that ignores a Yes typed before the user could read the question.
//!
//! ```text
//! Closed -> (question shown, no input pending) -> Quiet -> (no input for the required time) -> Open
//!    ^                                                                                          |
//!    +---------------------------------- any input ---------------------------------------------+
//! ```
//!
//! The quiet time starts and ends only when a check finds no pending terminal input. Therefore, keys pressed while the
//! program was busy or stopped count as input, even if they are read late.
//!
//! Invariant: after any input, no Yes is accepted for at least the required time (the field `quiet`).

use std::time::Duration;

/// Time without input after which a Yes is accepted.
pub const QUIET: Duration = Duration::from_millis(300);
/// Longer quiet time for cases in which a key may still be held down: the second confirmation, and input that arrived
/// before the user could read the question. A held key sends no input until key repeat starts, so this time is longer
/// than the usual delay before key repeat.
pub const LONG_QUIET: Duration = Duration::from_secs(1);

/// Gate for the answers to one question. A Yes is accepted only while the gate is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerGate {
    quiet: Duration,
    state: State,
    was_open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// Input was just read, or the question is not on the screen yet.
    Closed,
    /// No input since this time, measured from the start of the session.
    Quiet(Duration),
    Open,
}

impl AnswerGate {
    /// Creates a closed gate for a new question. The gate opens after the time `quiet` has passed without input.
    pub fn new(quiet: Duration) -> Self {
        Self { quiet, state: State::Closed, was_open: false }
    }

    /// Closes the gate after a key, a paste or a mouse event. If the gate has never been open, it now requires at least
    /// [`LONG_QUIET`] without input.
    pub fn take_input(&mut self) {
        if !self.was_open {
            self.quiet = self.quiet.max(LONG_QUIET);
        }
        self.state = State::Closed;
    }

    /// Records that the question is on the screen and that no input is pending.
    pub fn idle(&mut self, now: Duration) {
        match self.state {
            State::Closed => self.state = State::Quiet(now),
            State::Quiet(since) if now.saturating_sub(since) >= self.quiet => {
                self.state = State::Open;
                self.was_open = true;
            }
            State::Quiet(_) | State::Open => {}
        }
    }

    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Returns `true` if the gate has ever been open, which means that the user has had time to read the question.
    pub fn was_open(&self) -> bool {
        self.was_open
    }

    /// Returns the time until the next call of [`Self::idle`] is due; `None` if the gate is open.
    pub fn wait(&self, now: Duration) -> Option<Duration> {
        match self.state {
            State::Closed => Some(Duration::ZERO),
            State::Quiet(since) => Some((since + self.quiet).saturating_sub(now)),
            State::Open => None,
        }
    }
}

impl Default for AnswerGate {
    fn default() -> Self {
        Self::new(QUIET)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::cases;

    proptest! {
        #![proptest_config(cases(2_000))]

        /// For any sequence of checks and inputs, at any intervals, the gate agrees with a simple model.
        #[test]
        fn the_gate_opens_after_a_quiet_time_and_never_before(
            steps in proptest::collection::vec((any::<bool>(), 0..700_u64), 1..60),
            after_yes in any::<bool>(),
        ) {
            let mut quiet = if after_yes { LONG_QUIET } else { QUIET };
            let mut was_open = false;
            let mut gate = AnswerGate::new(quiet);
            let (mut now, mut first_idle) = (Duration::ZERO, None);
            for (is_input, distance) in steps {
                now += Duration::from_millis(distance);
                if is_input {
                    quiet = if was_open { quiet } else { LONG_QUIET };
                    gate.take_input();
                    first_idle = None;
                } else {
                    gate.idle(now);
                    first_idle = first_idle.or(Some(now));
                }
                let has_been_quiet = first_idle.is_some_and(|first| now.saturating_sub(first) >= quiet);
                was_open |= has_been_quiet;
                prop_assert_eq!(gate.is_open(), has_been_quiet);
                prop_assert_eq!(gate.wait(now).is_none(), has_been_quiet);
            }
        }

        /// Without input, the gate opens after exactly the time that [`AnswerGate::wait`] returns.
        #[test]
        fn the_gate_opens_after_its_waiting_time(start in 0..10_000_u64) {
            let mut gate = AnswerGate::default();
            let (mut now, mut checks) = (Duration::from_millis(start), 0);
            while let Some(wait) = gate.wait(now) {
                now += wait;
                gate.idle(now);
                checks += 1;
            }
            prop_assert_eq!((now, checks), (Duration::from_millis(start) + QUIET, 2));
        }
    }
}
