//! Lines that show the space accounting for a file system, for the browser and for `duke df`.
//!
//! ```text
//! 100.0 GiB  size
//!   1.6 GiB    inode tables and bitmaps               not part of the size
//!  60.0 GiB  used                                     60.0%
//!  50.0 GiB    scanned                                123,456 entries
//!   9.0 GiB    deleted but open                       all processes checked
//!   9.0 GiB      /var/log/big.log                     rsyslogd (612)
//!   1.0 GiB    unexplained
//! ```
//!
//! Invariant: names are safe to print to a terminal, and the amounts below "used" add up to the used space.

use super::{
    CountedAs, Errno, FileSystemUsage, NotScanned, Note, Overhead, OverheadKind, ProcessAccess, Report,
    Unexplained, UnlinkedFile,
};
use crate::base::format::{Units, counted, grouped, percent, plain_size, share};
use crate::base::os_error::OsError;
use crate::base::text::{escape, escape_path};

/// Quantity or fact that a line of the df report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Size as df reports it.
    Size,
    /// Used space as df reports it.
    Used,
    /// Space available to ordinary users.
    Available,
    /// Free space that only root can use.
    Reserved,
    /// Counts of used and free inodes.
    Inodes,
    /// Disk usage of the scanned entries.
    Scanned,
    /// Files covered by mount points.
    Hidden,
    /// Files covered by one mount point: the element of [`FileSystemUsage::covered`] with this index.
    CoveredFiles(usize),
    /// Total of all deleted but open files.
    UnlinkedFile,
    /// Deleted but open file with this index in [`FileSystemUsage::deleted`].
    File(usize),
    /// Overhead with this index in [`FileSystemUsage::parts`].
    Overhead(usize),
    /// Unexplained part of the used space.
    Unexplained,
    /// Unreadable directories and entries.
    Unreadable,
    /// Excluded entries.
    LeftOut,
    /// Note with this index in [`FileSystemUsage::notes`].
    Note(usize),
    /// File system with this index in [`Report::spaces`]. Used only if there are several file systems.
    System(usize),
    /// All file systems together.
    Systems,
}

/// Amount shown in a line of the space accounting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Size in bytes.
    Bytes(u64),
    /// Negative amount: number of bytes by which the counted space exceeds the used space that df reports.
    Less(u64),
    Unknown,
    /// The line has no amount.
    Nothing,
}

/// Line of the space accounting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub subject: Subject,
    /// Indentation level. Each indented line belongs to the nearest line above it that is indented less.
    pub depth: usize,
    pub amount: Amount,
    pub label: String,
    /// Remark after the label.
    pub note: Option<String>,
}

/// Returns all lines for the first file system of a report. If the report has several file systems, adds one line for
/// each of them and one for their total.
pub fn ledger(report: &Report, units: Units) -> Vec<Row> {
    let mut lines = report.spaces.first().map(|space| rows(space, units)).unwrap_or_default();
    if report.spaces.len() < 2 {
        return lines;
    }
    let mut total = Some([0_u64; 3]);
    for (index, space) in report.spaces.iter().enumerate() {
        let figures = space.volume.capacity.ok().map(|it| [it.used(), it.size, space.scanned.disk]);
        total =
            total.zip(figures).map(|(sum, more)| std::array::from_fn(|at| sum[at].saturating_add(more[at])));
        lines.push(system(
            Subject::System(index),
            escape_path(&space.volume.path),
            (figures, space.volume.capacity.err()),
            units,
        ));
    }
    lines.push(system(Subject::Systems, "total".to_owned(), (total, None), units));
    lines
}

/// Returns the line for one of several file systems or for their total, with used space, size and scanned space.
fn system(
    subject: Subject,
    label: String,
    (figures, error): (Option<[u64; 3]>, Option<Errno>),
    units: Units,
) -> Row {
    let note = figures.map(|[_, size, scanned]| {
        format!("used of {}, {} scanned", plain_size(size, units), plain_size(scanned, units))
    });
    let note = note.or_else(|| error.map(no_capacity));
    let amount = figures.map_or(Amount::Unknown, |[used, ..]| Amount::Bytes(used));
    Row { subject, depth: 0, amount, label, note }
}

/// Returns all lines for a file system.
pub fn rows(space: &FileSystemUsage, units: Units) -> Vec<Row> {
    let mut rows = Rows { space, rows: Vec::new() };
    rows.capacity();
    rows.used();
    for (index, note) in space.notes.iter().enumerate() {
        let (label, note) = note_text(space, note, units);
        rows.push(Subject::Note(index), 0, Amount::Nothing, label, note);
    }
    rows.rows
}

/// Returns the reason why the size of a file system is unknown.
pub fn no_capacity(error: Errno) -> String {
    // This error results from the time limit in `platform::fs::answer`, so the system's message would be misleading.
    if error == Errno::ETIMEDOUT { "not responding".to_owned() } else { OsError(error as i32).to_string() }
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

struct Rows<'s> {
    space: &'s FileSystemUsage,
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn push(
        &mut self,
        subject: Subject,
        depth: usize,
        amount: Amount,
        label: impl Into<String>,
        note: Option<String>,
    ) {
        self.rows.push(Row { subject, depth, amount, label: label.into(), note });
    }

    fn capacity(&mut self) {
        let capacity = match self.space.volume.capacity {
            Ok(capacity) => capacity,
            Err(error) => {
                let note = Some(no_capacity(error));
                self.push(Subject::Size, 0, Amount::Unknown, "size", note);
                return;
            }
        };
        self.push(Subject::Size, 0, Amount::Bytes(capacity.size), "size", None);
        self.parts(|part| matches!(part.counted, CountedAs::Beside | CountedAs::Within));
        self.push(Subject::Available, 0, Amount::Bytes(capacity.available), "available", None);
        if capacity.reserved() > 0 {
            let note = Some("for root or the file system".to_owned());
            self.push(Subject::Reserved, 0, Amount::Bytes(capacity.reserved()), "reserved", note);
            self.parts(|part| part.counted == CountedAs::Reserved);
        }
        if capacity.inodes > 0 {
            let note =
                format!("{} used, {} free", grouped(capacity.inodes_used()), grouped(capacity.inodes_free));
            self.push(Subject::Inodes, 0, Amount::Nothing, "inodes", Some(note));
        }
        let note = percent(share(capacity.used(), capacity.size)).trim().to_owned();
        self.push(Subject::Used, 0, Amount::Bytes(capacity.used()), "used", Some(note));
    }

    fn used(&mut self) {
        let scanned = self.space.scanned;
        let partial = if scanned.is_partial { "at least " } else { "" };
        let note = format!("{partial}{}", counted(scanned.entries, "entry", "entries"));
        self.push(Subject::Scanned, 1, Amount::Bytes(scanned.disk), "scanned", Some(note));
        self.hidden();
        self.deleted();
        self.parts(|part| part.counted == CountedAs::Used);
        self.unexplained();
        if scanned.unreadable > 0 {
            let label = format!("unreadable: {}", counted(scanned.unreadable, "entry", "entries"));
            let note = Some("contents not counted".to_owned());
            self.push(Subject::Unreadable, 1, Amount::Unknown, label, note);
        }
        if scanned.excluded > 0 {
            let label = format!("excluded: {}", counted(scanned.excluded, "entry", "entries"));
            self.push(Subject::LeftOut, 1, Amount::Unknown, label, Some("not scanned".to_owned()));
        }
    }

    fn hidden(&mut self) {
        let covered = &self.space.covered;
        if covered.is_empty() {
            return;
        }
        let refused = covered.iter().find_map(|directory| directory.hidden.err());
        let count = counted(covered.len() as u64, "mount point", "mount points");
        let (amount, note) = match refused {
            Some(Errno::EPERM | Errno::EACCES) => {
                (Amount::Unknown, format!("{count} not checked; run as root on the host"))
            }
            Some(error) => (Amount::Unknown, format!("{count} not checked: {}", OsError(error as i32))),
            None => (Amount::Bytes(self.space.hidden()), count),
        };
        self.push(Subject::Hidden, 1, amount, "under mount points", Some(note));
        for (index, directory) in covered.iter().enumerate() {
            let (amount, note) = match directory.hidden {
                Ok(hidden) if hidden.entries > 0 => {
                    (Amount::Bytes(hidden.disk), Some(counted(hidden.entries, "entry", "entries")))
                }
                // The covered directory is empty.
                Ok(_) => continue,
                Err(_) => (Amount::Unknown, None),
            };
            self.push(Subject::CoveredFiles(index), 2, amount, escape_path(&directory.path), note);
        }
    }

    fn deleted(&mut self) {
        let note = match self.space.access {
            ProcessAccess::All => "all processes checked",
            ProcessAccess::Container => "only processes of this container checked",
            ProcessAccess::Own => "only some processes checked; root can check all",
            ProcessAccess::None => "process list not accessible",
        };
        let amount = match self.space.access {
            ProcessAccess::None => Amount::Unknown,
            _ => Amount::Bytes(self.space.deleted_bytes()),
        };
        self.push(Subject::UnlinkedFile, 1, amount, "deleted but open", Some(note.to_owned()));
        // Files without blocks use no space.
        let files = self.space.deleted.iter().enumerate().filter(|(_, file)| file.disk != Some(0));
        for (index, file) in files {
            let amount = file.disk.map_or(Amount::Unknown, Amount::Bytes);
            let label = escape(&file.path).into_owned();
            self.push(Subject::File(index), 2, amount, label, Some(holders(file)));
        }
    }

    fn parts(&mut self, is_wanted: impl Fn(&Overhead) -> bool) {
        for (index, part) in self.space.parts.iter().enumerate().filter(|(_, part)| is_wanted(part)) {
            let depth = if part.counted == CountedAs::Within { 2 } else { 1 };
            let note = (part.counted == CountedAs::Beside).then(|| "not part of the size".to_owned());
            self.push(Subject::Overhead(index), depth, Amount::Bytes(part.bytes), label(part.what), note);
        }
    }

    fn unexplained(&mut self) {
        let outside = self.space.volume.outside.first();
        let (amount, label, note) = match (self.space.unexplained(), outside) {
            (None, _) => return,
            (Some(Unexplained::Missing(bytes)), None) => (Amount::Bytes(bytes), "unexplained", None),
            (Some(Unexplained::Missing(bytes)), Some(outside)) => {
                (Amount::Bytes(bytes), "unexplained or outside the scan", Some(reason(outside)))
            }
            (Some(Unexplained::Shared(bytes)), _) => {
                (Amount::Less(bytes), "counted by the scan, but not by df", None)
            }
        };
        self.push(Subject::Unexplained, 1, amount, label, note);
    }
}

fn reason(outside: &NotScanned) -> String {
    match outside {
        NotScanned::Above(point) => format!("the scan began below {}", escape_path(point)),
        NotScanned::Directory(root) => format!("only {} of this file system is mounted", escape(root)),
        NotScanned::Unknown => "mount point unknown".to_owned(),
    }
}

/// Lists the processes that hold a file open: `tail (12), cat (13) and 3 more processes`.
fn holders(file: &UnlinkedFile) -> String {
    const NAMED: usize = 3;
    let named =
        file.holders.iter().take(NAMED).map(|holder| format!("{} ({})", escape(&holder.name), holder.pid));
    let named = named.collect::<Vec<_>>().join(", ");
    match file.holders.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {}", counted(more as u64, "more process", "more processes")),
    }
}

pub fn label(what: OverheadKind) -> &'static str {
    match what {
        OverheadKind::Structures => "inode tables and bitmaps",
        OverheadKind::Journal => "journal",
        OverheadKind::ForRoot => "for root",
        OverheadKind::ForWriting => "for delayed writes",
        OverheadKind::Inodes => "inodes",
        OverheadKind::Pool => "reserve pool",
        OverheadKind::Metadata => "metadata",
        OverheadKind::BlockGroups => "chunk tables",
        OverheadKind::Reserve => "global reserve",
        OverheadKind::OtherVolumes => "other volumes of the container",
    }
}

fn note_text(space: &FileSystemUsage, note: &Note, units: Units) -> (String, Option<String>) {
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
            ("directory quota".to_owned(), Some(format!("df shows {shown} as the size, not {whole}")))
        }
        Note::Refused(error) => {
            // On btrfs, the overhead can be read without root, but the subvolumes cannot.
            let is_known = space.volume.kind() == Some(b"btrfs") && !space.parts.is_empty();
            let what = if is_known { "subvolumes unknown" } else { "overhead unknown" };
            (what.to_owned(), Some(OsError(*error as i32).to_string()))
        }
    }
}
