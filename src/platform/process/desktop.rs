//! Conventions of the operating system: the program that opens files, the clipboard tool, the trash, and the
//! precision of the birth times that stat(1) prints in duke's deletion scripts.

pub use super::imp::{
    BIRTH_HAS_NANOSECONDS, CLIPBOARD_TOOL, OPENER, REVEAL, TRASH_HAS_INFO, TRASH_NAME_SEPARATOR, home_trash,
};
