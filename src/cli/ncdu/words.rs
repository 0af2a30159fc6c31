//! Parses ncdu's command line and translates it into a duke command line.

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::flags::{FLAGS, Flag, Means, PROGRAMS, REFRESH};
use crate::base::sort::sort_by_key;
use crate::base::text::escape;
use crate::cli::error::{UsageError, usage_error_with};
use crate::run::print::BLOCK_SIZES;

/// Scan flags to leave out of the duke command line for an import (`-f`): ncdu ignores them there, but duke rejects
/// most of them. Other code leaves out `-x` and `--include-kernfs`.
const SCAN: [&str; 6] = ["-e", "-t", "-L", "-X", "--exclude", "--exclude-caches"];

/// Values of `--graph-style`, including a misspelled one that ncdu also accepts.
const GRAPH_STYLES: [&str; 4] = ["hash", "half-block", "eighth-block", "eigth-block"];

/// duke command line that corresponds to an ncdu command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// Words of the command line, without the program's name.
    pub words: Vec<OsString>,
    /// Browser commands whose key bindings are removed, because flags such as `--disable-shell` disable the commands.
    pub without_keys: Vec<&'static str>,
}

/// Flag and its value, or `None` and a path.
pub type Given = (Option<&'static Flag>, OsString);

/// Returns the definition of ncdu's command line.
fn command() -> Command {
    let arguments = FLAGS.iter().enumerate().map(|(number, flag)| {
        let arg = Arg::new(number.to_string()).action(ArgAction::Append).help(flag.help);
        let arg = flag.short.map_or(arg.clone(), |short| arg.short(short));
        let arg = if flag.long.is_empty() { arg } else { arg.long(flag.long) };
        match flag.value {
            Some(name) => arg.value_name(name).value_parser(clap::value_parser!(OsString)),
            // clap records the position only of a flag with a value, so a flag without a value gets an empty one.
            None => arg.num_args(0).default_missing_value("").value_parser(clap::value_parser!(OsString)),
        }
    });
    let path =
        Arg::new("PATH").action(ArgAction::Append).num_args(0..).value_parser(clap::value_parser!(OsString));
    Command::new("duke ncdu")
        .about("Browse a directory with the flags and configuration files of ncdu")
        .version(env!("CARGO_PKG_VERSION"))
        .args(arguments)
        .arg(path.help("Directories or files to scan (default: the current directory)"))
        .disable_version_flag(true)
        .disable_help_flag(true)
        .arg(
            Arg::new("help")
                .short('h')
                .short_alias('?')
                .long("help")
                .action(ArgAction::Help)
                .help("Print help"),
        )
        .arg(
            Arg::new("version")
                .short('v')
                .short_alias('V')
                .long("version")
                .action(ArgAction::Version)
                .help("Print the version"),
        )
}

/// Returns the help text for ncdu's command line as an error, because clap reports help as an error.
pub fn help() -> Result<(), clap::Error> {
    matches(&["--help".into()]).map(|_| ())
}

fn matches(words: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let program = OsString::from("duke ncdu");
    command().try_get_matches_from(std::iter::once(&program).chain(words))
}

/// Parses ncdu's arguments into flags and paths, in the order in which they were given.
pub fn given(words: &[OsString]) -> Result<Vec<Given>, UsageError> {
    let mut matches = matches(words).map_err(|error| usage_error_with(error, "duke ncdu --help"))?;
    let mut all: Vec<(usize, Given)> = Vec::new();
    for id in matches.ids().map(ToString::to_string).collect::<Vec<_>>() {
        let flag = id.parse::<usize>().ok().and_then(|number| FLAGS.get(number));
        let positions: Vec<usize> = matches.indices_of(&id).into_iter().flatten().collect();
        let values = matches.remove_many::<OsString>(&id).into_iter().flatten();
        all.extend(positions.into_iter().zip(values.map(|value| (flag, value))));
    }
    sort_by_key(&mut all, |(position, _)| *position);
    Ok(all.into_iter().map(|(_, given)| given).collect())
}

/// Converts ncdu flags to a duke command line. Later flags take precedence, as in ncdu. `enters_kernfs` is `true` if
/// kernel file systems are scanned by default.
pub fn translation(all: &[Given], mut enters_kernfs: bool) -> Result<Translation, UsageError> {
    let (mut words, mut paths): (Vec<OsString>, Vec<OsString>) = Default::default();
    let mut columns = vec!["share", "bar", "count"];
    let mut has_columns = false;
    let mut without_keys: Vec<&'static str> = Vec::new();
    let (mut is_confined, mut is_compressed) = (false, false);
    let mut block_size = None;
    let mut read_only = 0;
    let is_given = |short| all.iter().any(|(flag, _)| flag.is_some_and(|flag| flag.short == Some(short)));
    let (is_import, is_json, is_binary) = (is_given('f'), is_given('o'), is_given('O'));
    let mut set_column = |name: &'static str, is_shown: bool| {
        has_columns = true;
        columns.retain(|column| *column != name);
        columns.extend(is_shown.then_some(name));
    };
    let mut set_keys = |actions: &[&'static str], have_keys: bool| {
        without_keys.retain(|action| !actions.contains(action));
        without_keys.extend(actions.iter().filter(|_| !have_keys));
    };
    for (flag, value) in all {
        let Some(flag) = flag else {
            paths.push(value.clone());
            continue;
        };
        let wrong = || {
            let value = escape(value.as_bytes());
            UsageError::Usage(format!("invalid value '{value}' for --{}; see duke ncdu --help", flag.long))
        };
        match flag.means {
            Means::Words(word) if is_import && SCAN.contains(&word) => {}
            Means::Words(word) => {
                words.push(word.into());
                words.extend(flag.value.map(|_| value.clone()));
            }
            Means::Columns(name, is_shown) => set_column(name, is_shown),
            Means::SharedColumn => match value.to_str() {
                Some(shown @ ("off" | "shared" | "unique")) => set_column("shared", shown != "off"),
                _ => return Err(wrong()),
            },
            Means::Actions(actions, have_keys) => set_keys(actions, have_keys),
            Means::ReadOnly => {
                read_only += 1;
                match read_only {
                    1 => words.push("--read-only".into()),
                    2 => set_keys(PROGRAMS, false),
                    _ => set_keys(REFRESH, false),
                }
            }
            Means::Level if !is_number(value, 1..=19) => return Err(wrong()),
            Means::BlockSize if !is_number(value, BLOCK_SIZES) => return Err(wrong()),
            Means::GraphStyle if !GRAPH_STYLES.iter().any(|style| value == *style) => return Err(wrong()),
            Means::BlockSize => block_size = Some(value),
            Means::Compress(is_on) => is_compressed = is_on,
            Means::OneFileSystem(is_on) => is_confined = is_on,
            Means::Kernfs(is_on) => enters_kernfs = is_on,
            Means::Sort => words.extend(sort(value).ok_or_else(wrong)?.map(OsString::from)),
            Means::Color => words.push(color(value).ok_or_else(wrong)?.into()),
            Means::Level | Means::GraphStyle | Means::Ignored => {}
        }
    }
    let mut settings: Vec<OsString> = Vec::new();
    settings.extend(if is_import {
        None
    } else if is_confined {
        Some("-x".into())
    } else {
        enters_kernfs.then(|| "--include-kernfs".into())
    });
    settings.extend((is_compressed && is_json).then(|| "--compress".into()));
    if let Some(size) = block_size.filter(|_| is_binary) {
        settings.extend(["--export-block-size".into(), size.clone()]);
    }
    settings.extend(has_columns.then(|| format!("--columns={}", columns.join(",")).into()));
    settings.append(&mut words);
    // A path that begins with `-` needs a `--` before it, so that duke does not read the path as a flag.
    let is_like_a_flag = paths.iter().any(|path| path.as_bytes().starts_with(b"-"));
    settings.extend(is_like_a_flag.then(|| "--".into()));
    settings.append(&mut paths);
    Ok(Translation { words: settings, without_keys })
}

fn is_number(value: &OsStr, range: RangeInclusive<u16>) -> bool {
    value.to_str().and_then(|value| value.parse().ok()).is_some_and(|number| range.contains(&number))
}

/// Returns duke's flags for a value of ncdu's `--sort`, such as `name-desc`. Returns `None` if the value is invalid.
fn sort(value: &OsStr) -> Option<impl Iterator<Item = &'static str>> {
    let value = value.to_str()?;
    let (name, direction) = match value.rsplit_once('-') {
        Some((name, direction @ ("asc" | "desc"))) => (name, Some(direction)),
        _ => (value, None),
    };
    // The three values are duke's flag for the column, duke's default direction, and ncdu's default direction.
    let (column, usual, default) = match name {
        "disk-usage" | "apparent-size" => ("--sort=size", "desc", "desc"),
        "itemcount" => ("--sort=count", "desc", "desc"),
        "mtime" => ("--sort=mtime", "desc", "asc"),
        "name" => ("--sort=name", "asc", "asc"),
        _ => return None,
    };
    let measure = (name == "apparent-size").then_some("--apparent-size");
    let reverse = if direction.unwrap_or(default) == usual { "--no-reverse" } else { "--reverse" };
    Some([column, reverse].into_iter().chain(measure))
}

/// Returns duke's flag for a value of ncdu's `--color`. Returns `None` if the value is invalid.
fn color(value: &OsStr) -> Option<&'static str> {
    match value.to_str()? {
        "off" => Some("--color=never"),
        "dark" | "dark-bg" => Some("--color=auto"),
        _ => None,
    }
}
