//! Reads the list of unfinished multipart uploads on an rclone remote.

use std::ops::ControlFlow;

use super::rclone::RclonePath;
use super::remote::Session;
use crate::base::job::JobError;
use crate::formats::compression::unpack;
use crate::formats::json_lexer::{Fault, Lexer, Reason};
use crate::formats::lists::{LiveTree, add_uploads};

/// Adds the unfinished uploads of `path` to `live`. Ends early if `is_stopped` returns `true`.
///
/// # Errors
/// Returns rclone's error, an error about the first malformed part of the list, or an error if no thread can be
/// started. After any error, the root of `live` gets a read error.
pub(crate) fn read_uploads(
    path: &RclonePath,
    live: &mut LiveTree<'_>,
    is_stopped: impl Fn() -> bool,
) -> Result<(), String> {
    let read = run(path, live, is_stopped);
    if read.is_err() {
        live.fail();
    }
    read.map_err(|reason| format!("cannot list unfinished uploads: {reason}"))
}

fn run(path: &RclonePath, live: &mut LiveTree<'_>, is_stopped: impl Fn() -> bool) -> Result<(), String> {
    let (reader, session) = Session::uploads(path)?;
    let chunks = unpack(reader).map_err(|error| JobError::no_thread(error).to_string())?;
    let pulse = |_| if is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let mut lexer = Lexer::resume(Vec::new(), chunks, &pulse);
    let read = add_uploads(&mut lexer, live, |bucket, key| path.path_of(bucket, key));
    drop(lexer);
    // rclone's own error explains an incomplete list better than a parse error does.
    session.map_or(Ok(()), |session| session.finish(read.is_ok()))?;
    match read {
        Err(fault) if fault.reason == Reason::Stopped => {
            live.stop();
            Ok(())
        }
        // Do not use the usual text of the fault. For byte 0, that text would suggest an unknown file format, but the
        // input is always rclone's output.
        Err(Fault { offset, reason: Reason::Wrong(what) }) => Err(format!("byte {offset}: {what}")),
        read => read.map_err(|fault| fault.to_string()),
    }
}
