//! Flags for reading lists of files, shared by several commands.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::builder::ValueParser;
use clap::{ArgAction, ValueEnum};

use crate::source::{FieldColumn, ListOptions, ListPreset};

/// Flags for reading lists of files.
#[derive(Clone, Debug, clap::Args)]
pub struct ListFlags {
    /// Read a list written by PROGRAM
    ///
    /// Not needed for a list that was written by duke (--ndjson, --csv), that consists of JSON objects, or that is CSV
    /// with a header. The commands that write each list are in docs/exchange.md of duke's source.
    #[arg(long, value_name = "PROGRAM", value_enum, help_heading = "Exchange")]
    pub format: Option<ListProgram>,

    /// Columns to read from a list whose header is missing or unknown (example: path=2,size=5)
    ///
    /// FIELD is path, size, disk, mtime, type, or another field name listed in docs/exchange.md (in duke's source).
    /// COLUMN is a column number, counting from 1, or a column name from the header.
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = ValueParser::new(FieldColumn::parse), action = ArgAction::Set, value_delimiter = ',', help_heading = "Exchange")]
    pub fields: Option<Vec<FieldColumn>>,

    /// From a list, read only the entries below the directory PREFIX
    #[arg(long, value_name = "PREFIX", help_heading = "Exchange")]
    pub root: Option<OsString>,
}

impl ListFlags {
    /// Returns the settings for reading lists. `more` contains the columns defined by other flags.
    pub fn options(&self, more: Vec<FieldColumn>) -> ListOptions {
        ListOptions {
            preset: self.format.map(ListPreset::from),
            fields: self.fields.iter().flatten().cloned().chain(more).collect(),
            root: self.root.as_ref().map(|root| root.as_bytes().to_vec()),
        }
    }
}

/// Program that wrote a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListProgram {
    /// du -ab0
    Du,
    /// find -printf '%p\t%s\t%b\t%T@\0'
    Find,
    /// rclone lsjson -R
    Rclone,
    /// S3 Inventory in CSV
    S3Inventory,
}

impl From<ListProgram> for ListPreset {
    fn from(program: ListProgram) -> Self {
        match program {
            ListProgram::Du => Self::Du,
            ListProgram::Find => Self::Find,
            ListProgram::Rclone => Self::Rclone,
            ListProgram::S3Inventory => Self::S3Inventory,
        }
    }
}
