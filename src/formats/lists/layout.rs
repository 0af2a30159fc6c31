//! Layout of a list: the form of its lines, and the columns that contain the fields.

use std::cmp::Reverse;

use super::field::{FieldColumn, FieldUnit, ListColumn, ListField};
use super::records::{RecordEnd, RecordReader};
use super::separated::FieldTexts;
use super::value;
use super::{ListOptions, ListPreset};
use crate::formats::builder::Sizes;
use crate::formats::input::Reason;
use crate::formats::snapshot::MAGIC;

/// Possible separators between columns.
const SEPARATORS: [u8; 4] = *b",\t;|";
/// Separator of a list with a single column: the end of the line.
const NO_SEPARATOR: u8 = b'\n';
/// Number of lines to read before the separator of a list without a header is determined. Fewer lines are read if the
/// input ends or if they are longer than [`HEAD`] bytes in total. More lines may be read, because the input arrives in
/// chunks; all complete lines are examined.
const LINES: usize = 16;
/// Number of bytes at the start of the input that are examined to recognize the form of a list.
const HEAD: usize = 64 << 10;
/// Byte order mark, which some programs write before a list.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// First bytes of a report that duke writes with `--json`.
const REPORT: &[u8] = b"{\"schema\":\"duke";

/// Form of a list's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListForm {
    /// JSON objects. `is_array` is `true` if they are the elements of a single array.
    Objects { is_array: bool },
    /// Separated values with quotes. `width` is the number of columns in the header; `None` without a header.
    Csv { separator: u8, width: Option<usize> },
    /// Fields separated by tabs, without quotes. `width` is the number of fields in a record, and `path` is the index
    /// of the path.
    Tabs { end: RecordEnd, width: usize, path: usize },
}

/// Form of a list, and the meaning of its columns.
#[derive(Debug)]
pub(crate) struct ListLayout {
    pub(crate) form: ListForm,
    /// Indexes of the columns to read, each with the field that the column contains.
    pub(crate) columns: Vec<(usize, FieldUnit)>,
    /// Fields whose keys the user has specified. Used only for JSON objects.
    pub(crate) given: Vec<FieldColumn>,
    /// Kind of the directory sizes in the list: a directory's own sizes, or sizes that include its contents.
    pub(crate) sizes: Sizes,
    /// `true` if paths are URL-encoded.
    pub(crate) is_url_encoded: bool,
}

/// Format of an input.
pub(crate) enum Recognized {
    /// List with this layout.
    List(ListLayout),
    Snapshot,
    /// Neither a list nor a snapshot.
    Other,
}

/// Reason why a list cannot be read at all.
#[derive(Debug)]
pub(crate) enum LayoutError {
    /// Reading failed or was stopped.
    Input(Reason),
    /// The input cannot be read as a list with the given [`ListOptions`]. Contains the reason.
    Settings(&'static str),
}

impl From<Reason> for LayoutError {
    fn from(reason: Reason) -> Self {
        Self::Input(reason)
    }
}

/// Recognizes the format of an input by its first bytes and by `options`. Skips the header of a list.
///
/// # Errors
/// Returns an error if reading fails or is stopped, or if the input cannot be read as a list with these `options`.
pub(crate) fn recognize(
    records: &mut RecordReader<'_>,
    options: &ListOptions,
) -> Result<Recognized, LayoutError> {
    let preset = |name: &str, column| FieldColumn {
        meaning: FieldUnit::of_name(name).expect("a field with this name exists"),
        column: ListColumn::Number(column),
    };
    let head = records.peek(|bytes| bytes.len() >= MAGIC.len() || !MAGIC.starts_with(bytes))?;
    if head.starts_with(&MAGIC) {
        return Ok(Recognized::Snapshot);
    }
    match options.preset {
        Some(ListPreset::Du) => {
            let columns = vec![preset("apparent", 1), preset("path", 2)];
            tabs(records, options, columns, Sizes::Sums)
        }
        Some(ListPreset::Find) => {
            let names = ["path", "apparent", "blocks", "mtime"];
            let columns = (1..).zip(names).map(|(column, name)| preset(name, column)).collect();
            tabs(records, options, columns, Sizes::Own)
        }
        Some(ListPreset::Rclone) => objects(true, options),
        Some(ListPreset::S3Inventory) => {
            let mut columns: Vec<FieldColumn> =
                (1..).zip(["bucket", "key", "size"]).map(|(column, name)| preset(name, column)).collect();
            // The fields after the size depend on the configuration of S3 Inventory, so the fourth field is
            // read as the modification time only if it contains a time.
            let head = first_lines(records)?;
            let first =
                head.split(|byte| *byte == b'\n').next().and_then(|line| FieldTexts::csv_of(line, b','));
            columns.extend(
                first
                    .filter(|first| first.len() > 3 && value::seconds(first.csv(3)).is_ok())
                    .map(|_| preset("mtime", 4)),
            );
            csv(records, &given(options, columns)).map(|list| match list {
                Recognized::List(list) => Recognized::List(ListLayout { is_url_encoded: true, ..list }),
                other => other,
            })
        }
        None => by_content(records, options),
    }
}

/// Returns the columns specified by the user or, if there are none, the columns of a preset.
fn given(options: &ListOptions, preset: Vec<FieldColumn>) -> Vec<FieldColumn> {
    if options.fields.is_empty() { preset } else { options.fields.clone() }
}

fn by_content(records: &mut RecordReader<'_>, options: &ListOptions) -> Result<Recognized, LayoutError> {
    let significant = |bytes: &[u8], count: usize| bytes.trim_ascii_start().len() >= count;
    let head =
        records.peek(|bytes| bytes.len() >= MARK.len() && significant(bytes, 1) || bytes.len() > HEAD)?;
    let mark = if head.starts_with(MARK) { MARK.len() } else { 0 };
    let is_array = match head[mark..].trim_ascii_start().first() {
        Some(b'{') => {
            let head = records.peek(|bytes| bytes.len() >= REPORT.len() + mark)?;
            if head[mark..].starts_with(REPORT) {
                return Err(wrong(
                    "written by duke, but not an export; use a file written with -o, -O, --ndjson, --csv or duke save",
                ));
            }
            false
        }
        Some(b'[') => {
            let inside = |bytes: &[u8]| {
                let text = bytes.get(mark..)?.trim_ascii_start().get(1..)?.trim_ascii_start();
                text.first().copied()
            };
            let head = records.peek(|bytes| inside(bytes).is_some() || bytes.len() > HEAD)?;
            if !matches!(inside(head), Some(b'{' | b']')) {
                return Ok(Recognized::Other);
            }
            true
        }
        _ => {
            records.skip(mark);
            return csv(records, &options.fields);
        }
    };
    records.skip(mark);
    objects(is_array, options)
}

fn objects(is_array: bool, options: &ListOptions) -> Result<Recognized, LayoutError> {
    let is_number = |column: &FieldColumn| matches!(column.column, ListColumn::Number(_));
    if options.fields.iter().any(is_number) {
        return Err(wrong("the columns of this list have names, not numbers; use --fields FIELD=NAME"));
    }
    let form = ListForm::Objects { is_array };
    let given = options.fields.clone();
    Ok(Recognized::List(ListLayout {
        form,
        columns: Vec::new(),
        given,
        sizes: Sizes::Own,
        is_url_encoded: false,
    }))
}

/// Returns the layout of a list of tab-separated fields without a header. Uses the columns specified by the user or, if
/// there are none, those of `preset`. Fails if the input cannot be read, if a column is specified by a name instead of
/// a number, or if no column contains the path.
fn tabs(
    records: &mut RecordReader<'_>,
    options: &ListOptions,
    preset: Vec<FieldColumn>,
    sizes: Sizes,
) -> Result<Recognized, LayoutError> {
    let head = records.peek(|bytes| bytes.contains(&0) || bytes.len() > HEAD)?;
    let end = if head.contains(&0) { RecordEnd::Nul } else { RecordEnd::Newline };
    let columns = numbered(&given(options, preset))
        .ok_or_else(|| wrong("this list has no header; give column numbers with --fields FIELD=NUMBER"))?;
    let width = columns.iter().map(|(index, _)| index + 1).max().unwrap_or(0);
    let path = path_column(&columns).ok_or_else(|| wrong(NO_PATH))?;
    let form = ListForm::Tabs { end, width, path };
    Ok(Recognized::List(ListLayout { form, columns, given: Vec::new(), sizes, is_url_encoded: false }))
}

/// Recognizes a list of the form [`ListForm::Csv`], with or without a header.
fn csv(records: &mut RecordReader<'_>, given: &[FieldColumn]) -> Result<Recognized, LayoutError> {
    let head = first_lines(records)?;
    let lines = || head.split(|byte| *byte == b'\n');
    let line = lines().next().unwrap_or_default();
    let layout = |separator, width, columns| {
        Recognized::List(ListLayout {
            form: ListForm::Csv { separator, width },
            columns,
            given: Vec::new(),
            sizes: Sizes::Own,
            is_url_encoded: false,
        })
    };
    for separator in SEPARATORS {
        let Some(texts) = FieldTexts::csv_of(line, separator) else { continue };
        if let Some(columns) = of_header(&texts, given) {
            let width = Some(texts.len());
            // Skips the header, which has not been consumed yet.
            records.next(RecordEnd::Csv(separator))?;
            return Ok(layout(separator, width, columns));
        }
    }
    if given.is_empty() && is_tabbed_record(line) {
        return Err(wrong("this looks like output of find or du; use --format find or --format du"));
    }
    let has_separator = SEPARATORS.iter().any(|separator| line.contains(separator));
    let is_text =
        !line.iter().any(|byte| *byte == 0 || byte.is_ascii_control() && *byte != b'\t' && *byte != b'\r');
    match numbered(given) {
        Some(columns) if !columns.is_empty() => {
            if path_column(&columns).is_none() {
                return Err(wrong(NO_PATH));
            }
            let lines: Vec<&[u8]> = lines().filter(|line| !line.is_empty()).collect();
            Ok(layout(separator(&lines, &columns), None, columns))
        }
        Some(_) if line.is_empty() || !has_separator || !is_text => Ok(Recognized::Other),
        Some(_) => Err(wrong(NO_PATH)),
        None => {
            Err(wrong("the first line must contain each column named in --fields, and a column for the path"))
        }
    }
}

/// Returns the separator of a list without a header. A separator fits a line if it divides the line into enough columns
/// for `columns`, and if each size column is empty or contains a number.
///
/// The result is the first separator that fits all `lines` and divides them into the same number of columns, if this
/// number is greater than 1. If there are such separators only with 1 column, the result is [`NO_SEPARATOR`]. If no
/// separator fits all lines in this way, the result is the one that fits most lines.
fn separator(lines: &[&[u8]], columns: &[(usize, FieldUnit)]) -> u8 {
    let least = columns.iter().map(|(index, _)| index + 1).max().unwrap_or(0);
    let width = |line: &[u8], separator| {
        let texts = FieldTexts::csv_of(line, separator).filter(|texts| texts.len() >= least)?;
        let is_number = |index: usize| {
            let text = texts.csv(index).trim_ascii();
            text.is_empty() || value::bytes(text, 1).is_ok()
        };
        let mut sizes = columns.iter().filter(|(_, meaning)| is_size(meaning.field));
        sizes.all(|(index, _)| is_number(*index)).then(|| texts.len())
    };
    let all = |separator| {
        let mut widths = lines.iter().map(|line| width(line, separator));
        let first = widths.next()??;
        widths.all(|width| width == Some(first)).then_some(first)
    };
    let fitting = SEPARATORS.into_iter().filter_map(|by| Some((by, all(by)?)));
    // Prefer a separator that divides the lines into several columns: one that occurs in no line also fits, with one
    // column.
    if let Some((separator, width)) = fitting.min_by_key(|(_, width)| *width == 1) {
        return if width == 1 { NO_SEPARATOR } else { separator };
    }
    let divided = |separator| lines.iter().filter(|line| width(line, separator).is_some()).count();
    SEPARATORS.into_iter().min_by_key(|by| Reverse(divided(*by))).unwrap_or(NO_SEPARATOR)
}

/// Returns `true` if the bytes begin with NUL-terminated text that contains a tab.
fn is_tabbed_record(bytes: &[u8]) -> bool {
    let Some(end) = bytes.iter().position(|byte| *byte == 0) else { return false };
    let is_text = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    bytes[..end].contains(&b'\t') && bytes[..end].iter().all(is_text)
}

const NO_PATH: &str =
    "cannot tell which column holds the path; use --fields, for example --fields path=1,size=2";

/// Returns the columns of a list if its first line is a header, or `None` if it is not.
fn of_header(texts: &FieldTexts, given: &[FieldColumn]) -> Option<Vec<(usize, FieldUnit)>> {
    let mut columns: Vec<(usize, FieldUnit)> = Vec::new();
    let mut has_name = false;
    for column in given {
        let index = match &column.column {
            // A separator that does not separate all of these columns is not that of the list.
            ListColumn::Number(number) => Some(number - 1).filter(|index| *index < texts.len())?,
            ListColumn::Header(name) => {
                has_name = true;
                (0..texts.len()).find(|index| texts.csv(*index) == name.as_bytes())?
            }
        };
        columns.push((index, column.meaning));
    }
    let cell = |index: usize| std::str::from_utf8(texts.csv(index).trim_ascii()).unwrap_or_default();
    let named = |index: usize| FieldUnit::of_name(cell(index));
    let is_value = |(index, meaning): &(usize, FieldUnit)| match meaning.field {
        field if is_size(field) => !cell(*index).starts_with(char::is_alphabetic),
        field if is_path(field) => texts.csv(*index).contains(&b'/'),
        _ => false,
    };
    if !has_name && columns.iter().any(is_value) {
        return None;
    }
    let has_size = columns.iter().any(|(_, meaning)| is_size(meaning.field));
    let has_path = columns.iter().any(|(index, meaning)| {
        is_path(meaning.field) && named(*index).is_some_and(|named| is_path(named.field))
    });
    let before = columns.len();
    for index in 0..texts.len() {
        let is_new = |meaning: &FieldUnit| {
            columns.iter().all(|(known, other)| *known != index && other.field != meaning.field)
        };
        let new = named(index).filter(is_new);
        columns.extend(new.map(|meaning| (index, meaning)));
    }
    // A single known name is not enough if the user specified no columns, because a value in the first entry may happen
    // to equal a column name.
    let has_known = columns.len() - before > usize::from(given.is_empty());
    let is_header = has_name || has_size || has_path || has_known;
    (is_header && path_column(&columns).is_some()).then_some(columns)
}

/// Returns the columns if all of them are given by number; `None` if any is given by name.
fn numbered(given: &[FieldColumn]) -> Option<Vec<(usize, FieldUnit)>> {
    let index = |column: &FieldColumn| match column.column {
        ListColumn::Number(number) => Some((number - 1, column.meaning)),
        ListColumn::Header(_) => None,
    };
    given.iter().map(index).collect()
}

fn is_size(field: ListField) -> bool {
    matches!(field, ListField::Apparent | ListField::Disk)
}

fn is_path(field: ListField) -> bool {
    matches!(field, ListField::Path | ListField::PathBase64 | ListField::Name)
}

fn path_column(columns: &[(usize, FieldUnit)]) -> Option<usize> {
    columns.iter().find(|(_, meaning)| is_path(meaning.field)).map(|(index, _)| *index)
}

/// Returns the first lines of the input, without the last newline, but does not take them from `records`. If the first
/// line is longer than [`HEAD`] bytes, it may be truncated.
fn first_lines(records: &mut RecordReader<'_>) -> Result<Vec<u8>, Reason> {
    let has_lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').nth(LINES).is_some();
    let mut head = records.peek(|bytes| has_lines(bytes) || bytes.len() > HEAD)?.to_vec();
    // The last line may be incomplete.
    head.truncate(head.iter().rposition(|byte| *byte == b'\n').unwrap_or(head.len()));
    Ok(head)
}

fn wrong(reason: &'static str) -> LayoutError {
    LayoutError::Settings(reason)
}
