//! Which mounts are of another machine, told by what the table of mounts says (Linux).
//!
//! | told by | examples |
//! |---|---|
//! | the type | `nfs4`, `cifs`, `ceph` |
//! | the program behind FUSE | `fuse.sshfs`, `fuse.rclone` |
//! | what was mounted, of any other FUSE | `host:/share`, `https://host/share` |
//!
//! A file system that the machine around a virtual one shares (9p, virtiofs, vboxsf) is on the same machine, and none of them.
//!
//! Knows no system call. Invariant: asks nobody; a server that is gone keeps nobody waiting.

/// Types that are served by other machines. Sorted.
const TYPES: [&str; 17] = [
    "acfs",
    "afs",
    "auristorfs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "orangefs",
    "pvfs2",
    "smb3",
    "smbfs",
];

/// Programs behind FUSE that ask other machines, whatever they say that they have mounted. Sorted.
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

/// Whether a file system of this type and source is served by another machine.
pub(super) fn is_network(kind: &[u8], source: &[u8]) -> bool {
    let is_in =
        |names: &[&str], name: &[u8]| names.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok();
    match kind.strip_prefix(b"fuse").map(|rest| rest.strip_prefix(b".")) {
        Some(Some(program)) => is_in(&PROGRAMS, program) || source.contains(&b':'),
        Some(None) if kind == b"fuse" => source.contains(&b':'),
        _ => is_in(&TYPES, kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_other_machines_are_told_by_type_program_or_source() {
        let cases: [(&str, &str, bool); 16] = [
            ("nfs4", "box:/srv", true),
            ("nfs", "box:/srv", true),
            ("nfsd", "nfsd", false),
            ("cifs", "//box/share", true),
            ("smb3", "//box/share", true),
            ("ceph", "10.0.0.1:6789:/", true),
            ("fuse.sshfs", "me@box:/home/me", true),
            ("fuse.sshfs", "alias", true),
            ("fuse.gvfsd-fuse", "gvfsd-fuse", true),
            ("fuse.something", "box:/srv", true),
            ("fuse", "https://box/dav", true),
            ("fuse.mergerfs", "a", false),
            ("fuseblk", "/dev/sda1", false),
            ("fusectl", "fusectl", false),
            ("9p", "drvfs", false),
            ("ext4", "/dev/disk/by:name", false),
        ];
        for (kind, source, expected) in cases {
            assert_eq!(is_network(kind.as_bytes(), source.as_bytes()), expected, "{kind} {source}");
        }
    }

    #[test]
    fn the_lists_can_be_searched() {
        assert!(TYPES.is_sorted() && PROGRAMS.is_sorted());
    }
}
