//! Desktop conventions: opener, clipboard tool, trash, and stat(1) in scripts.

pub use super::imp::{
    BIRTH_HAS_NANOSECONDS, CLIPBOARD_TOOL, OPENER, REVEAL, TRASH_HAS_INFO, TRASH_NAME_SEPARATOR, home_trash,
};
