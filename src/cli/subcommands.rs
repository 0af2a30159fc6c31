//! Subcommands and their flags, with their help.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{CommandFactory, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::cli::args::{Words, since, size, threads};

/// What is done instead of looking at a PATH.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Print what the configuration is
    Config {
        /// What to print of it
        #[arg(value_enum)]
        what: Shown,

        /// Read the configuration from FILE
        #[arg(long, value_name = "FILE", overrides_with = "no_config")]
        config: Option<PathBuf>,

        /// Read no configuration
        #[arg(long, overrides_with = "config")]
        no_config: bool,
    },
    /// Print the completions of a shell
    Completions {
        /// Whose
        shell: Shell,
    },
    /// Show what changed since an export or a snapshot was made
    ///
    /// On a terminal in the browser; otherwise, or with --json, -n or --min-change, it is printed.
    /// OLD and NEW are exports of ncdu, gdu or duke, snapshots, or directories. A directory alone, or none at all for the current one, is
    /// compared with the newest snapshot that was kept of it: by the browser, which keeps one a day, or by save. It must have been read
    /// with the same -x and --skip-network. --list shows which there are.
    ///
    /// Directories of another name are recognised by their inode where both sides have one.
    Diff(Box<Difference>),
    /// Print where the rest is: what df says of a file system, explained by what lies in PATH
    Df(Box<Df>),
    /// Print the manual page, for man -l -
    Man,
    /// Save what is below each PATH as a snapshot, for -f and diff
    ///
    /// Without -o it is kept beside the snapshots that the browser takes, and its path is printed.
    Save(Save),
}

/// The words of `save`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // flags are what this struct is for; `cli` makes enums of them
pub struct Save {
    /// What to save: the current directory, unless something else is named
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    /// Write to FILE, whole or not at all; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<OsString>,

    /// Stay on the file system of each PATH
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Leave out what the pattern matches
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Leave out directories that hold a CACHEDIR.TAG
    #[arg(long)]
    pub exclude_caches: bool,

    /// Do not enter file systems of other machines below a PATH
    #[arg(long)]
    pub skip_network: bool,

    /// Keep owner, group and mode of every entry
    #[arg(short, long)]
    pub extended: bool,

    /// Print no progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// The words behind `diff`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // flags are what this struct is for; `cli` makes enums of them
pub struct Difference {
    /// How it was; a directory alone is compared with a snapshot kept of it
    #[arg(value_name = "OLD")]
    pub old: Option<OsString>,

    /// How it is; without it, the directory of OLD is read now
    #[arg(value_name = "NEW")]
    pub new: Option<OsString>,

    /// Compare a directory with the newest snapshot kept of it by then
    ///
    /// An age such as 3d (units are h, d, w, mo, y), a day such as 2026-11-21, or a minute such as "2026-11-21 08:15".
    #[arg(long, value_name = "AGE|DATE", value_parser = ValueParser::new(since), conflicts_with = "new")]
    pub since: Option<i64>,

    /// List the snapshots that were kept, of one directory or of all, and compare nothing
    ///
    /// The newest comes first: time, file, flags it was read with, paths.
    #[arg(long, conflicts_with_all = ["new", "since", "json", "min_change", "apparent_size", "si", "one_file_system", "exclude", "skip_network"])]
    pub list: bool,

    /// Print the changes as JSON
    #[arg(long)]
    pub json: bool,

    /// Print the changes as a table, on a terminal too
    #[arg(short, long)]
    pub no_interactive: bool,

    /// Print only changes of SIZE or more, such as 100M
    #[arg(long, value_name = "SIZE", value_parser = ValueParser::new(size))]
    pub min_change: Option<u64>,

    /// Compare how long files are, not what they take on the disk
    #[arg(short, long)]
    pub apparent_size: bool,

    /// Show sizes in powers of 1000
    #[arg(long)]
    pub si: bool,

    /// Stay on the file system of a directory
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Leave out what the pattern matches in a directory
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Do not enter file systems of other machines below a directory
    #[arg(long)]
    pub skip_network: bool,

    /// Print no progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// The words behind `df`.
#[derive(Clone, Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // flags are what this struct is for; `cli` makes enums of them
pub struct Df {
    /// What to scan: the current directory, unless something else is named; best the mount point
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Show sizes in powers of 1000
    #[arg(long)]
    pub si: bool,

    /// Print no progress on standard error
    #[arg(short, long)]
    pub quiet: bool,

    /// Read with N threads
    #[arg(short, long, value_name = "N", value_parser = ValueParser::new(threads))]
    pub threads: Option<u16>,

    /// Stay on the file system of each PATH
    #[arg(short = 'x', long)]
    pub one_file_system: bool,

    /// Do not enter file systems of other machines below a PATH
    #[arg(long)]
    pub skip_network: bool,
}

impl Command {
    /// Returns `true` if `word` is the name of a subcommand.
    pub fn is(word: &OsStr) -> bool {
        word.to_str().is_some_and(|word| Words::command().find_subcommand(word).is_some())
    }
}

/// Part of the configuration to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// Everything that can be set, and what holds, as a configuration
    Show,
    /// Where it is read from
    Path,
}
