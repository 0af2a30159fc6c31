//! Shell script that deletes a selection. The user reviews and runs the script instead of deleting with duke.
//!
//! ```text
//! selection -> guards, as for the dialog -> identity of each entry -> new file: functions.sh, four lines per entry
//! ```
//!
//! Before duke writes the script, it applies the same guards as for the dialog. The script prints the same warnings. To
//! delete an entry, the script first changes to the directory that contains the entry. It then compares the directory
//! and the entry with their recorded identity: device, inode and birth time, and for files also size and modification
//! time. Finally, it deletes the entry by its name in that directory, so the path is not resolved again after the
//! check. The script skips mounts. Every name is quoted so that the shell reads its exact bytes and the script is safe
//! to print.
//!
//! Invariant: every byte of a name is quoted, and names add no control characters to the script.

mod file;
mod objects;

use std::ffi::{CStr, CString};

use super::guard::{self, DeleteWarning};
use super::{Group, Item, Reason, Selection};
use crate::base::absolute::absolute_bytes;
use crate::base::kind::Kind;

use crate::base::text::{assignment, escape, quoted};
use crate::platform::entry::safe_path::UnsafePath;
use crate::platform::process::desktop::BIRTH_HAS_NANOSECONDS;
use crate::platform::{Directory, Errno, Identity};

pub use file::{Written, write, write_for_objects};

/// Start of every script. `FUNCTIONS`, which the commands of the script call, comes next.
const HEAD: &str = "#!/bin/sh
# Review before running: this permanently deletes the entries listed at the end.
# Entries that have changed since this script was written are kept. So are file systems mounted inside an entry.
";
const FUNCTIONS: &str = include_str!("functions.sh");
/// Maximum length of a path in bytes (`PATH_MAX` on Linux). On macOS, the maximum is lower, and the script reports
/// paths that are too long.
const LONGEST: usize = 4096;

/// Reason why no script was written.
#[derive(Debug)]
pub enum ScriptError {
    /// A selected entry must not be deleted, has changed, or cannot be read. Contains its path and the reason.
    Refused(Vec<u8>, Reason),
    /// Other users could change the script before it is run, both in the given folder and in the fallback folder, if
    /// there is one. Contains an unsafe directory, and the reason.
    Exposed(UnsafePath),
    /// The script cannot be written.
    Failed(std::io::Error),
}

impl From<std::io::Error> for ScriptError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns the script that deletes the selected entries, and the warnings about them. The selection must include the
/// entries themselves, not only their contents. `sizes` contains the size of each entry as text.
///
/// # Errors
/// Returns an error if an entry must not be deleted, has changed, or cannot be read.
pub fn text(selection: &Selection, sizes: &[String]) -> Result<(String, Vec<DeleteWarning>), ScriptError> {
    let (blocked, warnings) = guard::check(selection);
    if let Some((number, blocked)) = blocked.first()
        && let Some((group, item)) = selection.items().nth(*number)
    {
        return Err(ScriptError::Refused(group.path_of(item), Reason::Refused(*blocked)));
    }
    let mut script = format!("{HEAD}{FUNCTIONS}");
    script.push_str(&confirmation(&warnings));
    let mut sizes = sizes.iter();
    for group in &selection.groups {
        let refused = |item: &Item, reason| ScriptError::Refused(group.path_of(item), reason);
        let Some(first) = group.items.first() else { continue };
        let directory = group.open().map_err(|reason| refused(first, reason))?;
        let parent = directory.identity().map_err(|error| refused(first, error.into()))?;
        let mut timed = group.clone();
        timed.ignore_foreign_clock(&directory);
        for item in &timed.items {
            let size = sizes.next().map_or("", String::as_str);
            let command = command(group, item, &directory, &parent, size);
            script.push_str(&command.map_err(|reason| refused(item, reason))?);
        }
    }
    script.push_str("\nexit \"$failed\"\n");
    Ok((script, warnings))
}

/// Returns the part of the script that warns and asks for confirmation; empty if there are no warnings.
fn confirmation(warnings: &[DeleteWarning]) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let warnings = warnings.iter().map(|warning| {
        let words = warning.text(&escape(&absolute_bytes(warning.path())));
        format!("printf '%s\\n' {} >&2\n", quoted(&format!("Warning: {words}")))
    });
    let question =
        "printf 'Type yes to continue: ' >&2\nanswer=\nread -r answer\n[ \"$answer\" = yes ] || exit 1\n";
    warnings.fold("\n".to_owned(), |text, warning| text + &warning) + question
}

/// Returns the lines that delete one entry.
fn command(
    group: &Group,
    item: &Item,
    directory: &Directory,
    parent: &Identity,
    size: &str,
) -> Result<String, Reason> {
    let name = CString::new(item.name.as_slice()).map_err(|_| Reason::System(Errno::EINVAL as i32))?;
    let found = identity_of(directory, &name)?;
    if !item.is_still(&found) {
        return Err(Reason::Changed);
    }
    let above = absolute_bytes(&group.path());
    if above.len() + item.name.len() >= LONGEST {
        return Err(Reason::System(Errno::ENAMETOOLONG as i32));
    }
    let is_directory = item.kind == Kind::Directory;
    let path = crate::tree::join([above.as_slice(), item.name.as_slice()]);
    let mut words = vec![if is_directory { "directory" } else { "file" }.to_owned()];
    words.extend(identity(parent));
    words.extend(identity(&found));
    if !is_directory {
        words.push(format!("'{} {}'", found.attributes.apparent, found.attributes.mtime));
    }
    Ok(format!(
        "\nentry={}\n{}\n{}\n{}\n",
        quoted(&format!("{}, {size}", escape(&path))),
        assignment("parent", &above),
        assignment("name", &item.name),
        words.join(" "),
    ))
}

fn identity_of(directory: &Directory, name: &CStr) -> Result<Identity, Reason> {
    directory.identity_of(name).map_err(|error| match error {
        Errno::ENOENT => Reason::Changed,
        error => error.into(),
    })
}

/// Returns two quoted arguments. The first contains the device and the inode number. The second contains the birth time
/// as stat(1) prints it (with nanoseconds, except on macOS), or nothing if the birth time is unknown.
fn identity(found: &Identity) -> [String; 2] {
    let birth = match found.born {
        None | Some((..=0, _)) => String::new(),
        Some((seconds, nanoseconds)) if BIRTH_HAS_NANOSECONDS => format!("{seconds}.{nanoseconds:09}"),
        Some((seconds, _)) => seconds.to_string(),
    };
    [format!("'{} {}'", found.attributes.device, found.attributes.inode), format!("'{birth}'")]
}
