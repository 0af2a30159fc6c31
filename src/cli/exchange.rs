//! What is looked at, and where it goes: paths of this machine, exports, other machines.
//!
//! Invariant: a run has one sort of source and one sort of result.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use super::Refusal;
use super::arguments::Arguments;
use crate::batch::{Format, Packing, Target};
use crate::exchange::{Form, Input, Remote};
use crate::scan;
use crate::source::Wanted;
use crate::text::escape;

use std::os::unix::ffi::OsStrExt;

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
        .filter_map(|path| remote(path, arguments, patterns))
        .collect::<Result<_, _>>()?;
    match remotes.len() {
        0 => Ok(Wanted::Paths(paths(&arguments.paths), options)),
        some if some == arguments.paths.len() => Ok(Wanted::Exports(remotes)),
        _ => Err(Refusal::Usage("paths of this machine and of others do not go together".to_owned())),
    }
}

/// What is written instead of a table or JSON, if something else is asked for.
pub(super) fn format(arguments: &Arguments, is_terminal: bool) -> Result<Option<Format>, Refusal> {
    if arguments.ndjson {
        return Ok(Some(Format::Flat(Form::Json)));
    }
    if arguments.csv {
        return Ok(Some(Format::Flat(Form::Csv)));
    }
    let Some(file) = &arguments.output else { return Ok(None) };
    if arguments.import.len() > 1 || arguments.paths.len() > 1 {
        return Err(Refusal::Usage("-o writes one directory: ncdu's format holds no more".to_owned()));
    }
    let to = if file == "-" { Target::Standard } else { Target::File(PathBuf::from(file)) };
    if to == Target::Standard && is_terminal {
        return Err(Refusal::Usage(
            "-o -: standard output is a terminal, and names are any bytes".to_owned(),
        ));
    }
    let is_packed = arguments.compress || file.as_bytes().ends_with(b".zst");
    Ok(Some(Format::Export { to, packing: if is_packed { Packing::Zstd } else { Packing::Plain } }))
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

fn paths(paths: &[OsString]) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.iter().map(PathBuf::from).collect() }
}

fn remote(path: &OsString, arguments: &Arguments, patterns: &[String]) -> Option<Result<Input, Refusal>> {
    let mut flags: Vec<OsString> = Vec::new();
    let mut flag = |is_set: bool, flag: &str| flags.extend(is_set.then(|| flag.into()));
    flag(arguments.extended || needs_owners(arguments), "-e");
    flag(arguments.one_file_system, "-x");
    flag(arguments.exclude_caches, "--exclude-caches");
    flag(arguments.include_kernfs, "--include-kernfs");
    flags.extend(arguments.threads.map(|threads| format!("--threads={threads}").into()));
    flags.extend(patterns.iter().map(|pattern| format!("--exclude={pattern}").into()));
    let refused = |reason| Refusal::Usage(format!("{}: {reason}", escape(path.as_bytes())));
    Some(Remote::parse(path, flags)?.map(Input::Remote).map_err(refused))
}

/// Whether what is printed has owners in it without being asked for them.
pub(super) fn needs_owners(arguments: &Arguments) -> bool {
    arguments.ndjson || arguments.csv
}
