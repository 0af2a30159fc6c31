//! What is looked at, and where it goes: paths of this machine, exports, other machines.
//!
//! Invariant: a run has one sort of source and one sort of result.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::arguments::{Arguments, Summed};
use super::commands::Difference;
use super::{Environment, Refusal};
use crate::batch::{By, Comparison, DiffForm, Output, Packing, Selection, Target, Telling};
use crate::exchange::{Input, Remote};
use crate::scan::{self, Mounts};
use crate::size::Measure;
use crate::source::Wanted;
use crate::text::escape;
use crate::writing;

/// What is looked at. `patterns` are those of files too.
pub(super) fn wanted(
    arguments: &Arguments,
    patterns: &[String],
    options: scan::Options,
) -> Result<Wanted, Refusal> {
    if !arguments.import.is_empty() {
        return Ok(Wanted::Exports(files(&arguments.import)?));
    }
    let remotes: Vec<Input> = arguments
        .paths
        .iter()
        .filter_map(|path| remote(path, &options, patterns))
        .collect::<Result<_, _>>()?;
    match remotes.len() {
        0 => Ok(Wanted::Paths(paths(&arguments.paths), options)),
        some if some == arguments.paths.len() => Ok(Wanted::Exports(remotes)),
        _ => Err(Refusal::Usage("paths of this machine and of others do not go together".to_owned())),
    }
}

/// The export that is to be written, if one is.
pub(super) fn export(arguments: &Arguments, is_terminal: bool) -> Result<Option<Output>, Refusal> {
    let Some(file) = &arguments.output else { return Ok(None) };
    if arguments.import.len() > 1 || arguments.paths.len() > 1 {
        return Err(Refusal::Usage("-o writes one directory: ncdu's format holds no more".to_owned()));
    }
    refuse_other(file, "-o", |format| matches!(format, writing::Format::Ncdu(_)))?;
    let to = if file == "-" { Target::Standard } else { Target::File(PathBuf::from(file)) };
    if to == Target::Standard && is_terminal {
        return Err(Refusal::Usage(
            "-o -: standard output is a terminal, and names are any bytes".to_owned(),
        ));
    }
    let is_packed = arguments.compress || file.as_bytes().ends_with(b".zst");
    Ok(Some(Output::Exported { to, packing: if is_packed { Packing::Zstd } else { Packing::Plain } }))
}

/// Refuses a file whose name says that it holds something else than `flag` writes.
pub(super) fn refuse_other(
    file: &OsString,
    flag: &str,
    is_written: impl FnOnce(writing::Format) -> bool,
) -> Result<(), Refusal> {
    match writing::Format::of_name(file.as_bytes()) {
        Some(format) if !is_written(format) => {
            let name = escape(file.as_bytes());
            let ways = "-o writes ncdu's format, save -o snapshots, --csv and --ndjson print lines";
            Err(Refusal::Usage(format!("{flag} {name}: {ways}")))
        }
        _ => Ok(()),
    }
}

/// What is to be compared.
pub(super) fn comparison(words: &Difference, environment: &Environment) -> Result<Comparison, Refusal> {
    let scan = scan::Options {
        threads: super::threads(None, environment)?,
        mounts: super::mounts(words.one_file_system),
        filter: super::filter(&words.exclude)?,
        skip_network: words.skip_network,
        ..scan::Options::default()
    };
    if words.new.is_none() && is_directory(&words.old) {
        return Err(Refusal::Usage("diff: a directory needs something to be compared with".to_owned()));
    }
    if words.old == "-" && words.new.as_ref().is_some_and(|new| new == "-") {
        return Err(Refusal::Usage("diff: standard input can be read once".to_owned()));
    }
    let units = super::units(words.si);
    let telling = Telling {
        form: if words.json { DiffForm::Json } else { DiffForm::Table(units) },
        measure: if words.apparent_size { Measure::Apparent } else { Measure::Disk },
        least: words.min_change.unwrap_or(0),
    };
    Ok(Comparison {
        old: side(&words.old, &scan, &words.exclude)?,
        new: words.new.as_ref().map(|new| side(new, &scan, &words.exclude)).transpose()?,
        scan,
        telling,
        progress: super::progress(words.quiet, units),
    })
}

/// A directory, here or elsewhere, or an export. `patterns` are those of the scan's filter.
fn side(word: &OsString, scan: &scan::Options, patterns: &[String]) -> Result<Wanted, Refusal> {
    if let Some(remote) = remote(word, scan, patterns) {
        return Ok(Wanted::Exports(vec![remote?]));
    }
    if is_directory(word) {
        return Ok(Wanted::Paths(vec![PathBuf::from(word)], scan.clone()));
    }
    Ok(Wanted::Exports(files(std::slice::from_ref(word))?))
}

fn is_directory(word: &OsString) -> bool {
    std::fs::metadata(word).is_ok_and(|metadata| metadata.is_dir())
}

fn files(names: &[OsString]) -> Result<Vec<Input>, Refusal> {
    let standard = names.iter().filter(|name| *name == "-").count();
    if standard > 1 {
        return Err(Refusal::Usage("-f -: standard input can be read once".to_owned()));
    }
    if standard == 1 && io::stdin().is_terminal() {
        return Err(Refusal::Usage("-f -: standard input is a terminal".to_owned()));
    }
    let input = |name: &OsString| if name == "-" { Input::Standard } else { Input::File(name.into()) };
    Ok(names.iter().map(input).collect())
}

/// Paths of this machine; none: the current directory.
pub(super) fn paths(paths: &[OsString]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.iter().map(PathBuf::from).collect() }
}

/// A directory of another machine, if that is what `path` is, scanned as one of this machine would be.
fn remote(path: &OsString, scan: &scan::Options, patterns: &[String]) -> Option<Result<Input, Refusal>> {
    let mut flags: Vec<OsString> = Vec::new();
    let mut flag = |is_set: bool, flag: &str| flags.extend(is_set.then(|| flag.into()));
    flag(scan.owners, "-e");
    flag(scan.mounts == Mounts::None, "-x");
    flag(scan.skip_caches, "--exclude-caches");
    flag(scan.mounts == Mounts::All, "--include-kernfs");
    flag(scan.skip_network, "--skip-network");
    flags.extend(scan.threads.map(|threads| format!("--threads={threads}").into()));
    flags.extend(patterns.iter().map(|pattern| format!("--exclude={pattern}").into()));
    let refused = |reason| Refusal::Usage(format!("{}: {reason}", escape(path.as_bytes())));
    Some(Remote::parse(path, flags)?.map(Input::Remote).map_err(refused))
}

/// Whether what is printed has owners in it without being asked for them.
pub(super) fn needs_owners(arguments: &Arguments) -> bool {
    arguments.ndjson || arguments.csv || arguments.by.contains(&Summed::Owner)
}

/// Whether only some of a tree is to be printed.
pub(super) fn selects(arguments: &Arguments) -> bool {
    arguments.min_size.is_some() || arguments.top.is_some() || !arguments.by.is_empty()
}

/// What of a tree is to be printed.
pub(super) fn selection(arguments: &Arguments) -> Result<Selection, Refusal> {
    let is_all = arguments.ndjson || arguments.csv || arguments.output.is_some();
    let some_only = if selects(arguments) {
        Some("--min-size, --top and --by")
    } else {
        (arguments.depth.is_some() || arguments.summarize).then_some("--depth and --summarize")
    };
    if let Some(flags) = some_only.filter(|_| is_all) {
        return Err(Refusal::Usage(format!("{flags} are for tables and --json")));
    }
    let by = |by: &Summed| match by {
        Summed::Type => By::Type,
        Summed::Age => By::Age,
        Summed::Owner => By::Owner,
    };
    Ok(Selection {
        least: arguments.min_size.unwrap_or(0),
        top: arguments.top,
        by: arguments.by.iter().map(by).collect(),
    })
}
