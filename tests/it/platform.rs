//! Common tests for all implementations of the platform interface that exist on this host.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::Path;

use crate::support::fixtures;
use duke::base::absolute::absolute;
use duke::base::kind::Kind;
use duke::testing::platform::{AtomicFile, Attributes, Boundary, Directory, Errno, attributes_of_path};

/// Directory as read by an implementation: for each name, the kind hint, inode number and attributes.
type Found = BTreeMap<Vec<u8>, (Kind, u64, Result<Attributes, Errno>)>;

/// Returns the entries of a directory by name, with their attributes as read by the standard library.
fn expected(path: &Path) -> BTreeMap<Vec<u8>, Attributes> {
    let attributes = |entry: fs::DirEntry| {
        let metadata = fs::symlink_metadata(entry.path()).unwrap();
        let attributes = Attributes {
            kind: kind(metadata.file_type()),
            blocks: metadata.blocks(),
            apparent: metadata.size(),
            mtime: metadata.mtime(),
            inode: metadata.ino(),
            device: metadata.dev(),
            links: metadata.nlink(),
            uid: metadata.uid(),
            gid: metadata.gid(),
            mode: metadata.mode(),
            border: Boundary::None,
        };
        (entry.file_name().as_bytes().to_vec(), attributes)
    };
    fs::read_dir(path).unwrap().map(|entry| attributes(entry.unwrap())).collect()
}

fn kind(file_type: fs::FileType) -> Kind {
    let kinds = [
        (file_type.is_dir(), Kind::Directory),
        (file_type.is_file(), Kind::File),
        (file_type.is_symlink(), Kind::Symlink),
        (file_type.is_fifo(), Kind::Fifo),
        (file_type.is_socket(), Kind::Socket),
        (file_type.is_block_device(), Kind::BlockDevice),
        (file_type.is_char_device(), Kind::CharDevice),
    ];
    kinds.into_iter().find_map(|(is, kind)| is.then_some(kind)).unwrap_or(Kind::Unknown)
}

/// Removes the attribute `border`, which only some implementations can determine.
fn without_mounts(attributes: Attributes) -> Attributes {
    Attributes { border: Boundary::None, ..attributes }
}

macro_rules! conformance {
    ($($module:ident: $($path:ident)::+),*) => { $( mod $module {
        use super::*;
        use duke::testing::platform::Filled;
        use duke::testing::platform::$($path)::+::{Buffer, Reader};

        /// Reads a whole directory, and returns its entries and the number of batches.
        pub fn read(path: &Path) -> (Found, usize) {
            let directory = Directory::open(path).unwrap();
            let mut reader = Reader::new(&directory);
            let mut buffer = Buffer::default();
            let (mut found, mut batches) = (Found::new(), 0);
            while reader.fill(&mut buffer).unwrap() == Filled::Some {
                batches += 1;
                for entry in buffer.entries() {
                    let prefetched = (entry.hint, entry.inode, buffer.attributes(&directory, &entry));
                    let before = found.insert(entry.name.to_bytes().to_vec(), prefetched);
                    assert!(before.is_none(), "{:?} came twice", entry.name);
                }
            }
            assert_eq!(buffer.entries().count(), 0, "nothing is left behind the end");
            (found, batches)
        }

        fn conforms(path: &Path) -> usize {
            let (found, batches) = read(path);
            let expected = expected(path);
            assert!(found.keys().eq(expected.keys()));
            for (name, (hint, inode, attributes)) in found {
                let (attributes, expected) = (without_mounts(attributes.unwrap()), expected[&name]);
                assert_eq!(attributes, expected, "{:?}", OsStr::from_bytes(&name));
                assert!(hint == expected.kind || hint == Kind::Unknown);
                assert_eq!(inode, expected.inode);
            }
            batches
        }

        #[test]
        fn names_kinds_and_attributes_equal_those_of_the_standard_library() {
            for fixture in [fixtures::weird_names(), fixtures::sparse(), fixtures::hard_links(), fixtures::symlinks()] {
                conforms(fixture.path());
            }
            let plain = fixtures::plain();
            conforms(&plain.join("a"));
            conforms(Path::new("/usr/share")); // unlike /usr of macOS, without firmlinks
        }

        #[test]
        fn an_empty_directory_ends_at_once() {
            let fixture = fixtures::empty();
            let directory = Directory::open(fixture.path()).unwrap();
            let mut buffer = Buffer::default();
            let mut reader = Reader::new(&directory);
            while reader.fill(&mut buffer).unwrap() == Filled::Some {
                assert_eq!(buffer.entries().count(), 0);
            }
            assert_eq!(reader.fill(&mut buffer), Ok(Filled::End), "and stays at its end");
        }

        #[test]
        fn a_hundred_thousand_names_are_each_read_once_in_many_batches() {
            let fixture = fixtures::crowd(100_000);
            let batches = conforms(fixture.path());
            assert!(batches > 10, "{batches}");
        }

        #[test]
        fn a_deleted_name_is_not_found() {
            let fixture = fixtures::plain();
            let directory = Directory::open(fixture.path()).unwrap();
            let mut buffer = Buffer::default();
            assert_eq!(Reader::new(&directory).fill(&mut buffer), Ok(Filled::Some));
            fs::remove_dir_all(fixture.join("a")).unwrap();
            let of = |name: &CStr| {
                let entry = buffer.entries().find(|entry| entry.name == name).unwrap();
                buffer.attributes(&directory, &entry)
            };
            assert_eq!(of(c"a"), Err(Errno::ENOENT));
            assert!(of(c"empty").unwrap().is_directory());
        }

        #[test]
        fn a_deleted_directory_is_empty() {
            let fixture = fixtures::plain();
            let inside = fixture.join("empty/inside");
            let directory = Directory::open(&inside).unwrap();
            fs::remove_dir(inside).unwrap();
            let mut buffer = Buffer::default();
            let result = Reader::new(&directory).fill(&mut buffer);
            assert!(matches!(result, Err(Errno::ENOENT) | Ok(Filled::End)), "{result:?}");
            assert_eq!(buffer.entries().count(), 0);
        }

        #[test]
        fn a_buffer_holds_only_the_latest_batch() {
            let (full, none) = (fixtures::crowd(500), fixtures::empty());
            let mut buffer = Buffer::default();
            for (path, entries) in [(full.path(), true), (none.path(), false)] {
                let directory = Directory::open(path).unwrap();
                let _ = Reader::new(&directory).fill(&mut buffer).unwrap();
                assert_eq!(buffer.entries().count() > 0, entries);
            }
        }
    } )* };
}

conformance!(system: read_dir, unix: read_dir::readdir);

/// The reader for Linux and the reader for any Unix return the same entries for system directories, including
/// directories with device files and kernel files.
#[cfg(target_os = "linux")]
#[test]
fn implementations_agree_on_the_system() {
    for path in ["/", "/dev", "/etc", "/proc/sys/kernel", "/sys/kernel", "/usr/bin"].map(Path::new) {
        let plain = |found: Found| -> Vec<_> {
            found
                .into_iter()
                .map(|(name, (_, inode, prefetched))| (name, inode, prefetched.map(without_mounts)))
                .collect()
        };
        // The entries may change between the two reads, so one agreement among several attempts is enough.
        let agree = || plain(system::read(path).0) == plain(unix::read(path).0);
        if !(0..20).any(|_| agree()) {
            assert_eq!(plain(system::read(path).0), plain(unix::read(path).0), "{}", path.display());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn mount_points_are_recognized() {
    let (found, _) = system::read(Path::new("/"));
    let attributes = |name: &str| found[name.as_bytes()].2.unwrap();
    assert_eq!(attributes("proc").border, Boundary::Mount);
    assert!(
        attributes("etc").border == Boundary::None
            || fs::metadata("/etc").unwrap().dev() != fs::metadata("/").unwrap().dev()
    );
}

#[test]
fn a_child_is_opened_only_if_it_is_a_directory() {
    let fixture = fixtures::plain();
    symlink("empty", fixture.join("to-directory")).unwrap();
    symlink("empty/", fixture.join("to-directory-with-slash")).unwrap();
    let root = Directory::open(fixture.path()).unwrap();
    assert!(root.open_child(c"a").is_ok());
    let not = |name: &CStr| root.open_child(name).map(|_| ()).unwrap_err();
    for name in [c"to-directory", c"to-directory-with-slash"] {
        assert!(matches!(not(name), Errno::ELOOP | Errno::ENOTDIR));
        assert!(matches!(root.step_into(name).map(|_| ()), Err(Errno::ELOOP | Errno::ENOTDIR)));
    }
    assert_eq!(not(c"file-0-1"), Errno::ENOTDIR);
    assert_eq!(not(c"missing"), Errno::ENOENT);
    let a = root.open_child(c"a").unwrap();
    assert_eq!(a.open_child(c"fifo").map(|_| ()), Err(Errno::ENOTDIR), "nor does it wait for a writer");
    assert_eq!(
        a.open_child(c"socket").map(|_| ()).map_err(|errno| errno == Errno::ENXIO || errno == Errno::ENOTDIR),
        Err(true)
    );
}

#[test]
fn a_directory_for_lookups_needs_no_permission_to_list() {
    let fixture = fixtures::plain();
    let bottom = Directory::open(fixture.path()).unwrap();
    let bottom = ["a", "b"].iter().fold(bottom, |at, name| at.step_into(*name).unwrap());
    let own = bottom.attributes().unwrap();
    assert_eq!(own.inode, fs::metadata(fixture.join("a/b")).unwrap().ino());
    assert_eq!(bottom.attributes_of(c"c").unwrap(), bottom.open_child(c"c").unwrap().attributes().unwrap());
}

#[test]
fn a_path_of_the_user_is_followed_only_to_a_directory() {
    let fixture = fixtures::symlinks();
    let kind = |name: &str| attributes_of_path(&fixture.join(name)).map(|attributes| attributes.kind);
    assert_eq!(kind("to-directory"), Ok(Kind::Directory));
    assert_eq!(kind("real/"), Ok(Kind::Directory));
    assert_eq!(kind("to-file"), Ok(Kind::Symlink));
    assert_eq!(kind("dangling"), Ok(Kind::Symlink));
    assert_eq!(kind("self"), Ok(Kind::Symlink));
    assert_eq!(kind("missing"), Err(Errno::ENOENT));
    assert_eq!(kind("real/file/"), Err(Errno::ENOTDIR));
    assert!(Directory::open(&fixture.join("to-directory")).is_ok());
}

#[test]
fn only_the_start_of_a_file_is_read() {
    let fixture = fixtures::plain();
    fs::write(fixture.join("a/tag"), b"0123456789").unwrap();
    symlink("tag", fixture.join("a/link")).unwrap();
    let directory = Directory::open(&fixture.join("a")).unwrap();
    let mut start = [0; 4];
    assert_eq!(directory.read_start(c"tag", &mut start), Ok(4));
    assert_eq!(&start, b"0123");
    assert_eq!(directory.read_start(c"tag", &mut [0; 40]), Ok(10));
    assert_eq!(directory.read_start(c"fifo", &mut start), Err(Errno::EINVAL), "without waiting for a writer");
    assert_eq!(directory.read_start(c"b", &mut start), Err(Errno::EINVAL));
    assert_eq!(directory.read_start(c"link", &mut start), Err(Errno::EINVAL), "and no link is followed");
}

#[test]
fn reading_the_action_for_a_hangup_never_changes_it() {
    use duke::testing::platform::Watch;
    use nix::sys::signal::{Signal, kill};
    use std::sync::atomic::{AtomicU64, Ordering};
    // Each round leaks a descriptor for each watched signal. More rounds could exceed the limit on descriptors.
    const ROUNDS: u64 = if cfg!(target_os = "linux") { 120 } else { 40 };
    let name = "reading_the_action_for_a_hangup_never_changes_it";
    if crate::support::child::argument_of(name).is_none() {
        crate::support::child::run(name, &["nohup"], "");
        return;
    }
    let (sent, asked) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while asked.load(Ordering::Relaxed) < ROUNDS {
                kill(nix::unistd::getpid(), Signal::SIGHUP).unwrap();
                sent.fetch_add(1, Ordering::Relaxed);
            }
        });
        for round in 1..=ROUNDS {
            let before = sent.load(Ordering::Relaxed);
            while sent.load(Ordering::Relaxed) == before {
                std::hint::spin_loop();
            }
            Watch::new(None).unwrap();
            asked.store(round, Ordering::Relaxed);
        }
    });
}

#[test]
fn parents_are_resolved_by_the_system_and_other_links_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::create_dir_all(top.join("far/away")).unwrap();
    symlink("far/away", top.join("link")).unwrap();
    let here = std::env::current_dir().unwrap();
    assert_eq!(absolute(&top.join("link/./x")), top.join("link/x"));
    assert_eq!(absolute(&top.join("link/..")), top.join("far"));
    assert_eq!(absolute(&top.join("far/../link/x")), top.join("link/x"));
    assert_eq!(absolute(&top.join("nowhere/../x")), top.join("nowhere/../x"));
    assert_eq!(absolute(Path::new(".")), here);
    assert_eq!(absolute(Path::new("..")), here.canonicalize().unwrap().parent().unwrap());
    assert_eq!(absolute(Path::new("/..")), Path::new("/"));
}

#[test]
fn a_file_that_came_meanwhile_is_not_replaced_by_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let begun = || {
        let mut file = AtomicFile::begin(&path).unwrap();
        file.write_all(b"new").unwrap();
        file
    };
    let late = begun();
    begun().keep_as_new().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    fs::write(&path, "another").unwrap();
    assert_eq!(late.keep_as_new().unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"another");
    begun().keep().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing unfinished is left");
}
