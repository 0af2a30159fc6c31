//! The command line: flags become what they mean here, once, and are not seen by anything else.
//!
//! Knows how the words are spelled, not what is done with their meaning. Invariant: what cannot be understood ends the
//! program before anything is read; nothing is silently ignored.

mod arguments;
mod commands;
mod configured;
mod defaults;
mod describe;
mod environment;
mod exchange;
mod facts;
mod manual;
mod patterns;
mod refusal;
mod show;
mod snapshot;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::Path;

use clap::FromArgMatches;
use clap::error::ErrorKind;

use crate::batch::{self, Comparison, Format, Job, Output, Progress, Saving, Selection};
use crate::browse;
use crate::exchange::Form;
use crate::platform::image::{self, Thrift};
use crate::rows::{Column, Direction, Order};
use crate::scan::{self, Mounts};
use crate::size::{Measure, Units};
use crate::source::Wanted;
use crate::ui::Mouse;
use crate::ui::reclaim::{Changes, Safety};
use crate::ui::tab::Tab;
use crate::ui::theme::{ColorChoice, Colors, Glyphs, Looks, Theme};
use arguments::{Arguments, SortBy, When, Words};
use commands::{Command, Df, Difference};
use configured::{Configured, source};
pub use describe::Description;
pub use environment::Environment;
use patterns::{filter, patterns};
pub use refusal::Refusal;
use refusal::refusal;
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
#[allow(clippy::large_enum_variant)] // only one is ever made
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
    let comparison = exchange::comparison(words, environment)?;
    let is_for_a_script = words.json || words.no_interactive || words.min_change.is_some();
    if is_for_a_script || !environment.is_terminal || environment.is_dumb() {
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
    Configured::read(&source(None, false, environment), &[], environment)
}

/// What the configuration says of flags.
fn configured_alone(environment: &Environment) -> Result<Arguments, Refusal> {
    understood(&configured(environment)?.words, &[])
}

/// The file systems below some paths.
fn df(words: &Df, environment: &Environment) -> Result<Job, Refusal> {
    let units = units(words.si);
    let scan = scan::Options {
        threads: threads(words.threads, environment)?,
        mounts: mounts(words.one_file_system),
        skip_network: words.skip_network,
        ..Default::default()
    };
    let format = if words.json { Format::SpacesJson } else { Format::Spaces(units) };
    let progress = progress(words.quiet, units);
    let wanted = Wanted::Paths(exchange::paths(&words.paths), scan);
    Ok(Job { wanted, output: Output::Printed(format), selection: Selection::default(), progress })
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
        mounts: if arguments.include_kernfs { Mounts::All } else { mounts(arguments.one_file_system) },
        filter: filter(&patterns)?,
        skip_caches: arguments.exclude_caches,
        skip_network: arguments.skip_network,
        owners: arguments.extended || exchange::needs_owners(arguments),
    };
    let wanted = exchange::wanted(arguments, &patterns, scan)?;
    let order = order(arguments);
    let units = units(arguments.si);
    let depth = if arguments.summarize { Some(0) } else { arguments.depth };
    let is_browser = arguments.pick
        || environment.is_terminal
            && !environment.is_dumb()
            && !arguments.no_interactive
            && depth.is_none()
            && !exchange::selects(arguments);
    let output = if let Some(export) = exchange::export(arguments, environment.is_terminal)? {
        export
    } else if arguments.ndjson {
        Output::Printed(Format::Flat(Form::Json))
    } else if arguments.csv {
        Output::Printed(Format::Flat(Form::Csv))
    } else if arguments.json {
        Output::Printed(Format::Json { depth })
    } else if is_browser {
        let subject = browse::Subject::Present(wanted);
        return Ok(Request::Browse(Box::new(browser(arguments, configured, environment, subject)?)));
    } else {
        Output::Printed(Format::Table { depth: depth.unwrap_or(1), order, units })
    };
    let progress = progress(arguments.quiet, units);
    let selection = exchange::selection(arguments)?;
    Ok(Request::Print(Job { wanted, output, selection, progress }))
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
        units: units(arguments.si),
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

/// `--si`
fn units(is_decimal: bool) -> Units {
    if is_decimal { Units::Decimal } else { Units::Binary }
}

/// `-x`
fn mounts(are_left: bool) -> Mounts {
    if are_left { Mounts::None } else { Mounts::Real }
}

/// `-q`
fn progress(is_unwanted: bool, units: Units) -> Progress {
    if is_unwanted { Progress::Silent } else { Progress::Shown(units) }
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
    let when = match arguments.color {
        Some(when) => when,
        None => environment.parsed("DUKE_COLOR", arguments::when)?.unwrap_or(When::Auto),
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

/// `-t`, or what the environment says instead.
fn threads(given: Option<u16>, environment: &Environment) -> Result<Option<usize>, Refusal> {
    let threads = match given {
        None => environment.parsed("DUKE_THREADS", arguments::threads)?,
        given => given,
    };
    Ok(threads.map(usize::from))
}
