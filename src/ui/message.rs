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

/// Event for the browser's state.
#[derive(Clone, Debug)]
pub enum Event {
    /// Key press.
    Key(KeyEvent),
    /// Mouse event, and the time since the session began.
    Mouse(MouseEvent, Duration),
    /// Size of the terminal in columns and lines.
    Resize(u16, u16),
    /// Progress of the scan.
    Tick(Tick),
    /// Current time in seconds since 1970.
    Clock(i64),
    /// Background of the terminal.
    Background(Background),
    /// Pasted text.
    Paste(String),
    /// The open question is on the screen and no input is pending. Contains the time since the session began.
    Idle(Duration),
    /// Progress or end of the rescan.
    Rescan(RescanMessage),
    /// Result of writing a file.
    Exported(ExportMessage),
    /// Progress or result of a deletion.
    Deletion(DeletionMessage),
    /// Message to the user.
    Notice(Notice),
}

/// Request for I/O, which the session carries out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Quit the browser.
    Quit,
    /// Stop the scan.
    StopScan,
    /// Quit, and print these paths.
    Print(Vec<Vec<u8>>),
    /// Copy this text to the clipboard.
    Copy(Vec<u8>),
    /// Rescan a directory.
    Rescan(DirId),
    /// Stop the rescan.
    StopRescan,
    /// Read these entries again.
    Recheck(Places),
    /// Carry out a request about deletions, such as computing a preview.
    Deletion(deletion::DeletionRequest),
    /// Start a program.
    Start(Launch),
    /// Write a file.
    Export(export::ExportRequest),
    /// Replace this tree with a scan of this path.
    ScanAbove(Vec<u8>),
    /// Restore the terminal and stop the process (SIGTSTP).
    Suspend,
    /// Draw the whole screen again.
    Repaint,
}
