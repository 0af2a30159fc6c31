//! `duke config`: what holds, written as a configuration that says the same; and where it is read from.
//!
//! Invariant: what is shown, used as the configuration, warns of nothing and means what was shown.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;

use clap::{Arg, ArgAction, ArgMatches, CommandFactory};

use super::arguments::Arguments;
use super::commands::Shown;
use super::configured::Configured;
use super::{Environment, Refusal, defaults, refusal};
use crate::config::Config;
use crate::config::file::Source;
use crate::config::value::{list, quote};
use crate::exit::Exit;
use crate::message::printed;
use crate::platform::streams;
use crate::text::{escape, escape_path};
use crate::ui::keys::{KEYMAP, Key};
use crate::ui::theme::{Preset, Role, color_name};

/// Something to be printed on standard output.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// Lines that are safe for a terminal.
    Text(String),
    /// A path.
    Path(Vec<u8>),
}

impl Answer {
    /// Prints it, a path as it is unless a person reads it.
    pub fn print(&self) -> Exit {
        let mut out = io::stdout();
        let written = streams::output().and_then(|()| match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Path(path) if out.is_terminal() => writeln!(out, "{}", escape(path)),
            Self::Path(path) => out.write_all(path).and_then(|()| out.write_all(b"\n")),
        });
        printed(written.and_then(|()| out.flush()))
    }
}

/// What `duke config` answers.
pub(super) fn answer(what: Shown, source: &Source, environment: &Environment) -> Result<Answer, Refusal> {
    match (what, source.path()) {
        (Shown::Path, Some(path)) => Ok(Answer::Path(path.as_os_str().as_bytes().to_vec())),
        (Shown::Path, None) => {
            Err(Refusal::Usage("no configuration is read: there is no place for it".into()))
        }
        (Shown::Show, _) => {
            let Configured { config, words, .. } = Configured::read(source, &[], environment)?;
            let line = defaults::line(&words, &variables(environment));
            let matches = defaults::command().try_get_matches_from(line).map_err(refusal)?;
            let mut text = header(source);
            settings(&mut text, &matches);
            looks(&mut text, &config);
            keys(&mut text, &config);
            Ok(Answer::Text(text))
        }
    }
}

/// What the environment says, in words of the command line.
fn variables(environment: &Environment) -> Vec<OsString> {
    let said = |name, flag: &str| {
        let value = environment.variable(name)?;
        Some([&OsString::from(format!("--{flag}=")), value].into_iter().map(OsString::as_os_str).collect())
    };
    let never = || environment.variable("NO_COLOR").map(|_| OsString::from("--color=never"));
    let ascii =
        environment.variable("DUKE_ASCII").map(|value| if value == "0" { "--no-ascii" } else { "--ascii" });
    let color = said("DUKE_COLOR", "color").or_else(never);
    said("DUKE_THREADS", "threads").into_iter().chain(color).chain(ascii.map(OsString::from)).collect()
}

fn header(source: &Source) -> String {
    let path = source.path().map_or_else(|| "none".to_owned(), escape_path);
    format!(
        "# What holds without flags. Configuration: {path}\n# A line after a single # says what could be set.\n"
    )
}

/// Writing to a string cannot fail.
fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

fn settings(text: &mut String, matches: &ArgMatches) {
    let command = Arguments::command();
    for arg in defaults::settable(&command) {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let name = defaults::name(arg);
        push(
            text,
            format_args!("\n# {}", if defaults::is_inverted(arg) { format!("Not: {help}") } else { help }),
        );
        match value(arg, matches) {
            Some(value) => push(text, format_args!("{name} = {value}")),
            None => push(text, format_args!("# {name} = {}", example(arg))),
        }
    }
}

/// What holds for a flag, as TOML writes it.
fn value(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    let words = || matches.get_raw(id).into_iter().flatten().map(|word| word.to_string_lossy().into_owned());
    match arg.get_action() {
        ArgAction::SetTrue => Some((matches.get_flag(id) != defaults::is_inverted(arg)).to_string()),
        ArgAction::Append => Some(list(words())),
        _ => words().next_back().map(|word| plain(&word)),
    }
}

/// A text, or a number where it is one.
fn plain(word: &str) -> String {
    let number = word.parse::<i64>().ok().filter(|number| number.to_string() == word);
    number.map_or_else(|| quote(word), |number| number.to_string())
}

/// What could be set: the values that there are, or what the help calls them.
fn example(arg: &Arg) -> String {
    let values = arg.get_possible_values();
    let names: Vec<String> = if values.is_empty() {
        arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect()
    } else {
        values.iter().map(|value| quote(value.get_name())).collect()
    };
    names.join(" or ")
}

fn looks(text: &mut String, config: &Config) {
    let presets = Preset::ALL.map(Preset::name).join(", ");
    push(text, format_args!("\n# Looks: {presets}\ntheme = {}", quote(config.looks.preset.name())));
    push(
        text,
        format_args!(
            "\n# Colours instead of the theme's: blue, bright-blue, 32, #3a80c4, terminal\n[colors]"
        ),
    );
    for role in Role::ALL {
        match config.looks.own(role) {
            Some(color) => push(text, format_args!("{} = {}", role.name(), quote(&color_name(color)))),
            None => push(text, format_args!("# {} = COLOR", role.name())),
        }
    }
}

fn keys(text: &mut String, config: &Config) {
    push(text, format_args!("\n# Keys, in place of those the line had; [] for none\n[keys]"));
    for (number, binding) in KEYMAP.iter().enumerate() {
        let keys = list(config.keymap.keys(number).map(Key::name));
        let line = format!("{} = {keys}", binding.name());
        if binding.is_fixed() {
            push(text, format_args!("# {line}  always: {}", binding.help));
        } else {
            push(text, format_args!("{line}  # {}", binding.help));
        }
    }
}
