//! Unfinished multipart uploads, as listed by rclone.
//!
//! ```text
//! {"BUCKET":[{"Key":"a/b","Initiated":"2026-11-24T08:15:00Z","StorageClass":"STANDARD","UploadId":"…", …}, …], …}
//! ```
//!
//! The list does not contain sizes.

use super::LiveTree;
use super::entry_line::EntryLine;
use super::field::FieldUnit;
use crate::formats::json_lexer::{Fault, Lexer};
use crate::formats::json_values::{array, object};

#[derive(Debug, Default)]
struct Upload {
    key: Vec<u8>,
    id: Vec<u8>,
    /// Start time of the upload, as text.
    began: Vec<u8>,
    class: Vec<u8>,
}

/// Reads a list of uploads, and adds each upload to `live` as an empty file. `path_of` returns the path for a bucket
/// and a key.
///
/// # Errors
/// Returns an error if the list is malformed. In that case, the uploads before the error have already been added.
pub(crate) fn add_uploads(
    lexer: &mut Lexer<'_>,
    live: &mut LiveTree<'_>,
    path_of: impl Fn(&[u8], &[u8]) -> Vec<u8>,
) -> Result<(), Fault> {
    object(lexer, |lexer, bucket| {
        if lexer.peek_significant()? == b'n' {
            return lexer.skip();
        }
        array(lexer, |lexer| {
            let start = lexer.offset();
            let upload = read(lexer)?;
            let path = path_of(bucket, &upload.key);
            let added = line(&path, &upload).and_then(|mut line| {
                line.number_class(live.storage_classes());
                live.add(&line)
            });
            added.or_else(|reason| lexer.fault_at(start, reason))
        })
    })?;
    lexer.end()
}

fn read(lexer: &mut Lexer<'_>) -> Result<Upload, Fault> {
    let mut upload = Upload::default();
    object(lexer, |lexer, key| {
        let field = match key {
            b"Key" => &mut upload.key,
            b"UploadId" => &mut upload.id,
            b"Initiated" => &mut upload.began,
            b"StorageClass" => &mut upload.class,
            _ => return lexer.skip(),
        };
        *field = lexer.string()?.to_vec();
        Ok(())
    })?;
    if upload.key.is_empty() || upload.id.is_empty() {
        return lexer.fault("upload without a key or ID");
    }
    Ok(upload)
}

/// Returns an entry for an upload. The entry's name contains the upload ID, because a key may have several unfinished
/// uploads.
fn line(path: &[u8], upload: &Upload) -> Result<EntryLine, super::value::LineError> {
    let mut line = EntryLine::default();
    let name = [path, b" (unfinished upload ", &upload.id, b")"].concat();
    for (field, text) in
        [("path", name.as_slice()), ("mtime", &upload.began), ("storage class", &upload.class)]
    {
        let field = FieldUnit::of_name(field).expect("a field with this name exists");
        line.set(field, text, |_| 0)?;
    }
    Ok(line)
}
