//! Conventions of the system: the program that opens files, the clipboard tool, the trash, and the form in which
//! stat(1) prints birth times. The deletion scripts written by duke call stat(1).

pub use super::imp::{
    BIRTH_HAS_NANOSECONDS, CLIPBOARD_TOOL, OPENER, REVEAL, TRASH_HAS_INFO, TRASH_NAME_SEPARATOR, home_trash,
};
