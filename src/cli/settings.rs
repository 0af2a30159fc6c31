//! Settings of the configuration, converted to command-line words that precede the typed words.
//!
//! A setting is parsed in the same way as its flag, so a value that the flag rejects is also rejected as a setting.
//! Each switch has an opposite that undoes the setting: `--no-x` for `--x`, and `--x` for `--no-x`. Later words take
//! precedence, so a typed word overrides a setting that conflicts with it.
//!
//! Invariant: the words from the configuration do not change the meaning or the validity of the typed words.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, CommandFactory, FromArgMatches};

use super::{Environment, UsageError};
use crate::base::text::escape;
use crate::cli::args::Arguments;
use crate::cli::config::{Setting, Value, Warning};
use crate::cli::error::usage_error;
use crate::cli::exclude::filter;
use crate::cli::values::ColumnWord;

/// Flags that cannot be set in the configuration, because they determine what a single run does, or take file names.
const FOR_ONCE: [&str; 26] = [
    "help",
    "version",
    "json",
    "ndjson",
    "csv",
    "summarize",
    "output",
    "output_binary",
    "export_block_size",
    "compress",
    "import",
    "format",
    "fields",
    "root",
    "exclude_from",
    "uploads",
    "versions",
    "depth",
    "bytes",
    "min_size",
    "top",
    "by",
    "pick",
    "cwd_file",
    "config",
    "no_config",
];

/// Settings that environment variables override, each with the names of the variables.
const VARIABLES: [(&str, &[&str]); 3] =
    [("threads", &["DUKE_THREADS"]), ("color", &["DUKE_COLOR", "NO_COLOR"]), ("ascii", &["DUKE_ASCII"])];

/// Returns the definition of the command line, with an opposite for each switch that can be a setting: `--no-x` for
/// `--x`, and `--x` for `--no-x`.
pub fn command() -> Command {
    let command = Arguments::command();
    let switches: Vec<Arg> = settable(&command).filter(|arg| is_switch(arg)).cloned().collect();
    switches.into_iter().fold(command, |command, arg| {
        let long = arg.get_long().unwrap_or_default();
        let opposite = long.strip_prefix("no-").map_or_else(|| format!("no-{long}"), str::to_owned);
        let id = arg.get_id().clone();
        let other = Arg::new(opposite.clone()).long(opposite.clone()).hide(true).action(ArgAction::SetTrue);
        command.arg(other.overrides_with(id.clone())).mut_arg(id, |arg| arg.overrides_with(opposite))
    })
}

/// Returns the flags that can be set in the configuration.
pub fn settable(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_for_once = |arg: &Arg| FOR_ONCE.contains(&arg.get_id().as_str());
    let arguments = command.get_arguments().filter(|arg| arg.get_long().is_some() && !arg.is_hide_set());
    arguments.filter(move |arg| !is_for_once(arg))
}

/// Returns the name of the setting for a flag. This is the long name, without a leading `no-` if the flag is a switch.
pub fn name(arg: &Arg) -> &str {
    let long = arg.get_long().unwrap_or_default();
    long.strip_prefix("no-").filter(|_| is_switch(arg)).unwrap_or(long)
}

/// Returns `true` if a flag takes no value.
pub fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Returns `true` if a flag switches its setting off.
pub fn is_inverted(arg: &Arg) -> bool {
    is_switch(arg) && arg.get_long().is_some_and(|long| long.starts_with("no-"))
}

/// Converts the settings to command-line arguments, which go before the arguments `typed` by the user. Also returns
/// warnings about settings that cannot be used.
pub fn arguments(
    settings: &[Setting],
    typed: &[OsString],
    environment: &Environment,
) -> (Vec<OsString>, Vec<Warning>) {
    let command = command();
    let mut warnings = Vec::new();
    let mut meant = Vec::new();
    for setting in settings {
        match spelled(&command, setting) {
            Ok(words) => meant.push((setting, words)),
            Err(warning) => warnings.push(warning),
        }
    }
    let refuse = |setting: &Setting, reason: String| warnings.push(Warning::new(setting.value_at, &reason));
    let mut words = fitting(meant, check_valid, refuse);
    words.retain(|(setting, _)| !is_overruled(&setting.name, environment));
    (flat(&fitting(words, |words| check_conflicts(words, typed), |_, _| ())), warnings)
}

/// Setting with its command-line words.
type Spelled<'s> = (&'s Setting, Vec<OsString>);

/// Returns the settings that `fits` accepts. Each setting is checked in combination with the accepted settings before
/// it. Passes every rejected setting to `refuse`, with the reason.
fn fitting<'s>(
    settings: Vec<Spelled<'s>>,
    fits: impl Fn(&[OsString]) -> Result<(), String>,
    mut refuse: impl FnMut(&Setting, String),
) -> Vec<Spelled<'s>> {
    // Usually all settings are valid, and parsing them once is enough.
    if fits(&flat(&settings)).is_ok() {
        return settings;
    }
    let mut fitting: Vec<Spelled<'s>> = Vec::new();
    for spelled in settings {
        fitting.push(spelled);
        if let Err(reason) = fits(&flat(&fitting))
            && let Some((setting, _)) = fitting.pop()
        {
            refuse(setting, reason);
        }
    }
    fitting
}

fn flat(words: &[Spelled<'_>]) -> Vec<OsString> {
    words.iter().flat_map(|(_, words)| words.clone()).collect()
}

fn is_overruled(name: &str, environment: &Environment) -> bool {
    let variables = VARIABLES.iter().find(|(setting, _)| *setting == name).map(|(_, variables)| *variables);
    variables.into_iter().flatten().any(|variable| environment.variable(variable).is_some())
}

/// Converts a setting into command-line arguments.
fn spelled(command: &Command, setting: &Setting) -> Result<Vec<OsString>, Warning> {
    let shown = escape(setting.name.as_bytes());
    let Some(arg) = settable(command).find(|arg| name(arg) == setting.name) else {
        let is_flag = command.get_arguments().any(|arg| arg.get_long() == Some(&setting.name));
        let positive = setting.name.strip_prefix("no-");
        let positive = positive.filter(|positive| settable(command).any(|arg| name(arg) == *positive));
        let reason = if let Some(positive) = positive {
            format!("unknown setting '{shown}'; use '{positive}' with the opposite value")
        } else if is_flag {
            format!("'{shown}' is only allowed on the command line")
        } else {
            format!("unknown setting '{shown}'; 'duke config show' lists all settings")
        };
        return Err(Warning::new(setting.name_at, &reason));
    };
    let long = arg.get_long().unwrap_or_default();
    let wrong = |reason: &str| Err(Warning::new(setting.value_at, &format!("'{shown}' {reason}")));
    let given = |word: &String| OsString::from(format!("--{long}={word}"));
    match (arg.get_action(), &setting.value) {
        (ArgAction::SetTrue, Value::Switch(is_on)) => {
            let word = (*is_on != is_inverted(arg)).then(|| OsString::from(format!("--{long}")));
            Ok(word.into_iter().collect())
        }
        (ArgAction::SetTrue, _) => wrong("must be true or false"),
        (ArgAction::Append, Value::Words(words)) => Ok(words.iter().map(given).collect()),
        (_, Value::Words(words)) if arg.get_value_delimiter().is_some() => Ok(vec![given(&words.join(","))]),
        (_, Value::Word(word)) => Ok(vec![given(word)]),
        (_, Value::Switch(_)) => wrong("must be a string or an integer"),
        (_, Value::Words(_)) => wrong("must be a single value, not a list"),
    }
}

/// Checks that the words from the configuration form a valid command line with valid exclude patterns. No pattern file
/// has to be read, because `-X` is not allowed in the configuration.
fn check_valid(words: &[OsString]) -> Result<(), String> {
    let matches =
        command().try_get_matches_from(line(words, &[])).map_err(|error| usage_error(error).reason())?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| usage_error(error).reason())?;
    if arguments.columns.iter().flatten().any(|word| matches!(word, ColumnWord::Read(_))) {
        return Err("'columns' with FIELD=COLUMN is only allowed on the command line".to_owned());
    }
    filter(&arguments.exclude).map(drop).map_err(UsageError::reason)
}

/// Checks that `words` from the configuration do not conflict with the words `typed` by the user.
fn check_conflicts(words: &[OsString], typed: &[OsString]) -> Result<(), String> {
    match command().try_get_matches_from(line(words, typed)) {
        Err(error) if error.kind() == ErrorKind::ArgumentConflict => Err(usage_error(error).reason()),
        _ => Ok(()),
    }
}

/// Returns a command line that consists of the program's name, `words` and `typed`.
pub fn line(words: &[OsString], typed: &[OsString]) -> Vec<OsString> {
    let program = [OsString::from("duke")];
    program.iter().chain(words).chain(typed).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::config::position::Position;

    fn understood(words: &[OsString]) -> String {
        let matches = command().try_get_matches_from(line(&[], words)).unwrap();
        format!("{:?}", Arguments::from_arg_matches(&matches).unwrap())
    }

    /// Returns a value for `arg` other than its default.
    fn example(arg: &Arg) -> Value {
        let names: Vec<String> =
            arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        match arg.get_action() {
            ArgAction::SetTrue => Value::Switch(!is_inverted(arg)),
            ArgAction::Append => Value::Words(vec!["3".to_owned()]),
            _ if arg.get_value_delimiter().is_some() => Value::Words(names[1..].to_vec()),
            _ => Value::Word(names.last().cloned().unwrap_or_else(|| "3".to_owned())),
        }
    }

    #[test]
    fn every_flag_is_a_setting_or_is_for_once() {
        let command = Arguments::command();
        let ids = |arg: &Arg| arg.get_id().as_str().to_owned();
        let settable: Vec<String> = settable(&command).map(ids).collect();
        let flags: Vec<String> =
            command.get_arguments().filter(|arg| !arg.is_positional()).map(ids).collect();
        for id in FOR_ONCE {
            assert!(flags.iter().any(|flag| flag == id), "there is no {id}");
        }
        for flag in flags {
            let is_for_once = FOR_ONCE.contains(&flag.as_str());
            assert!(settable.contains(&flag) != is_for_once, "{flag}");
        }
    }

    #[test]
    fn a_setting_means_what_its_flag_means() {
        let command = Arguments::command();
        for arg in settable(&command) {
            let (long, at) = (arg.get_long().unwrap(), Position { line: 1, column: 1 });
            let value = example(arg);
            let typed = match &value {
                Value::Switch(_) => format!("--{long}"),
                Value::Word(word) => format!("--{long}={word}"),
                Value::Words(words) => format!("--{long}={}", words.join(",")),
            };
            let setting = Setting { name: name(arg).to_owned(), value, name_at: at, value_at: at };
            let (meant, warnings) = arguments(&[setting], &[], &Environment::default());
            assert_eq!(warnings, [], "{long}");
            assert_eq!(understood(&meant), understood(&[typed.into()]), "{long}");
            assert_ne!(understood(&meant), understood(&[]), "{long}");
        }
    }
}
