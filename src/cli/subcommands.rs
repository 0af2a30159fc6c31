//! Subcommands and their flags, including the help texts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::builder::{NonEmptyStringValueParser, ValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::cli::list_flags::ListFlags;
use crate::cli::values::{count, parts, since, size, threads};

/// Names of the subcommands.
pub const NAMES: [&str; 12] = [
    "completions",
    "config",
    "df",
    "diff",
    "duplicates",
    "help",
    "man",
    "merge",
    "ncdu",
    "plan",
    "save",
    "subvolumes",
];

/// Subcommands, recognized only as the first word.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Show the configuration
    Config {
        /// Information to print
        #[arg(value_enum)]
        what: ConfigQuery,

        /// Read the configuration from FILE
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, overrides_with = "no_config")]
        config: Option<PathBuf>,

        /// Ignore configuration files
        #[arg(long, overrides_with = "config")]
        no_config: bool,
    },
    /// Print the completion script for a shell
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Show what changed since an export or a snapshot was made
    ///
    /// On a terminal, changes are shown in the browser; otherwise, or with --json, -n or --min-change, they are
    /// printed. OLD and NEW are exports of ncdu, gdu or duke, snapshots, lists of files, directories, or ssh:// or
    /// rclone:// paths. If only a directory is given (default: the current directory), it is compared with its newest
    /// snapshot. The browser saves such snapshots automatically, at most one a day; `duke save` saves one at any time.
    /// Only snapshots made with the same -x, --skip-network and --exclude are used; one made with --exclude-caches, -L
    /// or --include-kernfs must be given as OLD. --list shows the snapshots.
    ///
    /// Renamed directories are recognized by their inode numbers if OLD and NEW both have them.
    Diff(Box<Difference>),
    /// Explain why df and a scan differ
    Df(Box<Df>),
    /// List files and directories with the same contents
    ///
    /// Prints the groups with the most wasted bytes first. The wasted bytes of a group are freed if only the copy with
    /// the smallest disk usage is kept. Files are compared by their contents, and nothing is changed unless --share is
    /// given. Empty files are ignored, and hard links to the same file count as one file.
    Duplicates(Box<DuplicatesFlags>),
    /// Print help for duke or for a subcommand
    Help {
        /// Subcommand to describe (default: duke itself)
        #[arg(value_name = "SUBCOMMAND", value_parser = NAMES)]
        command: Option<String>,
    },
    /// Print the manual page; to read it, run duke man | man -l -
    ///
    /// On macOS, run duke man | mandoc -a.
    Man,
    /// Browse with the flags and configuration files of ncdu
    #[command(disable_help_flag = true)]
    Ncdu {
        /// Arguments of ncdu; duke ncdu --help lists them
        #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Merge the snapshots of a plan's parts into one
    ///
    /// The result is like the snapshot of a single scan: a file with hard links in several parts counts only once.
    /// Missing parts are an error unless --partial is given.
    Merge(MergeWords),
    /// Divide PATH into parts that several machines can scan
    ///
    /// Part 0 contains everything that is in no other part. With -f, the parts have about the same number of entries.
    /// Without -f, duke counts entries only down to the depth given by --depth, so the parts differ more in size.
    Plan(PlanWords),
    /// Save one snapshot of all PATHs; duke -f browses the snapshot, duke diff compares it
    ///
    /// Without -o, the snapshot is stored with the automatic snapshots, and its path is printed.
    Save(Save),
    /// List btrfs subvolumes and snapshots, and how much space deleting each of them frees
    ///
    /// The column Data is the size on disk of all extents of a subvolume; Exclusive is the part that no other
    /// subvolume has. The command needs root. Sizes are exact if the extents of all subvolumes add up to the data
    /// that btrfs reports as used. The last line of the output shows whether the sizes are exact.
    Subvolumes(SubvolumesFlags),
}

/// Arguments of `save`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // this struct holds flags; `cli` converts them into enums
pub struct Save {
    /// Directories to save (default: the current directory); ssh:// and rclone:// paths need -o
    #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub paths: Vec<OsString>,

    /// Read FILE (an export, a snapshot or a list of files; - for standard input) instead of scanning PATH; requires -o
    #[arg(short = 'f', long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "output", conflicts_with_all = ["paths", "one_file_system", "exclude", "exclude_caches", "skip_network", "extended", "list"])]
    pub import: Vec<OsString>,

    #[command(flatten)]
    pub lists: ListFlags,

    /// Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<OsString>,

    /// Do not cross file-system boundaries below a PATH
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Exclude entries matching GLOB
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Exclude directories that contain a CACHEDIR.TAG
    #[arg(long)]
    pub exclude_caches: bool,

    /// Skip network file systems below a PATH
    #[arg(long)]
    pub skip_network: bool,

    /// Read the owner, group and mode of every entry
    #[arg(short, long)]
    pub extended: bool,

    /// Use N threads
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads))]
    pub threads: Option<u16>,

    /// Do not print progress on standard error
    #[arg(short, long)]
    pub quiet: bool,

    /// Name for the file system of each PATH; file systems that have the same name in different snapshots count as one
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub fs_id: Option<String>,

    /// Scan one part of the plan in FILE, and save a snapshot of this part
    ///
    /// The scan uses the flags stored in the plan. Nothing is scanned if the file given with -o is already a complete
    /// snapshot of this part.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "part", requires = "output",
        conflicts_with_all = ["paths", "one_file_system", "exclude", "exclude_caches", "skip_network", "extended", "fs_id"])]
    pub plan: Option<PathBuf>,

    /// Number of the part to save; part 0 contains everything that is in no other part
    #[arg(long, value_name = "I", value_parser = ValueParser::new(count::<usize>), requires = "plan")]
    pub part: Option<usize>,

    /// List the kept snapshots instead of saving one; with PATH, only those of PATH
    ///
    /// The newest comes first. Each line shows the time, the file, the flags of the scan and the paths.
    #[arg(long, conflicts_with_all = ["output", "one_file_system", "exclude", "exclude_caches", "skip_network", "extended", "threads", "fs_id", "plan", "part"])]
    pub list: bool,
}

/// Arguments of `plan`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // this struct holds flags; `cli` converts them into enums
pub struct PlanWords {
    /// Directory to divide into parts
    #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub path: PathBuf,

    /// Number of parts, including part 0
    #[arg(long, value_name = "N", value_parser = ValueParser::new(parts))]
    pub parts: usize,

    /// Take the numbers of entries from FILE (an earlier snapshot, export or list of files) instead of listing
    /// directories
    #[arg(short = 'f', long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "depth")]
    pub import: Option<OsString>,

    #[command(flatten)]
    pub lists: ListFlags,

    /// List directories down to K levels below PATH
    #[arg(long, value_name = "K", default_value_t = 3)]
    pub depth: usize,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<OsString>,

    /// Do not cross file-system boundaries below PATH
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Exclude entries matching GLOB
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Exclude directories that contain a CACHEDIR.TAG
    #[arg(long)]
    pub exclude_caches: bool,

    /// Skip network file systems below PATH
    #[arg(long)]
    pub skip_network: bool,

    /// Read the owner, group and mode of every entry
    #[arg(short, long)]
    pub extended: bool,

    /// Record NAME for the file system of PATH, so that duke merge recognizes it in parts scanned on other hosts
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub fs_id: Option<String>,

    /// Do not print progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `merge`.
#[derive(Clone, Debug, clap::Args)]
pub struct MergeWords {
    /// Snapshots of the parts, in any order
    #[arg(value_name = "PART", value_hint = ValueHint::FilePath, required = true)]
    pub parts: Vec<PathBuf>,

    /// Plan that was used to save the parts
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plan: PathBuf,

    /// Write the snapshot to FILE (an existing file is replaced once the new one is complete); - is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: OsString,

    /// Merge even if parts are missing, and mark their directories as not read
    ///
    /// Part 0 is required. The result can be merged with the missing parts later.
    #[arg(long)]
    pub partial: bool,
}

/// Arguments of `diff`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // this struct holds flags; `cli` converts them into enums
pub struct Difference {
    /// Baseline: export, snapshot or directory
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: Option<OsString>,

    /// Export, snapshot or directory to compare with OLD (default: a new scan of the directory that OLD describes)
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub new: Option<OsString>,

    #[command(flatten)]
    pub lists: ListFlags,

    /// Compare a directory with its newest snapshot that is at least AGE old, or from DATE or earlier
    ///
    /// Example of AGE: 3d (units: h, d, w, mo, y). Examples of DATE: 2026-11-21 and "2026-11-21 08:15" (local time).
    #[arg(long, value_name = "AGE|DATE", value_parser = ValueParser::new(since), conflicts_with = "new")]
    pub since: Option<i64>,

    /// List the kept snapshots instead of comparing; with OLD, only those of directory OLD
    ///
    /// The newest comes first. Each line shows the time, the file, the flags of the scan and the paths.
    #[arg(long, conflicts_with_all = ["new", "since", "json", "min_change", "apparent_size", "si", "one_file_system", "exclude", "skip_network"])]
    pub list: bool,

    /// Print the changes as JSON
    #[arg(long)]
    pub json: bool,

    /// Print the changes as a table, even on a terminal
    #[arg(short, long)]
    pub no_interactive: bool,

    /// Print only changes of SIZE or more, such as 100M
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size))]
    pub min_change: Option<u64>,

    /// Compare apparent sizes instead of disk usage
    #[arg(short, long)]
    pub apparent_size: bool,

    /// Show sizes in powers of 1000
    #[arg(long)]
    pub si: bool,

    /// When scanning a directory, do not cross file-system boundaries
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// When scanning a directory, exclude entries matching GLOB
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// When scanning a directory, skip network file systems below it
    #[arg(long)]
    pub skip_network: bool,

    /// Do not print progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `df`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // this struct holds flags; `cli` converts them into enums
pub struct Df {
    /// Directories to scan, preferably mount points (default: the current directory)
    #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub paths: Vec<OsString>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Show sizes in powers of 1000
    #[arg(long)]
    pub si: bool,

    /// Do not print progress on standard error
    #[arg(short, long)]
    pub quiet: bool,

    /// Use N threads
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads))]
    pub threads: Option<u16>,

    /// Do not cross file-system boundaries below a PATH
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Skip network file systems below a PATH
    #[arg(long)]
    pub skip_network: bool,
}

/// Arguments of `duplicates`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // this struct holds flags; `cli` converts them into enums
pub struct DuplicatesFlags {
    /// Directories and files to search for duplicates (default: the current directory)
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<OsString>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Make identical files share their data on disk (Linux: btrfs, XFS)
    ///
    /// Names, contents and times of the files do not change. The kernel compares the files again before they share
    /// data. The result is printed and written to the journal.
    #[arg(long, conflicts_with = "json")]
    pub share: bool,

    /// Show sizes in powers of 1000
    #[arg(long)]
    pub si: bool,

    /// Do not print progress on standard error
    #[arg(short, long)]
    pub quiet: bool,

    /// Use N threads
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads))]
    pub threads: Option<u16>,

    /// Do not cross file-system boundaries below a PATH
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Exclude entries matching GLOB
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Exclude directories that contain a CACHEDIR.TAG
    #[arg(long)]
    pub exclude_caches: bool,

    /// Skip network file systems below a PATH
    #[arg(long)]
    pub skip_network: bool,
}

/// Arguments of `subvolumes`.
#[derive(Clone, Debug, clap::Args)]
pub struct SubvolumesFlags {
    /// Any path on the btrfs file system (default: the current directory)
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,

    /// Also print how much space is freed if these subvolumes are deleted together; can be given more than once
    ///
    /// SUBVOLUME is an ID or a path from the top level, as listed.
    #[arg(long, value_name = "SUBVOLUME", value_hint = ValueHint::Other)]
    pub without: Vec<OsString>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Show sizes in powers of 1000
    #[arg(long)]
    pub si: bool,
}

impl Command {
    /// Returns `true` if `word` is the name of a subcommand.
    pub fn is(word: &OsStr) -> bool {
        word.to_str().is_some_and(Self::has_subcommand)
    }

    /// Returns the name of the subcommand that `word` resembles most. Returns `None` if `word` has fewer than three
    /// bytes, is a flag, contains a slash, or is the name of an existing file.
    pub fn misspelled(word: &OsStr) -> Option<String> {
        let bytes = word.as_bytes();
        // For words of one or two letters, clap suggests subcommands that merely contain one of the letters.
        let is_name = bytes.len() > 2 && !bytes.starts_with(b"-") && !bytes.contains(&b'/');
        if !is_name || Path::new(word).symlink_metadata().is_ok() {
            return None;
        }
        let subcommands = Self::augment_subcommands(clap::Command::new("duke").disable_help_subcommand(true));
        let error = subcommands.try_get_matches_from([OsStr::new("duke"), word]).err()?;
        match error.get(ContextKind::SuggestedSubcommand)? {
            ContextValue::Strings(names) => names.last().cloned(),
            _ => None,
        }
    }
}

/// Part of the configuration to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigQuery {
    /// All settings, in the format of the configuration file; settings without a value are comments
    Show,
    /// Path of the configuration file
    Path,
    /// The settings from ncdu's configuration files, in the format of duke's configuration file
    ImportNcdu,
}
