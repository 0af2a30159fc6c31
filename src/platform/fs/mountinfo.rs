//! Parser for the lines of `/proc/self/mountinfo` (proc(5)):
//!
//! ```text
//! 36 35 98:0 /sub /mnt rw,noatime master:1 - ext4 /dev/sda1 rw,errors=continue
//! id parent device root point options, optional fields, then "-", type, source, options of the file system
//! ```
//!
//! This module makes no system calls. Invariant: any bytes are accepted, and invalid lines are skipped.

use crate::platform::FileSystem;
use crate::platform::fs::mounts::Mount;

/// Parses a mount table. Whitespace and backslashes in names are octal escapes, such as `\040` for a space.
pub fn parse(table: &[u8]) -> Vec<Mount> {
    table.split(|byte| *byte == b'\n').filter_map(line).collect()
}

fn line(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let id = number(fields.next()?)?;
    let parent = number(fields.next()?)?;
    let mut device = fields.next()?.splitn(2, |byte| *byte == b':');
    let (major, minor) = (number(device.next()?)?, number(device.next()?)?);
    let root = unescape(fields.next()?);
    let point = unescape(fields.next()?);
    fields.find(|field| *field == b"-")?;
    let kind = unescape(fields.next()?);
    let source = unescape(fields.next()?);
    // Options stay escaped, so that an escaped comma in a name does not end an option.
    let options = fields.next().unwrap_or_default().to_vec();
    let is_network = FileSystem::of_mount(&kind, &source) == FileSystem::Network;
    let device = device_number(major, minor);
    Some(Mount { id, parent, device, root, point, kind, source, options, is_network, ..Mount::default() })
}

#[allow(clippy::cast_possible_truncation)] // both have 32 bits in the kernel
fn device_number(major: u64, minor: u64) -> u64 {
    // The two numbers are combined in the same way as in glibc's `makedev`, so that the result equals `st_dev` of the
    // entries in a scan. `libc::makedev` itself is not used, because its parameter types depend on the system.
    let (major, minor) = (major & 0xffff_ffff, minor & 0xffff_ffff);
    (major & 0xffff_f000) << 32 | (major & 0xfff) << 8 | (minor & 0xffff_ff00) << 12 | (minor & 0xff)
}

fn number(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Decodes the kernel's escapes, such as `\040` for a space (`mangle` in `fs/proc_namespace.c`).
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = || {
            let digits = after.get(..3).filter(|_| *first == b'\\')?;
            let digit = |index: usize| Some(digits[index]).filter(|digit| (b'0'..=b'7').contains(digit));
            let value = |index| digit(index).map(|digit| u16::from(digit - b'0'));
            u8::try_from(value(0)? * 64 + value(1)? * 8 + value(2)?).ok()
        };
        if let Some(byte) = octal() {
            bytes.push(byte);
            rest = &after[3..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::cases;
    use proptest::prelude::*;

    const TABLE: &[u8] = b"\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
41 22 0:36 / /mnt/with\\040space rw - tmpfs none rw,size=4k
42 22 0:38 /@home /home rw master:2 propagate_from:1 - btrfs /dev/sdb rw,subvol=/@home
43 22 0:40 / /o rw - overlay overlay rw,lowerdir=/a\\054b:/c,upperdir=/u,workdir=/w
";

    #[test]
    fn every_field_is_found_with_or_without_optional_ones() {
        let mounts = parse(TABLE);
        assert_eq!(mounts.len(), 4);
        assert_eq!((mounts[0].id, mounts[0].parent, mounts[0].device), (22, 1, 254 << 8));
        assert_eq!(mounts[1].point, b"/mnt/with space");
        assert_eq!((mounts[2].root.as_slice(), mounts[2].kind.as_slice()), (&b"/@home"[..], &b"btrfs"[..]));
        assert_eq!(mounts[2].source, b"/dev/sdb");
    }

    #[test]
    fn mount_options_are_found_by_name() {
        let mounts = parse(TABLE);
        assert_eq!(mounts[3].option(b"upperdir").collect::<Vec<_>>(), [b"/u"]);
        assert_eq!(mounts[3].option(b"lower").count(), 0);
        let comma = Mount { options: b"lowerdir=/a\\,b:/c,x".to_vec(), ..Mount::default() };
        assert_eq!(comma.option(b"lowerdir").collect::<Vec<_>>(), [b"/a\\,b:/c"]);
    }

    #[test]
    fn implausible_values_are_omitted() {
        for bad in ["", "1", "x 1 0:1 / / rw - a b c", "1 1 01 / / rw - a b c", "1 1 0:1 / / rw a b c"] {
            assert_eq!(parse(bad.as_bytes()), [], "{bad}");
        }
        assert_eq!(unescape(b"a\\040b\\134\\9\\777\\04"), b"a b\\\\9\\777\\04");
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn any_bytes_are_accepted(table in "([ -~]{0,30}\n|[0-9]{1,3} 1 [0-9]:[0-9] [/\\\\0-9]{1,9} / - a b c\n){0,8}") {
            for mount in parse(table.as_bytes()) {
                prop_assert!(mount.point.len() <= table.len());
            }
        }
    }
}
