//! How the flags are spelled, and what the help says of them.
//!
//! Invariant: a flag stands here if and only if it works.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, ValueEnum};

use super::commands::Command;
use super::facts;
use crate::size;

/// More threads than this are a mistake in typing.
const MOST_THREADS: u16 = 1024;

/// What ends the short help.
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
pub(super) struct Words {
    #[command(flatten)]
    pub(super) arguments: Arguments,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

impl Words {
    /// The command line, with the help of every command.
    pub(super) fn definition() -> clap::Command {
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help");
        let command = Self::command().mut_subcommands(|command| command.arg(help.clone()));
        command.after_help(MORE).after_long_help(facts::text())
    }

    /// Understands words, the first of which is the program's own name.
    pub(super) fn understand(words: &[OsString]) -> Result<Self, clap::Error> {
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
pub(super) struct Arguments {
    /// What to look at: the current directory, unless something else is named
    ///
    /// A symbolic link to a directory is followed here, and nowhere else. `ssh://[USER@]HOST[:PORT]/PATH` runs duke there.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<OsString>,

    /// Print the whole tree as JSON
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,

    /// Print a JSON object for each entry, one a line
    #[arg(long, conflicts_with_all = ["json", "pick"], help_heading = "Output")]
    pub(super) ndjson: bool,

    /// Print comma-separated values for each entry, one a line
    #[arg(long, conflicts_with_all = ["json", "ndjson", "pick"], help_heading = "Output")]
    pub(super) csv: bool,

    /// Write ncdu's JSON export to FILE; - is standard output
    ///
    /// Packed with zstd if FILE ends in .zst. A file takes the place of the old one when it is whole.
    #[arg(short, value_name = "FILE", conflicts_with_all = ["json", "ndjson", "csv", "pick"], help_heading = "Exchange")]
    pub(super) output: Option<OsString>,

    /// Pack what -o writes with zstd
    #[arg(short, requires = "output", help_heading = "Exchange")]
    pub(super) compress: bool,

    /// Look at an export of ncdu, gdu or duke, or a snapshot, instead of a PATH; - is standard input
    ///
    /// Exports are plain, or packed with zstd or gzip, and there can be several. A snapshot is what save has written, and is
    /// looked at alone.
    #[arg(short = 'f', value_name = "FILE", conflicts_with_all = ["paths", "one_file_system", "exclude", "exclude_from", "exclude_caches", "include_kernfs", "skip_network", "threads", "extended"], help_heading = "Exchange")]
    pub(super) import: Vec<OsString>,

    /// Print a table, on a terminal too
    #[arg(short, long, help_heading = "Output")]
    pub(super) no_interactive: bool,

    /// Print one line for each PATH: depth 0
    #[arg(short, long, conflicts_with = "depth", help_heading = "Output")]
    pub(super) summarize: bool,

    /// Print N levels below each PATH: 1 in a table, all in JSON, unless told otherwise
    ///
    /// Sizes include what lies deeper.
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(count::<usize>), help_heading = "Output")]
    pub(super) depth: Option<usize>,

    /// Print no entries that take less than SIZE, such as 100M
    ///
    /// Of a table that shows apparent sizes, none that are shorter. Totals are of everything.
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size), help_heading = "Output")]
    pub(super) min_size: Option<u64>,

    /// Print the N files that take most, instead of the tree
    #[arg(long, value_name = "N", value_parser = ValueParser::new(count::<usize>), help_heading = "Output")]
    pub(super) top: Option<usize>,

    /// Print sums by type, age or owner, instead of the tree
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', help_heading = "Output")]
    pub(super) by: Vec<Summed>,

    /// Print no progress on standard error
    #[arg(short, long, help_heading = "Output")]
    pub(super) quiet: bool,

    /// Show how long files are, not what they take on the disk
    #[arg(short, long, help_heading = "Display")]
    pub(super) apparent_size: bool,

    /// Show sizes in powers of 1000
    #[arg(long, help_heading = "Display")]
    pub(super) si: bool,

    /// Sort by a column; JSON, --top and --by have an order of their own
    #[arg(long, value_name = "COL", value_enum, default_value = "size", help_heading = "Display")]
    pub(super) sort: SortBy,

    /// Sort the other way round
    #[arg(long, help_heading = "Display")]
    pub(super) reverse: bool,

    /// Use colours in the browser
    #[arg(long, value_name = "WHEN", value_enum, help_heading = "Display")]
    pub(super) color: Option<When>,

    /// Draw with ASCII characters only
    #[arg(long, help_heading = "Display")]
    pub(super) ascii: bool,

    /// Leave the mouse to the terminal
    #[arg(long, help_heading = "Display")]
    pub(super) no_mouse: bool,

    /// Draw on the terminal although the output goes elsewhere: it is the marked paths, printed by the key p
    #[arg(long, conflicts_with_all = ["json", "no_interactive", "summarize", "depth"], help_heading = "Display")]
    pub(super) pick: bool,

    /// End each path that the key p prints with a NUL instead of a line end
    #[arg(short = '0', long, help_heading = "Display")]
    pub(super) print0: bool,

    /// Read with N threads
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads), help_heading = "Scan")]
    pub(super) threads: Option<u16>,

    /// Stay on the file system of each PATH
    ///
    /// Decided for each directory by its device; a btrfs subvolume has a device of its own.
    #[arg(short = 'x', long, help_heading = "Scan")]
    pub(super) one_file_system: bool,

    /// Leave out what the pattern matches
    ///
    /// A pattern without a slash is held against names, one with a slash against the ends of paths. `*` and `?` match no
    /// slash, `**` does. A slash at its end means directories only. Can be given more than once.
    #[arg(long, value_name = "GLOB", help_heading = "Scan")]
    pub(super) exclude: Vec<String>,

    /// Leave out what a pattern in FILE matches, one a line; - is standard input
    #[arg(short = 'X', value_name = "FILE", help_heading = "Scan")]
    pub(super) exclude_from: Vec<OsString>,

    /// Leave out directories that hold a CACHEDIR.TAG
    #[arg(long, help_heading = "Scan")]
    pub(super) exclude_caches: bool,

    /// Enter /proc, /sys and the like below a PATH
    #[arg(long, conflicts_with = "one_file_system", help_heading = "Scan")]
    pub(super) include_kernfs: bool,

    /// Do not enter file systems of other machines below a PATH
    ///
    /// NFS, SMB, sshfs and the like. Their mount points are not even asked, so that a server that is gone keeps nobody waiting.
    #[arg(long, help_heading = "Scan")]
    pub(super) skip_network: bool,

    /// Change nothing: no key that deletes works
    #[arg(short, long, help_heading = "Deleting")]
    pub(super) read_only: bool,

    /// Only show what a deletion would remove
    ///
    /// The keys that delete ask as always; then they say what would have gone, and change nothing.
    #[arg(long, help_heading = "Deleting")]
    pub(super) dry_run: bool,

    /// Have the name typed to delete more than SIZE
    ///
    /// A number of bytes, or with k, M, G, T: powers of 1024, or of 1000 as in kB.
    #[arg(
        long, value_name = "SIZE", value_parser = ValueParser::new(size), default_value = "100G", help_heading = "Deleting"
    )]
    pub(super) type_name_over: u64,

    /// Keep owner, group and mode of every entry
    #[arg(short, long, help_heading = "Scan")]
    pub(super) extended: bool,

    /// Keep no snapshot of what was browsed
    #[arg(long, help_heading = "Snapshots")]
    pub(super) no_snapshots: bool,

    /// Remove snapshots that were kept for more than N days: 30, unless told otherwise
    #[arg(long, value_name = "N", value_parser = ValueParser::new(count::<u32>), help_heading = "Snapshots")]
    pub(super) snapshot_days: Option<u32>,

    /// Remove the oldest snapshots when all take more than SIZE: 512M, unless told otherwise
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size), help_heading = "Snapshots")]
    pub(super) snapshot_size: Option<u64>,

    /// Read the configuration from FILE
    #[arg(long, value_name = "FILE", overrides_with = "no_config", help_heading = "Configuration")]
    pub(super) config: Option<PathBuf>,

    /// Read no configuration
    #[arg(long, overrides_with = "config", help_heading = "Configuration")]
    pub(super) no_config: bool,

    /// Print help: -h in short, --help with details
    #[arg(short, long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// What entries are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SortBy {
    /// Largest first
    Size,
    /// By the bytes of the name
    Name,
    /// Most items first
    Count,
    /// Last changed first
    Mtime,
}

/// What sums are by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Summed {
    /// Extensions, and kinds of what is no file
    Type,
    /// Time since the last change
    Age,
    /// User
    Owner,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum When {
    /// Unless `NO_COLOR` is set
    Auto,
    /// In any case
    Always,
    /// In no case
    Never,
}

/// A size in bytes.
pub(super) fn size(word: &str) -> Result<u64, String> {
    size::parse(word).ok_or_else(|| "not a size such as 10k, 1.5G or 200MB".to_owned())
}

/// How many of something.
fn count<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| "not a number".to_owned())
}

/// A number of threads.
pub(super) fn threads(word: &str) -> Result<u16, String> {
    let number = word.parse().ok().filter(|number| (1..=MOST_THREADS).contains(number));
    number.ok_or_else(|| format!("not a number from 1 to {MOST_THREADS}"))
}

/// When colours are used.
pub(super) fn when(word: &str) -> Result<When, String> {
    When::from_str(word, false).map_err(|_| "not auto, always or never".to_owned())
}
