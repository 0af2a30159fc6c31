//! Kinds of file systems, recognized by type name or magic number. All callers share one list.
//!
//! | recognized by | examples |
//! |---|---|
//! | the type in the mount table | `nfs4`, `proc`, `9p` |
//! | the program behind FUSE | `fuse.sshfs`, `fuse.rclone` |
//! | the mount source, for other FUSE programs | `host:/share`, `https://host/share` |
//! | the magic number of statfs(2), on Linux | `0x6969` |
//!
//! A file system that the host shares with a virtual machine (9p, virtiofs, vboxsf) is on the same machine. It
//! therefore counts as [`FileSystem::Foreign`], not as [`FileSystem::Network`].
//!
//! This module makes no system calls. Invariant: a type has the same kind whether it is found by name or by number.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// File system on a disk or in memory.
    Ordinary,
    /// File system that the kernel generates (proc, sysfs, cgroup, autofs, ...). Its files use no disk space.
    Kernel,
    /// File system provided by a program or by the host of a virtual machine (FUSE, 9p, ...). Such a file system may
    /// repeat names, contain loops, or never answer.
    Foreign,
    /// File system of another machine (NFS, SMB, ...), with the same risks as [`FileSystem::Foreign`].
    Network,
}

use FileSystem::{Foreign, Kernel, Network};

/// File-system types that are not ordinary: name, magic number if known, and kind. Names are those used by
/// `register_filesystem` in Linux and by statfs(2) on macOS. Magic numbers are those in linux/magic.h and in the
/// sources of the file systems.
const KNOWN: [(&str, Option<u32>, FileSystem); 51] = [
    ("autofs", Some(0x0000_0187), Kernel),
    ("binfmt_misc", Some(0x4249_4e4d), Kernel),
    ("bpf", Some(0xcafe_4a11), Kernel),
    ("cgroup", Some(0x0027_e0eb), Kernel),
    ("cgroup2", Some(0x6367_7270), Kernel),
    ("configfs", Some(0x6265_6570), Kernel),
    ("debugfs", Some(0x6462_6720), Kernel),
    ("devfs", None, Kernel),
    ("devpts", Some(0x0000_1cd1), Kernel),
    ("efivarfs", Some(0xde5e_81e4), Kernel),
    ("fdesc", None, Kernel),
    ("mqueue", Some(0x1980_0202), Kernel),
    ("nsfs", Some(0x6e73_6673), Kernel),
    ("proc", Some(0x0000_9fa0), Kernel),
    ("pstore", Some(0x6165_676c), Kernel),
    ("resctrl", Some(0x0765_5821), Kernel),
    ("securityfs", Some(0x7363_6673), Kernel),
    ("selinuxfs", Some(0xf97c_ff8c), Kernel),
    ("smackfs", Some(0x4341_5d53), Kernel),
    ("sysfs", Some(0x6265_6572), Kernel),
    ("tracefs", Some(0x7472_6163), Kernel),
    ("9p", Some(0x0102_1997), Foreign),
    ("fuse", Some(FUSE), Foreign),
    ("fuseblk", Some(FUSE), Foreign),
    ("fusefs", None, Foreign),
    ("macfuse", None, Foreign),
    ("osxfuse", None, Foreign),
    ("vboxsf", Some(0x786f_4256), Foreign),
    ("virtiofs", Some(FUSE), Foreign),
    ("acfs", Some(0x6163_6673), Network),
    ("afpfs", None, Network),
    ("afs", Some(0x6b41_4653), Network),
    ("afs", Some(0x5346_414f), Network), // OpenAFS
    ("auristorfs", None, Network),
    ("beegfs", Some(0x1983_0326), Network),
    ("ceph", Some(0x00c3_6400), Network),
    ("cifs", Some(0xff53_4d42), Network),
    ("coda", Some(0x7375_7245), Network),
    ("davfs", None, Network),
    ("gpfs", Some(0x4750_4653), Network),
    ("lustre", Some(0x0bd0_0bd0), Network),
    ("ncpfs", Some(0x0000_564c), Network),
    ("nfs", Some(0x0000_6969), Network),
    ("nfs4", Some(0x0000_6969), Network),
    ("orangefs", Some(0x2003_0528), Network),
    ("pvfs2", Some(0x2003_0528), Network),
    ("smb", Some(0x0000_517b), Network),
    ("smb2", Some(0xfe53_4d42), Network),
    ("smb3", Some(0xfe53_4d42), Network),
    ("smbfs", Some(0x0000_517b), Network),
    ("webdav", None, Network),
];

/// Magic number of every FUSE file system.
const FUSE: u32 = 0x6573_5546;

/// FUSE programs that always count as network file systems, regardless of the mount source.
const PROGRAMS: [&str; 16] = [
    "ceph-fuse",
    "curlftpfs",
    "davfs2",
    "gcsfuse",
    "glusterfs",
    "goofys",
    "gvfsd-fuse",
    "juicefs",
    "mfs",
    "mount-s3",
    "rclone",
    "s3fs",
    "seaweedfs",
    "smbnetfs",
    "sshfs",
    "weed",
];

impl FileSystem {
    /// Returns `true` if the file system may repeat names or contain loops.
    pub fn is_foreign(self) -> bool {
        matches!(self, Foreign | Network)
    }

    /// Returns the kind of a file system with the given type and source in the mount table.
    pub fn of_mount(kind: &[u8], source: &[u8]) -> Self {
        let program = kind.strip_prefix(b"fuse.");
        let is_known = program.is_some_and(|program| PROGRAMS.iter().any(|name| name.as_bytes() == program));
        let is_fuse = kind == b"fuse" || program.is_some();
        if is_fuse && (is_known || source.contains(&b':')) {
            Network
        } else if is_fuse || kind.starts_with(b"fuseblk.") {
            Foreign
        } else {
            Self::of_type(kind)
        }
    }

    /// Returns `true` if `kind` is a type name that the mount table uses for `CephFS`. `CephFS` reports the total
    /// size below a directory as the length of that directory.
    pub fn has_recursive_lengths(kind: &[u8]) -> bool {
        matches!(kind, b"ceph" | b"fuse.ceph-fuse")
    }

    /// Returns the kind of a file system with this type name.
    pub fn of_type(kind: &[u8]) -> Self {
        Self::find(|(name, ..)| name.as_bytes() == kind)
    }

    /// Returns the kind of a file system whose type has the given magic number.
    pub fn of_magic(number: u32) -> Self {
        Self::find(|(_, magic, _)| *magic == Some(number))
    }

    fn find(is_it: impl FnMut(&&(&str, Option<u32>, Self)) -> bool) -> Self {
        KNOWN.iter().find(is_it).map_or(Self::Ordinary, |(.., is)| *is)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_mounts_are_recognized_by_type_program_or_source() {
        let cases = [
            ("nfs4", "box:/srv", Network),
            ("nfs", "box:/srv", Network),
            ("nfsd", "nfsd", FileSystem::Ordinary),
            ("cifs", "//box/share", Network),
            ("smb3", "//box/share", Network),
            ("ceph", "10.0.0.1:6789:/", Network),
            ("beegfs", "beegfs_nodev", Network),
            ("fuse.sshfs", "me@box:/home/me", Network),
            ("fuse.sshfs", "alias", Network),
            ("fuse.gvfsd-fuse", "gvfsd-fuse", Network),
            ("fuse.something", "box:/srv", Network),
            ("fuse", "https://box/dav", Network),
            ("fuse.mergerfs", "a", Foreign),
            ("fuse", "a", Foreign),
            ("fuseblk", "/dev/sda1", Foreign),
            ("fuseblk.ntfs", "/dev/sda1", Foreign),
            ("fusectl", "fusectl", FileSystem::Ordinary),
            ("9p", "drvfs", Foreign),
            ("proc", "proc", Kernel),
            ("cgroup2", "cgroup", Kernel),
            ("autofs", "systemd-1", Kernel),
            ("ext4", "/dev/disk/by:name", FileSystem::Ordinary),
            ("tmpfs", "none", FileSystem::Ordinary),
        ];
        for (kind, source, expected) in cases {
            assert_eq!(FileSystem::of_mount(kind.as_bytes(), source.as_bytes()), expected, "{kind} {source}");
        }
    }

    #[test]
    fn only_cephfs_has_recursive_lengths() {
        for kind in ["ceph", "fuse.ceph-fuse"] {
            assert!(FileSystem::has_recursive_lengths(kind.as_bytes()), "{kind}");
        }
        for kind in ["fuse", "fuse.sshfs", "ceph-fuse", "ext4", "nfs4"] {
            assert!(!FileSystem::has_recursive_lengths(kind.as_bytes()), "{kind}");
        }
    }

    #[test]
    fn types_by_number_equal_types_by_name() {
        for (name, magic, is) in KNOWN {
            assert_eq!(FileSystem::of_type(name.as_bytes()), is, "{name}");
            assert_eq!(magic.map_or(is, FileSystem::of_magic), is, "{name}");
        }
        // Magic number of ext4.
        assert_eq!(FileSystem::of_magic(0xef53), FileSystem::Ordinary);
    }
}
