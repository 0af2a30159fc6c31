//! Explanations of the lines that `duke df` and the browser show: the meaning of each number, and commands that the
//! user can run to change the number. duke does not run these commands.
//!
//! Invariant: names are safe to print to a terminal.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::labels::overhead_label;
use super::rows::Subject;
use super::{
    CountedAs, FileSystemUsage, NotScanned, Note, OverheadKind, ProcessAccess, Through, Unexplained,
    UnlinkedFile,
};
use crate::base::format::{Units, plain_size};
use crate::base::os_error::OsError;
use crate::base::text::{advice, escape, escape_path};
use crate::platform::Errno;
use crate::platform::process::open_files::HAS_PROC_FD_LINKS;

/// Maximum number of names listed in an explanation.
const NAMED: usize = 12;

/// Returns the paragraphs that explain a line of the df report.
pub fn explain(space: &FileSystemUsage, subject: Subject, units: Units) -> Vec<String> {
    let texts: Vec<&str> = match subject {
        Subject::Size => vec![
            "Size that the file system reports (statvfs). This size is usually smaller than the partition, \
                because most file systems do not count their own structures.",
        ],
        Subject::Used => {
            vec![
                "Used space as df shows it: the size minus the free space.",
                "The lines indented below \"used\" add up to this amount.",
            ]
        }
        Subject::Available => vec![
            "Space that ordinary users can still use. It is less than the free space if the file system \
                reserves some.",
        ],
        Subject::Reserved => return reserved(space),
        Subject::Inodes => vec![
            "Every file needs an inode. A file system with a fixed number of inodes is full when all are \
                used, even if bytes are free. The usual cause is many small files; sort by items to find \
                their directories.",
        ],
        Subject::Scanned => vec![
            "Disk usage of everything that the scan found on this file system. An inode with several hard \
                links counts once.",
            "Files that share blocks (reflinks, snapshots) each count in full, because finding shared \
                blocks is slow. The scanned space can therefore exceed the used space.",
        ],
        Subject::AllCoveredFiles | Subject::CoveredFiles(_) => return hidden(space, subject),
        Subject::UnlinkedFiles => {
            return vec![DELETED.to_owned(), access(space.access).to_owned(), UNSEEN.to_owned()];
        }
        Subject::UnlinkedFile(index) => {
            return space.deleted.get(index).map(|file| file_text(file, units)).unwrap_or_default();
        }
        Subject::Overhead(index) => {
            return space.parts.get(index).map(|part| part_text(part.kind, part.counted)).unwrap_or_default();
        }
        Subject::Unexplained => return unexplained(space, units),
        Subject::Unreadable => vec![
            "Directories and other entries that could not be read. Their contents are part of the unexplained \
                space.",
            "The errors view lists them and says why each could not be read. If permission was denied, run duke \
                with sudo on the same directory.",
        ],
        Subject::Excluded => vec![
            "Entries of this file system that were excluded by --exclude, -X, --exclude-caches or -x, on the \
                command line or in the configuration. The contents of these entries are part of the unexplained \
                space. To scan the entries, omit these flags. On macOS, this number includes entries that are only \
                in the cloud and use no space.",
        ],
        Subject::System(_) | Subject::Systems => vec![
            "This line shows the used space, the size and the scanned space of one file system, or the sums for all \
                of them. The lines above describe only the first file system. To see the same lines for another \
                file system, open one of its directories in the list, and then open this view again.",
        ],
        Subject::Note(index) => {
            return space.notes.get(index).map(note_text).unwrap_or_default();
        }
    };
    texts.into_iter().map(str::to_owned).collect()
}

const DELETED: &str = "Files that were deleted while a process had them open. They have no name, so no \
    scan finds them, and their space is freed when the last process closes them or exits. The usual case \
    is a log file that was deleted instead of rotated.";
const UNSEEN: &str = "Not included: files that only the kernel holds open (swap files, files behind loop \
    devices, files that the kernel's NFS server has open), and files whose descriptors are being passed \
    between processes.";

fn access(access: ProcessAccess) -> &'static str {
    match access {
        ProcessAccess::All => "All processes were checked.",
        ProcessAccess::Container => {
            "All processes of this container were checked. Processes outside may hold more such files; to \
                check them, run duke on the host."
        }
        ProcessAccess::Own => {
            "Only processes that duke may inspect were checked, usually your own. To check all of them, run \
                duke with sudo on the same directory (in a container: on the host)."
        }
        ProcessAccess::None => "No processes could be checked. On Linux, checking them requires /proc.",
    }
}

fn reserved(space: &FileSystemUsage) -> Vec<String> {
    let mut texts = vec![
        "Free space that ordinary users cannot use: it is kept for root or for the file system itself."
            .to_owned(),
    ];
    if let (Some(b"ext2" | b"ext3" | b"ext4"), Some(mount)) = (space.volume.kind(), &space.volume.mount) {
        let source = escape(&mount.source);
        texts.push(format!(
            "A disk that holds only data needs less reserved space. Root can change the reserved share, \
                for example to 1 percent: tune2fs -m 1 {source}"
        ));
    }
    texts
}

fn hidden(space: &FileSystemUsage, subject: Subject) -> Vec<String> {
    let mut texts = vec![
        "Files in a directory that has become a mount point still use space, but cannot be reached. An \
            example is a backup that was written while its disk was not mounted."
            .to_owned(),
    ];
    texts.push(match space.covered.iter().find_map(|directory| directory.hidden.err()) {
        Some(Errno::EPERM | Errno::EACCES | Errno::ENOSYS) => {
            "Reading such files requires root and Linux 5.2 or later. In a container, root on the host is \
                needed: run duke with sudo on the host, on the same directory."
                .to_owned()
        }
        Some(error) => format!("These files could not be read: {}.", OsError(error as i32)),
        None => "To scan these files, duke mounted the file system a second time for a moment, without the mounts \
            that cover them."
            .to_owned(),
    });
    let path = match subject {
        Subject::CoveredFiles(index) => {
            space.covered.get(index).map(|directory| escape_path(&directory.path))
        }
        _ => None,
    };
    let mount = space.volume.mount.as_ref();
    let point = mount.map_or(&*space.volume.path, |mount| Path::new(OsStr::from_bytes(&mount.point)));
    let again = advice("mount --bind", point);
    let point = escape_path(point);
    texts.push(format!(
        "To delete such files, root can mount the file system a second time ({again} /mnt){}",
        path.map(|path| format!(
            " and open /mnt{}",
            path.strip_prefix(point.trim_end_matches('/')).unwrap_or(&path)
        ))
        .unwrap_or_default()
    ));
    texts
}

fn file_text(file: &UnlinkedFile, units: Units) -> Vec<String> {
    let path = escape(&file.path);
    let size = file.disk.map_or_else(
        || "Only root can see its size.".to_owned(),
        |bytes| format!("It uses {}.", plain_size(bytes, units)),
    );
    let mut texts = vec![format!("{path} was deleted but is still open. {size}")];
    for holder in file.holders.iter().take(NAMED) {
        let how = match holder.through {
            Through::Descriptor => "has it open",
            Through::Memory => "has it mapped into memory",
        };
        texts.push(format!("{} (process {}) {how}.", escape(&holder.name), holder.pid));
    }
    if file.holders.len() > NAMED {
        texts.push(match file.holders.len() - NAMED {
            1 => "1 more process uses the file.".to_owned(),
            more => format!("{more} more processes use the file."),
        });
    }
    texts.push(
        "The space is freed once every process that holds the file has closed it or exited. Restart these \
            programs, or, if the file is a log, make them reopen it."
            .to_owned(),
    );
    let holder = file.holders.iter().find(|holder| holder.through == Through::Descriptor);
    if let Some(holder) = holder.filter(|_| HAS_PROC_FD_LINKS) {
        texts.push(format!(
            "If that is not possible, root can truncate the file through its link in \
                /proc/{}/fd (the link's target ends in \"(deleted)\"). The content of the file is then \
                lost.",
            holder.pid
        ));
    }
    texts
}

fn part_text(kind: OverheadKind, counted: CountedAs) -> Vec<String> {
    let text = match kind {
        OverheadKind::Structures => {
            "Inode tables, bitmaps, copies of the superblock, and the journal. Their size is chosen when \
                the file system is created, and changes only if the file system is resized."
        }
        OverheadKind::Journal => {
            "Changes to metadata are written here first, so that a crash leaves the file system \
                consistent. The journal's size is chosen when the file system is created."
        }
        OverheadKind::ForRoot => {
            "This space allows root to clean up a full disk. Root can change the reserved share, for example to \
                1 percent: tune2fs -m 1 DEVICE"
        }
        OverheadKind::ForWriting => {
            "The kernel reserves this space for data that it has accepted but that has no blocks yet: at most 2 \
                percent of the file system, and never more than 4,096 blocks."
        }
        OverheadKind::Inodes => {
            "Space taken up by all inodes that XFS has allocated so far. XFS allocates inodes in groups, \
                on demand."
        }
        OverheadKind::Pool => "Reserved so that XFS can complete operations on a full disk.",
        OverheadKind::Metadata => {
            "Names, inodes, checksums, and the content of very small files. If the file \
                system stores metadata twice but data only once, df counts both copies of the metadata."
        }
        OverheadKind::ChunkTree => "Mapping of logical to physical addresses on the devices.",
        OverheadKind::Reserve => {
            "Metadata space reserved so that files can be deleted on a full file system."
        }
        OverheadKind::OtherVolumes => {
            "The volumes of an APFS container share its space. Space used by the other volumes is \
                therefore not free in this one."
        }
    };
    let counted = match counted {
        CountedAs::Used => "This space is part of the used space.",
        CountedAs::Reserved => "This space is free, but not available to ordinary users.",
        CountedAs::Beside => "The size that df shows does not include this space.",
        CountedAs::Within => "This space is part of the line \"inode tables, bitmaps and journal\".",
    };
    vec![format!("{}: {text}", overhead_label(kind)), counted.to_owned()]
}

fn unexplained(space: &FileSystemUsage, units: Units) -> Vec<String> {
    let mut texts = Vec::new();
    match space.unexplained() {
        Some(Unexplained::Shared(bytes)) => {
            texts.push(format!(
                "The scan found {} more than df shows as used. Possible causes: files that share blocks (reflinks, \
                    snapshots, deduplication), compressed files (btrfs), files in lower layers (overlay), and \
                    changes during the scan. Deleting a file frees only the blocks that no other file uses.",
                plain_size(bytes, units)
            ));
        }
        Some(Unexplained::Missing(bytes)) => {
            texts.push(format!(
                "{} of the used space is not explained by the other lines.",
                plain_size(bytes, units)
            ));
        }
        None => {}
    }
    texts.extend(space.volume.outside.iter().map(outside));
    if space.scanned.unreadable > 0 {
        texts.push("The scan could not read some entries, and did not count their contents.".to_owned());
    }
    if !matches!(space.unexplained(), Some(Unexplained::Shared(_))) {
        texts.push(usual(space).to_owned());
    }
    texts
}

fn outside(outside: &NotScanned) -> String {
    match outside {
        NotScanned::Above(point) => {
            let scan = advice("duke -x", point);
            format!(
                "The scan did not begin at the mount point, so it missed the rest of the file system. To \
                    scan the whole file system: {scan}"
            )
        }
        NotScanned::Directory(root) => format!(
            "Only the directory {} of this file system is mounted here; other directories, subvolumes and \
                snapshots are outside it. To see them, root can mount and scan the top level (btrfs: -o \
                subvolid=5).",
            escape(root)
        ),
        NotScanned::Unknown => {
            "The mount point is unknown (is /proc mounted?), so the scan may have missed parts of the file \
                system."
                .to_owned()
        }
    }
}

/// Returns the usual causes of unexplained space for a type of file system.
fn usual(space: &FileSystemUsage) -> &'static str {
    let mount = space.volume.mount.as_ref();
    if mount.is_some_and(|mount| mount.is_network) {
        return "The server reports these figures. They may include snapshots and other shares of the server, \
            and a quota may limit the size shown.";
    }
    match space.volume.kind().unwrap_or_default() {
        b"ext2" | b"ext3" | b"ext4" => {
            "Usual causes of unexplained space on ext2, ext3 and ext4: internal files of the file system \
                (for quotas and resizing); deleted files held open by processes that could not be checked; a loop \
                device or swap space on a deleted file; files written during the scan. If the difference is \
                large, fsck may find lost blocks."
        }
        b"xfs" => {
            "Usual causes of unexplained space on XFS: B-trees of the file system; space that is reserved \
                for reverse mappings and reference counts (more on larger disks); files written during the scan. \
                If files share blocks, the scan counts these blocks several times, and the unexplained space \
                looks smaller than it is."
        }
        b"btrfs" => {
            "Usual causes of unexplained space on btrfs: snapshots that are not mounted; deleted \
                subvolumes that are still being cleaned up; extents that files use only in part (btrfs \
                filesystem defragment can free the rest)."
        }
        b"overlay" => {
            "On an overlay file system, df shows the figures of the file system that holds the upper layer. In a \
                container, this is usually a file system of the host. It also holds images, volumes and other \
                containers, which cannot be deleted from inside the container."
        }
        b"tmpfs" | b"ramfs" => {
            "On a file system in memory, unexplained space usually belongs to deleted files that are held open by \
                processes that could not be checked."
        }
        b"apfs" => {
            "Usual causes of unexplained space on APFS: other volumes of the container, local snapshots of \
                Time Machine (tmutil listlocalsnapshots /), and purgeable files, which macOS frees on its \
                own and does not report."
        }
        b"zfs" => {
            "Usual causes of unexplained space on ZFS: snapshots (zfs list -t snapshot), and other \
            datasets of the pool."
        }
        _ => {
            "Usual causes of unexplained space: overhead of the file system, snapshots, and deleted files \
                held open by processes that could not be checked."
        }
    }
}

fn note_text(note: &Note) -> Vec<String> {
    match note {
        Note::Layers { upper, lower } => {
            let mut texts = vec![
                "This file system (overlay) has layers: writes go to the upper layer, and files of the \
                    lower layers are visible through it. The scan counts files of all layers; df shows \
                    only the file system of the upper layer. So their numbers differ."
                    .to_owned(),
            ];
            texts.extend(upper.iter().map(|upper| format!("Upper: {}", escape(upper))));
            texts.extend(lower.iter().take(NAMED).map(|lower| format!("Lower: {}", escape(lower))));
            texts
        }
        Note::Memory => vec![
            "Files here are in memory or swap, and are lost when the machine restarts. The size is only a \
                limit. In a container, the files also count toward its memory limit (memory.max)."
                .to_owned(),
        ],
        // For this note, the browser opens a view of the subvolumes instead of showing a text.
        Note::Subvolumes(_) => Vec::new(),
        Note::Snapshots(names) => {
            let mut texts = vec![
                "A snapshot keeps all files as they were when it was created. macOS deletes Time Machine's \
                    snapshots when space is low. To delete a snapshot now: tmutil deletelocalsnapshots DATE (DATE \
                    is part of its name)"
                    .to_owned(),
            ];
            texts.extend(names.iter().take(NAMED).map(|name| escape(name).into_owned()));
            texts
        }
        Note::Quota(_) => vec![
            "A quota set by the administrator limits the space that you can use here. Writes fail \
                at once at a hard limit, and after a grace period above a soft limit."
                .to_owned(),
        ],
        Note::DirectoryLimit { .. } => vec![
            "This directory has a quota (a project quota, or that of a container), and df shows the limit \
                of the quota as the size. The figures here are for the whole file system."
                .to_owned(),
        ],
        Note::Refused(_) => vec![
            "The overhead, the journal or the subvolumes could not be read. Reading them requires root and \
                access to the device; containers often have no such access. Run duke with sudo on the same \
                directory (in a container: on the host)."
                .to_owned(),
        ],
    }
}
