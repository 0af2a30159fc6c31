//! Lines that show the space accounting for a file system, for the browser and for `duke df`.
//!
//! ```text
//! 100.0 GiB  size
//!   2.6 GiB    inode tables, bitmaps and journal      not part of the size
//!  60.0 GiB  used                                     60.0%
//!  50.0 GiB    scanned                                123,456 entries
//!   9.0 GiB    deleted but open                       all processes checked
//!   9.0 GiB      /var/log/big.log                     rsyslogd (612)
//!   1.0 GiB    unexplained
//! ```
//!
//! Invariant: names are safe to print to a terminal, and the amounts below "used" add up to the used space.

use super::{CountedAs, Errno, FileSystemUsage, Overhead, ProcessAccess, Report, Unexplained, labels};
use crate::base::format::{Units, percent, share};
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
    /// Free space that ordinary users cannot use.
    Reserved,
    /// Counts of used and free inodes.
    Inodes,
    /// Disk usage of the scanned entries.
    Scanned,
    /// Files covered by mount points.
    AllCoveredFiles,
    /// Files covered by one mount point: the element of [`FileSystemUsage::covered`] with this index.
    CoveredFiles(usize),
    /// Total of all deleted but open files.
    UnlinkedFiles,
    /// Deleted but open file with this index in [`FileSystemUsage::deleted`].
    UnlinkedFile(usize),
    /// Overhead with this index in [`FileSystemUsage::parts`].
    Overhead(usize),
    /// Unexplained part of the used space.
    Unexplained,
    /// Unreadable directories and entries.
    Unreadable,
    /// Excluded entries.
    Excluded,
    /// Note with this index in [`FileSystemUsage::notes`].
    Note(usize),
    /// File system with this index in [`Report::spaces`]. Used only if there are several file systems.
    System(usize),
    /// All file systems together.
    Systems,
}

/// Amount shown in a line of the df report.
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

/// Line of the df report.
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
    lines.push(system(Subject::Systems, labels::TOTAL.to_owned(), (total, None), units));
    lines
}

/// Returns the line for one of several file systems or for their total, with used space, size and scanned space.
fn system(
    subject: Subject,
    label: String,
    (figures, error): (Option<[u64; 3]>, Option<Errno>),
    units: Units,
) -> Row {
    let note = figures.map(|[_, size, scanned]| labels::system_note(size, scanned, units));
    let note = note.or_else(|| error.map(labels::no_capacity));
    let amount = figures.map_or(Amount::Unknown, |[used, ..]| Amount::Bytes(used));
    Row { subject, depth: 0, amount, label, note }
}

/// Returns all lines for a file system.
pub fn rows(space: &FileSystemUsage, units: Units) -> Vec<Row> {
    let mut rows = Rows { space, rows: Vec::new() };
    rows.capacity();
    rows.used();
    for (index, note) in space.notes.iter().enumerate() {
        let (label, note) = labels::note_text(space, note, units);
        rows.push(Subject::Note(index), 0, Amount::Nothing, label, note);
    }
    rows.rows
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
                let note = Some(labels::no_capacity(error));
                self.push(Subject::Size, 0, Amount::Unknown, labels::SIZE, note);
                return;
            }
        };
        self.push(Subject::Size, 0, Amount::Bytes(capacity.size), labels::SIZE, None);
        self.parts(|part| matches!(part.counted, CountedAs::Beside | CountedAs::Within));
        self.push(Subject::Available, 0, Amount::Bytes(capacity.available), labels::AVAILABLE, None);
        if capacity.reserved() > 0 {
            let note = Some(labels::RESERVED_NOTE.to_owned());
            self.push(Subject::Reserved, 0, Amount::Bytes(capacity.reserved()), labels::RESERVED, note);
            self.parts(|part| part.counted == CountedAs::Reserved);
        }
        if capacity.inodes > 0 {
            let note = Some(labels::inodes_note(&capacity));
            self.push(Subject::Inodes, 0, Amount::Nothing, labels::INODES, note);
        }
        let note = percent(share(capacity.used(), capacity.size)).trim().to_owned();
        self.push(Subject::Used, 0, Amount::Bytes(capacity.used()), labels::USED, Some(note));
    }

    fn used(&mut self) {
        let scanned = self.space.scanned;
        let note = Some(labels::scanned_note(&scanned));
        self.push(Subject::Scanned, 1, Amount::Bytes(scanned.disk), labels::SCANNED, note);
        self.hidden();
        self.deleted();
        self.parts(|part| part.counted == CountedAs::Used);
        self.unexplained();
        if scanned.unreadable > 0 {
            let label = labels::unreadable_label(scanned.unreadable);
            let note = Some(labels::UNREADABLE_NOTE.to_owned());
            self.push(Subject::Unreadable, 1, Amount::Unknown, label, note);
        }
        if scanned.excluded > 0 {
            let label = labels::excluded_label(scanned.excluded);
            let note = Some(labels::EXCLUDED_NOTE.to_owned());
            self.push(Subject::Excluded, 1, Amount::Unknown, label, note);
        }
    }

    fn hidden(&mut self) {
        let covered = &self.space.covered;
        if covered.is_empty() {
            return;
        }
        let refused = covered.iter().find_map(|directory| directory.hidden.err());
        let amount = refused.map_or_else(|| Amount::Bytes(self.space.hidden()), |_| Amount::Unknown);
        let note = Some(labels::covered_note(covered.len(), refused));
        self.push(Subject::AllCoveredFiles, 1, amount, labels::COVERED, note);
        for (index, directory) in covered.iter().enumerate() {
            let (amount, note) = match directory.hidden {
                Ok(hidden) if hidden.entries > 0 => {
                    (Amount::Bytes(hidden.disk), Some(labels::entries_text(hidden.entries)))
                }
                // The covered directory is empty.
                Ok(_) => continue,
                Err(_) => (Amount::Unknown, None),
            };
            self.push(Subject::CoveredFiles(index), 2, amount, escape_path(&directory.path), note);
        }
    }

    fn deleted(&mut self) {
        let amount = match self.space.access {
            ProcessAccess::None => Amount::Unknown,
            _ => Amount::Bytes(self.space.deleted_bytes()),
        };
        let note = Some(labels::access_note(self.space.access).to_owned());
        self.push(Subject::UnlinkedFiles, 1, amount, labels::DELETED, note);
        // Files without blocks use no space, so they have no line.
        let files = self.space.deleted.iter().enumerate().filter(|(_, file)| file.disk != Some(0));
        for (index, file) in files {
            let amount = file.disk.map_or(Amount::Unknown, Amount::Bytes);
            let label = escape(&file.path).into_owned();
            self.push(Subject::UnlinkedFile(index), 2, amount, label, Some(labels::holders_note(file)));
        }
    }

    fn parts(&mut self, is_wanted: impl Fn(&Overhead) -> bool) {
        for (index, part) in self.space.parts.iter().enumerate().filter(|(_, part)| is_wanted(part)) {
            let depth = if part.counted == CountedAs::Within { 2 } else { 1 };
            let label = labels::overhead_label(part.kind);
            let note = (part.counted == CountedAs::Beside).then(|| labels::BESIDE_NOTE.to_owned());
            self.push(Subject::Overhead(index), depth, Amount::Bytes(part.bytes), label, note);
        }
    }

    fn unexplained(&mut self) {
        let outside = self.space.volume.outside.first();
        let (amount, label, note) = match (self.space.unexplained(), outside) {
            (None, _) => return,
            (Some(Unexplained::Missing(bytes)), None) => (Amount::Bytes(bytes), labels::UNEXPLAINED, None),
            (Some(Unexplained::Missing(bytes)), Some(outside)) => {
                let note = labels::outside_note(outside);
                (Amount::Bytes(bytes), labels::UNEXPLAINED_OR_OUTSIDE, Some(note))
            }
            (Some(Unexplained::Shared(bytes)), _) => (Amount::Less(bytes), labels::COUNTED_BEYOND_DF, None),
        };
        self.push(Subject::Unexplained, 1, amount, label, note);
    }
}
