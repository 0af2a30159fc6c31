//! File that is being written and does not have its final name yet. If the system supports unnamed files, the file has
//! no name. Otherwise, the file has a temporary name in the directory of its final name. If the process ends early, the
//! file is deleted. After SIGKILL or a power failure, a file with a temporary name remains until duke next writes a
//! file into that directory.
//!
//! ```text
//! .report.json.duke-9ae0daaf-1234-0.part      file name, checksum of the host name, process ID, attempt
//! ```
//!
//! Invariant: a leftover file is deleted only if it has a name of this form, and belongs to this user, this machine and
//! a process that has ended.

use std::ffi::{CStr, CString, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

use nix::unistd::geteuid;

use crate::base::kind::Kind;
use crate::platform::entry::safe_path::Output;
use crate::platform::entry::unfinished::{Unfinished, is_running, shielded};
use crate::platform::{Buffer, Directory, Errno, Filled, Reader, host_name};

/// Maximum number of temporary names that are tried for a new file.
const TRIES: u32 = 100;
/// Maximum length in bytes of a file name that is included in the temporary name. Longer names are omitted, because
/// most file systems limit names to 255 bytes.
const ROOMY: usize = 200;
/// Marker in the names of temporary files.
const MARK: &str = ".duke-";
/// Suffix of the names of temporary files.
pub const UNFINISHED: &str = ".part";

/// File that is being written and does not have its final name yet.
pub struct DraftFile {
    pub file: File,
    /// Temporary name, if the file has one.
    name: Option<(CString, Unfinished)>,
}

impl DraftFile {
    /// Creates a file in the directory of `output`, and deletes files that killed processes have left there.
    pub fn begin(output: &Output) -> Result<Self, Errno> {
        remove_old(&output.directory);
        if let Ok(file) = output.directory.create_unnamed() {
            return Ok(Self { file: file.into(), name: None });
        }
        let create = |name: &CStr| {
            shielded(|| {
                let file = output.directory.create_file(name)?;
                Ok((file, Unfinished::new(&output.directory, name)))
            })
        };
        let ((file, unfinished), name) = with_fresh_name(output, create)?;
        Ok(Self { file: file.into(), name: Some((name, unfinished)) })
    }

    /// Wraps a file that is written directly because it cannot be replaced, such as a device or a pipe.
    pub fn stream(file: File) -> Self {
        Self { file, name: None }
    }

    /// Gives the file its final name, replacing an existing file.
    pub fn replace(&mut self, output: &Output) -> Result<(), Errno> {
        let (directory, target) = (&output.directory, output.name.as_os_str());
        let put = |name: &CStr| directory.replace(name, target);
        let Some((name, _)) = &self.name else {
            // linkat(2) cannot replace an existing file. If the final name is in use, the file gets a temporary name
            // and is then renamed.
            return shielded(|| match directory.link_unnamed(&self.file, target) {
                Err(Errno::EEXIST) => {
                    let link = |name: &CStr| directory.link_unnamed(&self.file, name);
                    let ((), name) = with_fresh_name(output, link)?;
                    put(&name).inspect_err(|_| {
                        let _ = directory.unlink(name.as_c_str());
                    })
                }
                other => other,
            });
        };
        shielded(|| put(name))?;
        self.name = None;
        Ok(())
    }

    /// Gives the file its final name. Fails with `EEXIST` if another file already has that name.
    pub fn put_new(&mut self, output: &Output) -> Result<(), Errno> {
        let (directory, target) = (&output.directory, output.name.as_os_str());
        let Some((name, _)) = &self.name else {
            return shielded(|| directory.link_unnamed(&self.file, target));
        };
        shielded(|| match directory.link(name.as_c_str(), target) {
            Ok(()) => {
                // If this fails, a later duke process that writes into the directory deletes the temporary name.
                let _ = directory.unlink(name.as_c_str());
                Ok(())
            }
            Err(Errno::EEXIST) => Err(Errno::EEXIST),
            // If the file system does not support hard links, the file is renamed. The final name is checked first,
            // because not every system can rename without replacing an existing file.
            Err(_) => match directory.attributes_of(target) {
                Err(Errno::ENOENT) => directory.replace(name.as_c_str(), target),
                Ok(_) => Err(Errno::EEXIST),
                Err(error) => Err(error),
            },
        })?;
        self.name = None;
        Ok(())
    }

    /// Deletes the file if it has a temporary name.
    pub fn discard(&mut self, directory: &Directory) {
        if let Some((name, _)) = self.name.take() {
            // Errors are ignored: they cannot be reported here, and the file's name shows that it is temporary.
            let _ = directory.unlink(name.as_c_str());
        }
    }
}

/// Calls `make` with different temporary names in the directory of `output` until a name is free. Returns the result of
/// `make` and the name. Fails with `EEXIST` if [`TRIES`] names are in use.
fn with_fresh_name<T>(
    output: &Output,
    make: impl Fn(&CStr) -> Result<T, Errno>,
) -> Result<(T, CString), Errno> {
    for attempt in 0..TRIES {
        let mut name = OsString::from(".");
        if output.name.len() <= ROOMY {
            name.push(&output.name);
        }
        name.push(format!("{MARK}{}-{}-{attempt}{UNFINISHED}", host(), std::process::id()));
        let name = CString::new(name.as_bytes()).map_err(|_| Errno::EINVAL)?;
        match make(&name) {
            Err(Errno::EEXIST) => {}
            result => return Ok((result?, name)),
        }
    }
    Err(Errno::EEXIST)
}

/// Returns a checksum of the host name, which distinguishes machines that share a directory.
fn host() -> String {
    format!("{:08x}", crc32fast::hash(host_name().unwrap_or_default().as_bytes()))
}

/// Deletes this user's temporary files in `directory` if the process that created them has ended. Keeps files that were
/// created on other machines. Ignores errors.
fn remove_old(directory: &Directory) {
    let Ok(readable) = directory.open_child(".") else { return };
    let (host, me) = (host(), geteuid().as_raw());
    let (mut reader, mut buffer) = (Reader::new(&readable), Buffer::default());
    let mut old = Vec::new();
    while let Ok(Filled::Some) = reader.fill(&mut buffer) {
        let is_old = |name: &CStr| writer(name.to_bytes(), &host).is_some_and(|writer| !is_running(writer));
        old.extend(buffer.entries().map(|entry| entry.name).filter(|name| is_old(name)).map(CString::from));
    }
    for name in old {
        let found = directory.attributes_of(name.as_c_str());
        if found.is_ok_and(|found| found.kind == Kind::File && found.uid == me) {
            let _ = directory.unlink(name.as_c_str());
        }
    }
}

/// Returns the ID of the process that created the file `name`, or `None` if `name` is not a temporary name from the
/// host with the checksum `host`.
fn writer(name: &[u8], host: &str) -> Option<i32> {
    let mark = format!("{MARK}{host}-");
    let name = name.strip_suffix(UNFINISHED.as_bytes()).filter(|name| name.starts_with(b"."))?;
    let start = name.windows(mark.len()).rposition(|window| window == mark.as_bytes())?;
    let (process, number) = std::str::from_utf8(&name[start + mark.len()..]).ok()?.split_once('-')?;
    number.parse::<u32>().ok()?;
    process.parse().ok().filter(|process| *process > 0)
}

#[cfg(test)]
mod tests {
    use super::writer;

    #[test]
    fn only_names_of_unfinished_files_of_this_host_have_a_writer() {
        let of = |name: &str| writer(name.as_bytes(), "0a");
        assert_eq!(of(".x.json.duke-0a-12-0.part"), Some(12));
        assert_eq!(of("..duke-0a-12-3.part"), Some(12), "beside a long name");
        assert_eq!(of("..duke-0a-1-0.part.duke-0a-12-3.part"), Some(12));
        for name in [
            "x.json.duke-0a-12-0.part",
            ".x.json.duke-0b-12-0.part",
            ".x.12-0.part",
            ".x.duke-0a-12-0",
            ".x.duke-0a-0-0.part",
            ".x.duke-0a--1-0.part",
            ".x.duke-0a-12.part",
            ".x.duke-0a-12-y.part",
            ".part",
            "",
            ".x.duke-0a-99999999999-0.part",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
