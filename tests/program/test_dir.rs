//! Temporary directories on which the program is run.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::sys::stat::{Mode, mkdirat};

/// Directory that is deleted when this value is dropped, even if it is very deep.
pub struct TestDir {
    path: PathBuf,
}

impl TestDir {
    /// Creates an empty directory that every user may enter.
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// Creates an empty directory in `/dev/shm` if possible, because creating tens of thousands of directories on a
    /// disk is slow.
    pub fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if nix::unistd::access(memory, nix::unistd::AccessFlags::W_OK).is_ok() {
            Self::below(memory)
        } else {
            Self::new()
        }
    }

    fn below(folder: &Path) -> Self {
        let path = tempfile::Builder::new().prefix("duke-").tempdir_in(folder).unwrap().keep();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Creates a directory and its parents.
    pub fn directory(&self, name: impl AsRef<Path>) -> PathBuf {
        let path = self.join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Creates a file of `length` bytes without holes, and its parent directories.
    pub fn file(&self, name: impl AsRef<Path>, length: usize) -> PathBuf {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, vec![b'x'; length]).unwrap();
        path
    }

    /// Creates a file whose name may contain any bytes. Returns `false` if the file system rejects the name, as APFS
    /// does if the name is not UTF-8.
    pub fn odd_file(&self, name: &[u8], content: &str) -> bool {
        match fs::write(self.join(OsStr::from_bytes(name)), content) {
            Ok(()) => true,
            Err(error) if error.raw_os_error() == Some(nix::errno::Errno::EILSEQ as i32) => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// Creates `depth` nested directories called `name`.
    pub fn chain(&self, name: &str, depth: usize) {
        let mut temp = openat(AT_FDCWD, &self.path, OFlag::O_DIRECTORY, Mode::empty()).unwrap();
        for _ in 0..depth {
            mkdirat(&temp, name, Mode::from_bits_truncate(0o755)).unwrap();
            temp = openat(&temp, name, OFlag::O_DIRECTORY, Mode::empty()).unwrap();
        }
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        // Unlike remove_dir_all, rm(1) can delete trees of any depth without overflowing the stack or running out of
        // descriptors. However, rm(1) cannot delete inaccessible directories, which some tests leave in `locked`.
        let _ = Command::new("chmod").arg("-R").arg("u+rwX").arg(self.path.join("locked")).output();
        let status = Command::new("rm").arg("-rf").arg(&self.path).status();
        assert!(status.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}
