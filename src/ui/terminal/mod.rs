//! The terminal: its modes, the clipboard, and the progress in its tab.

pub mod clipboard;
pub mod screen;
pub mod tab_progress;
