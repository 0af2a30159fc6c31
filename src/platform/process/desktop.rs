//! Differences between operating systems: the program that opens files, the clipboard tool, the trash, and the
//! precision of the birth times printed by stat(1). duke's deletion scripts call stat(1).

pub use super::imp::{
    BIRTH_HAS_NANOSECONDS, CLIPBOARD_TOOL, OPENER, REVEAL, TRASH_HAS_INFO, TRASH_NAME_SEPARATOR, home_trash,
};
