//! Flags of the command line, with their help.
//!
//! Invariant: every flag here works, and there is no other.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, ValueEnum};
use jiff::tz::TimeZone;

use crate::base::format;
use crate::cli::help_text;
use crate::cli::subcommands::Command;
use crate::table::column::{Column, SORTABLE};

/// Largest accepted number of threads; more is a typing error.
const MOST_THREADS: u16 = 1024;

/// Last line of the short help.
const MORE: &str = "--help says more of each flag, with examples, variables, files and exit codes.";

/// Shows what takes the space below each PATH.
///
/// On a terminal a browser opens; otherwise a table is printed. A command is one only as the first word: `duke ./man` looks
/// at what has that name.
#[derive(Debug, Parser)]
#[command(
    name = "duke",
    version,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    disable_help_flag = true,
    disable_help_subcommand = true,
    disable_version_flag = true
)]
pub struct Words {
    #[command(flatten)]
    pub arguments: Arguments,

    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Words {
    /// Returns the command line with all subcommands and their help.
    pub fn definition() -> clap::Command {
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help");
        let command = Self::command().mut_subcommands(|command| command.arg(help.clone()));
        command.after_help(MORE).after_long_help(help_text::text())
    }

    /// Parses words, the first of which is the program's own name.
    pub fn understand(words: &[OsString]) -> Result<Self, clap::Error> {
        Self::from_arg_matches(&Self::definition().try_get_matches_from(words)?)
    }
}

/// The words that are no command.
#[derive(Debug, Parser)]
#[command(
    name = "duke",
    version,
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true
)]
#[allow(clippy::struct_excessive_bools)] // flags are what this struct is for; `cli` makes enums of them
pub struct Arguments {
    /// What to look at: the current directory, unless something else is named
    ///
    /// A symbolic link to a directory is followed here, and nowhere else. `ssh://[USER@]HOST[:PORT]/PATH` runs duke there.
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    /// Print the whole tree as JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Print a JSON object for each entry, one a line
    #[arg(long, conflicts_with_all = ["json", "pick"], help_heading = "Output")]
    pub ndjson: bool,

    /// Print comma-separated values for each entry, one a line
    #[arg(long, conflicts_with_all = ["json", "ndjson", "pick"], help_heading = "Output")]
    pub csv: bool,

    /// Write ncdu's JSON export to FILE; - is standard output
    ///
    /// Packed with zstd if FILE ends in .zst. A file takes the place of the old one when it is whole.
    #[arg(short, value_name = "FILE", conflicts_with_all = ["json", "ndjson", "csv", "pick"], help_heading = "Exchange")]
    pub output: Option<OsString>,

    /// Pack what -o writes with zstd
    #[arg(short, requires = "output", help_heading = "Exchange")]
    pub compress: bool,

    /// Look at an export of ncdu, gdu or duke, or a snapshot, instead of a PATH; - is standard input
    ///
    /// Exports are plain, or packed with zstd or gzip, and there can be several. A snapshot is what save has written, and is
    /// looked at alone.
    #[arg(short = 'f', value_name = "FILE", conflicts_with_all = ["paths", "one_file_system", "exclude", "exclude_from", "exclude_caches", "include_kernfs", "skip_network", "threads", "extended"], help_heading = "Exchange")]
    pub import: Vec<OsString>,

    /// Print a table, on a terminal too
    #[arg(short, long, help_heading = "Output")]
    pub no_interactive: bool,

    /// Print one line for each PATH: depth 0
    #[arg(short, long, conflicts_with = "depth", help_heading = "Output")]
    pub summarize: bool,

    /// Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise
    ///
    /// Sizes include what lies deeper.
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(count::<usize>), help_heading = "Output")]
    pub depth: Option<usize>,

    /// Print no entries that take less than SIZE, such as 100M
    ///
    /// Of a table that shows apparent sizes, none that are shorter. Totals are of everything.
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size), help_heading = "Output")]
    pub min_size: Option<u64>,

    /// Print the N files that take most, instead of the tree
    #[arg(long, value_name = "N", value_parser = ValueParser::new(count::<usize>), help_heading = "Output")]
    pub top: Option<usize>,

    /// Print sums by type, age or owner, instead of the tree
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', help_heading = "Output")]
    pub by: Vec<Summed>,

    /// Print no progress on standard error
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Show how long files are, not what they take on the disk
    #[arg(short, long, help_heading = "Display")]
    pub apparent_size: bool,

    /// Show sizes in powers of 1000
    #[arg(long, help_heading = "Display")]
    pub si: bool,

    /// Sort by a column; JSON, --top and --by have an order of their own
    #[arg(long, value_name = "COL", value_parser = columns(), default_value = "size", help_heading = "Display")]
    pub sort: Column,

    /// Sort the other way round
    #[arg(long, help_heading = "Display")]
    pub reverse: bool,

    /// Use colours in the browser
    #[arg(long, value_name = "WHEN", value_enum, help_heading = "Display")]
    pub color: Option<When>,

    /// Draw with ASCII characters only
    #[arg(long, help_heading = "Display")]
    pub ascii: bool,

    /// Leave the mouse to the terminal
    #[arg(long, help_heading = "Display")]
    pub no_mouse: bool,

    /// Draw on the terminal although the output goes elsewhere: it is the marked paths, printed by the key p
    #[arg(long, conflicts_with_all = ["json", "no_interactive", "summarize", "depth"], help_heading = "Display")]
    pub pick: bool,

    /// End each path that the key p prints with a NUL instead of a line end
    #[arg(short = '0', long, help_heading = "Display")]
    pub print0: bool,

    /// Read with N threads
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads), help_heading = "Scan")]
    pub threads: Option<u16>,

    /// Stay on the file system of each PATH
    ///
    /// Decided for each directory by its device; a btrfs subvolume has a device of its own.
    #[arg(short = 'x', long, help_heading = "Scan")]
    pub one_file_system: bool,

    /// Leave out what the pattern matches
    ///
    /// A pattern without a slash is held against names, one with a slash against the ends of paths. `*` and `?` match no
    /// slash, `**` does. A slash at its end means directories only. Can be given more than once.
    #[arg(long, value_name = "GLOB", help_heading = "Scan")]
    pub exclude: Vec<String>,

    /// Leave out what a pattern in FILE matches, one a line; - is standard input
    #[arg(short = 'X', value_name = "FILE", help_heading = "Scan")]
    pub exclude_from: Vec<OsString>,

    /// Leave out directories that hold a CACHEDIR.TAG
    #[arg(long, help_heading = "Scan")]
    pub exclude_caches: bool,

    /// Enter /proc, /sys and the like below a PATH
    #[arg(long, conflicts_with = "one_file_system", help_heading = "Scan")]
    pub include_kernfs: bool,

    /// Do not enter file systems of other machines below a PATH
    ///
    /// NFS, SMB, sshfs and the like. Their mount points are not even asked, so that a server that is gone keeps nobody waiting.
    #[arg(long, help_heading = "Scan")]
    pub skip_network: bool,

    /// Change nothing: no key that deletes works
    #[arg(short, long, help_heading = "Deleting")]
    pub read_only: bool,

    /// Only show what a deletion would remove
    ///
    /// The keys that delete ask as always; then they say what would have gone, and change nothing.
    #[arg(long, help_heading = "Deleting")]
    pub dry_run: bool,

    /// Have the name typed to delete more than SIZE
    ///
    /// A number of bytes, or with k, M, G, T: powers of 1024, or of 1000 as in kB.
    #[arg(
        long, value_name = "SIZE", value_parser = ValueParser::new(size), default_value = "100G", help_heading = "Deleting"
    )]
    pub type_name_over: u64,

    /// Keep owner, group and mode of every entry
    #[arg(short, long, help_heading = "Scan")]
    pub extended: bool,

    /// Keep no snapshot of what was browsed
    #[arg(long, help_heading = "Snapshots")]
    pub no_snapshots: bool,

    /// Remove snapshots that were kept for more than N days: 30, unless told otherwise
    #[arg(long, value_name = "N", value_parser = ValueParser::new(count::<u32>), help_heading = "Snapshots")]
    pub snapshot_days: Option<u32>,

    /// Remove the oldest snapshots when all take more than SIZE: 512M, unless told otherwise
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size), help_heading = "Snapshots")]
    pub snapshot_size: Option<u64>,

    /// Read the configuration from FILE
    #[arg(long, value_name = "FILE", overrides_with = "no_config", help_heading = "Configuration")]
    pub config: Option<PathBuf>,

    /// Read no configuration
    #[arg(long, overrides_with = "config", help_heading = "Configuration")]
    pub no_config: bool,

    /// Print help: -h in short, --help with details
    #[arg(short, long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// Grouping of totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Summed {
    /// Extensions, and kinds of what is no file
    Type,
    /// Time since the last change
    Age,
    /// User
    Owner,
}

/// Use of colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Unless `NO_COLOR` is set
    Auto,
    /// In any case
    Always,
    /// In no case
    Never,
}

/// Returns the parser of the columns that have a name for `--sort`.
fn columns() -> impl TypedValueParser<Value = Column> {
    let options = || SORTABLE.into_iter().filter_map(|column| Some((column, column.spec().option?)));
    let values = options().map(|(_, (name, help))| PossibleValue::new(name).help(help));
    let named = move |name: String| options().find(|(_, (option, _))| *option == name);
    PossibleValuesParser::new(values)
        .map(move |name| named(name).map(|(column, _)| column).unwrap_or_default())
}

/// Parses a size in bytes.
pub fn size(word: &str) -> Result<u64, String> {
    format::parse(word).ok_or_else(|| "not a size such as 10k, 1.5G or 200MB".to_owned())
}

/// Parses a moment and returns the second after it, since 1970.
pub fn since(word: &str) -> Result<i64, String> {
    format::end_of_moment(word, crate::base::clock::now(), TimeZone::system).ok_or_else(|| {
        "not an age such as 3d (h, d, w, mo, y), nor a date such as 2026-11-21 or '2026-11-21 08:15'"
            .to_owned()
    })
}

/// Parses a count.
fn count<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| "not a number".to_owned())
}

/// Parses a number of threads.
pub fn threads(word: &str) -> Result<u16, String> {
    let number = word.parse().ok().filter(|number| (1..=MOST_THREADS).contains(number));
    number.ok_or_else(|| format!("not a number from 1 to {MOST_THREADS}"))
}

/// Parses a setting for colors.
pub fn when(word: &str) -> Result<When, String> {
    When::from_str(word, false).map_err(|_| "not auto, always or never".to_owned())
}
