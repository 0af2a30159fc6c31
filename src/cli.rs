//! The command line: flags become what they mean here, once, and are not seen by anything else.
//!
//! Knows how the words are spelled, not what is done with their meaning. Invariant: what cannot be understood ends the
//! program before anything is read; nothing is silently ignored.

mod arguments;
mod configured;
mod defaults;
mod describe;
mod exchange;
mod facts;
mod manual;
mod show;
mod snapshot;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use crate::batch::{self, Comparison, Format, Job, Progress, Saving, Selection};
use crate::browse;
use crate::exit::Exit;
use crate::message::{say, words};
use crate::platform::image::{self, Thrift};
use crate::platform::streams;
use crate::rows::{Column, Direction, Order};
use crate::scan::BadPattern;
use crate::scan::{self, Filter, Mounts};
use crate::size::{Measure, Units};
use crate::source::Wanted;
use crate::text::{escape, escape_path};
use crate::ui::Mouse;
use crate::ui::reclaim::{Changes, Safety};
use crate::ui::tab::Tab;
use crate::ui::theme::{ColorChoice, Colors, Glyphs, Looks, Theme};
use arguments::{Arguments, Command, Df, Difference, SortBy, When, Words};
use configured::{Configured, source};
pub use describe::Description;
pub use show::Answer;

/// Understands the command line of this process, does the one thing it asks for, and ends with what is to be said of that.
pub fn run() -> ! {
    let request = request(std::env::args_os(), &Environment::of_process());
    // Understanding it needed much of the program that nothing else does. A browser stays, and may take its time; what only
    // answers is gone at once.
    match request {
        Ok(Request::Browse(_)) => image::shrink(Thrift::Strict),
        Ok(Request::Print(_) | Request::Compare(_) | Request::Save(_)) => image::shrink(Thrift::Moderate),
        Ok(Request::Describe(_) | Request::Answer(_)) | Err(_) => {}
    }
    let exit = match request {
        Ok(Request::Browse(job)) => browse::run(*job),
        Ok(Request::Print(job)) => batch::run(job),
        Ok(Request::Compare(comparison)) => batch::compare(comparison),
        Ok(Request::Save(job)) => batch::save(job),
        Ok(Request::Describe(description)) => description.print(),
        Ok(Request::Answer(answer)) => answer.print(),
        Err(refusal) => refusal.answer(),
    };
    exit.end()
}

/// What a person asks for.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // there is one
pub enum Request {
    /// The browser.
    Browse(Box<browse::Job>),
    /// A table or JSON.
    Print(Job),
    /// What changed.
    Compare(Comparison),
    /// A snapshot.
    Save(Saving),
    /// What the command line itself is.
    Describe(Description),
    /// Something about the program itself.
    Answer(Answer),
}

/// What the command line depends on besides its words.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Whether standard output is a terminal.
    pub is_terminal: bool,
    /// The variables among [`VARIABLES`] that are set and not empty.
    pub variables: HashMap<&'static str, OsString>,
}

/// The environment variables that mean something.
pub const VARIABLES: [&str; 17] = [
    "TERM",
    "LC_ALL",
    "LC_CTYPE",
    "LANG",
    "COLORTERM",
    "NO_COLOR",
    "TERM_PROGRAM",
    "WT_SESSION",
    "ConEmuANSI",
    "VTE_VERSION",
    "DUKE_THREADS",
    "DUKE_COLOR",
    "DUKE_ASCII",
    "DUKE_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "HOME",
];

/// Why there is no [`Request`].
#[derive(Debug)]
pub enum Refusal {
    /// Help or the version was asked for.
    Answer(clap::Error),
    /// The command line makes no sense; one line, safe for a terminal.
    Usage(String),
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        let variable = |name| Some((name, std::env::var_os(name).filter(|value| !value.is_empty())?));
        Self {
            is_terminal: io::stdout().is_terminal(),
            variables: VARIABLES.into_iter().filter_map(variable).collect(),
        }
    }

    fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name)
    }
}

impl Refusal {
    /// It in one line.
    fn reason(self) -> String {
        match self {
            Self::Answer(text) => text.to_string(),
            Self::Usage(reason) => reason,
        }
    }

    /// Prints it and says how the program ends.
    pub fn answer(&self) -> Exit {
        match self {
            Self::Answer(text) => {
                match streams::output().and_then(|()| text.print()).and_then(|()| io::stdout().flush()) {
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                        say(&format!("standard output: {}", words(&error)));
                        Exit::Incomplete
                    }
                    _ => Exit::Fine,
                }
            }
            Self::Usage(message) => {
                say(message);
                Exit::Useless
            }
        }
    }
}

/// Understands `words`, the first of which is the program's own name. What is wrong with the configuration is said on
/// standard error.
///
/// # Errors
/// When they make no sense, a pattern is no pattern, or a file that is named cannot be read.
pub fn request(
    words: impl IntoIterator<Item = OsString>,
    environment: &Environment,
) -> Result<Request, Refusal> {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|word| Command::is(word)) {
        let parsed = Words::understand(&words).map_err(refusal)?;
        if let Some(command) = parsed.command {
            return of_command(command, environment);
        }
    }
    let typed = words.get(1..).unwrap_or_default();
    if typed == ["help"] && !Path::new("help").exists() {
        return Err(Refusal::Usage("help: no such file or directory; duke --help shows the help".to_owned()));
    }
    let alone = understood(&[], typed)?;
    let source = source(alone.config, alone.no_config, environment);
    let configured = Configured::read(&source, typed, environment)?;
    for warning in &configured.warnings {
        say(warning);
    }
    look(&understood(&configured.words, typed)?, configured, environment)
}

/// What a command asks for.
fn of_command(command: Command, environment: &Environment) -> Result<Request, Refusal> {
    Ok(match command {
        Command::Completions { shell } => Request::Describe(Description::Completions(shell)),
        Command::Config { what, config, no_config, .. } => {
            Request::Answer(show::answer(what, &source(config, no_config, environment), environment)?)
        }
        Command::Df(words) => Request::Print(df(&words, environment)?),
        Command::Diff(words) => return diff(&words, environment),
        Command::Man => Request::Describe(Description::Manual),
        Command::Save(words) => Request::Save(snapshot::saving(&words, environment)?),
    })
}

/// What has changed, in the browser or not.
fn diff(words: &Difference, environment: &Environment) -> Result<Request, Refusal> {
    let comparison = exchange::comparison(words)?;
    let is_for_a_script = words.json || words.no_interactive || words.min_change.is_some();
    if is_for_a_script || !environment.is_terminal || is_dumb(environment) {
        return Ok(Request::Compare(comparison));
    }
    let configured = configured(environment)?;
    // Of the settings those hold that are about looks; what is read was said.
    let mut arguments = understood(&configured.words, &[])?;
    arguments.si |= words.si;
    arguments.apparent_size |= words.apparent_size;
    let Comparison { old, new, scan, .. } = comparison;
    let subject = browse::Subject::Growth { old, new, scan };
    Ok(Request::Browse(Box::new(browser(&arguments, configured, environment, subject)?)))
}

/// The configuration of a command, which has no word for another one.
fn configured(environment: &Environment) -> Result<Configured, Refusal> {
    let configured = Configured::read(&source(None, false, environment), &[], environment)?;
    for warning in &configured.warnings {
        say(warning);
    }
    Ok(configured)
}

/// What the configuration says of flags.
fn configured_alone(environment: &Environment) -> Result<Arguments, Refusal> {
    understood(&configured(environment)?.words, &[])
}

/// The file systems below some paths.
fn df(words: &Df, environment: &Environment) -> Result<Job, Refusal> {
    let units = if words.si { Units::Decimal } else { Units::Binary };
    let mounts = if words.one_file_system { Mounts::None } else { Mounts::Real };
    let scan = scan::Options {
        threads: threads(words.threads, environment)?,
        mounts,
        skip_network: words.skip_network,
        ..Default::default()
    };
    let format = if words.json { Format::SpacesJson } else { Format::Spaces(units) };
    let progress = if words.quiet { Progress::Silent } else { Progress::Shown(units) };
    let wanted = Wanted::Paths(exchange::paths(&words.paths), scan);
    Ok(Job { wanted, format, selection: Selection::default(), progress })
}

/// What the words say that come from the configuration, and those that were typed.
fn understood(configured: &[OsString], typed: &[OsString]) -> Result<Arguments, Refusal> {
    let line = defaults::line(configured, typed);
    let matches = defaults::command().try_get_matches_from(&line).map_err(|error| match error.kind() {
        // The help is about the commands as well.
        ErrorKind::DisplayHelp => refusal(Words::understand(&line).err().unwrap_or(error)),
        _ => refusal(error),
    })?;
    Arguments::from_arg_matches(&matches).map_err(refusal)
}

/// What is asked for without a command.
fn look(
    arguments: &Arguments,
    configured: Configured,
    environment: &Environment,
) -> Result<Request, Refusal> {
    let patterns = patterns(arguments)?;
    let scan = scan::Options {
        threads: threads(arguments.threads, environment)?,
        mounts: match (arguments.one_file_system, arguments.include_kernfs) {
            (true, _) => Mounts::None,
            (false, true) => Mounts::All,
            (false, false) => Mounts::Real,
        },
        filter: filter(&patterns)?,
        skip_caches: arguments.exclude_caches,
        skip_network: arguments.skip_network,
        owners: arguments.extended || exchange::needs_owners(arguments),
    };
    let wanted = exchange::wanted(arguments, &patterns, scan)?;
    let order = order(arguments);
    let units = if arguments.si { Units::Decimal } else { Units::Binary };
    let depth = if arguments.summarize { Some(0) } else { arguments.depth };
    let is_browser = arguments.pick
        || environment.is_terminal
            && !is_dumb(environment)
            && !arguments.no_interactive
            && depth.is_none()
            && !exchange::selects(arguments);
    let format = if let Some(format) = exchange::format(arguments, environment.is_terminal)? {
        format
    } else if arguments.json {
        Format::Json { depth }
    } else if is_browser {
        let subject = browse::Subject::Present(wanted);
        return Ok(Request::Browse(Box::new(browser(arguments, configured, environment, subject)?)));
    } else {
        Format::Table { depth: depth.unwrap_or(1), order, units }
    };
    let progress = if arguments.quiet { Progress::Silent } else { Progress::Shown(units) };
    let selection = exchange::selection(arguments)?;
    Ok(Request::Print(Job { wanted, format, selection, progress }))
}

/// A browser of something.
fn browser(
    arguments: &Arguments,
    configured: Configured,
    environment: &Environment,
    subject: browse::Subject,
) -> Result<browse::Job, Refusal> {
    let Configured { config, notice, .. } = configured;
    let settings = snapshot::settings(arguments, environment);
    Ok(browse::Job {
        subject,
        order: order(arguments),
        units: if arguments.si { Units::Decimal } else { Units::Binary },
        theme: theme(arguments, config.looks, environment)?,
        safety: safety(arguments),
        keymap: config.keymap,
        notice,
        mouse: if arguments.no_mouse { Mouse::Left } else { Mouse::Taken },
        tab: Tab::detect(|name| environment.variable(name).cloned()),
        ending: if arguments.print0 { browse::Ending::Nul } else { browse::Ending::Line },
        kept: settings.as_ref().map(|settings| settings.folder.clone()),
        snapshots: settings.filter(|_| !arguments.no_snapshots),
    })
}

/// Whether the terminal cannot be drawn on.
fn is_dumb(environment: &Environment) -> bool {
    environment.variable("TERM").is_some_and(|term| term == "dumb")
}

fn order(arguments: &Arguments) -> Order {
    let column = match arguments.sort {
        SortBy::Size => Column::Size,
        SortBy::Name => Column::Name,
        SortBy::Count => Column::Items,
        SortBy::Mtime => Column::Modified,
    };
    let measure = if arguments.apparent_size { Measure::Apparent } else { Measure::Disk };
    let direction = if arguments.reverse { Direction::Reversed } else { Direction::Usual };
    Order { column, direction, measure, ..Order::default() }
}

/// What a person lets happen to files.
fn safety(arguments: &Arguments) -> Safety {
    let changes = match (arguments.read_only, arguments.dry_run) {
        (true, _) => Changes::Refused,
        (false, true) => Changes::Rehearsed,
        (false, false) => Changes::Confirmed,
    };
    Safety { changes, typed_over: arguments.type_name_over, journal: None }
}

fn theme(arguments: &Arguments, looks: Looks, environment: &Environment) -> Result<Theme, Refusal> {
    let when = match (arguments.color, environment.variable("DUKE_COLOR")) {
        (Some(when), _) => when,
        (None, Some(value)) => variable("DUKE_COLOR", value, arguments::when)?,
        (None, None) => When::Auto,
    };
    let choice = match when {
        When::Auto => ColorChoice::Auto,
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    };
    let colors = Colors::detect(choice, |name| environment.variable(name).cloned());
    let glyphs = match environment.variable("DUKE_ASCII") {
        _ if arguments.ascii => Glyphs::Ascii,
        Some(value) if value == "0" => Glyphs::Unicode,
        Some(_) => Glyphs::Ascii,
        None => Glyphs::detect(|name| environment.variable(name).cloned()),
    };
    Ok(Theme { colors, glyphs, looks })
}

fn threads(given: Option<u16>, environment: &Environment) -> Result<Option<usize>, Refusal> {
    let threads = match (given, environment.variable("DUKE_THREADS")) {
        (Some(threads), _) => Some(threads),
        (None, Some(value)) => Some(variable("DUKE_THREADS", value, arguments::threads)?),
        (None, None) => None,
    };
    Ok(threads.map(usize::from))
}

/// What the environment variable `name` says.
fn variable<T>(
    name: &str,
    value: &OsString,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, Refusal> {
    let refused = |reason: &str| Refusal::Usage(format!("{name}={}: {reason}", escape(value.as_bytes())));
    let word = value.to_str().ok_or_else(|| refused("not UTF-8"))?;
    parse(word).map_err(|reason| refused(&reason))
}

/// The patterns given, also those in files.
fn patterns(arguments: &Arguments) -> Result<Vec<String>, Refusal> {
    let mut patterns = arguments.exclude.clone();
    for path in &arguments.exclude_from {
        patterns.extend(patterns_of(Path::new(path))?);
    }
    Ok(patterns)
}

fn filter(patterns: &[String]) -> Result<Filter, Refusal> {
    let bad = |BadPattern { pattern, reason }| {
        Refusal::Usage(format!("pattern '{}': {reason}", escape(pattern.as_bytes())))
    };
    Filter::new(patterns.iter().map(String::as_str)).map_err(bad)
}

/// The patterns in a file as du(1) reads them: one a line, without blanks behind; empty lines are none.
fn patterns_of(path: &Path) -> Result<Vec<String>, Refusal> {
    let refused = |reason: &str| Refusal::Usage(format!("{}: {reason}", escape_path(path)));
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        streams::input().and_then(|()| io::stdin().lock().read_to_end(&mut bytes))
    } else {
        std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| refused(&words(&error)))?;
    let lines =
        bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    lines
        .map(|line| String::from_utf8(line.to_vec()).map_err(|_| refused("a pattern is not UTF-8")))
        .collect()
}

/// The parser's message in one line.
fn refusal(error: clap::Error) -> Refusal {
    if !error.use_stderr() {
        return Refusal::Answer(error);
    }
    // What follows the first empty line is advice.
    let text = error.render().to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let line = lines.join(" ");
    let advice =
        if error.kind() == ErrorKind::UnknownArgument { "; duke --help lists what there is" } else { "" };
    Refusal::Usage(escape(line.strip_prefix("error: ").unwrap_or(&line).as_bytes()).into_owned() + advice)
}
