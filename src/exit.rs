//! How the program ends, as a number for whoever called it.
//!
//! Invariant: nothing else in the crate names an exit code.

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Everything was read and written. A reader who closes the pipe has had enough, which is fine too.
    Fine = 0,
    /// Something could not be read or written; the rest is there.
    Incomplete = 1,
    /// The command line makes no sense, or no root could be read.
    Useless = 2,
    /// Ended by SIGINT.
    Interrupted = 130,
}

impl Exit {
    /// Ends the process. What it holds is not freed: the system does that faster.
    pub fn end(self) -> ! {
        std::process::exit(i32::from(self as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_readme() {
        let codes = [Exit::Fine, Exit::Incomplete, Exit::Useless, Exit::Interrupted].map(|exit| exit as u8);
        assert_eq!(codes, [0, 1, 2, 130]);
    }
}
