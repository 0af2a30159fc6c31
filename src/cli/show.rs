//! Output of `duke config`: the path of the configuration file, the effective configuration, or ncdu's settings.
//! Settings are written in the format of the configuration file.
//!
//! Invariant: if the output of `duke config show` is used as the configuration file, it causes no warnings, and the
//! effective configuration does not change.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches};

use super::configured::Configured;
use super::{Environment, UsageError};
use crate::base::text::{escape, escape_path};
use crate::cli::args::Arguments;
use crate::cli::config::Config;
use crate::cli::config::file::Source;
use crate::cli::config::value::{list, quote};
use crate::cli::error::usage_error;
use crate::cli::exclude::patterns;
use crate::cli::ncdu::{self, Translation};
use crate::cli::settings;
use crate::cli::subcommands::ConfigQuery;
use crate::run::exit::Exit;
use crate::run::streams::{print, print_error};
use crate::ui::keys::{KEYMAP, Key};
use crate::ui::theme::{Preset, Role, color_name};

/// Output of `duke config`, or of a command with `--list`.
#[derive(Debug, PartialEq, Eq)]
pub enum ConfigOutput {
    /// Text that is safe to print on a terminal.
    Text(String),
    /// Path of the configuration file.
    Path(Vec<u8>),
    /// Text that is safe to print on a terminal, notes for standard error, and an exit code.
    List(String, Vec<String>, Exit),
}

impl ConfigOutput {
    /// Prints the output and returns the exit code. A path is escaped only on a terminal.
    pub fn print(&self) -> Exit {
        let exit = print(|out| match self {
            Self::Text(text) | Self::List(text, ..) => out.write_all(text.as_bytes()),
            Self::Path(path) if out.is_terminal() => writeln!(out, "{}", escape(path)),
            Self::Path(path) => out.write_all(path).and_then(|()| out.write_all(b"\n")),
        });
        let Self::List(_, notes, worst) = self else { return exit };
        for note in notes {
            print_error(note);
        }
        exit.max(*worst)
    }
}

/// Returns the output of `duke config`.
pub fn config_output(
    what: ConfigQuery,
    source: &Source,
    environment: &Environment,
) -> Result<ConfigOutput, UsageError> {
    match (what, source.path()) {
        (ConfigQuery::ImportNcdu, _) => Ok(ConfigOutput::Text(imported(&ncdu::configuration(environment)?)?)),
        (ConfigQuery::Path, Some(path)) => Ok(ConfigOutput::Path(path.as_os_str().as_bytes().to_vec())),
        (ConfigQuery::Path, None) => Err(UsageError::Usage(
            "no configuration: --no-config is given, or neither XDG_CONFIG_HOME nor HOME is set to an absolute \
                path"
                .into(),
        )),
        (ConfigQuery::Show, _) => {
            let Configured { config, words, .. } = Configured::read(source, &[], environment)?;
            let line = settings::line(&words, &variables(environment));
            let matches = settings::command().try_get_matches_from(line).map_err(usage_error)?;
            let mut text = header(source);
            settings(&mut text, &matches);
            theme(&mut text, &config);
            keys(&mut text, &config);
            Ok(ConfigOutput::Text(text))
        }
    }
}

/// Returns a configuration with only the settings from ncdu's configuration files.
fn imported(from: &Translation) -> Result<String, UsageError> {
    let matches =
        settings::command().try_get_matches_from(settings::line(&[], &from.words)).map_err(usage_error)?;
    let arguments = Arguments::from_arg_matches(&matches).map_err(usage_error)?;
    let mut text = "# Settings from the configuration files of ncdu\n".to_owned();
    for arg in settings::settable(&Arguments::command()) {
        let is_given = matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        if let Some(value) = value(arg, &matches).filter(|_| is_given && arg.get_long() != Some("exclude")) {
            push(&mut text, format_args!("{} = {value}", settings::name(arg)));
        }
    }
    // A configuration cannot name a pattern file, so the patterns themselves are written.
    let patterns = patterns(&arguments)?;
    if !patterns.is_empty() {
        push(&mut text, format_args!("exclude = {}", list(patterns.into_iter())));
    }
    if !from.without_keys.is_empty() {
        push(&mut text, format_args!("\n[keys]"));
    }
    for action in &from.without_keys {
        push(&mut text, format_args!("{action} = []"));
    }
    Ok(text)
}

/// Converts the settings in environment variables to command-line arguments.
fn variables(environment: &Environment) -> Vec<OsString> {
    let from_variable = |name, flag: &str| {
        let value = environment.variable(name)?;
        Some([&OsString::from(format!("--{flag}=")), value].into_iter().map(OsString::as_os_str).collect())
    };
    let never = || environment.variable("NO_COLOR").map(|_| OsString::from("--color=never"));
    let ascii =
        environment.variable("DUKE_ASCII").map(|value| if value == "0" { "--no-ascii" } else { "--ascii" });
    let color = from_variable("DUKE_COLOR", "color").or_else(never);
    from_variable("DUKE_THREADS", "threads")
        .into_iter()
        .chain(color)
        .chain(ascii.map(OsString::from))
        .collect()
}

fn header(source: &Source) -> String {
    let path = source.path().map_or_else(|| "none".to_owned(), escape_path);
    format!(
        "# Settings that apply if no flags are given. Configuration file: {path}\n# Commented-out lines show \
            further settings.\n"
    )
}

/// Appends a line. Writing to a string cannot fail.
fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

fn settings(text: &mut String, matches: &ArgMatches) {
    let command = Arguments::command();
    for arg in settings::settable(&command) {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let name = settings::name(arg);
        push(
            text,
            format_args!(
                "\n# {}",
                if settings::is_inverted(arg) { format!("If false: {help}") } else { help }
            ),
        );
        match value(arg, matches) {
            Some(value) => push(text, format_args!("{name} = {value}")),
            None => push(text, format_args!("# {name} = {}", value_hint(arg))),
        }
    }
}

/// Returns the effective value of a flag, formatted as TOML, or `None` if the flag has no value.
fn value(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    let words = || matches.get_raw(id).into_iter().flatten().map(|word| word.to_string_lossy().into_owned());
    match arg.get_action() {
        ArgAction::SetTrue => Some((matches.get_flag(id) != settings::is_inverted(arg)).to_string()),
        ArgAction::Append => Some(list(words())),
        _ if arg.get_value_delimiter().is_some() => matches.get_raw(id).map(|_| list(words())),
        _ => words().next_back().map(|word| plain(&word)),
    }
}

/// Formats a word as a TOML integer if it is one, and otherwise as a TOML string.
fn plain(word: &str) -> String {
    let number = word.parse::<i64>().ok().filter(|number| number.to_string() == word);
    number.map_or_else(|| quote(word), |number| number.to_string())
}

/// Returns the possible values of a flag. If there is no list of them, returns the flag's value name, such as `SIZE`.
fn value_hint(arg: &Arg) -> String {
    let values = arg.get_possible_values();
    if values.is_empty() {
        return arg.get_value_names().unwrap_or_default().join(" or ");
    }
    let names: Vec<String> = values.iter().map(|value| quote(value.get_name())).collect();
    if arg.get_value_delimiter().is_some() { format!("[{}]", names.join(", ")) } else { names.join(" or ") }
}

fn theme(text: &mut String, config: &Config) {
    let presets = Preset::ALL.map(Preset::name).join(", ");
    push(text, format_args!("\n# Theme: {presets}\ntheme = {}", quote(config.theme.preset.name())));
    push(
        text,
        format_args!(
            "\n# Colors that replace those of the theme, such as \"blue\", \"bright-blue\", 32, \"#3a80c4\", \
                or \"terminal\" (the terminal's own text color)\n[colors]"
        ),
    );
    for role in Role::ALL {
        match config.theme.own(role) {
            Some(color) => push(text, format_args!("{} = {}", role.name(), quote(&color_name(color)))),
            None => push(text, format_args!("# {} = COLOR", role.name())),
        }
    }
}

fn keys(text: &mut String, config: &Config) {
    push(
        text,
        format_args!(
            "\n# Keys of each command. The keys given here replace the default keys; [] means no key\n[keys]"
        ),
    );
    for (number, binding) in KEYMAP.iter().enumerate() {
        let keys = list(config.keymap.keys(number).map(Key::name));
        let line = format!("{} = {keys}", binding.name());
        if binding.is_fixed() {
            push(text, format_args!("# {line}  # {} (cannot be changed)", binding.help));
        } else {
            push(text, format_args!("{line}  # {}", binding.help));
        }
    }
}
