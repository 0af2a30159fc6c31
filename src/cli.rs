//! The command line: flags become what they mean here, once, and are not seen by anything else.
//!
//! Knows how the words are spelled, not what is done with their meaning. Invariant: what cannot be understood ends the
//! program before anything is read; nothing is silently ignored.

mod arguments;
mod configured;
mod defaults;
mod describe;
mod exchange;
mod show;
mod snapshot;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser};

use crate::batch::{Comparison, Format, Job, Progress, Saving, Selection};
use crate::browse;
use crate::exit::Exit;
use crate::message::{say, words};
use crate::rows::{Column, Direction, Order};
use crate::scan::filter::BadPattern;
use crate::scan::{self, Filter, Mounts};
use crate::size::{Measure, Units};
use crate::source::Wanted;
use crate::text::escape;
use crate::ui::Mouse;
use crate::ui::reclaim::{Changes, Safety};
use crate::ui::tab::Tab;
use crate::ui::theme::{ColorChoice, Colors, Glyphs, Looks, Theme};
use arguments::{Arguments, Command, Df, SortBy, When, Words};
use configured::{Configured, source};
pub use describe::Description;
pub use show::Answer;

/// What a person asks for.
#[derive(Debug)]
pub enum Request {
    /// The browser.
    Browse(browse::Job),
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
            Self::Answer(text) => match text.print().and_then(|()| io::stdout().flush()) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    say(&format!("standard output: {}", words(&error)));
                    Exit::Incomplete
                }
                _ => Exit::Fine,
            },
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
        let parsed = Words::try_parse_from(&words).map_err(refusal)?;
        if let Some(command) = parsed.command {
            return of_command(command, environment);
        }
    }
    let typed = words.get(1..).unwrap_or_default();
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
        Command::Diff(words) => Request::Compare(exchange::comparison(&words)?),
        Command::Man => Request::Describe(Description::Manual),
        Command::Save(words) => Request::Save(snapshot::saving(&words, environment)?),
    })
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
        ErrorKind::DisplayHelp => refusal(Words::try_parse_from(line).err().unwrap_or(error)),
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
    let Configured { config, notice, .. } = configured;
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
    let theme = theme(arguments, config.looks, environment)?;
    let order = order(arguments);
    let safety = safety(arguments);
    let units = if arguments.si { Units::Decimal } else { Units::Binary };
    let depth = if arguments.summarize { Some(0) } else { arguments.depth };
    let is_dumb = environment.variable("TERM").is_some_and(|term| term == "dumb");
    let is_browser = arguments.pick
        || environment.is_terminal
            && !is_dumb
            && !arguments.no_interactive
            && depth.is_none()
            && !exchange::selects(arguments);
    let format = if let Some(format) = exchange::format(arguments, environment.is_terminal)? {
        format
    } else if arguments.json {
        Format::Json { depth }
    } else if is_browser {
        let snapshots = snapshot::settings(environment);
        let ending = if arguments.print0 { browse::Ending::Nul } else { browse::Ending::Line };
        let mouse = if arguments.no_mouse { Mouse::Left } else { Mouse::Taken };
        let tab = Tab::detect(|name| environment.variable(name).cloned());
        let keymap = config.keymap;
        let job = browse::Job {
            wanted,
            order,
            units,
            theme,
            safety,
            keymap,
            notice,
            mouse,
            tab,
            ending,
            snapshots,
        };
        return Ok(Request::Browse(job));
    } else {
        Format::Table { depth: depth.unwrap_or(1), order, units }
    };
    let progress = if arguments.quiet { Progress::Silent } else { Progress::Shown(units) };
    let selection = exchange::selection(arguments)?;
    Ok(Request::Print(Job { wanted, format, selection, progress }))
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
    let refused = |reason: &str| Refusal::Usage(format!("{}: {reason}", escape(path.as_os_str().as_bytes())));
    let mut bytes = Vec::new();
    let read = if path == "-" {
        io::stdin().lock().read_to_end(&mut bytes)
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
    Refusal::Usage(escape(line.strip_prefix("error: ").unwrap_or(&line).as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::batch::{By, Packing, Target};
    use crate::exchange::{Form, Input};

    fn asked(words: &str, environment: &Environment) -> Result<Request, String> {
        let words = std::iter::once("duke").chain(words.split_whitespace()).map(OsString::from);
        request(words, environment).map_err(|refusal| match refusal {
            Refusal::Answer(text) => text.to_string(),
            Refusal::Usage(message) => message,
        })
    }

    fn terminal(variables: &[(&'static str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
        Environment { is_terminal: true, variables }
    }

    fn format(words: &str, environment: &Environment) -> Option<Format> {
        match asked(words, environment).unwrap() {
            Request::Browse(_) => None,
            Request::Print(job) => Some(job.format),
            _ => panic!("a command was given"),
        }
    }

    fn browse(words: &str, variables: &[(&'static str, &str)]) -> browse::Job {
        match asked(words, &terminal(variables)).unwrap() {
            Request::Browse(browse) => browse,
            _ => panic!("a terminal was there"),
        }
    }

    fn roots(wanted: Wanted) -> Vec<PathBuf> {
        match wanted {
            Wanted::Paths(roots, _) => roots,
            Wanted::Exports(_) => panic!("paths were given"),
        }
    }

    fn scan(words: &str, variables: &[(&'static str, &str)]) -> scan::Options {
        match browse(words, variables).wanted {
            Wanted::Paths(_, options) => options,
            Wanted::Exports(_) => panic!("paths were given"),
        }
    }

    fn table(depth: usize) -> Format {
        Format::Table { depth, order: Order::default(), units: Units::Binary }
    }

    #[test]
    fn arguments_are_consistent() {
        defaults::command().debug_assert();
        <Words as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn a_browser_opens_on_a_terminal_unless_something_else_is_asked_for() {
        assert_eq!(format("", &terminal(&[])), None);
        assert_eq!(format("-x /usr", &terminal(&[("TERM", "xterm")])), None);
        assert_eq!(format("", &Environment::default()), Some(table(1)));
        assert_eq!(format("-n", &terminal(&[])), Some(table(1)));
        assert_eq!(format("-s", &terminal(&[])), Some(table(0)));
        assert_eq!(format("-d 3", &terminal(&[])), Some(table(3)));
        assert_eq!(format("", &terminal(&[("TERM", "dumb")])), Some(table(1)));
    }

    #[test]
    fn a_command_is_one_as_the_first_word_only() {
        let described = |words| matches!(asked(words, &terminal(&[])), Ok(Request::Describe(_)));
        assert!(described("man") && described("completions zsh"));
        assert_eq!(roots(browse("./man", &[]).wanted), [PathBuf::from("./man")]);
        assert_eq!(roots(browse("-x man", &[]).wanted), [PathBuf::from("man")]);
        assert_eq!(roots(browse("-- man", &[]).wanted), [PathBuf::from("man")]);
        assert!(asked("man -x", &terminal(&[])).unwrap_err().contains("unexpected argument '-x'"));
        assert!(asked("completions csh", &terminal(&[])).unwrap_err().contains("invalid value 'csh'"));
    }

    #[test]
    fn json_has_all_levels_unless_fewer_are_asked_for() {
        for environment in [terminal(&[]), Environment::default()] {
            assert_eq!(format("--json", &environment), Some(Format::Json { depth: None }));
            assert_eq!(format("--json -n -d 2", &environment), Some(Format::Json { depth: Some(2) }));
            assert_eq!(format("--json -s", &environment), Some(Format::Json { depth: Some(0) }));
        }
    }

    #[test]
    fn what_is_read_and_what_is_written_can_be_exports() {
        let inputs = |words| match asked(words, &Environment::default()).unwrap() {
            Request::Print(Job { wanted: Wanted::Exports(inputs), .. }) => inputs,
            _ => panic!("exports were given"),
        };
        assert_eq!(inputs("-f a -f b"), [Input::File("a".into()), Input::File("b".into())]);
        assert!(matches!(inputs("ssh://me@box/a -e --exclude *.o")[..], [Input::Remote(_)]));
        let written = |words| format(words, &Environment::default());
        let export = |to, packing| Some(Format::Export { to, packing });
        assert_eq!(written("-o a"), export(Target::File("a".into()), Packing::Plain));
        assert_eq!(written("-o a.zst"), export(Target::File("a.zst".into()), Packing::Zstd));
        assert_eq!(written("-o - -c"), export(Target::Standard, Packing::Zstd));
        assert_eq!(written("--csv"), Some(Format::Flat(Form::Csv)));
        assert_eq!(format("--ndjson", &terminal(&[])), Some(Format::Flat(Form::Json)));
    }

    #[test]
    fn lists_and_sums_are_printed_instead_of_browsed() {
        let Request::Print(job) = asked("--top 3 --by type,owner --min-size 1M", &terminal(&[])).unwrap()
        else {
            panic!("a table was asked for")
        };
        assert_eq!((job.selection.least, job.selection.top), (1 << 20, Some(3)));
        assert_eq!(job.selection.by, [By::Type, By::Owner]);
        // Owners are kept where they are asked for.
        assert!(matches!(job.wanted, Wanted::Paths(_, scan::Options { owners: true, .. })));
    }

    #[test]
    fn the_current_directory_is_meant_when_no_other_is() {
        let roots = |words| match asked(words, &Environment::default()).unwrap() {
            Request::Print(job) => roots(job.wanted),
            _ => panic!("no terminal was there"),
        };
        assert_eq!(roots(""), [PathBuf::from(".")]);
        assert_eq!(roots("a -- -b"), [PathBuf::from("a"), PathBuf::from("-b")]);
    }

    #[test]
    fn flags_win_over_variables_and_variables_over_defaults() {
        let set = [("DUKE_THREADS", "3"), ("DUKE_COLOR", "always"), ("DUKE_ASCII", "1"), ("NO_COLOR", "1")];
        assert_eq!(scan("", &set).threads, Some(3));
        assert_eq!(scan("-t 5", &set).threads, Some(5));
        assert_eq!(scan("", &[]).threads, None);
        assert_eq!(browse("", &set).theme.colors, Colors::Sixteen);
        assert_eq!(browse("--color never", &set).theme.colors, Colors::None);
        assert_eq!(browse("--color auto", &set).theme.colors, Colors::None);
        assert_eq!(browse("", &[("TERM", "xterm-256color")]).theme.colors, Colors::Palette);
        assert_eq!(browse("", &set).theme.glyphs, Glyphs::Ascii);
        assert_eq!(browse("", &[("DUKE_ASCII", "0")]).theme.glyphs, Glyphs::Unicode);
        assert_eq!(browse("", &[("LANG", "C")]).theme.glyphs, Glyphs::Ascii);
        assert_eq!(browse("", &[("LANG", "C"), ("DUKE_ASCII", "0")]).theme.glyphs, Glyphs::Unicode);
        assert_eq!(browse("--ascii", &[]).theme.glyphs, Glyphs::Ascii);
    }

    #[test]
    fn flags_become_options() {
        let scan = |words| scan(words, &[]);
        assert_eq!(scan("-x").mounts, Mounts::None);
        assert_eq!(scan("--include-kernfs").mounts, Mounts::All);
        assert_eq!(scan("").mounts, Mounts::Real);
        assert!(scan("--exclude *.o --exclude a").filter.excludes(b"", b"x.o"));
        assert!(scan("--exclude-caches").skip_caches);
        assert!(scan("--skip-network").skip_network && !scan("").skip_network);
        assert!(scan("-x --skip-network").skip_network);
        assert!(scan("-e").owners);
        assert_eq!(browse("-0", &[]).ending, browse::Ending::Nul);
        assert_eq!((browse("", &[]).mouse, browse("--no-mouse", &[]).mouse), (Mouse::Taken, Mouse::Left));
        assert_eq!(browse("", &[("WT_SESSION", "1")]).tab, Tab::Told);
        assert_eq!(format("--pick", &Environment::default()), None);
        let browse::Job { order, units, .. } = browse("-a --si --sort mtime", &[]);
        assert_eq!((order.measure, order.column), (Measure::Apparent, Column::Modified));
        assert_eq!(units, Units::Decimal);
    }

    #[test]
    fn the_last_of_a_repeated_flag_wins_so_that_an_alias_may_have_it_already() {
        assert_eq!(scan("-x -x -t 2 -t 5", &[]).threads, Some(5));
        assert_eq!(format("-n -n -d 1 -d 3", &terminal(&[])), Some(table(3)));
        assert_eq!(browse("--color never --color always", &[]).theme.colors, Colors::Sixteen);
        let filter = scan("--exclude a --exclude b", &[]).filter;
        assert!(filter.excludes(b"", b"a") && filter.excludes(b"", b"b"));
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_one_line() {
        let cases = [
            ("-t 0", "not a number from 1 to 1024"),
            ("-t many", "not a number from 1 to 1024"),
            ("-d -1", "unexpected argument '-1' found"),
            ("-d x", "invalid digit"),
            ("-s -d 1", "cannot be used with"),
            ("--pick --json", "cannot be used with"),
            ("--sort foo", "[possible values: size, name, count, mtime]"),
            ("--json --csv", "cannot be used with"),
            ("-o x --json", "cannot be used with"),
            ("-o x --pick", "cannot be used with"),
            ("-f x -x", "cannot be used with"),
            ("-f x y", "cannot be used with"),
            ("-f - -f -", "can be read once"),
            ("-c", "required"),
            ("-o x a b", "writes one directory"),
            ("-o - a", "standard output is a terminal"),
            ("ssh://box/a b", "do not go together"),
            ("ssh://-box/a", "not a host"),
            ("--csv --top 3", "are for tables and --json"),
            ("--min-size x", "not a size"),
            ("--by size", "[possible values: type, age, owner]"),
            ("diff", "required"),
            ("--exclude a[b", "pattern 'a[b': unclosed"),
        ];
        for (words, reason) in cases {
            let message = asked(words, &terminal(&[])).unwrap_err();
            assert!(message.contains(reason), "{words}: {message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
        for name in ["DUKE_THREADS", "DUKE_COLOR"] {
            let message = asked("", &terminal(&[(name, "x")])).unwrap_err();
            assert!(message.starts_with(&format!("{name}=x: ")), "{message}");
        }
    }

    #[test]
    fn a_message_cannot_act_on_the_terminal() {
        let words = ["duke", "--exclude", "\x1b[31m["].map(OsString::from);
        let Err(Refusal::Usage(message)) = request(words, &terminal(&[])) else { panic!("no refusal") };
        assert!(message.contains("\\x1b[31m["), "{message}");
        let words = ["duke", "--sort", "\x1b[31m"].map(OsString::from);
        let Err(Refusal::Usage(message)) = request(words, &terminal(&[])) else { panic!("no refusal") };
        assert!(!message.contains('\x1b'), "{message}");
    }
}
