//! Explanations of the accounting's lines: the meaning of a number, and commands the user can run to change
//! it. Nothing is executed.
//!
//! Does not draw anything. Invariant: names are safe for a terminal.

use super::rows::{Subject, label};
use super::{Deleted, Note, Outside, Reach, Remainder, Space, Standing, Through, What};
use crate::base::format::{Units, plain_size};
use crate::base::text::{advice, escape, escape_path};

/// Largest number of names a text lists.
const NAMED: usize = 12;

/// Returns the paragraphs that explain a line.
pub fn explain(space: &Space, subject: Subject, units: Units) -> Vec<String> {
    let texts: Vec<&str> = match subject {
        Subject::Size => vec![
            "What the file system says its size is (statvfs). Most of them leave out what they need for themselves, so it is \
             less than the partition.",
        ],
        Subject::Used => vec![
            "What the file system says is in use: its size less what is free. df shows the same.",
            "The lines below say what it consists of, as far as that can be known. They add up to it.",
        ],
        Subject::Available => vec![
            "What an ordinary person may still use. It is less than what is free where the file system holds some back.",
        ],
        Subject::Reserved => return reserved(space),
        Subject::Inodes => vec![
            "Every file takes an inode. Where a file system has a fixed number of them, it is full when they are used up, \
             however many bytes are free: many small files do that. Sort by items to find where they are.",
        ],
        Subject::Scanned => vec![
            "What the scan has met on this file system: its blocks on the disk, every inode once, however many names it has.",
            "Files that share their blocks (reflinks, snapshots) count in full each, since file systems do not tell cheaply: \
             then this is more than is used.",
        ],
        Subject::Hidden | Subject::Shadow(_) => return hidden(space, subject),
        Subject::Deleted => {
            return vec![DELETED.to_owned(), reach(space.reach).to_owned(), UNSEEN.to_owned()];
        }
        Subject::File(index) => {
            return space.deleted.get(index).map(|file| file_text(file, units)).unwrap_or_default();
        }
        Subject::Part(index) => {
            return space
                .parts
                .get(index)
                .map(|part| part_text(part.what, part.standing))
                .unwrap_or_default();
        }
        Subject::Remainder => return remainder(space, units),
        Subject::Unreadable => vec![
            "Directories that this person may not read. What lies in them is part of what is not explained.",
            "As root the same scan reads them: sudo duke, with the same PATH. The view of errors names them.",
        ],
        Subject::LeftOut => vec![
            "What --exclude, -X, --exclude-caches, -x or --skip-network has left out of this file system. What lies there \
             is part of what is not explained; without these flags it is scanned.",
        ],
        Subject::System(_) | Subject::Systems => vec![
            "Several file systems lie below this directory: how much each says is used, how large it is, and what was scanned of \
             it. The lines above are about the first one; go into another to see its own.",
        ],
        Subject::Note(index) => {
            return space.notes.get(index).map(|note| note_text(note, units)).unwrap_or_default();
        }
    };
    texts.into_iter().map(str::to_owned).collect()
}

const DELETED: &str = "Files that were deleted while a process had them open. They have no name any more, so no scan can find \
    them, but their space is free only when the last process lets go: when it closes them, or ends. Log files that were \
    deleted instead of rotated are the usual case.";
const UNSEEN: &str = "Not to be seen here: what the kernel itself holds (the file behind a loop device, swap files, what an NFS \
    server has open), and descriptors on their way between two processes.";

fn reach(reach: Reach) -> &'static str {
    match reach {
        Reach::All => "All processes were looked into.",
        Reach::Container => {
            "All processes that this container sees were looked into. Those outside of it may hold more: look from the host."
        }
        Reach::Own => {
            "Only your own processes could be looked into. As root all are: sudo duke, with the same PATH."
        }
        Reach::None => "No process could be looked into: /proc is not there, or hides them.",
    }
}

fn reserved(space: &Space) -> Vec<String> {
    let mut texts = vec![
        "Free, but only root, or whom the file system was told, may use it: so that a full disk can still be cleaned up, and \
         so that the file system finds room in one piece."
            .to_owned(),
    ];
    if let (Some(b"ext2" | b"ext3" | b"ext4"), Some(mount)) = (space.volume.kind(), &space.volume.mount) {
        let source = escape(&mount.source);
        texts.push(format!(
            "On a disk for data rather than the system, less will do. Root can change the share, here to 1 percent: \
             tune2fs -m 1 {source}"
        ));
    }
    texts
}

fn hidden(space: &Space, subject: Subject) -> Vec<String> {
    let mut texts = vec![
        "Where something is mounted on a directory, what lay in that directory before is still there, and still takes space, \
         but cannot be reached: a backup that was written while the other disk was not mounted, for instance."
            .to_owned(),
    ];
    let is_refused = space.shadows.iter().any(|shadow| shadow.hidden.is_err());
    texts.push(if is_refused {
        "To look below a mount takes the rights of root, and Linux 5.2: sudo duke, with the same PATH."
            .to_owned()
    } else {
        "It was scanned through a second view of the file system that has nothing mounted on it.".to_owned()
    });
    let place = match subject {
        Subject::Shadow(index) => space.shadows.get(index).map(|shadow| escape_path(&shadow.path)),
        _ => None,
    };
    let point = space
        .volume
        .mount
        .as_ref()
        .map_or_else(|| escape_path(&space.volume.path), |mount| escape(&mount.point).into_owned());
    texts.push(format!(
        "To get at it, root can give the file system a second place, and clean up there: mount --bind {point} /mnt{}",
        place.map(|place| format!("; then look into /mnt{}", place.strip_prefix(point.trim_end_matches('/')).unwrap_or(&place)))
            .unwrap_or_default()
    ));
    texts
}

fn file_text(file: &Deleted, units: Units) -> Vec<String> {
    let path = escape(&file.path);
    let size = file.disk.map_or_else(
        || "How much it takes cannot be asked without the rights of root.".to_owned(),
        |bytes| format!("It takes {}.", plain_size(bytes, units)),
    );
    let mut texts = vec![format!("{path} was deleted, but is still open. {size}")];
    for holder in file.holders.iter().take(NAMED) {
        let how = match holder.through {
            Through::Descriptor => "has it open",
            Through::Memory => "has it mapped into memory, as a program or library, or by mmap",
        };
        texts.push(format!("{} (process {}) {how}.", escape(&holder.name), holder.pid));
    }
    if file.holders.len() > NAMED {
        texts.push(format!("{} more processes hold it.", file.holders.len() - NAMED));
    }
    texts.push(
        "The space is free when all of them have closed it or ended: restart the service they belong to, or ask it to open \
         its logs anew."
            .to_owned(),
    );
    if let Some(holder) = file.holders.iter().find(|holder| holder.through == Through::Descriptor) {
        texts.push(format!(
            "If it must not be restarted, root can empty the file through /proc/{}/fd, where its link ends in (deleted): what \
             is in it is lost then.",
            holder.pid
        ));
    }
    texts
}

fn part_text(what: What, standing: Standing) -> Vec<String> {
    let text = match what {
        What::Structures => {
            "Tables of inodes, bitmaps, copies of the superblock, and the journal: made with the file system, and \
            as large whether they are used or not."
        }
        What::Journal => {
            "What is changed is written here first, so that a crash leaves nothing half done. Its size was chosen \
            when the file system was made."
        }
        What::ForRoot => {
            "So that a full disk can still be cleaned up. Root can change the share: tune2fs -m 1, with the device."
        }
        What::ForWriting => {
            "The kernel promises room for what programs have written before it has chosen the places, and keeps \
            this so that it can keep its word: at most 2 percent, and no more than 4,096 blocks."
        }
        What::Inodes => {
            "What all inodes take that XFS has made so far. It makes them in groups, as they are needed."
        }
        What::Pool => {
            "Set aside so that XFS can finish what it has begun when it is full. It counts as used."
        }
        What::Metadata => {
            "Names, inodes, checksums, and the content of very small files. Where it is kept twice, df counts it \
            twice, unless data is kept twice as well."
        }
        What::Chunks => "Where on the devices everything lies.",
        What::Reserve => {
            "Held back of the metadata, so that a full file system can still delete. It counts as used."
        }
        What::OtherVolumes => {
            "The volumes of an APFS container share its space, so what they use is not free here."
        }
    };
    let counted = match standing {
        Standing::Used => "It is part of what is used.",
        Standing::Reserved => "It is free, but not available to everybody.",
        Standing::Beside => "It is not part of the size that df shows: the partition is larger by that.",
        Standing::Within => "It is part of the line above.",
    };
    vec![format!("{}: {text}", label(what)), counted.to_owned()]
}

fn remainder(space: &Space, units: Units) -> Vec<String> {
    let mut texts = Vec::new();
    match space.remainder() {
        Some(Remainder::Shared(bytes)) => {
            texts.push(format!(
                "What was found is {} more than what is used: files share blocks (reflinks, snapshots, deduplication), or were \
                 changed while they were counted. Deleting one of them frees only what no other has.",
                plain_size(bytes, units)
            ));
        }
        Some(Remainder::Missing(bytes)) => {
            texts.push(format!(
                "{} are used that none of the lines above explains.",
                plain_size(bytes, units)
            ));
        }
        None => {}
    }
    texts.extend(space.volume.outside.iter().map(outside));
    if space.scanned.unreadable > 0 {
        texts.push("What could not be read is in here.".to_owned());
    }
    texts.push(usual(space).to_owned());
    texts
}

fn outside(outside: &Outside) -> String {
    match outside {
        Outside::Above(point) => {
            let scan = advice("duke -x", point);
            format!(
                "The scan began below the mount point, and did not see the rest. All of it is scanned by: {scan}"
            )
        }
        Outside::Directory(root) => format!(
            "Only its directory {} is mounted here; other subvolumes and snapshots lie beside it. To see them, root mounts the \
             top, for btrfs with -o subvolid=5, and scans that.",
            escape(root)
        ),
        Outside::Unknown => {
            "Where it is mounted could not be found out (no /proc?), so there may be more.".to_owned()
        }
    }
}

/// Returns the usual causes of an unexplained rest, by file-system type.
fn usual(space: &Space) -> &'static str {
    match space.volume.kind().unwrap_or_default() {
        b"ext2" | b"ext3" | b"ext4" => {
            "Usual causes on ext4: a few blocks of its own hidden files (quota, resize); files that processes hold which \
             could not be looked into; a loop device or swap on a deleted file; what was written while the scan ran. If it is \
             much, a check (fsck) may find blocks that nothing uses."
        }
        b"xfs" => {
            "Usual causes on XFS: its trees, and the room each allocation group keeps for reverse mappings and reference counts, \
             which grows with the size of the disk; room given to growing files in advance; files shared by reflinks the other \
             way round."
        }
        b"btrfs" => {
            "Usual causes on btrfs: snapshots that are not mounted; subvolumes that are still being cleaned up; parts of large \
             pieces that a file has overwritten while the rest of the piece is in use (btrfs filesystem defragment, and \
             balance, gather them)."
        }
        b"overlay" => {
            "df shows the file system that the upper layer lies on, here usually that of the host: other containers, images \
             and volumes are in it too. Nothing in here can free those."
        }
        b"tmpfs" | b"ramfs" => {
            "Usual causes in memory: pages of files that are held open or mapped by processes which could not be looked \
             into; extended attributes."
        }
        b"apfs" => {
            "Usual causes on APFS: other volumes of the container, local snapshots of Time Machine (tmutil listlocalsnapshots /), \
             and purgeable files, which macOS frees by itself and no system call tells of."
        }
        b"zfs" => "Usual causes on ZFS: snapshots (zfs list -t snapshot), and other datasets of the pool.",
        b"nfs" | b"nfs4" | b"cifs" | b"smb3" | b"fuse" => {
            "The server counts, and it may count what is not shown here: other exports, snapshots, quotas."
        }
        _ => {
            "Usual causes: what the file system takes for itself, snapshots, and files that processes hold which could not be \
             looked into."
        }
    }
}

fn note_text(note: &Note, units: Units) -> Vec<String> {
    match note {
        Note::Layers { upper, lower } => {
            let mut texts = vec![
                "This file system is made of layers: what is written goes to the upper one, and the lower ones show through. The \
                 scan counts what shows through as well, though it takes no space of the upper one; df shows the file system \
                 of the upper one alone. So the two do not add up."
                    .to_owned(),
            ];
            texts.extend(upper.iter().map(|upper| format!("Upper: {}", escape(upper))));
            texts.extend(lower.iter().take(NAMED).map(|lower| format!("Lower: {}", escape(lower))));
            texts
        }
        Note::Memory => vec![
            "What lies here is in memory, or in swap, and gone with the next start. Its size is only a limit. In a container, \
             the limit of its memory (memory.max) counts what lies here too."
                .to_owned(),
        ],
        Note::Subvolumes(subvolumes) => {
            let mut texts = vec![
                "A snapshot keeps everything that was there when it was made: deleting a file frees nothing as long as a \
                 snapshot has it. To drop one, root says: btrfs subvolume delete, with its path."
                    .to_owned(),
            ];
            for subvolume in subvolumes.iter().take(NAMED) {
                let kind = if subvolume.is_snapshot { "snapshot" } else { "subvolume" };
                let own = subvolume.exclusive.map(|bytes| format!(", {} of its own", plain_size(bytes, units)));
                let state = if subvolume.is_deleted { ", deleted, being cleaned up" } else { "" };
                texts.push(format!("{kind} {}{}{state}", escape(&subvolume.path), own.unwrap_or_default()));
            }
            if subvolumes.len() > NAMED {
                texts.push(format!("and {} more", subvolumes.len() - NAMED));
            }
            texts
        }
        Note::Snapshots(names) => {
            let mut texts = vec![
                "A snapshot keeps everything that was there when it was made. macOS drops those of Time Machine when space is \
                 short; earlier: tmutil deletelocalsnapshots, with the date in the name."
                    .to_owned(),
            ];
            texts.extend(names.iter().take(NAMED).map(|name| escape(name).into_owned()));
            texts
        }
        Note::Quota(_) => vec![
            "A quota allows you less than the file system has free: writing fails at the limit. Whoever administers this machine \
             set it."
                .to_owned(),
        ],
        Note::DirectoryLimit { .. } => vec![
            "A quota on this directory (of a project, or of a container) makes df show its limit as the size. The figures \
             here are those of the whole file system."
                .to_owned(),
        ],
        Note::Refused(_) => vec![
            "What it takes for itself, its journal or its subvolumes, it tells only to root: sudo duke, with the same PATH."
                .to_owned(),
        ],
    }
}
