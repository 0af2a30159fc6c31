//! Shell script that uses rclone to delete objects on a remote.
//!
//! Invariant: outside comments, every byte of a name is quoted. No name can control the terminal, and rclone cannot
//! mistake a name for a flag.

use crate::base::text::{assignment, escape};
use crate::delete::{Group, Item, Selection};
use crate::tree::join;

const HEAD: &str = "#!/bin/sh
# Review before running: rclone deletes the objects listed below. Objects that have changed are deleted, too.
# Noncurrent versions remain unless they are listed below.
# To delete all noncurrent versions below a path (S3, B2): rclone backend cleanup-hidden REMOTE:PATH
# Unfinished uploads remain: 'rclone backend cleanup REMOTE:PATH' deletes those that are older than a day (S3, B2).
failed=0
";

/// Returns a script that deletes the selected entries of a remote. `sizes` contains the size of each entry as text.
pub(crate) fn text(selection: &Selection, sizes: &[String]) -> String {
    let entries = selection.items().zip(sizes);
    let commands = entries.map(|((group, item), size)| {
        let path = path(group, item);
        let verb = match item.directory {
            Some(_) => "purge",
            None if is_version(&item.name) => "deletefile --s3-versions",
            None => "deletefile",
        };
        let title = escape(&path);
        let target = assignment("target", &path);
        format!("\n# {title}, {size}\n{target}\nrclone {verb} -- \"$target\" || failed=1\n")
    });
    commands.fold(HEAD.to_owned(), |script, command| script + &command) + "\nexit \"$failed\"\n"
}

/// Returns `true` if `name` contains a time in the form that rclone adds to the name of a noncurrent version. rclone
/// finds such a version only with the flag `--s3-versions`. With this flag, rclone does not find an ordinary object
/// that has such a name.
fn is_version(name: &[u8]) -> bool {
    const TIME: &[u8] = b"-v0000-00-00-000000-000";
    let matches = |(byte, pattern): (&u8, &u8)| match pattern {
        b'0' => byte.is_ascii_digit(),
        _ => byte == pattern,
    };
    name.windows(TIME.len()).any(|window| window.iter().zip(TIME).all(matches))
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

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn a_version_is_recognized_by_its_time() {
        for name in ["a-v2026-11-24-154652-600.txt", "-v2026-11-24-154652-600", "x-v-v2026-11-24-154652-600"]
        {
            assert!(is_version(name.as_bytes()), "{name}");
        }
        for name in ["a.txt", "a-v2026-11-24", "a-v2026-11-24-154652-60", "a-w2026-11-24-154652-600", ""] {
            assert!(!is_version(name.as_bytes()), "{name}");
        }
    }
}
