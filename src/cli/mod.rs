//! The command line: converts flags into options, so that no other module needs to know the flags.
//!
//! Invariant: an invalid command line ends the program before a directory is scanned or an export is read, and no flag
//! is silently ignored.

mod args;
mod completions;
pub(crate) mod config;
mod configured;
mod describe;
mod environment;
mod error;
mod exclude;
mod help_text;
mod jobs;
mod kept_snapshots;
mod list_flags;
mod man_page;
mod ncdu;
mod options;
mod plans;
mod settings;
mod show;
mod snapshots;
mod sources;
mod subcommands;
#[cfg(test)]
mod tests;
mod values;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::format::{Measure, Units};
use crate::base::os_error::{ENOENT, OsError};
use crate::base::text::escape;
use crate::cli::args::{Arguments, Cli};
pub use crate::cli::error::UsageError;
use crate::cli::error::usage_error;
use crate::cli::exclude::{filter, patterns};
use crate::cli::ncdu::Translation;
pub use crate::cli::ncdu::markdown as ncdu_flags;
use crate::cli::options::{mounts, progress, threads, units};
use crate::cli::subcommands::{Command, Df, Difference};
use crate::cli::values::{ColumnWord, PaneChoice, StartView, When};
use crate::run::browse;
use crate::run::duplicates;
use crate::run::duplicates::DuplicatesJob;
use crate::run::merge;
use crate::run::plan;
use crate::run::print;
use crate::run::print::{DiffJob, Format, Output, PrintJob, Saving, Selection};
use crate::run::streams::print_error;
use crate::run::subvolumes;
use crate::run::subvolumes::SubvolumesJob;
use crate::scan::{self, Mounts};
use crate::source::SourceSpec;
use crate::table::column::RowOptions;
use crate::table::rows::{Direction, Grouping, Hidden, Order};
use crate::ui::options::{DeleteMode, DeletePolicy, MouseCapture, Panes, Quitting, Start, TabProgress};
use crate::ui::theme::{Background, ColorChoice, Colors, Glyphs, Theme, ThemeOptions};
use configured::{Configured, configured, source, understood};
pub use describe::Description;
pub use environment::Environment;
use jobs::{duplicates_job, subvolumes_job};
pub use show::ConfigOutput;

/// Parses the command line of this process, runs the command, and ends the process with the command's exit code.
pub fn run() -> ! {
    let exit = match invocation(std::env::args_os(), &Environment::of_process()) {
        Ok(Invocation::Browse(job)) => browse::run(*job),
        Ok(Invocation::Print(job)) => print::run(job),
        Ok(Invocation::Compare(comparison)) => print::compare(comparison),
        Ok(Invocation::Save(job)) => print::save(job),
        Ok(Invocation::Duplicates(job)) => duplicates::run(job),
        Ok(Invocation::Subvolumes(job)) => subvolumes::run(&job),
        Ok(Invocation::Plan(job)) => plan::run(job),
        Ok(Invocation::Merge(job)) => merge::run(&job),
        Ok(Invocation::Describe(description)) => description.print(),
        Ok(Invocation::ConfigOutput(answer)) => answer.print(),
        Err(usage_error) => usage_error.answer(),
    };
    exit.end()
}

/// Invocation of the program: the command and all its settings.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // constructed once
pub enum Invocation {
    /// Request to open the browser.
    Browse(Box<browse::BrowseJob>),
    /// Request to print a table or JSON.
    Print(PrintJob),
    /// Comparison of two trees.
    Compare(DiffJob),
    /// Snapshot to write.
    Save(Saving),
    /// Search for duplicates.
    Duplicates(DuplicatesJob),
    /// Sizes of subvolumes.
    Subvolumes(SubvolumesJob),
    /// Plan that divides a directory into parts.
    Plan(plan::PlanJob),
    /// Merge of a plan's parts.
    Merge(merge::MergeJob),
    /// Request to print shell completions or the man page.
    Describe(Description),
    /// Text to print about the configuration or the kept snapshots.
    ConfigOutput(ConfigOutput),
}

/// Parses the command line in `words`, which begins with the program's name. Prints warnings about the configuration
/// to standard error.
///
/// # Errors
/// Returns an error if the command line or a pattern is invalid, or if a file named on the command line, such as a
/// plan, cannot be read.
pub fn invocation(
    words: impl IntoIterator<Item = OsString>,
    environment: &Environment,
) -> Result<Invocation, UsageError> {
    let words: Vec<OsString> = words.into_iter().collect();
    if let Some((program, typed)) = words.split_first()
        && ncdu::is_name(program)
    {
        return as_ncdu(typed, environment);
    }
    if let Some(word) = words.get(1).filter(|word| Command::is(word)) {
        let is_ambiguous = words.len() == 2 && Path::new(word).is_dir();
        if let Some(name) = word.to_str().filter(|_| is_ambiguous) {
            print_error(&format!("{name} is a subcommand; for the directory, use ./{name}"));
        }
        if word == ncdu::NAME {
            // ncdu flags such as --help must not be parsed as flags of a subcommand.
            return as_ncdu(&words[2..], environment);
        }
        let parsed = Cli::understand(&words).map_err(usage_error)?;
        if let Some(command) = parsed.command {
            return of_command(command, environment);
        }
    }
    if let Some(word) = words.get(1)
        && let Some(name) = Command::misspelled(word)
    {
        let (word, cause) = (escape(word.as_bytes()), OsError(ENOENT));
        let message = format!("{word}: cannot read: {cause}; did you mean duke {name}?");
        return Err(UsageError::Usage(message));
    }
    without_subcommand(words.get(1..).unwrap_or_default(), &[], environment)
}

/// Returns the [`Invocation`] for a command line without a subcommand. `typed` contains the words after the program's
/// name. The key bindings of the browser commands in `without_keys` are removed.
fn without_subcommand(
    typed: &[OsString],
    without_keys: &[&str],
    environment: &Environment,
) -> Result<Invocation, UsageError> {
    let alone = understood(&[], typed)?;
    let source = source(alone.config, alone.no_config, environment);
    let mut configured = Configured::read(&source, typed, environment)?;
    configured.config.take_keys(without_keys);
    invocation_for(&understood(&configured.words, typed)?, configured, environment)
}

fn of_command(command: Command, environment: &Environment) -> Result<Invocation, UsageError> {
    Ok(match command {
        Command::Completions { shell } => Invocation::Describe(Description::Completions(shell)),
        Command::Config { what, config, no_config, .. } => Invocation::ConfigOutput(show::config_output(
            what,
            &source(config, no_config, environment),
            environment,
        )?),
        Command::Df(words) => Invocation::Print(df(&words, environment)?),
        Command::Diff(words) if words.list => {
            Invocation::ConfigOutput(crate::cli::kept_snapshots::list(words.old.as_ref(), environment)?)
        }
        Command::Diff(words) => return diff(&words, environment),
        Command::Duplicates(words) => Invocation::Duplicates(duplicates_job(&words, environment)?),
        Command::Help { command } => return Err(help(command.as_deref())),
        Command::Ncdu { words } => return as_ncdu(&words, environment),
        Command::Man => Invocation::Describe(Description::Manual),
        Command::Save(words) if words.list => match words.paths.as_slice() {
            paths @ ([] | [_]) => {
                Invocation::ConfigOutput(crate::cli::kept_snapshots::list(paths.first(), environment)?)
            }
            _ => return Err(UsageError::Usage("save: --list takes at most one PATH".to_owned())),
        },
        Command::Merge(words) => Invocation::Merge(plans::merge(&words, environment)?),
        Command::Plan(words) => Invocation::Plan(plans::plan(&words, environment)?),
        Command::Save(words) => Invocation::Save(crate::cli::snapshots::saving(&words, environment)?),
        Command::Subvolumes(words) => Invocation::Subvolumes(subvolumes_job(words)?),
    })
}

/// Returns the [`Invocation`] for a command line in ncdu's syntax.
fn as_ncdu(typed: &[OsString], environment: &Environment) -> Result<Invocation, UsageError> {
    let Translation { words, without_keys } = ncdu::translate(typed, environment)?;
    without_subcommand(&words, &without_keys, environment)
}

/// Returns the help for duke or for a command.
fn help(command: Option<&str>) -> UsageError {
    let parsed = if command == Some(ncdu::NAME) {
        ncdu::help()
    } else {
        let words = ["duke"].into_iter().chain(command).chain(["--help"]).map(OsString::from);
        Cli::understand(&words.collect::<Vec<_>>()).map(|_| ())
    };
    usage_error(parsed.expect_err("--help is answered with an error that contains the help"))
}

/// Returns the [`Invocation`] for `duke diff`, with or without the browser.
fn diff(words: &Difference, environment: &Environment) -> Result<Invocation, UsageError> {
    let comparison = sources::comparison(words, environment)?;
    let is_for_a_script = words.json || words.no_interactive || words.min_change.is_some();
    if is_for_a_script || !environment.is_terminal || environment.is_dumb() {
        return Ok(Invocation::Compare(comparison));
    }
    let configured = configured(environment)?;
    // The configuration applies only to the browser. The command line alone determines the trees and the scan.
    let mut arguments = understood(&configured.words, &[])?;
    arguments.si |= words.si;
    arguments.apparent_size |= words.apparent_size;
    let DiffJob { old, new, scan, .. } = comparison;
    let subject = browse::Subject::Growth { old, new, scan };
    Ok(Invocation::Browse(Box::new(browser(&arguments, configured, environment, subject)?)))
}

fn df(words: &Df, environment: &Environment) -> Result<PrintJob, UsageError> {
    sources::reject_remotes("df", &words.paths)?;
    let units = units(words.si);
    let scan = scan::Options {
        threads: threads(words.threads, environment)?,
        mounts: mounts(words.one_file_system),
        skip_network: words.skip_network,
        // `duke df` must not hang if a file system does not respond.
        skip_silent: true,
        ..Default::default()
    };
    let format = if words.json { Format::SpacesJson } else { Format::Spaces(units) };
    let progress = progress(words.quiet, units);
    let wanted = SourceSpec::Paths(sources::paths(&words.paths), scan);
    Ok(PrintJob { wanted, output: Output::Printed(format), selection: Selection::default(), progress })
}

/// Returns the [`Invocation`] for a command line without a subcommand, from the parsed flags and the configuration.
fn invocation_for(
    arguments: &Arguments,
    configured: Configured,
    environment: &Environment,
) -> Result<Invocation, UsageError> {
    let patterns = patterns(arguments)?;
    let scan = scan::Options {
        threads: threads(arguments.threads, environment)?,
        mounts: if arguments.include_kernfs { Mounts::All } else { mounts(arguments.one_file_system) },
        filter: filter(&patterns)?,
        skip_caches: arguments.exclude_caches,
        skip_network: arguments.skip_network,
        skip_silent: false,
        follow_symlinks: arguments.follow_symlinks,
        owners: arguments.extended || sources::needs_owners(arguments),
        ..scan::Options::default()
    };
    let wanted = sources::wanted(arguments, &patterns, scan)?;
    let order = order(arguments);
    let units = units(arguments.si);
    let depth = if arguments.summarize { Some(0) } else { arguments.depth };
    let is_browser = arguments.pick
        || environment.is_terminal
            && !environment.is_dumb()
            && !arguments.no_interactive
            && depth.is_none()
            && !arguments.bytes
            && !arguments.frees
            && !sources::selects(arguments);
    let output = if let Some(export) = sources::export(arguments, environment.is_terminal)? {
        export
    } else if arguments.ndjson {
        Output::Printed(Format::JsonLines)
    } else if arguments.csv {
        Output::Printed(Format::Csv)
    } else if arguments.json {
        Output::Printed(Format::Json { depth })
    } else if is_browser {
        let subject = browse::Subject::Present(wanted);
        return Ok(Invocation::Browse(Box::new(browser(arguments, configured, environment, subject)?)));
    } else {
        let units = if arguments.bytes { Units::Bytes } else { units };
        Output::Printed(Format::Table { depth: depth.unwrap_or(1), order, units })
    };
    let progress = progress(arguments.quiet, units);
    let selection = sources::selection(arguments)?;
    Ok(Invocation::Print(PrintJob { wanted, output, selection, progress }))
}

fn browser(
    arguments: &Arguments,
    configured: Configured,
    environment: &Environment,
    subject: browse::Subject,
) -> Result<browse::BrowseJob, UsageError> {
    let Configured { config, notice, .. } = configured;
    let settings = crate::cli::snapshots::settings(arguments, environment);
    Ok(browse::BrowseJob {
        subject,
        order: order(arguments),
        row_options: row_options(arguments),
        units: units(arguments.si),
        theme: theme(arguments, config.theme, environment)?,
        policy: policy(arguments),
        keymap: config.keymap,
        notice,
        quitting: if arguments.confirm_quit { Quitting::AlwaysAsk } else { Quitting::AskIfLost },
        mouse: if arguments.no_mouse { MouseCapture::Off } else { MouseCapture::On },
        cwd_file: arguments.cwd_file.clone(),
        start: match arguments.start {
            StartView::List => Start::Sizes,
            StartView::Overview => Start::Overview,
            StartView::Treemap => Start::Treemap,
        },
        panes: match arguments.panes {
            PaneChoice::Preview => Panes::Preview,
            PaneChoice::Both => Panes::Both,
            PaneChoice::None => Panes::None,
        },
        tab: TabProgress::detect(|name| environment.variable(name).cloned()),
        ending: if arguments.print0 { browse::Ending::Nul } else { browse::Ending::Line },
        shows_recorded: !(arguments.no_instant || arguments.no_snapshots),
        kept: settings.as_ref().map(|settings| settings.folder.clone()),
        snapshots: settings.filter(|_| !arguments.no_snapshots),
    })
}

fn order(arguments: &Arguments) -> Order {
    let column = arguments.sort;
    let measure = if arguments.apparent_size { Measure::Apparent } else { Measure::Disk };
    let direction = if arguments.reverse { Direction::Reversed } else { Direction::Usual };
    let grouping = if arguments.directories_first { Grouping::DirectoriesFirst } else { Grouping::Mixed };
    let hidden = if arguments.no_hidden { Hidden::Omitted } else { Hidden::Shown };
    Order { column, direction, measure, grouping, hidden }
}

fn row_options(arguments: &Arguments) -> RowOptions {
    let shown = |word: &ColumnWord| match word {
        ColumnWord::Shown(column) => Some(*column),
        ColumnWord::Read(_) => None,
    };
    let columns: Vec<_> = arguments.columns.iter().flatten().filter_map(shown).collect();
    let options = if columns.is_empty() { RowOptions::default() } else { RowOptions::with(&columns) };
    RowOptions { collapses: !arguments.no_collapse, ..options }
}

fn policy(arguments: &Arguments) -> DeletePolicy {
    let mode = match (arguments.read_only, arguments.dry_run) {
        (true, _) => DeleteMode::ReadOnly,
        (false, true) => DeleteMode::DryRun,
        (false, false) => DeleteMode::Confirm,
    };
    DeletePolicy {
        mode,
        typed_over: arguments.type_name_over,
        selects_yes: arguments.select_yes,
        journal: None,
    }
}

fn theme(
    arguments: &Arguments,
    options: ThemeOptions,
    environment: &Environment,
) -> Result<Theme, UsageError> {
    let when = match arguments.color {
        Some(when) => when,
        None => environment.parsed("DUKE_COLOR", values::when)?.unwrap_or(When::Auto),
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
    let background = environment.variable("COLORFGBG").and_then(|colors| colors.to_str());
    // The Linux console does not answer the background-color query, and old kernels print part of it.
    let can_report_background = environment.variable("TERM").is_none_or(|name| name != "linux");
    let mut theme = Theme { colors, glyphs, options, can_report_background };
    theme.options.background = Background::detect(background);
    Ok(theme)
}
