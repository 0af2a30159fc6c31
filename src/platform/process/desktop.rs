//! System conventions: opener, clipboard tool, trash, and the output of stat(1), which deletion scripts call.

pub use super::imp::{
    BIRTH_HAS_NANOSECONDS, CLIPBOARD_TOOL, OPENER, REVEAL, TRASH_HAS_INFO, TRASH_NAME_SEPARATOR, home_trash,
};
