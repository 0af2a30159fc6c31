//! Notes about unusual disk usage of an entry, for users who want to free space.
//!
//! Invariant: a file gets no note about space if it has no preallocated or shared bytes, its disk usage is at least its
//! length, and the difference is at most `SLACK`.

use crate::base::format::{Units, grouped, plain_size};
use crate::base::kind::Kind;
use crate::base::os_error::OsError;
use crate::platform::entry::extents::ExtentLayout;
use crate::platform::entry::probe::{Probe, Trait};
use crate::tree::{Entry, EntryState};

/// Number of bytes by which the disk usage may exceed the length before a note is shown. A difference up to
/// this size is normal, because the last block is rarely full, and because extent lists also take space.
const SLACK: u64 = 64 << 10;
/// Maximum length, in bytes, of a file that may be stored in its inode (ext4, btrfs, xfs).
const INLINE: u64 = 4096;
/// Minimum number of extents for which a note about fragmentation is shown.
const MANY: u64 = 50;

/// Returns the notes about an entry, with notes about space first. If the entry has changed, a note says so
/// and ends with the key hint `rescan`.
pub fn notes(
    probe: &Probe,
    layout: Option<&Result<ExtentLayout, i32>>,
    record: &Entry<'_>,
    units: Units,
    rescan: &str,
) -> Vec<String> {
    let mut notes = Vec::new();
    if probe.attributes.kind == Kind::File {
        let extents = layout.and_then(|layout| layout.as_ref().ok());
        let of = File { probe, layout: extents, units };
        notes.extend(of.holes());
        notes.extend(of.excess());
        notes.extend(of.sharing());
        notes.extend(of.clones());
        notes.extend(of.pieces());
        if let Some(Err(errno)) = layout {
            notes.push(format!("shared bytes unknown: {}", OsError(*errno)));
        }
    }
    if probe.attributes.links > 1 && probe.attributes.kind != Kind::Directory {
        notes.push("deleting one name frees nothing while the file has other names".to_owned());
    }
    notes.extend(probe.traits.iter().map(|is_so| trait_text(*is_so).to_owned()));
    if has_changed(probe, record) {
        notes.push(format!("has changed since the scan{rescan}"));
    }
    notes
}

fn trait_text(is_so: Trait) -> &'static str {
    match is_so {
        Trait::Compressed => "compressed by the file system",
        Trait::Encrypted => "encrypted by the file system",
        Trait::Immutable => {
            "immutable: cannot be changed or deleted (chattr -i, or chflags on macOS, removes this flag)"
        }
        Trait::AppendOnly => {
            "append-only: cannot be truncated or deleted (chattr -a, or chflags on macOS, removes this flag)"
        }
        Trait::Verity => "protected by fs-verity: its contents cannot be changed",
        Trait::Direct => "stored in persistent memory (DAX)",
        Trait::NoDump => "excluded from dump(8) backups",
        Trait::Restricted => "protected by the system (SIP)",
        Trait::Dataless => "only in the cloud: uses no space here; opening it downloads it",
        Trait::MountPoint => "mount point",
        Trait::Trigger => "mount point of an automounter: opening it mounts a file system",
        Trait::Firmlink => "firmlink to another volume of this system",
    }
}

struct File<'a> {
    probe: &'a Probe,
    layout: Option<&'a ExtentLayout>,
    units: Units,
}

impl File<'_> {
    /// Returns a note that explains why the disk usage is smaller than the length. Returns `None` if the disk usage
    /// is not smaller, or if the contents are stored only in the cloud.
    fn holes(&self) -> Option<String> {
        let (disk, length) = (self.disk(), self.probe.attributes.apparent);
        let is = |it| self.probe.traits.contains(&it);
        let missing = length.checked_sub(disk).filter(|missing| *missing > 0)?;
        let layout = self.layout.copied().unwrap_or_default();
        if is(Trait::Dataless) {
            None
        } else if is(Trait::Compressed) || layout.compressed > 0 {
            Some(format!(
                "compressed by the file system: {} of contents use {} on disk",
                self.size(length),
                self.size(disk)
            ))
        } else if layout.delayed > 0 {
            Some(format!("{} not yet written to disk", self.size(layout.delayed)))
        } else if disk == 0 && length <= INLINE {
            Some("uses no disk blocks: stored in the inode, or only a hole (sparse)".to_owned())
        } else if disk == 0 || self.layout.is_some() && !layout.is_cut_short {
            Some(format!("sparse: {} of holes", self.size(missing)))
        } else {
            Some(format!("uses {} less than its apparent size: holes or compression", self.size(missing)))
        }
    }

    /// Returns a note if space is preallocated, or if the disk usage exceeds the length by more than `SLACK`.
    fn excess(&self) -> Option<String> {
        let (disk, length) = (self.disk(), self.probe.attributes.apparent);
        let unwritten = self.layout.map_or(0, |layout| layout.unwritten);
        if unwritten > 0 {
            return Some(format!("{} preallocated", self.size(unwritten)));
        }
        let excess = disk.checked_sub(length).filter(|excess| *excess > SLACK)?;
        Some(format!("uses {} more than its apparent size: preallocation or large blocks", self.size(excess)))
    }

    /// Returns a note about space that the file shares with clones, if any.
    fn sharing(&self) -> Option<String> {
        let layout = self.layout?;
        // macOS reports no extents, only the size of the private space.
        let has_extents = layout.pieces.is_some();
        let shared = if has_extents { layout.shared } else { self.disk().saturating_sub(layout.private) };
        if shared == 0 {
            return None;
        }
        let least = if layout.is_cut_short { "at least " } else { "" };
        let it = if self.probe.attributes.links > 1 { "all its names" } else { "it" };
        Some(format!(
            "shares {least}{} with copies or file-system snapshots; deleting {it} frees {least}{}",
            self.size(shared),
            self.size(layout.private)
        ))
    }

    /// Returns a note with the clone ID, which all clones of a file have in common, if the file shares space.
    fn clones(&self) -> Option<String> {
        let clone = self.layout?.clone?;
        self.sharing()?;
        Some(format!("shares space with other clones (clone ID {clone})"))
    }

    fn pieces(&self) -> Option<String> {
        let layout = self.layout?;
        let pieces = layout.pieces.filter(|pieces| *pieces >= MANY)?;
        let least = if layout.is_cut_short { "at least " } else { "" };
        Some(format!("{least}{} fragments", grouped(pieces)))
    }

    fn disk(&self) -> u64 {
        self.probe.attributes.blocks.saturating_mul(512)
    }

    fn size(&self, bytes: u64) -> String {
        plain_size(bytes, self.units)
    }
}

/// Returns `true` if the entry has changed since the scan. Sizes of directories are not compared, because the tree
/// does not store a directory's apparent size if that size includes everything below the directory (`CephFS`).
fn has_changed(probe: &Probe, record: &Entry<'_>) -> bool {
    let EntryState::Known(metadata) = record.state else { return false };
    let now = &probe.attributes;
    let is_other = now.kind != record.kind || now.inode != metadata.inode || now.mtime != metadata.mtime;
    let has_other_size =
        (now.blocks.saturating_mul(512), now.apparent) != (metadata.disk(), metadata.apparent);
    is_other || (metadata.directory.is_none() && has_other_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Attributes, Boundary};
    use crate::tree::Metadata;

    fn probe(blocks: u64, apparent: u64, traits: &[Trait]) -> Probe {
        let attributes = Attributes {
            kind: Kind::File,
            blocks,
            apparent,
            mtime: 5,
            inode: 7,
            device: 1,
            links: 1,
            uid: 0,
            gid: 0,
            mode: 0o644,
            border: Boundary::None,
        };
        let traits = traits.to_vec();
        Probe { attributes, accessed: 0, changed: 0, born: None, traits, target: None, mount: None }
    }

    /// Returns the notes about a file that has not changed since the scan.
    fn file_notes(probe: &Probe, layout: Option<Result<ExtentLayout, i32>>) -> Vec<String> {
        let now = &probe.attributes;
        let metadata = Metadata {
            apparent: now.apparent,
            blocks: now.blocks,
            mtime: 5,
            inode: 7,
            ..Metadata::default()
        };
        let record = Entry { name: b"x", kind: Kind::File, state: EntryState::Known(metadata) };
        notes(probe, layout.as_ref(), &record, Units::Binary, "")
    }

    #[test]
    fn an_ordinary_file_gets_no_note() {
        let whole = ExtentLayout { private: 4096, pieces: Some(1), ..ExtentLayout::default() };
        assert_eq!(file_notes(&probe(8, 4000, &[]), None), [""; 0]);
        assert_eq!(file_notes(&probe(8, 4000, &[]), Some(Ok(whole))), [""; 0]);
        assert_eq!(file_notes(&probe(0, 0, &[]), None), [""; 0]);
    }

    #[test]
    fn less_usage_than_length_is_explained() {
        let first = |probe: Probe, layout| file_notes(&probe, layout).remove(0);
        let known =
            || Some(Ok(ExtentLayout { private: 1 << 20, pieces: Some(1), ..ExtentLayout::default() }));
        assert_eq!(first(probe(2048, 3 << 20, &[]), known()), "sparse: 2.0 MiB of holes");
        let unknown = "uses 2.0 MiB less than its apparent size: holes or compression";
        assert_eq!(first(probe(2048, 3 << 20, &[]), None), unknown);
        assert_eq!(first(probe(2048, 3 << 20, &[]), Some(Err(13))), unknown);
        assert!(first(probe(0, 60, &[]), None).starts_with("uses no disk blocks"));
        assert!(first(probe(0, 1 << 30, &[]), known()).starts_with("sparse: 1.0 GiB"));
        let compressed = "compressed by the file system: 3.0 MiB of contents use 1.0 MiB on disk";
        assert_eq!(first(probe(2048, 3 << 20, &[Trait::Compressed]), None), compressed);
        let layout = ExtentLayout {
            compressed: 3 << 20,
            private: 3 << 20,
            pieces: Some(1),
            ..ExtentLayout::default()
        };
        assert_eq!(first(probe(2048, 3 << 20, &[]), Some(Ok(layout))), compressed);
        let layout =
            ExtentLayout { delayed: 1 << 20, private: 1 << 20, pieces: Some(1), ..ExtentLayout::default() };
        assert!(first(probe(0, 1 << 20, &[]), Some(Ok(layout))).contains("not yet written"));
        assert!(first(probe(0, 1 << 20, &[Trait::Dataless]), None).contains("in the cloud"));
    }

    #[test]
    fn shared_and_freed_space_is_shown() {
        let layout =
            ExtentLayout { private: 1 << 20, shared: 2 << 20, pieces: Some(3), ..ExtentLayout::default() };
        let text = "shares 2.0 MiB with copies or file-system snapshots; deleting it frees 1.0 MiB";
        assert_eq!(file_notes(&probe(6144, 3 << 20, &[]), Some(Ok(layout))), [text]);
        let clone = ExtentLayout { private: 1 << 20, clone: Some(77), ..ExtentLayout::default() };
        let family = "shares space with other clones (clone ID 77)";
        assert_eq!(file_notes(&probe(6144, 3 << 20, &[]), Some(Ok(clone))), [text, family]);
        let alone = ExtentLayout { private: 3 << 20, ..clone };
        assert_eq!(file_notes(&probe(6144, 3 << 20, &[]), Some(Ok(alone))), [""; 0]);
        let mac = ExtentLayout { private: 1 << 20, ..ExtentLayout::default() };
        assert_eq!(file_notes(&probe(6144, 3 << 20, &[]), Some(Ok(mac))), [text]);
        let cut = ExtentLayout { is_cut_short: true, pieces: Some(90), ..layout };
        assert_eq!(
            file_notes(&probe(6144, 3 << 20, &[]), Some(Ok(cut))),
            [
                "shares at least 2.0 MiB with copies or file-system snapshots; deleting it frees at least 1.0 MiB",
                "at least 90 fragments",
            ]
        );
        let refused = file_notes(&probe(8, 4000, &[]), Some(Err(13)));
        assert_eq!(refused, ["shared bytes unknown: permission denied"]);
    }

    #[test]
    fn more_usage_than_length_is_explained() {
        let layout =
            ExtentLayout { unwritten: 1 << 20, private: 1 << 20, pieces: Some(1), ..ExtentLayout::default() };
        assert_eq!(file_notes(&probe(2048, 10, &[]), Some(Ok(layout))), ["1.0 MiB preallocated"]);
        assert!(
            file_notes(&probe(2048, 10, &[]), None)[0]
                .starts_with("uses 1.0 MiB more than its apparent size")
        );
    }

    #[test]
    fn a_replaced_file_is_reported() {
        let record = Entry { name: b"x", kind: Kind::File, state: EntryState::Known(Metadata::default()) };
        let file_notes = notes(&probe(0, 0, &[]), None, &record, Units::Binary, " (x reads it again)");
        assert_eq!(file_notes, ["has changed since the scan (x reads it again)"]);
    }
}
