//! Flag values and their parsers.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

use crate::base::{calendar, format};
use crate::run::print::BLOCK_SIZES;
use crate::source::FieldColumn;
use crate::table::column::{COLUMNS, Column, ColumnSpec};

/// Maximum number of threads accepted. A larger number is probably a typo.
const MOST_THREADS: u16 = 1024;

/// Maximum value of `duke plan --parts`.
const MOST_PARTS: usize = 100_000;

/// Value of `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Use color if the terminal supports it, unless `NO_COLOR` is set
    Auto,
    /// Always use color
    Always,
    /// Never use color
    Never,
}

/// View that the browser shows first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum StartView {
    /// Entries of the directory
    #[default]
    List,
    /// Largest directories and files, types, ages
    Overview,
    /// Nested rectangles
    Treemap,
}

/// Panes beside the list in a wide window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PaneChoice {
    /// Preview of the selected entry (if the window has at least 140 columns)
    #[default]
    Preview,
    /// Preview, and the parent directory if the window has at least 180 columns
    Both,
    /// Only the list
    None,
}

/// Returns the parser for column names in `--sort`.
pub fn columns() -> impl TypedValueParser<Value = Column> {
    named(|column| column.option)
}

/// One value of the list given to `--columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnWord {
    /// Column of the browser's list.
    Shown(Column),
    /// Field of an input list, with the column that contains it.
    Read(FieldColumn),
}

/// Returns the parser for `--columns`, which accepts column names and `FIELD=COLUMN`.
pub fn choices() -> impl TypedValueParser<Value = ColumnWord> {
    ColumnWords(named(|column| column.choice))
}

/// Parser for `--columns`. `P` parses column names.
#[derive(Clone)]
struct ColumnWords<P>(P);

impl<P: TypedValueParser<Value = Column>> TypedValueParser for ColumnWords<P> {
    type Value = ColumnWord;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        word: &OsStr,
    ) -> Result<ColumnWord, clap::Error> {
        if word.as_bytes().contains(&b'=') {
            return FieldColumn::parse.parse_ref(command, arg, word).map(ColumnWord::Read);
        }
        self.0.parse_ref(command, arg, word).map(ColumnWord::Shown)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Returns a parser that accepts each column for which `of` returns a name and a help text.
fn named(
    of: fn(&ColumnSpec) -> Option<(&'static str, &'static str)>,
) -> impl TypedValueParser<Value = Column> {
    let options = move || COLUMNS.iter().filter_map(move |spec| Some((spec.column, of(spec)?)));
    let values = options().map(|(_, (name, help))| PossibleValue::new(name).help(help));
    let column = move |name: String| options().find(|(_, (option, _))| *option == name);
    PossibleValuesParser::new(values)
        .map(move |name| column(name).map(|(column, _)| column).unwrap_or_default())
}

/// Parses a size such as `10k` or `1.5G`, and returns the number of bytes.
pub fn size(word: &str) -> Result<u64, String> {
    format::parse(word).ok_or_else(|| "must be a size such as 10k, 1.5G or 200MB".to_owned())
}

/// Parses a time: an age such as `3d`, a day such as `2026-11-21`, or a minute such as `2026-11-21 08:15`. Returns the
/// first second after that moment, day or minute, in seconds since 1970.
pub fn since(word: &str) -> Result<i64, String> {
    calendar::end_of_moment(word, crate::base::clock::now(), calendar::local_zone).ok_or_else(|| {
        "must be an age such as 3d (units: h, d, w, mo, y), or a date such as 2026-11-21 or '2026-11-21 08:15'"
            .to_owned()
    })
}

pub fn count<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| "negative, too large, or not a whole number".to_owned())
}

/// Parses a block size in KiB.
pub fn block_size(word: &str) -> Result<u16, String> {
    let number = word.parse().ok().filter(|number| BLOCK_SIZES.contains(number));
    number.ok_or_else(|| format!("not a whole number from {} to {}", BLOCK_SIZES.start(), BLOCK_SIZES.end()))
}

/// Parses the value of `duke plan --parts`, the number of parts into which a directory is divided.
pub fn parts(word: &str) -> Result<usize, String> {
    let number = word.parse().ok().filter(|number| (1..=MOST_PARTS).contains(number));
    number.ok_or_else(|| format!("not a whole number from 1 to {MOST_PARTS}"))
}

pub fn threads(word: &str) -> Result<u16, String> {
    let number = word.parse().ok().filter(|number| (1..=MOST_THREADS).contains(number));
    number.ok_or_else(|| format!("not a whole number from 1 to {MOST_THREADS}"))
}

/// Parses a value of `--color`.
pub fn when(word: &str) -> Result<When, String> {
    When::from_str(word, false).map_err(|_| "must be auto, always or never".to_owned())
}
