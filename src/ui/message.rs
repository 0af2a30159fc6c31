//! Events for the browser's state, and effects that the state requests.

use std::time::Duration;

use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::notice::Notice;
use super::operations::deletion::{self, DeletionMessage};
use super::operations::export::{self, ExportMessage};
use super::operations::programs::Launch;
use super::progress::{RescanMessage, Tick};
use super::theme::Background;
use crate::scan::Places;
use crate::tree::DirId;

#[derive(Clone, Debug)]
pub enum Event {
    Key(KeyEvent),
    /// Mouse event, and the time since the session began.
    Mouse(MouseEvent, Duration),
    Resize(u16, u16),
    Tick(Tick),
    /// Current time in seconds since 1970.
    Clock(i64),
    Background(Background),
    Paste(String),
    /// The last frame is on the screen and no input is pending. Contains the time since the session began.
    Idle(Duration),
    Rescan(RescanMessage),
    Exported(ExportMessage),
    Deletion(DeletionMessage),
    Notice(Notice),
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
    Recheck(Places),
    Deletion(deletion::DeletionRequest),
    Start(Launch),
    Export(export::ExportRequest),
    /// Replace the tree with a new scan of this path.
    ScanAbove(Vec<u8>),
    /// Restore the terminal and stop the process (SIGTSTP).
    Suspend,
    Repaint,
}
