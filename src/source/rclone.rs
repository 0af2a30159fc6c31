//! `rclone://REMOTE:PATH`: a list of a remote's objects, written by rclone.
//!
//! ```text
//! rclone lsjson -R --fast-list --no-mimetype --use-server-modtime --files-only … -- REMOTE:PATH
//! ```
//!
//! To list noncurrent versions, duke passes two more flags, one for S3 and one for Backblaze B2. Without
//! `--use-server-modtime`, rclone sends one additional request for each object of an S3 bucket. Unfinished
//! uploads are listed by a second run:
//!
//! ```text
//! rclone backend list-multipart-uploads … -- REMOTE:PATH
//! ```
//!
//! Invariant: no part of REMOTE:PATH can become a flag of rclone. No shell is involved.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;

const SCHEME: &[u8] = b"rclone://";

/// Flags for listing objects.
const FLAGS: [&str; 5] = ["-R", "--fast-list", "--no-mimetype", "--use-server-modtime", "--files-only"];

/// Flags for every run: rclone must not prompt for a password or begin its error messages with a timestamp.
const QUIET: [&str; 2] = ["--ask-password=false", "--log-format="];

/// Flags that list noncurrent versions. A store ignores flags that are meant for other stores.
const VERSIONS: [&str; 2] = ["--s3-versions", "--b2-versions"];

/// Path on an rclone remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RclonePath {
    /// `REMOTE:PATH`, as passed to rclone.
    target: Vec<u8>,
    /// `true` to include noncurrent versions in the list.
    has_versions: bool,
    /// `true` to also list unfinished multipart uploads.
    has_uploads: bool,
}

impl RclonePath {
    /// Parses `word` if it begins with `rclone://`. Otherwise, returns `None`.
    ///
    /// # Errors
    /// Returns an error if `word` begins with `rclone://`, but names no remote.
    pub fn parse(word: &OsStr) -> Option<Result<Self, &'static str>> {
        let target = word.as_bytes().strip_prefix(SCHEME)?;
        // rclone would treat a path without a remote as a local path.
        let names_remote = match target.strip_prefix(b":") {
            Some(backend) => backend.contains(&b':'),
            None => target.split(|byte| *byte == b'/').next().is_some_and(|remote| remote.contains(&b':')),
        };
        Some(if names_remote {
            Ok(Self { target: target.to_vec(), has_versions: false, has_uploads: false })
        } else {
            Err("no remote; write rclone://REMOTE:PATH")
        })
    }

    /// Includes noncurrent versions of objects in the list.
    #[must_use]
    pub fn with_versions(self) -> Self {
        Self { has_versions: true, ..self }
    }

    /// Includes unfinished multipart uploads in the list.
    #[must_use]
    pub fn with_uploads(self) -> Self {
        Self { has_uploads: true, ..self }
    }

    /// Returns `true` if unfinished multipart uploads are listed as well.
    pub(crate) fn has_uploads(&self) -> bool {
        self.has_uploads
    }

    /// Returns `REMOTE:PATH`.
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("rclone");
        command.arg("lsjson").args(FLAGS).args(QUIET);
        if self.has_versions {
            command.args(VERSIONS);
        }
        command.arg("--").arg(OsString::from_vec(self.target.clone()));
        command
    }

    /// Returns the command that lists unfinished multipart uploads.
    pub(crate) fn uploads_command(&self) -> Command {
        let mut command = Command::new("rclone");
        command.args(["backend", "list-multipart-uploads"]).args(QUIET);
        command.arg("--").arg(OsString::from_vec(self.target.clone()));
        command
    }

    /// Returns the path of the object `key` in `bucket`, relative to `REMOTE:PATH`. Returns `bucket/key` if it is not
    /// below PATH, for example because REMOTE is an alias that already includes the bucket.
    pub(crate) fn path_of(&self, bucket: &[u8], key: &[u8]) -> Vec<u8> {
        let whole = [bucket, key].join(&b'/');
        let inside = |path: &[u8]| {
            let rest = whole.strip_prefix(path)?;
            if path.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
        };
        inside(without_slashes(self.path())).map(<[u8]>::to_vec).unwrap_or(whole)
    }

    /// Returns the PATH in `REMOTE:PATH`: the text after the first colon. Colons in quotes and a colon at the start of
    /// REMOTE do not count.
    fn path(&self) -> &[u8] {
        let start = usize::from(self.target.first() == Some(&b':'));
        let mut quote = None;
        for (index, byte) in self.target.iter().enumerate().skip(start) {
            match (quote, byte) {
                (None, b':') => return &self.target[index + 1..],
                (None, b'"' | b'\'') => quote = Some(*byte),
                (Some(open), byte) if open == *byte => quote = None,
                _ => {}
            }
        }
        &[]
    }
}

/// Returns `path` without leading and trailing slashes.
fn without_slashes(path: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| *byte != b'/';
    let start = path.iter().position(is_name).unwrap_or(path.len());
    let end = path.iter().rposition(is_name).map_or(start, |last| last + 1);
    &path[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(word: &str) -> Result<Vec<String>, &'static str> {
        let path = RclonePath::parse(OsStr::new(word)).expect("it begins with rclone://")?;
        Ok(path.command().get_args().map(|word| word.to_str().unwrap().to_owned()).collect())
    }

    #[test]
    fn a_remote_is_the_last_argument_whatever_its_name() {
        assert_eq!(RclonePath::parse(OsStr::new("./rclone://a:b")), None);
        for target in ["s3:bucket/key", "s3:", "--config=x:y", ":local:/srv", ":s3,env_auth:b", "a: $(x)'\n"]
        {
            let words = arguments(&format!("rclone://{target}")).unwrap();
            assert_eq!(words[words.len() - 2..], ["--", target]);
            assert_eq!(words.len(), FLAGS.len() + QUIET.len() + 3);
        }
    }

    #[test]
    fn an_upload_is_below_the_path() {
        let cases = [
            ("s3:", "b/d/key"),
            ("s3:b", "d/key"),
            ("s3:/b/", "d/key"),
            ("s3:b/d", "key"),
            ("s3,endpoint=\"http://x:1\":b/d", "key"),
            (":s3,region='a:b':b", "d/key"),
            ("alias:d", "b/d/key"),
            ("s3:b/d/k", "b/d/key"),
        ];
        for (target, expected) in cases {
            let path = RclonePath::parse(OsStr::new(&format!("rclone://{target}"))).unwrap().unwrap();
            assert_eq!(path.path_of(b"b", b"d/key"), expected.as_bytes(), "{target}");
        }
    }

    #[test]
    fn a_local_path_is_not_a_remote() {
        for target in ["", "/etc", "bucket", "a/b:c", ":", ":local"] {
            assert!(arguments(&format!("rclone://{target}")).is_err(), "{target}");
        }
    }
}
