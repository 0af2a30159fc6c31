//! Metadata of a snapshot: origins of the roots, file systems of the devices, and parts of a plan (`duke plan`).
//!
//! Invariant: decoding never panics. Invalid bytes result in an error.

use crate::formats::flat::Provenance;
use crate::tree::varint::{ByteReader, Malformed, write_varint, zigzag};

/// Value of [`SnapshotInfo::scope`] if the flags are unknown, or if path patterns exclude entries. Two scans with this
/// value may not be comparable, even if they used the same patterns: the matches also depend on the paths that the user
/// gave for the roots.
pub(crate) const UNKNOWN_SCOPE: &[u8] = b"filtered";

/// Information about the tree in a snapshot, apart from its entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotInfo {
    /// Time at which the first root was scanned, in seconds since 1970; 0 if unknown.
    pub scanned_at: i64,
    /// Host name of the first root; empty if unknown.
    pub host: Vec<u8>,
    /// Command-line flags that select the entries of the scan; empty for the default. The value is `filtered` if path
    /// patterns exclude entries, or if the flags are unknown. A comparison of snapshots with different values says
    /// little about growth.
    pub scope: Vec<u8>,
    /// Origins of the roots after the first, in order. The list may be shorter than the number of roots: a root without
    /// an item here has the origin of the first root.
    pub others: Vec<RootOrigin>,
    /// File system of each device, in the order of the tree's devices; empty if unknown.
    pub file_systems: Vec<FileSystemInfo>,
    /// Parts of a plan (`duke plan`) that make up the tree; `None` for a whole tree.
    pub parts: Option<PlanParts>,
    /// `true` if the names of the roots are written unchanged. Otherwise, the names are paths on this machine, and are
    /// written as absolute paths. The flag itself is not written.
    pub keeps_names: bool,
}

/// Time and host of the scan that read a root, and the flags that selected the entries of the scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootOrigin {
    /// Time of the scan in seconds since 1970; 0 if unknown.
    pub scanned_at: i64,
    /// Host name; empty if unknown.
    pub host: Vec<u8>,
    /// Command-line flags that select the entries of the scan, as in [`SnapshotInfo::scope`].
    pub scope: Vec<u8>,
}

impl RootOrigin {
    /// Returns the host and the time of the scan, as far as they are known. The time 0 is unknown.
    pub fn provenance(&self) -> Provenance {
        let host = String::from_utf8_lossy(&self.host).into_owned();
        Provenance {
            host: Some(host).filter(|host| !host.is_empty()),
            scanned_at: Some(self.scanned_at).filter(|time| *time != 0),
        }
    }
}

/// File system of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSystemInfo {
    /// Type of the file system, such as `ext4`; empty if unknown.
    pub kind: Vec<u8>,
    /// Mount source, such as `/dev/sda1`.
    pub source: Vec<u8>,
    /// Path, within the file system, of the directory at the mount point; `/` if the whole file system is visible.
    pub root: Vec<u8>,
    /// File-system ID reported by the system; 0 if there is none.
    pub id: u64,
    /// Name given by the user; empty if there is none. File systems with the same name are treated as the same one.
    pub name: Vec<u8>,
    /// `true` for a network file system, which other hosts can mount too.
    pub is_network: bool,
    /// Host to which the device number belongs; empty if this is the host of the first root.
    pub host: Vec<u8>,
}

/// Parts that a snapshot contains, and the plan (`duke plan`) to which they belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanParts {
    pub plan: u64,
    /// Numbers of the parts, in ascending order.
    pub numbers: Vec<u64>,
}

impl SnapshotInfo {
    /// Returns the metadata of a snapshot whose roots all have this origin.
    pub fn of_origin(origin: RootOrigin) -> Self {
        let RootOrigin { scanned_at, host, scope } = origin;
        Self { scanned_at, host, scope, ..Self::default() }
    }

    /// Returns the origin of the root at `index`.
    pub fn origin(&self, index: usize) -> RootOrigin {
        let other = index.checked_sub(1).and_then(|index| self.others.get(index)).cloned();
        other.unwrap_or_else(|| RootOrigin {
            scanned_at: self.scanned_at,
            host: self.host.clone(),
            scope: self.scope.clone(),
        })
    }

    /// Returns `true` if `name`, the name of the root at `index`, begins with the root's host name. This is the case in
    /// trees with roots from several hosts.
    pub fn names_host(&self, index: usize, name: &[u8]) -> bool {
        let host = self.origin(index).host;
        !host.is_empty() && name.strip_prefix(&*host).is_some_and(|rest| rest.starts_with(b":"))
    }

    /// Returns the name of the root at `index` in a tree that may combine several inputs. The result is `host:name`, or
    /// `label` followed by `name` if the host is not known. `name` is unchanged if it already begins with the host, or
    /// if `label` is empty because there is only one input.
    pub fn name_beside_others(&self, index: usize, label: &[u8], name: &[u8]) -> Vec<u8> {
        match self.origin(index).host {
            _ if self.names_host(index, name) => name.to_vec(),
            host if host.is_empty() || label.is_empty() => [label, name].concat(),
            host => [&host, &b":"[..], name].concat(),
        }
    }

    /// Encodes everything except `file_systems` and `keeps_names`.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        write_varint(bytes, 1 + self.others.len() as u64);
        self.origin(0).write(bytes);
        for origin in &self.others {
            origin.write(bytes);
        }
        let Some(parts) = &self.parts else { return write_varint(bytes, 0) };
        write_varint(bytes, parts.numbers.len() as u64);
        write_varint(bytes, parts.plan);
        for number in &parts.numbers {
            write_varint(bytes, *number);
        }
    }

    /// Decodes data that [`SnapshotInfo::write`] has encoded.
    pub(crate) fn read(cursor: &mut ByteReader<'_>) -> Result<Self, Malformed> {
        let roots = cursor.varint()?.checked_sub(1).ok_or(Malformed)?;
        let mut about = Self::of_origin(RootOrigin::read(cursor)?);
        for _ in 0..roots {
            about.others.push(RootOrigin::read(cursor)?);
        }
        let count = cursor.varint()?;
        if count > 0 {
            let mut parts = PlanParts { plan: cursor.varint()?, numbers: Vec::new() };
            for _ in 0..count {
                let number = cursor.varint()?;
                if parts.numbers.last().is_some_and(|last| *last >= number) {
                    return Err(Malformed);
                }
                parts.numbers.push(number);
            }
            about.parts = Some(parts);
        }
        Ok(about)
    }
}

impl RootOrigin {
    fn write(&self, bytes: &mut Vec<u8>) {
        write_varint(bytes, zigzag(self.scanned_at));
        write_text(bytes, &self.host);
        write_text(bytes, &self.scope);
    }

    pub(crate) fn read(cursor: &mut ByteReader<'_>) -> Result<Self, Malformed> {
        Ok(Self { scanned_at: cursor.delta()?, host: text(cursor)?, scope: text(cursor)? })
    }
}

impl FileSystemInfo {
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        for part in [&self.kind, &self.source, &self.root, &self.name, &self.host] {
            write_text(bytes, part);
        }
        write_varint(bytes, self.id);
        bytes.push(u8::from(self.is_network));
    }

    pub(crate) fn read(cursor: &mut ByteReader<'_>) -> Result<Self, Malformed> {
        let mut part = || text(cursor);
        let [kind, source, root, name, host] = [part()?, part()?, part()?, part()?, part()?];
        let id = cursor.varint()?;
        let is_network = match cursor.byte()? {
            0 => false,
            1 => true,
            _ => return Err(Malformed),
        };
        Ok(Self { kind, source, root, id, name, is_network, host })
    }

    /// Returns `true` if both are known to be the same file system, even if their hosts or device numbers differ.
    /// Copies of a disk have the same ID, so IDs are compared only for network file systems.
    pub fn is_same(&self, other: &Self) -> bool {
        if !self.name.is_empty() || !other.name.is_empty() {
            return self.name == other.name;
        }
        let origin = |system: &Self| (system.kind.clone(), system.source.clone(), system.root.clone());
        let has_id = self.id != 0 && self.is_network && other.is_network;
        has_id && self.id == other.id && origin(self) == origin(other)
    }
}

pub(crate) fn write_text(bytes: &mut Vec<u8>, text: &[u8]) {
    write_varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text);
}

pub(crate) fn text(cursor: &mut ByteReader<'_>) -> Result<Vec<u8>, Malformed> {
    let length = cursor.varint()?;
    Ok(cursor.take(length)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ceph(id: u64, name: &str) -> FileSystemInfo {
        let [kind, source, root] = ["ceph", "10.0.0.1:/", "/"].map(|text| text.as_bytes().to_vec());
        FileSystemInfo { kind, source, root, id, name: name.into(), is_network: true, host: Vec::new() }
    }

    #[test]
    fn only_an_id_of_a_network_file_system_or_a_name_identifies_it() {
        assert!(ceph(7, "").is_same(&ceph(7, "")) && !ceph(7, "").is_same(&ceph(8, "")));
        assert!(!ceph(0, "").is_same(&ceph(0, "")));
        assert!(ceph(0, "big").is_same(&ceph(9, "big")));
        assert!(!ceph(7, "big").is_same(&ceph(7, "small")) && !ceph(7, "big").is_same(&ceph(7, "")));
        let elsewhere = FileSystemInfo { root: b"/home".to_vec(), ..ceph(7, "") };
        assert!(!ceph(7, "").is_same(&elsewhere));
        let local = FileSystemInfo { is_network: false, ..ceph(7, "") };
        assert!(!local.is_same(&local));
    }
}
