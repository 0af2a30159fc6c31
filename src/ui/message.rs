//! Events that the state processes, and effects that it requests.

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

/// Event for the state.
#[derive(Clone, Debug)]
pub enum Event {
    /// Key press.
    Key(KeyEvent),
    /// Mouse event, and the time since the browser began.
    Mouse(MouseEvent, Duration),
    /// Size of the terminal in columns and lines.
    Resize(u16, u16),
    /// Progress of the scan.
    Tick(Tick),
    /// Present time in seconds since 1970.
    Clock(i64),
    /// Background of the terminal.
    Background(Background),
    /// Pasted text.
    Paste(String),
    /// The question is on the screen and no input waits. Contains the time since the browser began.
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

/// Request for I/O.
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
    /// Recheck entries.
    Recheck(Places),
    /// Delete, or compute a preview of a deletion.
    Deletion(deletion::DeletionRequest),
    /// Start a program.
    Start(Launch),
    /// Write a file.
    Export(export::ExportRequest),
    /// Replace this tree by a scan of this path.
    ScanAbove(Vec<u8>),
    /// Give the terminal back and stop the process.
    Suspend,
    /// Draw the whole screen again.
    Repaint,
}
