//! Labels of the lines in the df report, and the notes after the labels.
//!
//! Invariant: names are safe to print to a terminal.

use super::{
    Capacity, Errno, FileSystemUsage, NotScanned, Note, OverheadKind, ProcessAccess, Scanned, UnlinkedFile,
};
use crate::base::format::{Units, counted, grouped, plain_size};
use crate::base::os_error::OsError;
use crate::base::text::{escape, escape_path};

/// Maximum number of processes named in a note.
const NAMED: usize = 3;

pub const SIZE: &str = "size";
pub const AVAILABLE: &str = "available";
pub const RESERVED: &str = "reserved";
pub const RESERVED_NOTE: &str = "for root or the file system";
pub const INODES: &str = "inodes";
pub const USED: &str = "used";
pub const SCANNED: &str = "scanned";
pub const COVERED: &str = "covered by mount points";
pub const DELETED: &str = "deleted but open";
pub const UNEXPLAINED: &str = "unexplained";
pub const UNEXPLAINED_OR_OUTSIDE: &str = "unexplained or outside the scan";
/// Label of the unexplained amount if it is negative: the scan counted more than df.
pub const COUNTED_BEYOND_DF: &str = "counted by the scan, but not by df";
pub const UNREADABLE_NOTE: &str = "contents not counted";
pub const EXCLUDED_NOTE: &str = "not scanned";
/// Note about an overhead that df counts neither as used nor as free.
pub const BESIDE_NOTE: &str = "not part of the size";
/// Label of the line for all file systems together.
pub const TOTAL: &str = "total";

/// Returns the reason why the size of a file system is unknown.
pub fn no_capacity(error: Errno) -> String {
    // `ETIMEDOUT` comes from the time limit in `platform::fs::answer`. The system's message for it would be misleading.
    if error == Errno::ETIMEDOUT { "not responding".to_owned() } else { OsError(error as i32).to_string() }
}

/// Returns the note for the line of one file system or of all file systems together: the size and the scanned space.
pub fn system_note(size: u64, scanned: u64, units: Units) -> String {
    format!("used (size {}, scanned {})", plain_size(size, units), plain_size(scanned, units))
}

pub fn inodes_note(capacity: &Capacity) -> String {
    format!("{} used, {} free", grouped(capacity.inodes_used()), grouped(capacity.inodes_free))
}

pub fn scanned_note(scanned: &Scanned) -> String {
    let partial = if scanned.is_partial { "at least " } else { "" };
    format!("{partial}{}", entries_text(scanned.entries))
}

pub fn unreadable_label(entries: u64) -> String {
    format!("unreadable: {}", entries_text(entries))
}

pub fn excluded_label(entries: u64) -> String {
    format!("excluded: {}", entries_text(entries))
}

/// Returns the note about the files under `count` mount points. `refused` is the error if they could not be read.
pub fn covered_note(count: usize, refused: Option<Errno>) -> String {
    let count = counted(count as u64, "mount point", "mount points");
    match refused {
        Some(Errno::EPERM | Errno::EACCES) => {
            format!("{count} not checked; run duke as root (for a container, on the host)")
        }
        Some(error) => format!("{count} not checked: {}", OsError(error as i32)),
        None => count,
    }
}

/// Returns the note about the processes that were checked for deleted but open files.
pub fn access_note(access: ProcessAccess) -> &'static str {
    match access {
        ProcessAccess::All => "all processes checked",
        ProcessAccess::Container => "only processes of this container checked",
        ProcessAccess::Own => "only some processes checked; root can check all",
        ProcessAccess::None => "process list not accessible",
    }
}

/// Returns the reason why a scan could not reach all of a file system.
pub fn outside_note(outside: &NotScanned) -> String {
    match outside {
        NotScanned::Above(point) => format!("the scan began below {}", escape_path(point)),
        NotScanned::Directory(root) => format!("only {} of this file system is mounted", escape(root)),
        NotScanned::Unknown => "mount point unknown".to_owned(),
    }
}

/// Returns the processes that hold a file open, for example `tail (12), cat (13), less (14) and 2 more processes`.
pub fn holders_note(file: &UnlinkedFile) -> String {
    let named =
        file.holders.iter().take(NAMED).map(|holder| format!("{} ({})", escape(&holder.name), holder.pid));
    let named = named.collect::<Vec<_>>().join(", ");
    match file.holders.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {}", counted(more as u64, "more process", "more processes")),
    }
}

pub fn overhead_label(kind: OverheadKind) -> &'static str {
    match kind {
        OverheadKind::Structures => "inode tables, bitmaps and journal",
        OverheadKind::Journal => "journal",
        OverheadKind::ForRoot => "for root",
        OverheadKind::ForWriting => "for delayed writes",
        OverheadKind::Inodes => "inodes",
        OverheadKind::Pool => "reserve pool",
        OverheadKind::Metadata => "metadata",
        OverheadKind::ChunkTree => "chunk tree",
        OverheadKind::Reserve => "global reserve",
        OverheadKind::OtherVolumes => "other volumes of the container",
    }
}

/// Returns the label and the note of a line about a special property of the file system.
pub fn note_text(space: &FileSystemUsage, note: &Note, units: Units) -> (String, Option<String>) {
    match note {
        Note::Layers { upper, lower } => {
            let upper = upper.as_ref().map(|upper| format!("writes go to {}", escape(upper)));
            let count = lower.len() + usize::from(upper.is_some());
            (format!("overlay of {}", counted(count as u64, "layer", "layers")), upper)
        }
        Note::Memory => ("files are in memory".to_owned(), None),
        Note::Subvolumes(subvolumes) => {
            let snapshots = subvolumes.iter().filter(|it| it.is_snapshot()).count();
            let deleted = subvolumes.iter().filter(|it| it.is_deleted).count();
            let cleaned = match deleted as u64 {
                0 => String::new(),
                deleted => format!(" and {} being deleted", counted(deleted, "subvolume", "subvolumes")),
            };
            (
                counted(subvolumes.len() as u64, "subvolume", "subvolumes"),
                Some(format!("including {}{cleaned}", counted(snapshots as u64, "snapshot", "snapshots"))),
            )
        }
        Note::Snapshots(names) => (counted(names.len() as u64, "local snapshot", "local snapshots"), None),
        Note::Quota(quota) => {
            let (used, limit) = (plain_size(quota.used, units), plain_size(quota.limit, units));
            ("quota".to_owned(), Some(format!("you use {used} of {limit}")))
        }
        Note::DirectoryLimit { shown, whole } => {
            let (shown, whole) = (plain_size(*shown, units), plain_size(*whole, units));
            (
                "directory quota".to_owned(),
                Some(format!("df shows the limit {shown} as the size; the file system has {whole}")),
            )
        }
        Note::Refused(error) => {
            // On btrfs, the overhead can be read without root, but the subvolumes cannot.
            let is_known = space.volume.kind() == Some(b"btrfs") && !space.parts.is_empty();
            let kind = if is_known { "subvolumes unknown" } else { "overhead unknown" };
            (kind.to_owned(), Some(OsError(*error as i32).to_string()))
        }
    }
}

pub fn entries_text(entries: u64) -> String {
    counted(entries, "entry", "entries")
}

/// Returns the title of a file system, such as `/home: /dev/sda1 (ext4)`, or only the path if the mount is unknown.
pub fn title(space: &FileSystemUsage) -> String {
    let bytes = |bytes: &[u8]| escape(bytes).into_owned();
    match &space.volume.mount {
        Some(mount) => {
            format!("{}: {} ({})", bytes(&mount.point), bytes(&mount.source), bytes(&mount.kind))
        }
        None => escape_path(&space.volume.path),
    }
}
