//! Terminal: modes, background color, input, clipboard, and scan progress shown in the terminal's tab.

pub mod background;
pub mod clipboard;
pub mod input;
pub mod screen;
pub mod tab_progress;
