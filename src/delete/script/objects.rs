//! Shell script that uses rclone to delete objects on a remote.
//!
//! Invariant: no byte of a name is outside quotes, no byte controls the terminal, and rclone cannot take a name
//! for a flag.

use crate::base::text::{assignment, escape};
use crate::delete::{Group, Item, Selection};
use crate::tree::join;

const HEAD: &str = "#!/bin/sh
# Review before running: rclone deletes the objects listed below. Objects that have changed are deleted, too.
# Noncurrent versions remain: 'rclone backend cleanup-hidden REMOTE:PATH' removes those of a path.
# Unfinished uploads remain: 'rclone backend cleanup REMOTE:PATH' removes those that are older than a day.
failed=0
";

/// Returns the script for a selection from a remote. `sizes` holds the size of each entry as text.
pub(crate) fn text(selection: &Selection, sizes: &[String]) -> String {
    let entries = selection.items().zip(sizes);
    let commands = entries.map(|((group, item), size)| {
        let path = path(group, item);
        let verb = if item.directory.is_some() { "purge" } else { "deletefile" };
        let title = escape(&path);
        let target = assignment("target", &path);
        format!("\n# {title}, {size}\n{target}\nrclone {verb} -- \"$target\" || failed=1\n")
    });
    commands.fold(HEAD.to_owned(), |script, command| script + &command) + "\nexit \"$failed\"\n"
}

/// Returns the path of an item in rclone's syntax. A slash follows the remote's colon only if the user wrote one.
fn path(group: &Group, item: &Item) -> Vec<u8> {
    let Some((root, below)) = group.steps.split_first() else { return item.name.clone() };
    let names = below.iter().map(|step| step.name.as_slice()).chain([item.name.as_slice()]);
    if root.name.ends_with(b":") {
        return [root.name.as_slice(), &join(names)].concat();
    }
    join([root.name.as_slice()].into_iter().chain(names))
}
