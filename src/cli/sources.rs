//! Sources and destinations of a run: local paths, exports, and paths on other machines.
//!
//! Invariant: a run has one kind of source and one kind of result.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{Environment, UsageError};
use crate::base::format::Measure;
use crate::base::os_error::cannot_read;
use crate::base::text::escape;
use crate::cli::args::{Arguments, GroupBy};
use crate::cli::exclude::filter;
use crate::cli::subcommands::Difference;
use crate::cli::values::ColumnWord;
use crate::cli::{kept_snapshots, options};
use crate::run::print::{
    DiffFormat, DiffJob, DiffOptions, Grouping, NcduFormat, Output, Packing, Selection, Target,
};
use crate::scan::{self, Mounts};
use crate::source::import::Input;
use crate::source::rclone::RclonePath;
use crate::source::remote::Remote;
use crate::source::save;
use crate::source::{FieldColumn, ListOptions, ONLY_FOR_LISTS, SourceSpec};

/// Returns the source to read. `patterns` contains the exclude patterns, including those read from files.
pub fn wanted(
    arguments: &Arguments,
    patterns: &[String],
    options: scan::Options,
) -> Result<SourceSpec, UsageError> {
    let lists = arguments.lists.options(fields_of_columns(arguments));
    if let Some(recorded) = recorded(&arguments.import, lists)? {
        return Ok(recorded);
    }
    let mut remotes = remotes(&arguments.paths, &options, patterns)?;
    if arguments.versions {
        remotes = of_rclone("--versions", remotes, RclonePath::with_versions)?;
    }
    if arguments.uploads {
        remotes = of_rclone("--uploads", remotes, RclonePath::with_uploads)?;
    }
    let is_local = remotes.is_empty();
    Ok(if is_local {
        SourceSpec::Paths(paths(&arguments.paths), options)
    } else {
        SourceSpec::Exports(remotes)
    })
}

/// Returns the inputs for paths on other machines and rclone remotes. The result is empty if all paths are local.
/// Returns an error if only some of the paths are local.
pub fn remotes(
    paths: &[OsString],
    options: &scan::Options,
    patterns: &[String],
) -> Result<Vec<Input>, UsageError> {
    let remotes: Vec<Input> =
        paths.iter().filter_map(|path| remote(path, options, patterns)).collect::<Result<_, _>>()?;
    if remotes.is_empty() || remotes.len() == paths.len() {
        Ok(remotes)
    } else {
        Err(UsageError::Usage("cannot mix local paths with ssh:// or rclone:// paths".to_owned()))
    }
}

/// Rejects `ssh://` and `rclone://` paths. `command` is the name of the subcommand.
pub fn reject_remotes<P: AsRef<OsStr>>(command: &str, paths: &[P]) -> Result<(), UsageError> {
    let is_remote = |path: &&OsStr| remote(path, &scan::Options::default(), &[]).is_some();
    paths.iter().map(AsRef::as_ref).find(is_remote).map_or(Ok(()), |path| {
        let path = escape(path.as_bytes());
        Err(UsageError::Usage(format!("{command}: works only with paths on this machine, not with {path}")))
    })
}

/// Applies `change` to rclone remotes. Returns an error if there are none, or if any input is not an rclone remote.
fn of_rclone(
    flag: &str,
    remotes: Vec<Input>,
    change: impl Fn(RclonePath) -> RclonePath,
) -> Result<Vec<Input>, UsageError> {
    let changed = remotes.into_iter().map(|input| match input {
        Input::Rclone(path) => Some(Input::Rclone(change(path))),
        Input::File(_) | Input::Standard | Input::Remote(_) => None,
    });
    let changed = changed.collect::<Option<Vec<_>>>().filter(|remotes| !remotes.is_empty());
    changed.ok_or_else(|| UsageError::Usage(format!("{flag} works only with rclone:// paths")))
}

/// Returns the source for the files in `names`, or `None` if `names` is empty. If any option in `lists` is set, the
/// files are read as lists, and `names` must not be empty.
pub fn recorded(names: &[OsString], lists: ListOptions) -> Result<Option<SourceSpec>, UsageError> {
    let is_specified = lists != ListOptions::default();
    match names {
        [] if is_specified => Err(UsageError::Usage(format!(
            "{ONLY_FOR_LISTS}; give a list with -f FILE, or as OLD or NEW of duke diff"
        ))),
        [] => Ok(None),
        names if is_specified => Ok(Some(SourceSpec::Lists(files(names)?, lists))),
        names => Ok(Some(SourceSpec::Exports(files(names)?))),
    }
}

/// Returns the columns of input lists that `--columns` specifies, such as `path=2`.
fn fields_of_columns(arguments: &Arguments) -> Vec<FieldColumn> {
    let read = |word: &ColumnWord| match word {
        ColumnWord::Shown(_) => None,
        ColumnWord::Read(column) => Some(column.clone()),
    };
    arguments.columns.iter().flatten().filter_map(read).collect()
}

/// Returns the export to write, if `-o` or `-O` requests one.
pub fn export(arguments: &Arguments, is_terminal: bool) -> Result<Option<Output>, UsageError> {
    let (flag, file) = match (&arguments.output, &arguments.output_binary) {
        (Some(file), _) => ("-o", file),
        (None, Some(file)) => ("-O", file),
        (None, None) => return Ok(None),
    };
    if arguments.import.len() > 1 || arguments.paths.len() > 1 {
        return Err(UsageError::Usage(format!(
            "{flag}: ncdu's format allows only one root; give one PATH or one -f FILE, or use duke save"
        )));
    }
    let is_binary = |format| matches!(format, save::Format::Ncdu(NcduFormat::Binary(_)));
    let is_ncdu = |format| matches!(format, save::Format::Ncdu(_));
    reject_other(file, flag, |format| is_ncdu(format) && is_binary(format) == (flag == "-O"))?;
    let to = if file == "-" { Target::Standard } else { Target::File(PathBuf::from(file)) };
    if to == Target::Standard && is_terminal {
        return Err(UsageError::Usage(format!("{flag} -: standard output is a terminal; redirect it")));
    }
    let is_packed = arguments.compress || file.as_bytes().ends_with(b".zst");
    let packing = if is_packed { Packing::Zstd } else { Packing::Plain };
    let size = arguments.export_block_size;
    let format = if flag == "-O" { NcduFormat::Binary(size) } else { NcduFormat::Json(packing) };
    Ok(Some(Output::Exported { to, format }))
}

/// Rejects a file name whose extension belongs to a format that `flag` does not write.
pub fn reject_other(
    file: &OsString,
    flag: &str,
    is_written: impl FnOnce(save::Format) -> bool,
) -> Result<(), UsageError> {
    match save::Format::of_name(file.as_bytes()) {
        Some(format) if !is_written(format) => {
            let name = escape(file.as_bytes());
            let remedy = "the extension belongs to another format (.json and .zst: duke -o; .ncdu: duke -O; \
                .duke: duke save -o or duke merge -o; .ndjson: duke --ndjson; .csv: duke --csv)";
            Err(UsageError::Usage(format!("{flag} {name}: {remedy}")))
        }
        _ => Ok(()),
    }
}

/// Returns the job for `duke diff`.
pub fn comparison(words: &Difference, environment: &Environment) -> Result<DiffJob, UsageError> {
    let scan = scan::Options {
        threads: options::threads(None, environment)?,
        mounts: options::mounts(words.one_file_system),
        filter: filter(&words.exclude)?,
        skip_network: words.skip_network,
        ..scan::Options::default()
    };
    let here = OsString::from(".");
    let old = words.old.as_ref().unwrap_or(&here);
    if old == "-" && words.new.as_ref().is_some_and(|new| new == "-") {
        return Err(UsageError::Usage("diff: only one of OLD and NEW can be - (standard input)".to_owned()));
    }
    let units = options::units(words.si);
    let options = DiffOptions {
        form: if words.json { DiffFormat::Json } else { DiffFormat::Table(units) },
        measure: if words.apparent_size { Measure::Apparent } else { Measure::Disk },
        least: words.min_change.unwrap_or(0),
    };
    let (old, new) = if words.new.is_none() && is_directory(old) {
        let lists = words.lists.options(Vec::new());
        recorded(&[], lists)?;
        let kept = kept_snapshots::latest(old, &scan, words.since, environment)?;
        (SourceSpec::Exports(vec![Input::File(kept)]), Some(side(old, &scan, words)?))
    } else if words.since.is_some() {
        let shown = escape(old.as_bytes());
        return Err(UsageError::Usage(match std::fs::metadata(old) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && remote(old, &scan, &[]).is_none() => {
                format!("{shown}: {}", cannot_read(&error))
            }
            _ => format!("diff: --since works only with a directory on this machine, not with {shown}"),
        }));
    } else {
        let new = words.new.as_ref().map(|new| side(new, &scan, words)).transpose()?;
        (side(old, &scan, words)?, new)
    };
    Ok(DiffJob { old, new, scan, options, progress: options::progress(words.quiet, units) })
}

/// Returns one side of a comparison: a local or remote directory, an export, a snapshot or a list.
fn side(word: &OsString, scan: &scan::Options, words: &Difference) -> Result<SourceSpec, UsageError> {
    if let Some(remote) = remote(word, scan, &words.exclude) {
        return Ok(SourceSpec::Exports(vec![remote?]));
    }
    if is_directory(word) {
        return Ok(SourceSpec::Paths(vec![PathBuf::from(word)], scan.clone()));
    }
    let inputs = files(std::slice::from_ref(word))?;
    let lists = words.lists.options(Vec::new());
    let is_list = lists != ListOptions::default();
    Ok(if is_list { SourceSpec::Lists(inputs, lists) } else { SourceSpec::Exports(inputs) })
}

fn is_directory(word: &OsString) -> bool {
    std::fs::metadata(word).is_ok_and(|metadata| metadata.is_dir())
}

fn files(names: &[OsString]) -> Result<Vec<Input>, UsageError> {
    let standard = names.iter().filter(|name| *name == "-").count();
    if standard > 1 {
        return Err(UsageError::Usage("-f -: standard input can be read only once".to_owned()));
    }
    if standard == 1 && io::stdin().is_terminal() {
        return Err(UsageError::Usage("standard input (-) is a terminal; use a file or a pipe".to_owned()));
    }
    let input = |name: &OsString| if name == "-" { Input::Standard } else { Input::File(name.into()) };
    Ok(names.iter().map(input).collect())
}

/// Returns the given paths, or the current directory if there are none.
pub fn paths(paths: &[OsString]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.iter().map(PathBuf::from).collect() }
}

/// Returns the input for `path` if it is on another machine or on an rclone remote. A scan on another machine gets the
/// flags that correspond to `scan` and `patterns`.
fn remote(path: &OsStr, scan: &scan::Options, patterns: &[String]) -> Option<Result<Input, UsageError>> {
    let refused = |reason| UsageError::Usage(format!("{}: {reason}", escape(path.as_bytes())));
    if let Some(rclone) = RclonePath::parse(path) {
        let allowed = if patterns.is_empty() {
            rclone
        } else {
            Err(
                "--exclude and -X do not work with rclone:// paths; if the configuration sets exclude, use --no-config",
            )
        };
        return Some(allowed.map(Input::Rclone).map_err(refused));
    }
    let mut flags: Vec<OsString> = Vec::new();
    let mut flag = |is_set: bool, flag: &str| flags.extend(is_set.then(|| flag.into()));
    flag(scan.owners, "-e");
    flag(scan.mounts == Mounts::None, "-x");
    flag(scan.skip_caches, "--exclude-caches");
    flag(scan.mounts == Mounts::All, "--include-kernfs");
    flag(scan.skip_network, "--skip-network");
    flag(scan.follow_symlinks, "--follow-symlinks");
    flags.extend(scan.threads.map(|threads| format!("--threads={threads}").into()));
    flags.extend(patterns.iter().map(|pattern| format!("--exclude={pattern}").into()));
    Some(Remote::parse(path, flags)?.map(Input::Remote).map_err(refused))
}

/// Returns `true` if the output includes owners even without `-e`.
pub fn needs_owners(arguments: &Arguments) -> bool {
    arguments.ndjson || arguments.csv || arguments.by.contains(&GroupBy::Owner)
}

/// Returns `true` if small entries are hidden, or if the largest files or totals are printed instead of the tree.
pub fn selects(arguments: &Arguments) -> bool {
    arguments.min_size.is_some() || arguments.top.is_some() || !arguments.by.is_empty()
}

/// Returns the entries and lists to print.
///
/// # Errors
/// Returns an error if a flag that limits the output, such as `--depth` or `--top`, is combined with `--ndjson`,
/// `--csv` or an export, or if `--frees` is given but the output has no column for it.
pub fn selection(arguments: &Arguments) -> Result<Selection, UsageError> {
    let is_all =
        arguments.ndjson || arguments.csv || arguments.output.is_some() || arguments.output_binary.is_some();
    let some_only = if selects(arguments) {
        Some("--min-size, --top and --by")
    } else {
        (arguments.depth.is_some() || arguments.summarize).then_some("--depth and --summarize")
    };
    if let Some(flags) = some_only.filter(|_| is_all) {
        return Err(UsageError::Usage(format!("{flags} work only with tables and --json")));
    }
    if arguments.frees && !arguments.by.is_empty() && arguments.top.is_none() && !arguments.json {
        let reason = "--by has no column for --frees; add --top N or --json, or leave out --by";
        return Err(UsageError::Usage(reason.to_owned()));
    }
    let by = |by: &GroupBy| match by {
        GroupBy::Type => Grouping::Type,
        GroupBy::Age => Grouping::Age,
        GroupBy::Owner => Grouping::Owner,
        GroupBy::StorageClass => Grouping::StorageClass,
    };
    Ok(Selection {
        least: arguments.min_size.unwrap_or(0),
        top: arguments.top,
        by: arguments.by.iter().map(by).collect(),
        frees: arguments.frees,
    })
}
