//! Names of list columns, in the spellings that other programs use.
//!
//! Letter case and the characters between words do not matter: `LastModifiedDate`, `last_modified_date` and
//! `Last modified date` are the same. The name of a size column may contain the unit of the sizes, as in
//! `KB_ALLOCATED`.

/// Kind of data in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListField {
    /// Path, with or without the root.
    Path,
    /// Exact bytes of the path, in base64.
    PathBase64,
    /// Name of the entry. Used as the path if the list has no path column.
    Name,
    /// Root of the entry. If a line names a root, the path in that line must begin with the root.
    Root,
    /// Exact bytes of the root, in base64.
    RootBase64,
    /// Bucket, which becomes the root. Paths are relative to the bucket and do not begin with the bucket's name.
    Bucket,
    Host,
    /// Time of the scan.
    ScannedAt,
    /// Kind of the entry.
    Type,
    /// `true` if the entry is a directory.
    IsDirectory,
    Disk,
    Apparent,
    /// Time of the last modification.
    Mtime,
    /// User ID of the owner.
    Uid,
    /// Group ID.
    Gid,
    /// Type and permission bits.
    Mode,
    Inode,
    Device,
    Links,
    /// Error message from reading the entry.
    Error,
    /// Reason why the entry was excluded.
    Excluded,
    StorageClass,
}

/// Field that a column contains, with the unit of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldUnit {
    pub field: ListField,
    /// Factor by which a size is multiplied to get bytes.
    pub unit: u64,
}

/// Column of a list, as specified by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListColumn {
    /// Position of the column, counted from 1.
    Number(usize),
    /// Name of the column in the header, or key in a JSON object.
    Header(String),
}

/// Field with the column that contains it, as in `path=2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldColumn {
    pub meaning: FieldUnit,
    pub column: ListColumn,
}

/// Field names in lower case, with one space between words.
const NAMES: &[(&str, ListField)] = &[
    ("path", ListField::Path),
    ("key", ListField::Path),
    ("object key", ListField::Path),
    ("file path", ListField::Path),
    ("full path", ListField::Path),
    ("path name", ListField::Path),
    ("pathname", ListField::Path),
    ("filepath", ListField::Path),
    ("fullpath", ListField::Path),
    ("path base64", ListField::PathBase64),
    ("name", ListField::Name),
    ("file", ListField::Name),
    ("file name", ListField::Name),
    ("filename", ListField::Name),
    ("root", ListField::Root),
    ("root base64", ListField::RootBase64),
    ("bucket", ListField::Bucket),
    ("bucket name", ListField::Bucket),
    ("host", ListField::Host),
    ("hostname", ListField::Host),
    ("scanned at", ListField::ScannedAt),
    ("type", ListField::Type),
    ("kind", ListField::Type),
    ("file type", ListField::Type),
    ("filetype", ListField::Type),
    ("is dir", ListField::IsDirectory),
    ("isdir", ListField::IsDirectory),
    ("is directory", ListField::IsDirectory),
    ("disk", ListField::Disk),
    ("disk usage", ListField::Disk),
    ("dsize", ListField::Disk),
    ("allocated", ListField::Disk),
    ("allocated size", ListField::Disk),
    ("blocks", ListField::Disk),
    ("size", ListField::Apparent),
    ("apparent", ListField::Apparent),
    ("apparent size", ListField::Apparent),
    ("asize", ListField::Apparent),
    ("file size", ListField::Apparent),
    ("filesize", ListField::Apparent),
    ("length", ListField::Apparent),
    ("bytes", ListField::Apparent),
    ("mtime", ListField::Mtime),
    ("mod time", ListField::Mtime),
    ("modtime", ListField::Mtime),
    ("modified", ListField::Mtime),
    ("last mod", ListField::Mtime),
    ("last modified", ListField::Mtime),
    ("last modified date", ListField::Mtime),
    ("modification time", ListField::Mtime),
    ("uid", ListField::Uid),
    ("user id", ListField::Uid),
    ("gid", ListField::Gid),
    ("group id", ListField::Gid),
    ("mode", ListField::Mode),
    ("inode", ListField::Inode),
    ("ino", ListField::Inode),
    ("device", ListField::Device),
    ("dev", ListField::Device),
    ("links", ListField::Links),
    ("nlink", ListField::Links),
    ("nlinks", ListField::Links),
    ("link count", ListField::Links),
    ("error", ListField::Error),
    ("excluded", ListField::Excluded),
    ("storage class", ListField::StorageClass),
    ("storageclass", ListField::StorageClass),
    ("tier", ListField::StorageClass),
    ("access tier", ListField::StorageClass),
];

/// Units that may occur as a word in a column name, with their sizes in bytes. Programs that print `KB` mean 1024
/// bytes.
const UNITS: &[(&str, u64)] = &[
    ("b", 1),
    ("bytes", 1),
    ("kb", 1 << 10),
    ("kib", 1 << 10),
    ("mb", 1 << 20),
    ("mib", 1 << 20),
    ("gb", 1 << 30),
    ("gib", 1 << 30),
    ("tb", 1 << 40),
    ("tib", 1 << 40),
];

/// Size of a block in bytes, for a column named `blocks` (stat(2)).
const BLOCK: u64 = 512;

impl ListField {
    /// Returns the preferred name of the field, with spaces between words.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, field)| *field == self).map_or("", |(name, _)| name)
    }
}

impl FieldUnit {
    /// Returns the field that a column with this name contains, and its unit; `None` if the name is not known.
    pub fn of_name(name: &str) -> Option<Self> {
        let words = words(name);
        let field = |words: &[String]| {
            let name = words.join(" ");
            NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
        };
        if let Some(field) = field(&words) {
            return Some(Self { field, unit: if words == ["blocks"] { BLOCK } else { 1 } });
        }
        let unit = |word: &String| UNITS.iter().find(|(unit, _)| unit == word).map(|(_, bytes)| *bytes);
        let at = words.iter().position(|word| unit(word).is_some())?;
        let mut others = words.clone();
        let unit = unit(&others.remove(at))?;
        let field = field(&others).filter(|field| matches!(field, ListField::Disk | ListField::Apparent))?;
        Some(Self { field, unit }).filter(|_| others != ["blocks"])
    }
}

impl FieldColumn {
    /// Parses `FIELD=COLUMN`, where COLUMN is the name of a column or its number, counted from 1.
    ///
    /// # Errors
    /// Returns the reason why `word` does not name a field and a column.
    pub fn parse(word: &str) -> Result<Self, String> {
        let (name, column) = word.split_once('=').ok_or("expected FIELD=COLUMN, such as path=2")?;
        let meaning = FieldUnit::of_name(name)
            .ok_or("no such field; the usual ones are path, size, disk, mtime, type")?;
        let column = match column.parse() {
            Ok(0) => return Err("columns are numbered from 1".to_owned()),
            Ok(number) => ListColumn::Number(number),
            Err(_) if column.is_empty() => return Err("expected FIELD=COLUMN, such as path=2".to_owned()),
            Err(_) => ListColumn::Header(column.to_owned()),
        };
        Ok(Self { meaning, column })
    }
}

/// Splits a name into words, and converts the words to lower case. Words are separated by characters that are not
/// letters or digits. A new word also begins at an upper-case letter after a lower-case letter, except at the `B` of a
/// unit such as `KiB`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = ' ';
    for letter in name.chars() {
        let is_unit = letter == 'B'
            && words.last().is_some_and(|word| ["ki", "mi", "gi", "ti"].contains(&word.as_str()));
        let begins =
            !previous.is_alphanumeric() || previous.is_lowercase() && letter.is_uppercase() && !is_unit;
        if letter.is_alphanumeric() {
            if begins {
                words.push(String::new());
            }
            words.last_mut().expect("the first letter begins a word").extend(letter.to_lowercase());
        }
        previous = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_those_of_other_programs() {
        let cases = [
            ("path", ListField::Path, 1),
            ("Key", ListField::Path, 1),
            ("Full Path", ListField::Path, 1),
            ("PATH_NAME", ListField::Path, 1),
            ("Path", ListField::Path, 1),
            ("path_base64", ListField::PathBase64, 1),
            ("Size", ListField::Apparent, 1),
            ("FILE_SIZE", ListField::Apparent, 1),
            ("size_bytes", ListField::Apparent, 1),
            ("size (MiB)", ListField::Apparent, 1 << 20),
            ("KB_ALLOCATED", ListField::Disk, 1 << 10),
            ("disk", ListField::Disk, 1),
            ("diskGB", ListField::Disk, 1 << 30),
            ("blocks", ListField::Disk, 512),
            ("ModTime", ListField::Mtime, 1),
            ("LastModifiedDate", ListField::Mtime, 1),
            ("last_mod", ListField::Mtime, 1),
            ("IsDir", ListField::IsDirectory, 1),
            ("scanned_at", ListField::ScannedAt, 1),
            ("StorageClass", ListField::StorageClass, 1),
            ("Tier", ListField::StorageClass, 1),
        ];
        for (name, field, unit) in cases {
            assert_eq!(FieldUnit::of_name(name), Some(FieldUnit { field, unit }), "{name}");
        }
        for name in ["", "-", "kb", "mime type", "MimeType", "kb blocks", "path kb", "sizes", "Hashes"] {
            assert_eq!(FieldUnit::of_name(name), None, "{name}");
        }
    }

    #[test]
    fn columns_are_given_by_number_or_name() {
        let parsed = FieldColumn::parse("size_kb=5").unwrap();
        assert_eq!(parsed.meaning, FieldUnit { field: ListField::Apparent, unit: 1024 });
        assert_eq!(parsed.column, ListColumn::Number(5));
        assert_eq!(FieldColumn::parse("path=My Path").unwrap().column, ListColumn::Header("My Path".into()));
        for wrong in ["path", "path=", "path=0", "color=1", "=1"] {
            assert!(FieldColumn::parse(wrong).is_err(), "{wrong}");
        }
    }
}
