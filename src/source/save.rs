//! Saves a tree to a file, in the format given by the file's extension.
//!
//! ```text
//! .json  .json.zst   ncdu's export, plain or compressed
//! .ncdu              ncdu's binary export
//! .ndjson  .csv      one line per entry
//! .duke              snapshot
//! ```
//!
//! Invariant: the file is written completely or not at all. An incomplete tree is never written, because the
//! file would look complete.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::ops::RangeInclusive;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::base::os_error::cannot_write;
use crate::base::sync::{AtomicBool, Ordering};
use crate::formats::WrittenEntries;
use crate::formats::compression::pack;
use crate::formats::flat::Flat;
pub use crate::formats::flat::Form;
use crate::formats::ncdu_binary;
use crate::formats::ncdu_binary::BlockSize;
use crate::formats::ncdu_write::Export;
use crate::formats::snapshot;
use crate::formats::snapshot::{WriteControl, WriteError};
use crate::platform::atomic_file::AtomicFile;
use crate::scan::Outcome;
use crate::source::{Source, SourceKind};

/// Compression of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// No compression.
    Plain,
    /// Compression with zstd.
    Zstd,
}

/// Format of ncdu's exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NcduFormat {
    /// JSON with this compression.
    Json(Packing),
    /// Binary format (always compressed) with this block size in KiB; with `None`, blocks grow with the export.
    Binary(Option<u16>),
}

/// Block sizes, in KiB, that the user can request.
pub const BLOCK_SIZES: RangeInclusive<u16> = BlockSize::RANGE;

/// File format in which a tree can be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON or binary format of ncdu.
    Ncdu(NcduFormat),
    /// NDJSON or CSV, with one line per entry.
    Flat(Form),
    Snapshot,
}

/// File extensions that select a format.
pub const ENDINGS: [&str; 6] = [".json", ".json.zst", ".ncdu", ".ndjson", ".csv", ".duke"];

impl Format {
    /// Returns the format that a file name selects, if any.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        let ends = |ending: &str| name.ends_with(ending.as_bytes());
        let json = |packing| Self::Ncdu(NcduFormat::Json(packing));
        Some(match name {
            _ if ends(".json") => json(Packing::Plain),
            // Only ncdu's JSON export can be compressed as a whole.
            _ if ENDINGS.iter().any(|of| *of != ".json" && ends(&format!("{of}.zst"))) => return None,
            _ if ends(".zst") => json(Packing::Zstd),
            _ if ends(".ncdu") => Self::Ncdu(NcduFormat::Binary(None)),
            _ if ends(".ndjson") => Self::Flat(Form::Json),
            _ if ends(".csv") => Self::Flat(Form::Csv),
            _ if ends(".duke") => Self::Snapshot,
            _ => return None,
        })
    }
}

/// Action if the file already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// The existing file is kept, and nothing is written.
    Refuse,
    /// The new file replaces the existing one.
    Replace,
}

/// Reason why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// A file with the requested name already exists.
    Exists,
    /// The user canceled the write.
    Stopped,
    /// Any other error, with its message.
    Failed(String),
}

impl From<io::Error> for SaveError {
    fn from(error: io::Error) -> Self {
        Self::Failed(cannot_write(&error))
    }
}

/// Writes the tree of `source` to `path` and returns the number of bytes written. Setting `stop` cancels the write.
/// During the write, `count` contains the number of entries written so far.
///
/// # Errors
/// Returns an error if the file was not written. In that case, an existing file is unchanged.
pub fn write(
    source: &Source,
    path: &Path,
    format: Format,
    old: Overwrite,
    stop: &AtomicBool,
    count: &WrittenEntries,
) -> Result<u64, SaveError> {
    if source.outcome() != Some(Outcome::Complete) {
        return Err(SaveError::Failed("nothing written: not everything could be read".to_owned()));
    }
    if old == Overwrite::Refuse && fs::symlink_metadata(path).is_ok() {
        return Err(SaveError::Exists);
    }
    let edition = source.tree().edition();
    let mut file = AtomicFile::begin(path)?;
    let mut out = Watched::new(&mut file, stop);
    let written = match format {
        Format::Ncdu(format) => ncdu(source, format, count, &mut out).map_err(SaveError::from),
        Format::Flat(form) => {
            let flat = Flat {
                tree: source.tree(),
                form,
                provenance: &source.provenance(),
                exclusive: None,
                written: count,
            };
            flat.write(&mut out).map_err(SaveError::from)
        }
        Format::Snapshot => {
            let control = WriteControl { written: Some(count), ..WriteControl::new(stop) };
            let saved = snapshot::save(source.tree(), &source.about(), &control, &mut out);
            saved.map(|_| ()).map_err(|unsaved| match unsaved {
                WriteError::Stopped => SaveError::Stopped,
                other => SaveError::Failed(other.to_string()),
            })
        }
    };
    let bytes = out.written;
    if stop.load(Ordering::Relaxed) {
        return Err(SaveError::Stopped);
    }
    if source.tree().edition() != edition {
        return Err(SaveError::Failed(
            "a rescan or deletion changed the data during the export; try again".to_owned(),
        ));
    }
    written?;
    match old {
        Overwrite::Replace => file.keep()?,
        // Another process may have created the file in the meantime.
        Overwrite::Refuse => file.keep_as_new().map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => SaveError::Exists,
            _ => error.into(),
        })?,
    }
    Ok(bytes)
}

/// Writes the tree of a source in one of ncdu's formats.
///
/// # Errors
/// Returns an error if `out` cannot be written to, or if the tree does not have exactly one root directory.
pub fn ncdu(
    source: &Source,
    format: NcduFormat,
    written: &WrittenEntries,
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    let Some((root, _)) = Export::root(source.tree()) else {
        return Err(io::Error::other(
            "ncdu's format allows only one root, which must be a directory; use a name that ends in .duke",
        ));
    };
    let provenance = source.provenance().into_iter().next().unwrap_or_default();
    let name = match source.kind() {
        SourceKind::Live => absolute(root.name),
        SourceKind::Recorded | SourceKind::Objects => root.name.to_vec(),
    };
    let export = Export {
        tree: source.tree(),
        name: &name,
        scanned_at: provenance.scanned_at.unwrap_or_default(),
        written,
    };
    match format {
        NcduFormat::Json(Packing::Plain) => export.write(out),
        NcduFormat::Json(Packing::Zstd) => pack(out, |text| export.write(text)),
        NcduFormat::Binary(size) => {
            let size = size.map_or(BlockSize::Growing, BlockSize::Fixed);
            ncdu_binary::write(source.tree(), &root, &name, size, written, out)
        }
    }
}

/// Returns the path of a root in the form that ncdu writes: absolute and, if possible, without symbolic links.
fn absolute(root: &[u8]) -> Vec<u8> {
    let path = PathBuf::from(OsString::from_vec(root.to_vec()));
    let whole = fs::canonicalize(&path).or_else(|_| std::path::absolute(&path));
    whole.as_deref().unwrap_or(Path::new(&path)).as_os_str().as_bytes().to_vec()
}

/// Writer that counts the bytes written, and fails once `stop` is set.
pub(crate) struct Watched<'s, W> {
    out: W,
    stop: &'s AtomicBool,
    written: u64,
}

impl<'s, W> Watched<'s, W> {
    pub(crate) fn new(out: W, stop: &'s AtomicBool) -> Self {
        Self { out, stop, written: 0 }
    }
}

impl<W: Write> Write for Watched<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // `Relaxed` suffices, because the flag guards no data.
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_determines_its_format() {
        let of = |name: &str| Format::of_name(name.as_bytes());
        let json = |packing| Some(Format::Ncdu(NcduFormat::Json(packing)));
        assert_eq!(of("a.json"), json(Packing::Plain));
        assert_eq!(of("a.json.zst"), json(Packing::Zstd));
        assert_eq!(of("a.zst"), json(Packing::Zstd));
        assert_eq!(of("a.ncdu"), Some(Format::Ncdu(NcduFormat::Binary(None))));
        assert_eq!(of("/x/a.ndjson"), Some(Format::Flat(Form::Json)));
        assert_eq!(of("a.csv"), Some(Format::Flat(Form::Csv)));
        assert_eq!(of("a.duke"), Some(Format::Snapshot));
        assert!(ENDINGS.iter().all(|ending| of(&format!("x{ending}")).is_some()));
        for name in [
            "",
            "a",
            "a.txt",
            "json",
            "a.json.gz",
            "a.ndjson.zst",
            "a.csv.zst",
            "a.duke.zst",
            "a.ncdu.zst",
            "a.JSON",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
