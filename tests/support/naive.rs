//! Reference values for the totals of a directory, from a walk that is as simple as possible and from du.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use duke::tree::Totals;

/// Returns the totals of a directory and everything below it. Each inode counts once, and each name is an item. Links
/// are not followed. An unreadable entry counts as an error. Its size still counts if the size is known.
pub fn totals(directory: &Path) -> Totals {
    let mut inodes = HashMap::new();
    let mut totals = Totals::default();
    let mut waiting = vec![directory.to_owned()];
    inodes.extend(identity_and_sizes(directory));
    while let Some(directory) = waiting.pop() {
        let Ok(names) = fs::read_dir(&directory) else {
            totals.errors += 1;
            continue;
        };
        for name in names {
            let path = name.expect("a directory that can be opened can be read").path();
            totals.items += 1;
            match identity_and_sizes(&path) {
                Some(found) => inodes.extend([found]),
                None => totals.errors += 1,
            }
            if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
                waiting.push(path);
            }
        }
    }
    totals.disk = inodes.values().map(|(disk, _)| disk).sum();
    totals.apparent = inodes.values().map(|(_, apparent)| apparent).sum();
    totals
}

fn identity_and_sizes(path: &Path) -> Option<((u64, u64), (u64, u64))> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some(((metadata.dev(), metadata.ino()), (metadata.blocks() * 512, metadata.len())))
}

/// Returns the disk usage in bytes that `du -s` reports for `directory`.
pub fn du(directory: &Path) -> u64 {
    let output = blocks_of_du().args(["-s", "--"]).arg(directory).output().expect("du can be run");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map_or_else(|| panic!("du of {}: {output:?}", directory.display()), bytes)
}

/// Returns a `du` command that counts in blocks of 512 bytes. Works with the GNU, BSD and macOS versions of `du`.
pub fn blocks_of_du() -> Command {
    let mut command = Command::new("du");
    command.env("POSIXLY_CORRECT", "1").env("BLOCKSIZE", "512");
    command
}

/// Returns the disk usage in bytes that a line of [`blocks_of_du`] reports.
pub fn bytes(line: &str) -> u64 {
    let blocks = line.split('\t').next().unwrap_or_default().trim();
    512 * blocks.parse::<u64>().unwrap_or_else(|_| panic!("a line of du: {line}"))
}
