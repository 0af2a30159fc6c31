//! Progress of a scan in the terminal's tab and in the taskbar. The escape sequence is OSC 9;4, introduced by
//! `ConEmu`.
//!
//! Some terminals show OSC 9 as a message instead, so only terminals that are known to support progress get the
//! sequence.
//!
//! Invariant: the progress is cleared before duke ends, is suspended, or lets another program use the terminal.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TabState {
    #[default]
    Nothing,
    /// A scan is running, but its percentage is unknown.
    Going,
    Percent(u8),
}

impl TabState {
    pub fn sequence(self) -> String {
        match self {
            Self::Nothing => "\x1b]9;4;0\x07".to_owned(),
            Self::Going => "\x1b]9;4;3\x07".to_owned(),
            Self::Percent(percent) => format!("\x1b]9;4;1;{percent}\x07"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_those_of_conemu() {
        assert_eq!(TabState::Percent(42).sequence(), "\x1b]9;4;1;42\x07");
        assert_eq!(TabState::default().sequence(), "\x1b]9;4;0\x07");
    }
}
