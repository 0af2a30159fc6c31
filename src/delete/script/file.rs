//! Writes a script to a new file that no other user can change before the script is run.
//!
//! Invariant: no symbolic link is followed, and no partial script remains.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{DeleteWarning, ScriptError, Selection, objects, text};
use crate::platform::entry::safe_path::{Error, PrivateFolder, UnsafePath};

/// Maximum number of scripts that can be written within one second.
const NUMBERS: u32 = 100;

/// Script that has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub path: PathBuf,
    /// Warnings that the script prints before asking for confirmation.
    pub warnings: Vec<DeleteWarning>,
}

/// Writes the script for `selection` to a new file that only its owner can read and run. Creates the file in
/// `directory` or, if other users can change or replace `directory`, in `fallback`. Creates `fallback` if necessary.
///
/// # Errors
/// Returns an error if an entry must not be deleted, has changed or cannot be read, or if the script cannot be written.
pub fn write(
    directory: &Path,
    fallback: Option<&Path>,
    selection: &Selection,
    sizes: &[String],
) -> Result<Written, ScriptError> {
    let (text, warnings) = text(selection, sizes)?;
    write_text(directory, fallback, &text, warnings)
}

/// Writes a script that deletes `selection` with rclone. Otherwise works like [`write()`].
///
/// # Errors
/// Returns an error if the script cannot be written.
pub fn write_for_objects(
    directory: &Path,
    fallback: Option<&Path>,
    selection: &Selection,
    sizes: &[String],
) -> Result<Written, ScriptError> {
    write_text(directory, fallback, &objects::text(selection, sizes), Vec::new())
}

fn write_text(
    directory: &Path,
    fallback: Option<&Path>,
    text: &str,
    warnings: Vec<DeleteWarning>,
) -> Result<Written, ScriptError> {
    let folder = folder(directory, fallback)?;
    let time = crate::base::calendar::local_now().strftime("%Y%m%d-%H%M%S").to_string();
    for number in 1..=NUMBERS {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("duke-rm-{time}{suffix}.sh"));
        // `O_EXCL` fails for any existing name, even a dangling link.
        match OpenOptions::new().write(true).create_new(true).mode(0o700).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return Ok(fill(opened?, &path, text).map(|()| Written { path, warnings })?),
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists).into())
}

/// Returns the path of `directory`, or of `fallback` if other users can change or replace `directory`. The path
/// contains no symbolic links. Fails if neither folder is safe.
fn folder(directory: &Path, fallback: Option<&Path>) -> Result<PathBuf, ScriptError> {
    let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let here = std::path::absolute(here)?;
    let found = match (PrivateFolder::find(&here), fallback) {
        (Err(Error::Refused(_)), Some(folder)) => PrivateFolder::find(folder).and_then(PrivateFolder::make),
        (found, _) => found,
    };
    match found {
        Ok(folder) if folder.exists() => Ok(folder.path().to_owned()),
        Ok(_) => Err(io::Error::from(ErrorKind::NotFound).into()),
        Err(Error::Refused(blocked)) => {
            let path = Some(blocked.path.unwrap_or_else(|| fallback.unwrap_or(&here).to_owned()));
            Err(ScriptError::Exposed(UnsafePath { path, ..blocked }))
        }
        Err(error) => Err(io::Error::from(error).into()),
    }
}

fn fill(mut file: File, path: &Path, text: &str) -> io::Result<()> {
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
    if written.is_err() {
        // A partial script would be worse than none.
        let _ = fs::remove_file(path);
    }
    written
}
