//! Terminal: modes, input, the clipboard, and the progress in the tab.

pub mod background;
pub mod clipboard;
pub mod input;
pub mod screen;
pub mod tab_progress;
