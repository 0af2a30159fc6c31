//! The terminal: its modes, its input, the clipboard, and the progress in its tab.

pub mod background;
pub mod clipboard;
pub mod input;
pub mod screen;
pub mod tab_progress;
