//! Tests of the decoder, with records in the kernel's layout and with bytes that no kernel would write.

use proptest::prelude::*;

use super::*;
use crate::fixture::cases;

/// Fields to pack into a record. A field that is `None` is missing from the record and its set of returned attributes.
#[derive(Clone, Debug, Default)]
struct Packed {
    error: Option<u32>,
    name: Vec<u8>,
    device: Option<u32>,
    vtype: Option<u32>,
    modified: Option<i64>,
    owner: Option<(u32, u32, u32)>,
    flags: Option<u32>,
    inode: Option<u64>,
    directory_links: Option<u32>,
    mount_status: Option<u32>,
    links: Option<u32>,
    allocated: Option<u64>,
    length: Option<u64>,
    /// Number of unused bytes between the fields and the name, where some kernels leave space for missing attributes.
    hole: usize,
}

const FILE: u32 = 1;
const DIRECTORY: u32 = 2;

impl Packed {
    fn file(name: &[u8]) -> Self {
        Self {
            name: name.to_vec(),
            device: Some(16_777_229),
            vtype: Some(FILE),
            modified: Some(-5),
            owner: Some((501, 20, 0o644)),
            flags: Some(0),
            inode: Some(1 << 40),
            links: Some(70_000),
            allocated: Some(4_096),
            length: Some(5_000_000_000),
            ..Self::default()
        }
    }

    fn directory(mount_status: u32, flags: u32) -> Self {
        Self {
            vtype: Some(DIRECTORY),
            flags: Some(flags),
            mount_status: Some(mount_status),
            links: None,
            allocated: None,
            length: None,
            ..Self::file(b"d")
        }
    }

    fn failed(name: &[u8], error: u32) -> Self {
        Self { error: Some(error), name: name.to_vec(), ..Self::default() }
    }

    fn bytes(&self) -> Vec<u8> {
        let (mut common, mut directory, mut file) = (RETURNED | NAME, 0, 0);
        let mut fields = Vec::new();
        let mut put = |set: &mut u32, bit: u32, field: Option<&[u8]>| {
            if let Some(field) = field {
                *set |= bit;
                fields.extend_from_slice(field);
            }
        };
        put(&mut common, ERROR, self.error.map(u32::to_ne_bytes).as_ref().map(<[u8; 4]>::as_slice));
        put(&mut common, NAME, Some(&[0; 8]));
        put(&mut common, DEVICE, self.device.map(u32::to_ne_bytes).as_ref().map(<[u8; 4]>::as_slice));
        put(&mut common, TYPE, self.vtype.map(u32::to_ne_bytes).as_ref().map(<[u8; 4]>::as_slice));
        let time = self.modified.map(|seconds| [seconds.to_ne_bytes(), 9_i64.to_ne_bytes()].concat());
        put(&mut common, MODIFIED, time.as_deref());
        for (bit, number) in [(OWNER, 0), (GROUP, 1), (ACCESS, 2)] {
            let field = self.owner.map(|(owner, group, access)| [owner, group, access][number].to_ne_bytes());
            put(&mut common, bit, field.as_ref().map(<[u8; 4]>::as_slice));
        }
        put(&mut common, FLAGS, self.flags.map(u32::to_ne_bytes).as_ref().map(<[u8; 4]>::as_slice));
        put(&mut common, INODE, self.inode.map(u64::to_ne_bytes).as_ref().map(<[u8; 8]>::as_slice));
        let count = self.directory_links.map(u32::to_ne_bytes);
        put(&mut directory, DIRECTORY_LINKS, count.as_ref().map(<[u8; 4]>::as_slice));
        let status = self.mount_status.map(u32::to_ne_bytes);
        put(&mut directory, MOUNT_STATUS, status.as_ref().map(<[u8; 4]>::as_slice));
        put(&mut file, LINKS, self.links.map(u32::to_ne_bytes).as_ref().map(<[u8; 4]>::as_slice));
        put(&mut file, ALLOCATED, self.allocated.map(u64::to_ne_bytes).as_ref().map(<[u8; 8]>::as_slice));
        put(&mut file, LENGTH, self.length.map(u64::to_ne_bytes).as_ref().map(<[u8; 8]>::as_slice));

        let name_at = if self.error.is_some() { 4 } else { 0 };
        let offset = u32::try_from(fields.len() + self.hole - name_at).unwrap();
        let name_length = u32::try_from(self.name.len() + 1).unwrap();
        fields[name_at..name_at + 8]
            .copy_from_slice(&[offset.to_ne_bytes(), name_length.to_ne_bytes()].concat());
        fields.resize(fields.len() + self.hole, 0xaa);
        fields.extend_from_slice(&self.name);
        fields.push(0);
        let length = (HEAD + fields.len()).next_multiple_of(8);
        let head = [u32::try_from(length).unwrap(), common, 0, directory, file, 0];
        let mut record: Vec<u8> = head.iter().flat_map(|number| number.to_ne_bytes()).collect();
        record.extend_from_slice(&fields);
        record.resize(length, 0);
        record
    }

    fn read(&self) -> (Kind, u64, Prefetched) {
        let bytes = self.bytes();
        assert_eq!(measure(&bytes, 1), Some(bytes.len()));
        let entries: Vec<_> = entries(&bytes, Wanted::ALL).collect();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].name.to_bytes(), self.name);
        (entries[0].hint, entries[0].inode, entries[0].prefetched)
    }
}

#[test]
fn a_file_is_read_whole() {
    let expected = Attributes {
        kind: Kind::File,
        blocks: 8,
        apparent: 5_000_000_000,
        mtime: -5,
        inode: 1 << 40,
        device: 16_777_229,
        links: 70_000,
        uid: 501,
        gid: 20,
        mode: 0o10_0644,
        border: Boundary::None,
    };
    assert_eq!(Packed::file(b"name").read(), (Kind::File, 1 << 40, Prefetched::All(expected)));
}

#[test]
fn an_error_comes_before_the_name_and_without_attributes() {
    assert_eq!(Packed::failed(b"bad", 5).read(), (Kind::Unknown, 0, Prefetched::Failed(Errno::EIO)));
    // Some kernels put an ERROR field into every record. The value 0 means that the entry has no error.
    let fine = Packed { error: Some(0), ..Packed::file(b"fine") };
    assert!(matches!(fine.read().2, Prefetched::All(_)));
}

#[test]
fn a_name_may_be_any_bytes_and_is_at_its_offset() {
    for (length, hole) in [(1, 0), (255, 4), (765, 64)] {
        let name: Vec<u8> = (0..length).map(|index| if index % 2 == 0 { 0xff } else { b'\n' }).collect();
        let file = Packed { hole, ..Packed::file(&name) };
        assert!(matches!(file.read().2, Prefetched::All(_)));
    }
}

#[test]
fn allocated_bytes_are_counted_in_blocks_of_512() {
    for (allocated, blocks) in [(0, 0), (1, 1), (512, 1), (513, 2), (u64::MAX, 1 << 55)] {
        let Prefetched::All(found) = (Packed { allocated: Some(allocated), ..Packed::file(b"f") }).read().2
        else {
            panic!("all was packed");
        };
        assert_eq!(found.blocks, blocks);
    }
}

#[test]
fn a_device_number_is_widened_as_stat_does() {
    let Prefetched::All(found) = (Packed { device: Some(0xff00_0001), ..Packed::file(b"f") }).read().2 else {
        panic!("all was packed");
    };
    assert_eq!(found.device, 0xffff_ffff_ff00_0001);
}

#[test]
fn directories_report_only_the_boundary_of_opening_them() {
    let prefetched = |mount_status, flags| Packed::directory(mount_status, flags).read().2;
    assert_eq!(prefetched(0, 0), Prefetched::Nothing);
    assert_eq!(prefetched(1, 0), Prefetched::Boundary(Boundary::Mount));
    assert_eq!(
        prefetched(3, 0),
        Prefetched::Boundary(Boundary::Mount),
        "a trigger with something mounted on it"
    );
    assert_eq!(prefetched(0, 0x0080_0000), Prefetched::Boundary(Boundary::Firmlink));
    for (mount_status, flags, border) in [(2, 0, Boundary::Trigger), (0, 0x4000_0020, Boundary::Dataless)] {
        let Prefetched::All(found) = prefetched(mount_status, flags) else {
            panic!("{border:?} is not to be looked at")
        };
        assert_eq!(found.border, border);
        assert!(found.is_directory());
    }
    // An automount trigger is recognized even if the file system omits other attributes.
    let bare = Packed { device: None, modified: None, flags: None, ..Packed::directory(2, 0) };
    assert!(matches!(bare.read().2, Prefetched::All(Attributes { border: Boundary::Trigger, .. })));
}

#[test]
fn a_directory_with_several_links_is_marked() {
    let prefetched = |links| Packed { directory_links: Some(links), ..Packed::directory(0, 0) }.read().2;
    assert_eq!(prefetched(1), Prefetched::Nothing);
    assert_eq!(prefetched(2), Prefetched::Boundary(Boundary::Linked));
}

#[test]
fn owners_are_missed_only_where_they_were_requested() {
    let bytes = Packed { owner: None, ..Packed::file(b"f") }.bytes();
    let prefetched = |wanted| entries(&bytes, wanted).next().unwrap().prefetched;
    assert_eq!(prefetched(Wanted::ALL), Prefetched::Nothing);
    assert!(matches!(prefetched(Wanted::WITHOUT_OWNERS), Prefetched::All(_)));
}

#[test]
fn entries_without_all_attributes_are_read_by_name() {
    let whole = Packed::file(b"f");
    for part in [
        Packed { allocated: None, ..whole.clone() },
        Packed { length: None, ..whole.clone() },
        Packed { links: None, ..whole.clone() },
        Packed { device: None, ..whole.clone() },
        Packed { modified: None, ..whole.clone() },
        Packed { owner: None, ..whole.clone() },
    ] {
        assert_eq!(part.read(), (Kind::File, 1 << 40, Prefetched::Nothing));
    }
    assert_eq!(Packed { inode: None, ..whole.clone() }.read(), (Kind::File, 0, Prefetched::Nothing));
    assert_eq!(Packed { vtype: None, ..whole }.read(), (Kind::Unknown, 1 << 40, Prefetched::Nothing));
}

#[test]
fn an_unrequested_field_leaves_the_name() {
    let mut bytes = Packed::file(b"name").bytes();
    bytes[4] |= 0x10; // ATTR_CMN_OBJTAG
    assert_eq!(measure(&bytes, 1), Some(bytes.len()));
    let entry = entries(&bytes, Wanted::ALL).next().unwrap();
    assert_eq!(
        (entry.name.to_bytes(), entry.hint, entry.prefetched),
        (&b"name"[..], Kind::Unknown, Prefetched::Nothing)
    );
}

#[test]
fn records_follow_each_other() {
    let bytes =
        [Packed::file(b"a").bytes(), Packed::failed(b"b", 1).bytes(), Packed::directory(0, 0).bytes()]
            .concat();
    assert_eq!(measure(&bytes, 3), Some(bytes.len()));
    let names: Vec<_> = entries(&bytes, Wanted::ALL).map(|entry| entry.name.to_bytes().to_vec()).collect();
    assert_eq!(names, [b"a", b"b", b"d"]);
    let two = measure(&bytes, 2).unwrap();
    assert_eq!(entries(&bytes[..two], Wanted::ALL).count(), 2, "what a former call left behind is not read");
    assert_eq!(measure(&bytes, 0), Some(0));
}

#[test]
fn malformed_input_is_rejected() {
    let good = Packed::file(b"name").bytes();
    let with = |at: usize, number: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
        measure(&bytes, 1)
    };
    for length in [0, 23, u32::try_from(good.len()).unwrap() + 1, u32::MAX] {
        assert_eq!(with(0, length), None, "length {length}");
    }
    assert_eq!(with(4, RETURNED), None, "no name");
    for offset in [u32::MAX - 100, 1 << 20, i32::MAX.cast_unsigned(), i32::MIN.cast_unsigned()] {
        assert_eq!(with(HEAD, offset), None, "offset {offset:#x}");
    }
    for length in [0, 4, 1 << 20, u32::MAX] {
        assert_eq!(with(HEAD + 4, length), None, "length of the name {length}");
    }
    assert_eq!(measure(&Packed::file(b"").bytes(), 1), None, "empty name");
    assert_eq!(measure(&good, 2), None, "fewer records than promised");
    assert_eq!(measure(&good[..good.len() - 1], 1), None, "cut short");
}

fn packed() -> impl Strategy<Value = Packed> {
    let name = prop::collection::vec(1_u8.., 1..100);
    let common = (any::<Option<u32>>(), prop::option::of(0..9_u32), any::<Option<i64>>());
    let rest = (any::<Option<(u32, u32, u32)>>(), any::<Option<u32>>(), any::<Option<u64>>());
    let groups = (any::<Option<u32>>(), any::<Option<u32>>(), any::<Option<u64>>(), any::<Option<u64>>());
    let odd = (prop::option::weighted(0.1, 0..200_u32), 0..50_usize);
    (name, common, rest, groups, odd).prop_map(|(name, common, rest, groups, (error, hole))| {
        let is_directory = common.1 == Some(DIRECTORY);
        let file = !is_directory;
        Packed {
            error,
            name,
            device: common.0,
            vtype: common.1,
            modified: common.2,
            owner: rest.0,
            flags: rest.1,
            inode: rest.2,
            directory_links: groups.1.filter(|_| is_directory),
            mount_status: groups.0.filter(|_| is_directory),
            links: groups.1.filter(|_| file),
            allocated: groups.2.filter(|_| file),
            length: groups.3.filter(|_| file),
            hole,
        }
    })
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), count in 0..20_usize) {
        if let Some(length) = measure(&bytes, count) {
            prop_assert!(length <= bytes.len());
            prop_assert_eq!(entries(&bytes[..length], Wanted::ALL).count(), count);
        }
        entries(&bytes, Wanted::ALL).for_each(drop);
    }

    #[test]
    fn compressed_text_is_read_back(batch in prop::collection::vec(packed(), 0..8)) {
        let bytes: Vec<u8> = batch.iter().flat_map(Packed::bytes).collect();
        prop_assert_eq!(measure(&bytes, batch.len()), Some(bytes.len()));
        let mut count = 0;
        for (entry, packed) in entries(&bytes, Wanted::ALL).zip(&batch) {
            count += 1;
            prop_assert_eq!(entry.name.to_bytes(), &packed.name);
            prop_assert_eq!(entry.inode, packed.inode.unwrap_or(0));
            match (entry.prefetched, packed.error) {
                (Prefetched::Failed(_), error) => prop_assert!(error.is_some_and(|error| error != 0)),
                (Prefetched::All(found), _) if !found.is_directory() => {
                    prop_assert_eq!(Some(found.apparent), packed.length);
                    prop_assert_eq!(Some(found.blocks), packed.allocated.map(|bytes| bytes.div_ceil(512)));
                    prop_assert_eq!(Some(found.mtime), packed.modified);
                    prop_assert_eq!(Some((found.uid, found.gid)), packed.owner.map(|(uid, gid, _)| (uid, gid)));
                }
                (Prefetched::All(found), _) => prop_assert!(found.border.is_closed()),
                (Prefetched::Nothing | Prefetched::Boundary(_), _) => {}
            }
        }
        prop_assert_eq!(count, batch.len());
    }

    #[test]
    fn a_damaged_batch_never_panics(
        batch in prop::collection::vec(packed(), 1..5),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9),
    ) {
        let mut bytes: Vec<u8> = batch.iter().flat_map(Packed::bytes).collect();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(length) = measure(&bytes, batch.len()) {
            prop_assert_eq!(entries(&bytes[..length], Wanted::ALL).count(), batch.len());
        }
    }
}
