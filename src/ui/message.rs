//! Events for the browser's state, and effects that the state requests.

use std::time::Duration;

use ratatui::crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};

use super::notice::Notice;
use super::operations::deletion::{self, DeletionMessage};
use super::operations::export::{self, ExportMessage};
use super::operations::programs::Launch;
use super::progress::{RescanMessage, ScanProgress};
use super::theme::Background;
use crate::scan::EntryNames;
use crate::tree::DirId;

#[derive(Clone, Debug)]
pub enum Event {
    Key(KeyEvent),
    /// Mouse event, and the time since the session began.
    Mouse(MouseEvent, Duration),
    Resize(u16, u16),
    ScanProgress(ScanProgress),
    /// Current time in seconds since 1970.
    Clock(i64),
    Background(Background),
    Paste(String),
    /// All changes have been drawn, and no input is pending. Contains the time since the session began.
    Idle(Duration),
    Rescan(RescanMessage),
    Exported(ExportMessage),
    Deletion(DeletionMessage),
    Notice(Notice),
}

impl Event {
    /// Returns `true` if the event is a key press, pasted text, a click, or a step of the mouse wheel.
    pub fn is_pressed(&self) -> bool {
        match self {
            Self::Key(_) | Self::Paste(_) => true,
            Self::Mouse(event, _) => matches!(
                event.kind,
                MouseEventKind::Down(_) | MouseEventKind::ScrollUp | MouseEventKind::ScrollDown
            ),
            _ => false,
        }
    }
}

/// Request that the session carries out, usually I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Quit,
    StopScan,
    Print(Vec<Vec<u8>>),
    Copy(Vec<u8>),
    Rescan(DirId),
    StopRescan,
    /// Read these entries again.
    Recheck(EntryNames),
    Deletion(deletion::DeletionRequest),
    Start(Launch),
    Export(export::ExportRequest),
    /// Replace the tree with a new scan of this path.
    ScanAbove(Vec<u8>),
    /// Restore the terminal and stop the process (SIGTSTP).
    Suspend,
    Repaint,
}
