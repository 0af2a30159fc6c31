//! Inputs of an import: files, standard input, and other machines.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::remote::{Remote, Session};
use crate::base::os_error::words;
use crate::base::text::{escape, escape_path};
use crate::platform::terminal::streams;

/// Input of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Export in a file.
    File(PathBuf),
    /// Standard input.
    Standard,
    /// Another machine, on which duke is run to create the export.
    Remote(Remote),
}

/// Bytes of an input, and the session with another machine that sends them.
type Opened = (Box<dyn Read + Send>, Option<Session>);

impl Input {
    pub(super) fn open(&self) -> Result<Opened, String> {
        match self {
            Self::File(path) => {
                let file = File::open(path).map_err(|error| words(&error))?;
                Ok((Box::new(file), None))
            }
            Self::Standard => {
                streams::input().map_err(|error| words(&error))?;
                Ok((Box::new(io::stdin()), None))
            }
            Self::Remote(remote) => {
                let (reader, session) = remote.start()?;
                Ok((reader, Some(session)))
            }
        }
    }

    /// Returns the name of the input for messages, escaped for a terminal.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => escape_path(path),
            Self::Standard => "standard input".to_owned(),
            Self::Remote(remote) => escape(remote.host().as_bytes()).into_owned(),
        }
    }

    pub(super) fn title(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Standard => "-".into(),
            Self::Remote(remote) => remote.host().into(),
        }
    }

    /// Returns the prefix of the root's name, which distinguishes the root from the roots of other inputs.
    pub(super) fn label(&self, inputs: usize) -> Vec<u8> {
        let mut label = match self {
            Self::Remote(remote) => remote.host().as_bytes().to_vec(),
            _ if inputs == 1 => return Vec::new(),
            Self::File(path) => path.as_os_str().as_bytes().to_vec(),
            Self::Standard => b"-".to_vec(),
        };
        label.push(b':');
        label
    }

    pub(super) fn host(&self) -> Option<String> {
        match self {
            Self::Remote(remote) => Some(remote.host().to_owned()),
            Self::File(_) | Self::Standard => None,
        }
    }
}
