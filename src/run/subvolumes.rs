//! `duke subvolumes`: the number of bytes freed by deleting btrfs subvolumes and snapshots.
//!
//! Invariant: exit code 0 means that the printed sizes are exact or lower bounds.

use std::path::PathBuf;

use crate::base::format::Units;
use crate::base::text::{escape, escape_path};
use crate::df::subvolumes::{SubvolumeSize, Subvolumes, error_message};
use crate::output::subvolumes::{write_json, write_table};
use crate::run::exit::Exit;
use crate::run::streams::{print, print_error};
use crate::tree::Accuracy;

/// Settings of `duke subvolumes`.
#[derive(Debug)]
pub struct SubvolumesJob {
    /// Path on the file system whose subvolumes are listed.
    pub path: PathBuf,
    /// Subvolumes of a planned deletion: the output includes the number of bytes that deleting all of them would free.
    /// Each is given by its ID or its path from the top level.
    pub deleted: Vec<Vec<u8>>,
    pub form: SubvolumesFormat,
}

/// Output format of `duke subvolumes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubvolumesFormat {
    /// Human-readable table with sizes in these units.
    Table(Units),
    Json,
}

pub fn run(job: &SubvolumesJob) -> Exit {
    let found = match Subvolumes::read(&job.path, &|| false) {
        Ok(found) => found,
        Err(error) => {
            print_error(&format!("{}: {}", escape_path(&job.path), error_message(error)));
            return Exit::Failure;
        }
    };
    let deleted = match job.deleted.iter().map(|word| index_of(&found.rows, word)).collect() {
        Ok(deleted) => deleted,
        Err(message) => {
            print_error(&message);
            return Exit::Failure;
        }
    };
    let deleted: Vec<usize> = deleted;
    let written = print(|out| match job.form {
        SubvolumesFormat::Table(units) => write_table(&found, &deleted, units, out),
        SubvolumesFormat::Json => write_json(&found, &deleted, out),
    });
    if found.accuracy == Accuracy::Changing {
        let path = escape_path(&job.path);
        print_error(&format!(
            "{path}: files changed while duke was reading, so sizes may be too large; run sync(1) and try again"
        ));
        return written.max(Exit::Incomplete);
    }
    written
}

/// Returns the index of the subvolume with this path or ID. Returns an error message if no such subvolume exists, or
/// if it is the top-level subvolume, which cannot be deleted.
fn index_of(rows: &[SubvolumeSize], word: &[u8]) -> Result<usize, String> {
    let word = word.strip_prefix(b"/").unwrap_or(word);
    let name = || escape(word);
    let is_named = |row: &SubvolumeSize| row.subvolume.path == word && !row.subvolume.is_top_level();
    let id = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    let found = rows.iter().position(is_named);
    match found.or_else(|| rows.iter().position(|row| Some(row.subvolume.id) == id)) {
        Some(index) if rows[index].subvolume.is_top_level() => {
            Err(format!("--without {}: the top-level subvolume cannot be deleted", name()))
        }
        Some(index) => Ok(index),
        None => Err(format!("--without {}: no such subvolume; omit --without to list IDs and paths", name())),
    }
}
