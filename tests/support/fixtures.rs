//! Named directory trees, each built on demand and deleted after its last use.

use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::{OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};

/// Temporary directory. Deleted when dropped, with `rm -rf`, which can delete trees of any depth.
pub struct Fixture {
    root: PathBuf,
}

impl Fixture {
    /// Creates a temporary directory and calls `fill` to create its contents.
    pub fn build(fill: impl FnOnce(&Path) -> io::Result<()>) -> Self {
        Self::build_in(&std::env::temp_dir(), fill)
    }

    /// Creates a temporary directory in `path` and calls `fill` to create its contents.
    pub fn build_in(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Self {
        let root =
            tempfile::Builder::new().prefix("duke-").tempdir_in(path).expect("a directory can be made");
        let fixture = Self { root: root.keep() };
        fill(fixture.path()).expect("a fixture can be built");
        fixture
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let run = |program: &str, arguments: &[&str]| {
            Command::new(program).args(arguments).arg(&self.root).status()
        };
        if !run("rm", &["-rf", "--"]).is_ok_and(|status| status.success()) {
            let _ = run("chmod", &["-R", "u+rwx", "--"]);
            let _ = run("rm", &["-rf", "--"]);
        }
    }
}

/// Returns a directory in memory if it is writable and has room for this many entries, because creating the largest
/// fixtures on a disk takes a long time. Otherwise returns the directory for temporary files.
#[allow(clippy::useless_conversion)] // `files_available` has 32 bits on some systems
fn memory(entries: usize) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let has_room = nix::sys::statvfs::statvfs(&memory)
        .is_ok_and(|status| status.files() == 0 || u64::from(status.files_available()) > entries as u64);
    // In the sandbox (`sandbox.rs`), /dev/shm is read-only, but the directory for temporary files is in memory, too.
    if has_room && nix::unistd::access(&memory, nix::unistd::AccessFlags::W_OK).is_ok() {
        memory
    } else {
        std::env::temp_dir()
    }
}

/// Creates a file with `length` bytes of content.
pub fn file(path: impl AsRef<Path>, length: usize) -> io::Result<()> {
    File::create(path)?.write_all(&vec![b'x'; length])
}

/// Creates a file that is a single hole.
pub fn hole(path: impl AsRef<Path>, length: u64) -> io::Result<()> {
    File::create(path)?.set_len(length)
}

pub fn empty() -> Fixture {
    Fixture::build(|_| Ok(()))
}

/// Creates files of several sizes at several depths, and empty directories.
pub fn plain() -> Fixture {
    Fixture::build(|root| {
        fs::create_dir_all(root.join("a/b/c"))?;
        fs::create_dir_all(root.join("empty/inside"))?;
        for (number, directory) in ["", "a", "a/b", "a/b/c"].into_iter().enumerate() {
            for length in [0, 1, 511, 4096, 4097, 100_000] {
                file(root.join(directory).join(format!("file-{number}-{length}")), length * (number + 1))?;
            }
        }
        nix::unistd::mkfifo(&root.join("a/fifo"), Mode::S_IRWXU)?;
        drop(std::os::unix::net::UnixListener::bind(root.join("a/socket"))?);
        Ok(())
    })
}

/// Creates hard links in one directory, in sibling directories, in a directory and its subdirectory, and at different
/// depths. Two files get three additional links each, and one gets 301.
pub fn hard_links() -> Fixture {
    Fixture::build(|root| {
        fs::create_dir_all(root.join("a/deep/er"))?;
        fs::create_dir_all(root.join("b/other"))?;
        fs::create_dir_all(root.join("c"))?;
        let link = |from: &str, to: &str| fs::hard_link(root.join(from), root.join(to));
        file(root.join("a/one"), 10_000)?;
        link("a/one", "a/one-again")?;
        file(root.join("a/two"), 20_000)?;
        link("a/two", "b/two")?;
        file(root.join("three"), 30_000)?;
        link("three", "a/deep/er/three")?;
        link("three", "b/other/three")?;
        link("three", "b/other/three-again")?;
        file(root.join("c/alone"), 5_000)?;
        link("c/alone", "c/twin")?;
        link("c/alone", "a/deep/alone")?;
        link("c/alone", "a/deep/er/alone")?;
        symlink("nowhere", root.join("a/symlink"))?;
        link("a/symlink", "b/symlink")?;
        for number in 0..300 {
            link("a/two", &format!("b/other/many-{number}"))?;
        }
        Ok(())
    })
}

/// Creates symbolic links to a file, a directory, ancestors and missing files, a link to itself, and two links to
/// each other.
pub fn symlinks() -> Fixture {
    Fixture::build(|root| {
        fs::create_dir_all(root.join("real/below"))?;
        file(root.join("real/file"), 50_000)?;
        symlink("real", root.join("to-directory"))?;
        symlink("real/file", root.join("to-file"))?;
        symlink("..", root.join("real/up"))?;
        symlink(root, root.join("real/below/to-root"))?;
        symlink("self", root.join("self"))?;
        symlink("ring-b", root.join("ring-a"))?;
        symlink("ring-a", root.join("ring-b"))?;
        symlink("missing", root.join("dangling"))?;
        symlink("x".repeat(2_000), root.join("long-target"))
    })
}

/// Creates two files that each consist of a single hole, one of them large, and a file with data before each of its
/// two holes.
pub fn sparse() -> Fixture {
    Fixture::build(|root| {
        fs::create_dir(root.join("below"))?;
        hole(root.join("hole"), 1 << 40)?;
        hole(root.join("below/hole"), 12_345)?;
        let mut file = File::create(root.join("below/gap"))?;
        file.write_all(b"begin")?;
        file.set_len(10 << 20)?;
        std::os::unix::fs::FileExt::write_all_at(&file, b"end", 9 << 20)
    })
}

/// Creates files and directories with names that are hard to print or to distinguish.
pub fn weird_names() -> Fixture {
    let longest = vec![b'l'; 255];
    let names: [&[u8]; 20] = [
        b"new\nline",
        b"tab\t",
        b"\x1b[31mred",
        b"invalid\xff",
        b"invalid\xfe",
        b"\xff\xfe\xfd",
        "\u{fffd}".as_bytes(),
        "\u{202e}drow".as_bytes(),
        "\u{c9}\u{e9}\u{301}".as_bytes(),
        b" ",
        b" lead",
        b"-rf",
        b"--",
        b"*",
        b"a\\b",
        b"\"quoted\"",
        b"...",
        b".hidden",
        b"\x01\x7f\x80",
        &longest,
    ];
    Fixture::build(|root| {
        // APFS refuses names that are not UTF-8.
        let refused = |name: &[u8]| cfg!(target_os = "macos") && std::str::from_utf8(name).is_err();
        let names: Vec<_> = names.into_iter().filter(|name| !refused(name)).collect();
        for (number, name) in names.iter().enumerate() {
            let directory = root.join(OsStr::from_bytes(name));
            fs::create_dir(&directory)?;
            for name in &names {
                file(directory.join(OsStr::from_bytes(name)), 100 * number)?;
            }
        }
        Ok(())
    })
}

/// Creates `files` empty files in the root, and a subdirectory with one file.
pub fn crowd(files: usize) -> Fixture {
    Fixture::build_in(&memory(files), |root| {
        fs::create_dir(root.join("directory"))?;
        file(root.join("directory/file"), 3_000)?;
        (0..files).try_for_each(|number| File::create(root.join(format!("file-{number:06}"))).map(drop))
    })
}

/// Creates `directories` directories in the root. Each of them contains a file and an empty subdirectory.
pub fn wide(directories: usize) -> Fixture {
    Fixture::build_in(&memory(3 * directories), |root| {
        (0..directories).try_for_each(|number| {
            let directory = root.join(format!("directory-{number:05}"));
            fs::create_dir_all(directory.join("inner"))?;
            file(directory.join("file"), number % 3 * 4_000)
        })
    })
}

/// Creates `depth` nested directories with the same name. The root and each of these directories contain one file, so
/// there are `2 * depth + 1` entries. The path of the innermost directory may exceed the system's limit.
pub fn chain(depth: usize, name: &str) -> Fixture {
    Fixture::build_in(&memory(2 * depth), |root| {
        let name = CString::new(name)?;
        let mut at: OwnedFd = File::open(root)?.into();
        let fill = |at: &OwnedFd| -> io::Result<()> {
            let file: File = openat(at, "file", OFlag::O_WRONLY | OFlag::O_CREAT, Mode::S_IRWXU)?.into();
            (&file).write_all(b"content")
        };
        fill(&at)?;
        for _ in 0..depth {
            mkdirat(&at, name.as_c_str(), Mode::S_IRWXU)?;
            at = openat(&at, name.as_c_str(), OFlag::O_RDONLY | OFlag::O_DIRECTORY, Mode::empty())?;
            fill(&at)?;
        }
        Ok(())
    })
}

/// Creates a directory that cannot be listed, one that cannot be searched, one that can be neither listed nor searched,
/// and a readable one. The superuser can list and search all of them.
pub fn unreadable() -> Fixture {
    Fixture::build(|root| {
        for (name, mode) in [("closed", 0o000), ("no-list", 0o311), ("no-search", 0o644), ("open", 0o755)] {
            let directory = root.join(name);
            fs::create_dir_all(directory.join("inner"))?;
            file(directory.join("file"), 7_000)?;
            file(directory.join("inner/file"), 5_000)?;
            fs::set_permissions(directory, fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    })
}
