//! `rclone://REMOTE:PATH`: a list of a remote's objects, written by rclone.
//!
//! ```text
//! rclone lsjson -R --fast-list --no-mimetype --use-server-modtime --files-only … -- REMOTE:PATH
//! ```
//!
//! With noncurrent versions, there are two more flags, one for each kind of store that has them. Without
//! `--use-server-modtime`, rclone sends one additional request for each object of an S3 bucket.
//!
//! Invariant: no part of REMOTE:PATH can become a flag of rclone. No shell is involved.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::Command;

const SCHEME: &[u8] = b"rclone://";

/// Flags of every run. The last two keep rclone from asking for a password and from writing the time before its errors.
const FLAGS: [&str; 7] = [
    "-R",
    "--fast-list",
    "--no-mimetype",
    "--use-server-modtime",
    "--files-only",
    "--ask-password=false",
    "--log-format=",
];

/// Flags that list noncurrent versions. A store ignores flags that are meant for other stores.
const VERSIONS: [&str; 2] = ["--s3-versions", "--b2-versions"];

/// Path on a remote of rclone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RclonePath {
    /// `REMOTE:PATH`, as rclone reads it.
    target: Vec<u8>,
    /// `true` to include noncurrent versions in the list.
    has_versions: bool,
}

impl RclonePath {
    /// Parses `word` if it begins with `rclone://`. Otherwise, returns `None`.
    ///
    /// # Errors
    /// Returns an error if `word` begins with `rclone://`, but names no remote.
    pub fn parse(word: &OsStr) -> Option<Result<Self, &'static str>> {
        let target = word.as_bytes().strip_prefix(SCHEME)?;
        // rclone reads a path without a remote as a local path.
        let names_remote = match target.strip_prefix(b":") {
            Some(backend) => backend.contains(&b':'),
            None => target.split(|byte| *byte == b'/').next().is_some_and(|remote| remote.contains(&b':')),
        };
        Some(if names_remote {
            Ok(Self { target: target.to_vec(), has_versions: false })
        } else {
            Err("no remote: expected rclone://REMOTE:PATH")
        })
    }

    /// Returns a path for which noncurrent versions of objects are listed, too.
    #[must_use]
    pub fn with_versions(self) -> Self {
        Self { has_versions: true, ..self }
    }

    /// Returns `REMOTE:PATH`.
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("rclone");
        command.arg("lsjson").args(FLAGS);
        if self.has_versions {
            command.args(VERSIONS);
        }
        command.arg("--").arg(OsString::from_vec(self.target.clone()));
        command
    }
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
            assert_eq!(words.len(), FLAGS.len() + 3);
        }
    }

    #[test]
    fn a_local_path_is_not_a_remote() {
        for target in ["", "/etc", "bucket", "a/b:c", ":", ":local"] {
            assert!(arguments(&format!("rclone://{target}")).is_err(), "{target}");
        }
    }
}
