//! Command-line flags and their help texts.
//!
//! Invariant: every flag defined here has an effect. Without a subcommand, duke accepts only these flags, the
//! [`ListFlags`], and the opposites (such as `--no-x` for `--x`) that `settings::command` adds.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, ValueEnum, ValueHint};

use crate::cli::help_text;
use crate::cli::list_flags::ListFlags;
use crate::cli::subcommands::Command;
use crate::cli::values::{
    ColumnWord, PaneChoice, StartView, When, block_size, choices, columns, count, size, threads,
};
use crate::table::column::Column;

/// Last line of the short help.
const MORE: &str = "See --help for details, examples, environment variables, files and exit codes.";

/// Show what uses the disk space below each PATH
///
/// On a terminal, the browser opens; otherwise a table is printed. A subcommand is recognized only as the first word.
/// To browse a directory that has the name of a subcommand, put `./` before it, as in `duke ./man`.
#[derive(Debug, Parser)]
#[command(
    name = "duke",
    version,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    disable_help_flag = true,
    disable_help_subcommand = true,
    disable_version_flag = true,
    subcommand_help_heading = "Subcommands",
    subcommand_value_name = "SUBCOMMAND"
)]
pub struct Cli {
    #[command(flatten)]
    pub arguments: Arguments,

    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Returns the definition of the command line, with all subcommands and their help.
    pub fn definition() -> clap::Command {
        let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help");
        let command = Self::command().mut_subcommands(|command| command.arg(help.clone()));
        command.after_help(MORE).after_long_help(help_text::text())
    }

    /// Parses a command line, whose first word is the program's own name.
    pub fn understand(words: &[OsString]) -> Result<Self, clap::Error> {
        Self::from_arg_matches(&Self::definition().try_get_matches_from(words)?)
    }
}

/// Arguments of a command line without a subcommand.
#[derive(Debug, Parser)]
#[command(
    name = "duke",
    version,
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true,
    subcommand_help_heading = "Subcommands",
    subcommand_value_name = "SUBCOMMAND"
)]
#[allow(clippy::struct_excessive_bools)] // this struct holds flags; `cli` converts them into enums
pub struct Arguments {
    /// Directories or files to scan (default: the current directory)
    ///
    /// A PATH that is a symbolic link to a directory is followed; links below it are not.
    /// `ssh://[USER@]HOST[:PORT]/PATH` runs duke on that host. `rclone://REMOTE:PATH` lists the objects on an rclone
    /// remote.
    #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub paths: Vec<OsString>,

    /// Print the tree as JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Print a JSON object for each entry, one per line
    #[arg(long, conflicts_with_all = ["json", "pick"], help_heading = "Output")]
    pub ndjson: bool,

    /// Print comma-separated values for each entry, one entry per line
    #[arg(long, conflicts_with_all = ["json", "ndjson", "pick"], help_heading = "Output")]
    pub csv: bool,

    /// Write a JSON export in ncdu's format to FILE; - is standard output
    ///
    /// The file is compressed with zstd if FILE ends in .zst. An existing file is replaced once the new one is
    /// complete.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["json", "ndjson", "csv", "pick"], help_heading = "Exchange")]
    pub output: Option<OsString>,

    /// Write a binary export in ncdu's format to FILE; - is standard output
    ///
    /// duke, and ncdu since version 2.6, can browse such a file without reading all of it into memory. The file is
    /// compressed and written by several threads. An existing file is replaced once the new one is complete.
    #[arg(short = 'O', long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["output", "json", "ndjson", "csv", "pick"], help_heading = "Exchange")]
    pub output_binary: Option<OsString>,

    /// Block size of the binary export (-O) in KiB, from 4 to 16000 (default: 64, or more for large exports)
    ///
    /// With smaller blocks, a single directory can be opened faster; with larger blocks, the file is smaller.
    #[arg(long, value_name = "KIB", value_parser = ValueParser::new(block_size), requires = "output_binary", conflicts_with_all = ["output", "json", "ndjson", "csv", "pick"], help_heading = "Exchange")]
    pub export_block_size: Option<u16>,

    /// Compress the JSON export (-o) with zstd
    #[arg(short, long, requires = "output", conflicts_with_all = ["output_binary", "json", "ndjson", "csv", "pick"], help_heading = "Exchange")]
    pub compress: bool,

    /// Read an export of ncdu, gdu or duke, a list of files, or a snapshot, instead of a PATH; - is standard input
    ///
    /// JSON exports and lists may be compressed with zstd or gzip. Snapshots are written by duke save. Repeat -f to
    /// read several FILEs; a binary export (-O) must be the only FILE.
    #[arg(short = 'f', long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["paths", "one_file_system", "exclude", "exclude_from", "exclude_caches", "include_kernfs", "skip_network", "threads", "extended"], help_heading = "Exchange")]
    pub import: Vec<OsString>,

    #[command(flatten)]
    pub lists: ListFlags,

    /// Print a table even if standard output is a terminal
    #[arg(short, long, help_heading = "Output")]
    pub no_interactive: bool,

    /// Print one line for each PATH, like --depth 0
    #[arg(short, long, conflicts_with = "depth", help_heading = "Output")]
    pub summarize: bool,

    /// Print N levels below each PATH (default: 1 in a table, all in JSON)
    ///
    /// Sizes include deeper levels. --max-depth is an alias.
    #[arg(short, long, alias = "max-depth", value_name = "N", allow_negative_numbers = true, value_parser = ValueParser::new(count::<usize>), help_heading = "Output")]
    pub depth: Option<usize>,

    /// Print a table with sizes in bytes
    #[arg(long, conflicts_with_all = ["json", "ndjson", "csv", "output", "output_binary", "pick", "si"], help_heading = "Output")]
    pub bytes: bool,

    /// Print only entries of SIZE or more, such as 100M
    ///
    /// With --apparent-size, tables compare SIZE with the apparent size; --json always compares it with the disk usage.
    /// Totals include the omitted entries.
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size), help_heading = "Output")]
    pub min_size: Option<u64>,

    /// Print the N largest files instead of the tree
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = ValueParser::new(count::<usize>), help_heading = "Output")]
    pub top: Option<usize>,

    /// Print totals by type, age, owner or storage class instead of the tree
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', help_heading = "Output")]
    pub by: Vec<GroupBy>,

    /// Print how much space deleting each entry would free
    ///
    /// Reads the extents of all files, but not their contents. Deleting only one of several copies that share their
    /// data frees nothing. The table also shows the size of the shared data. On btrfs, only root gets exact numbers;
    /// other users get minimums. Prints the number of files whose extents could not be read, if any.
    #[arg(long, conflicts_with_all = ["import", "output", "output_binary", "pick"], help_heading = "Output")]
    pub frees: bool,

    /// Do not print progress on standard error
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Show apparent size instead of disk usage
    #[arg(short, long, help_heading = "Display")]
    pub apparent_size: bool,

    /// Show sizes in powers of 1000
    #[arg(long, help_heading = "Display")]
    pub si: bool,

    /// Sort the table and the browser by a column
    #[arg(long, value_name = "COL", value_parser = columns(), default_value = "size", help_heading = "Display")]
    pub sort: Column,

    /// Reverse the sort order
    #[arg(long, help_heading = "Display")]
    pub reverse: bool,

    /// List directories before all other entries
    #[arg(long, help_heading = "Display")]
    pub directories_first: bool,

    /// Do not show hidden entries in the table and the browser
    ///
    /// Totals still include hidden entries. Ignored by --json, --ndjson, --csv, --top and --by. The browser omits
    /// excluded entries, too.
    #[arg(long, help_heading = "Display")]
    pub no_hidden: bool,

    /// Columns of the browser's list in addition to size and name, separated by commas (default: share,bar,count)
    ///
    /// Columns that do not fit into the window are omitted; the title line then ends in an ellipsis. For a
    /// list of files (-f), COLS may also contain values of --fields, such as path=2.
    #[arg(long, value_name = "COLS", value_parser = choices(), action = ArgAction::Set, value_delimiter = ',', help_heading = "Display")]
    pub columns: Option<Vec<ColumnWord>>,

    /// Show each directory in its own row, even if its only entry is a directory
    ///
    /// By default, a chain of such directories has one row (`a/b/c/`). Opening it leads to the innermost directory; all
    /// other keys act on the outermost.
    #[arg(long, help_heading = "Display")]
    pub no_collapse: bool,

    /// When to use color
    #[arg(long, value_name = "WHEN", value_enum, help_heading = "Display")]
    pub color: Option<When>,

    /// Draw with ASCII characters only
    #[arg(long, help_heading = "Display")]
    pub ascii: bool,

    /// View that the browser shows first
    #[arg(long, value_name = "VIEW", value_enum, default_value = "list", help_heading = "Display")]
    pub start: StartView,

    /// Panes beside the list in a wide window
    #[arg(long, value_name = "PANES", value_enum, default_value = "preview", help_heading = "Display")]
    pub panes: PaneChoice,

    /// Do not capture the mouse
    #[arg(long, help_heading = "Display")]
    pub no_mouse: bool,

    /// Browse even if standard output is redirected; the key p writes the marked paths to standard output
    #[arg(long, conflicts_with_all = ["json", "no_interactive", "summarize", "depth"], help_heading = "Display")]
    pub pick: bool,

    /// On quitting, write the path of the directory on screen to FILE, so that a shell function can cd to it
    ///
    /// The path is absolute and is written without a trailing newline. Nothing is written for a snapshot, an export or
    /// a remote tree, or if the list of several PATHs is on screen.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["json", "no_interactive", "summarize", "depth"], help_heading = "Display")]
    pub cwd_file: Option<PathBuf>,

    /// End each path that the key p prints with a NUL instead of a newline
    #[arg(short = '0', long, help_heading = "Display")]
    pub print0: bool,

    /// Use N threads (default: twice the number of processors, but at least 8 and at most 64; 8 on macOS)
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads), help_heading = "Scan")]
    pub threads: Option<u16>,

    /// Do not cross file-system boundaries below a PATH
    ///
    /// Directories whose device number differs from that of PATH are skipped, including btrfs subvolumes.
    #[arg(short = 'x', long, help_heading = "Scan")]
    pub one_file_system: bool,

    /// Exclude entries matching GLOB
    ///
    /// A pattern without a slash must match a whole name. A pattern with a slash must match the end of the entry's
    /// path. (This path begins with PATH as given on the command line.) `*` and `?` do not match a slash; `**` does. A
    /// pattern that ends in a slash matches only directories. Can be given more than once.
    #[arg(long, value_name = "GLOB", help_heading = "Scan")]
    pub exclude: Vec<String>,

    /// Exclude entries matching a pattern in FILE (one pattern per line); - is standard input
    #[arg(short = 'X', long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Scan")]
    pub exclude_from: Vec<OsString>,

    /// Exclude directories that contain a CACHEDIR.TAG
    #[arg(long, help_heading = "Scan")]
    pub exclude_caches: bool,

    /// Enter /proc, /sys and other kernel file systems below a PATH
    #[arg(long, conflicts_with = "one_file_system", help_heading = "Scan")]
    pub include_kernfs: bool,

    /// Skip network file systems below a PATH
    ///
    /// Examples are NFS, SMB and sshfs. No request is sent to them, so an unreachable server does not block the scan.
    #[arg(long, help_heading = "Scan")]
    pub skip_network: bool,

    /// Count a symbolic link as the file that it points to
    ///
    /// The link is shown with the sizes of that file. A file counts once for each link to it, and once at its own
    /// location. Links to directories are not followed.
    #[arg(short = 'L', long, help_heading = "Scan")]
    pub follow_symlinks: bool,

    /// Also list noncurrent versions of objects
    ///
    /// Only for rclone:// paths on S3 and B2. rclone adds a timestamp to the name of each version.
    #[arg(long, help_heading = "Scan", conflicts_with = "import")]
    pub versions: bool,

    /// Also list unfinished multipart uploads
    ///
    /// Only for rclone:// paths on S3. Unfinished uploads use space, but are not objects yet. S3 lists them without
    /// sizes, so they are shown as empty files.
    #[arg(long, help_heading = "Scan", conflicts_with = "import")]
    pub uploads: bool,

    /// Disable deletion
    #[arg(short, long, help_heading = "Deleting")]
    pub read_only: bool,

    /// Only show what would be deleted
    ///
    /// The browser asks for confirmation as usual, and then shows what it would have deleted.
    #[arg(long, help_heading = "Deleting")]
    pub dry_run: bool,

    /// Ask for the name of the largest selected entry before deleting more than SIZE
    ///
    /// SIZE is a number of bytes, or has a unit: k, M, G, T are powers of 1024; kB, MB, GB, TB are powers of 1000.
    #[arg(
        long, value_name = "SIZE", value_parser = ValueParser::new(size), default_value = "100G", help_heading = "Deleting"
    )]
    pub type_name_over: u64,

    /// Preselect Yes when the browser asks about a deletion
    #[arg(long, help_heading = "Deleting")]
    pub select_yes: bool,

    /// Ask before the browser quits, even if nothing would be lost
    #[arg(long, help_heading = "Display")]
    pub confirm_quit: bool,

    /// Read the owner, group and mode of every entry
    #[arg(short, long, help_heading = "Scan")]
    pub extended: bool,

    /// Do not keep a snapshot of the scan; implies --no-instant
    #[arg(long, help_heading = "Snapshots")]
    pub no_snapshots: bool,

    /// While scanning, do not show the sizes of the previous scan; save at most one snapshot a day
    #[arg(long, visible_alias = "fresh", help_heading = "Snapshots")]
    pub no_instant: bool,

    /// Keep snapshots for at most N days (default: 30)
    #[arg(long, value_name = "N", value_parser = ValueParser::new(count::<u32>), help_heading = "Snapshots")]
    pub snapshot_days: Option<u32>,

    /// Limit the total size of the kept snapshots to SIZE; the oldest are deleted first (default: 512M)
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size), help_heading = "Snapshots")]
    pub snapshot_size: Option<u64>,

    /// Read the configuration from FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, overrides_with = "no_config", help_heading = "Configuration")]
    pub config: Option<PathBuf>,

    /// Ignore configuration files
    #[arg(long, overrides_with = "config", help_heading = "Configuration")]
    pub no_config: bool,

    /// Print help (-h: summary, --help: details)
    #[arg(short, long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// Grouping of totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// Extension of a file, or kind of any other entry
    Type,
    /// Time since the last change
    Age,
    /// User who owns the entry
    Owner,
    /// Storage class of the objects in an object store
    #[value(name = "class")]
    StorageClass,
}
