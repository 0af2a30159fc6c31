//! The command line: flags become what they mean here, once, and are not seen by anything else.
//!
//! Knows how the words are spelled, not what is done with their meaning. Invariant: what cannot be understood ends the
//! program before anything is read; nothing is silently ignored.

mod arguments;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Parser;

use crate::batch::{Format, Job, Progress};
use crate::exit::Exit;
use crate::look::{Colors, Glyphs, Look};
use crate::message::{say, words};
use crate::scan::filter::BadPattern;
use crate::scan::{self, Filter, Mounts};
use crate::size::{Measure, Units};
use crate::text::escape;
use arguments::{Arguments, When};

/// What a person asks for.
#[derive(Debug)]
pub enum Request {
    /// The browser.
    Browse {
        /// What to scan.
        roots: Vec<PathBuf>,
        /// How to scan it.
        scan: scan::Options,
        /// How to show it.
        look: Look,
    },
    /// A table or JSON.
    Print(Job),
}

/// What the command line depends on besides its words.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Whether standard output is a terminal.
    pub is_terminal: bool,
    /// The variable TERM.
    pub term: Option<OsString>,
    /// The variable `DUKE_THREADS`.
    pub threads: Option<OsString>,
    /// The variable `DUKE_COLOR`.
    pub color: Option<OsString>,
    /// The variable `DUKE_ASCII`.
    pub ascii: Option<OsString>,
    /// The variable `NO_COLOR`.
    pub no_color: Option<OsString>,
}

/// Why there is no [`Request`].
#[derive(Debug)]
pub enum Refusal {
    /// Help or the version was asked for.
    Answer(clap::Error),
    /// The command line makes no sense; one line, safe for a terminal.
    Usage(String),
}

impl Environment {
    /// That of this process. An empty variable counts as none.
    pub fn of_process() -> Self {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            is_terminal: io::stdout().is_terminal(),
            term: variable("TERM"),
            threads: variable("DUKE_THREADS"),
            color: variable("DUKE_COLOR"),
            ascii: variable("DUKE_ASCII"),
            no_color: variable("NO_COLOR"),
        }
    }
}

impl Refusal {
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

/// Understands `words`, the first of which is the program's own name.
///
/// # Errors
/// When they make no sense, a pattern is no pattern, or a file of patterns cannot be read.
pub fn request(
    words: impl IntoIterator<Item = OsString>,
    environment: &Environment,
) -> Result<Request, Refusal> {
    let arguments = Arguments::try_parse_from(words).map_err(refusal)?;
    let scan = scan::Options {
        threads: threads(&arguments, environment)?,
        mounts: match (arguments.one_file_system, arguments.include_kernfs) {
            (true, _) => Mounts::None,
            (false, true) => Mounts::All,
            (false, false) => Mounts::Real,
        },
        filter: filter(&arguments)?,
        skip_caches: arguments.exclude_caches,
        owners: arguments.extended,
    };
    let look = look(&arguments, environment)?;
    let depth = if arguments.summarize { Some(0) } else { arguments.depth };
    let is_dumb = environment.term.as_ref().is_some_and(|term| term == "dumb");
    let is_browser = environment.is_terminal && !is_dumb && !arguments.no_interactive && depth.is_none();
    let format = if arguments.json {
        Format::Json { depth }
    } else if is_browser {
        return Ok(Request::Browse { roots: roots(arguments.paths), scan, look });
    } else {
        Format::Table { depth: depth.unwrap_or(1), look }
    };
    let progress = if arguments.quiet { Progress::Silent } else { Progress::Shown(look.units) };
    Ok(Request::Print(Job { roots: roots(arguments.paths), scan, format, progress }))
}

fn roots(paths: Vec<OsString>) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths.into_iter().map(PathBuf::from).collect() }
}

fn look(arguments: &Arguments, environment: &Environment) -> Result<Look, Refusal> {
    let when = match (arguments.color, &environment.color) {
        (Some(when), _) => when,
        (None, Some(value)) => variable("DUKE_COLOR", value, arguments::when)?,
        (None, None) => When::Auto,
    };
    let colors = match when {
        When::Always => Colors::Used,
        When::Auto if environment.no_color.is_none() => Colors::Used,
        When::Auto | When::Never => Colors::Unused,
    };
    let ascii = arguments.ascii || environment.ascii.as_ref().is_some_and(|value| value != "0");
    Ok(Look {
        measure: if arguments.apparent_size { Measure::Apparent } else { Measure::Disk },
        units: if arguments.si { Units::Decimal } else { Units::Binary },
        column: arguments.sort,
        colors,
        glyphs: if ascii { Glyphs::Ascii } else { Glyphs::Unicode },
    })
}

fn threads(arguments: &Arguments, environment: &Environment) -> Result<Option<usize>, Refusal> {
    let threads = match (arguments.threads, &environment.threads) {
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

fn filter(arguments: &Arguments) -> Result<Filter, Refusal> {
    let mut patterns = arguments.exclude.clone();
    for path in &arguments.exclude_from {
        patterns.extend(patterns_of(Path::new(path))?);
    }
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
    use super::*;
    use crate::look::Column;

    fn asked(words: &str, environment: &Environment) -> Result<Request, String> {
        let words = std::iter::once("duke").chain(words.split_whitespace()).map(OsString::from);
        request(words, environment).map_err(|refusal| match refusal {
            Refusal::Answer(text) => text.to_string(),
            Refusal::Usage(message) => message,
        })
    }

    fn terminal() -> Environment {
        Environment { is_terminal: true, ..Environment::default() }
    }

    fn format(words: &str, environment: &Environment) -> Option<Format> {
        match asked(words, environment).unwrap() {
            Request::Browse { .. } => None,
            Request::Print(job) => Some(job.format),
        }
    }

    fn look(words: &str, environment: &Environment) -> Look {
        match asked(words, &Environment { is_terminal: true, ..environment.clone() }).unwrap() {
            Request::Browse { look, .. } => look,
            Request::Print(_) => panic!("a terminal was there"),
        }
    }

    fn scan(words: &str, environment: &Environment) -> scan::Options {
        match asked(words, environment).unwrap() {
            Request::Browse { scan, .. } => scan,
            Request::Print(job) => job.scan,
        }
    }

    #[test]
    fn arguments_are_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn a_browser_opens_on_a_terminal_unless_something_else_is_asked_for() {
        let table = |depth| Some(Format::Table { depth, look: Look::default() });
        assert_eq!(format("", &terminal()), None);
        assert_eq!(format("-x /usr", &terminal()), None);
        assert_eq!(format("", &Environment::default()), table(1));
        assert_eq!(format("-n", &terminal()), table(1));
        assert_eq!(format("-s", &terminal()), table(0));
        assert_eq!(format("-d 3", &terminal()), table(3));
        let dumb = Environment { term: Some("dumb".into()), ..terminal() };
        assert_eq!(format("", &dumb), table(1));
    }

    #[test]
    fn json_has_all_levels_unless_fewer_are_asked_for() {
        for environment in [terminal(), Environment::default()] {
            assert_eq!(format("--json", &environment), Some(Format::Json { depth: None }));
            assert_eq!(format("--json -n -d 2", &environment), Some(Format::Json { depth: Some(2) }));
            assert_eq!(format("--json -s", &environment), Some(Format::Json { depth: Some(0) }));
        }
    }

    #[test]
    fn the_current_directory_is_meant_when_no_other_is() {
        let roots = |words| match asked(words, &Environment::default()).unwrap() {
            Request::Print(job) => job.roots,
            Request::Browse { .. } => panic!("no terminal was there"),
        };
        assert_eq!(roots(""), [PathBuf::from(".")]);
        assert_eq!(roots("a -- -b"), [PathBuf::from("a"), PathBuf::from("-b")]);
    }

    #[test]
    fn flags_win_over_variables_and_variables_over_defaults() {
        let environment = Environment {
            threads: Some("3".into()),
            color: Some("always".into()),
            ascii: Some("1".into()),
            no_color: Some("1".into()),
            ..terminal()
        };
        assert_eq!(scan("", &environment).threads, Some(3));
        assert_eq!(scan("-t 5", &environment).threads, Some(5));
        assert_eq!(scan("", &terminal()).threads, None);
        assert_eq!(look("", &environment).colors, Colors::Used);
        assert_eq!(look("--color never", &environment).colors, Colors::Unused);
        assert_eq!(look("--color auto", &environment).colors, Colors::Unused);
        assert_eq!(look("", &Environment::default()).colors, Colors::Used);
        assert_eq!(look("", &environment).glyphs, Glyphs::Ascii);
        let zero = Environment { ascii: Some("0".into()), ..terminal() };
        assert_eq!(look("", &zero).glyphs, Glyphs::Unicode);
    }

    #[test]
    fn flags_become_options() {
        let none = Environment::default();
        assert_eq!(scan("-x", &none).mounts, Mounts::None);
        assert_eq!(scan("--include-kernfs", &none).mounts, Mounts::All);
        assert_eq!(scan("", &none).mounts, Mounts::Real);
        assert!(scan("--exclude *.o --exclude a", &none).filter.excludes(b"", b"x.o"));
        assert!(scan("--exclude-caches", &none).skip_caches);
        assert!(scan("-e", &none).owners);
        let expected = Look {
            measure: Measure::Apparent,
            units: Units::Decimal,
            column: Column::Mtime,
            ..Look::default()
        };
        assert_eq!(look("-a --si --sort mtime", &none), expected);
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_one_line() {
        let cases = [
            ("-t 0", "not a number from 1 to 1024"),
            ("-t many", "not a number from 1 to 1024"),
            ("-d -1", "unexpected argument '-1' found"),
            ("-d x", "invalid digit"),
            ("-s -d 1", "cannot be used with"),
            ("--sort foo", "[possible values: size, name, count, mtime]"),
            ("--exclude a[b", "pattern 'a[b': unclosed"),
        ];
        for (words, reason) in cases {
            let message = asked(words, &terminal()).unwrap_err();
            assert!(message.contains(reason), "{words}: {message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
        for (name, environment) in [
            ("DUKE_THREADS=x: ", Environment { threads: Some("x".into()), ..terminal() }),
            ("DUKE_COLOR=x: ", Environment { color: Some("x".into()), ..terminal() }),
        ] {
            let message = asked("", &environment).unwrap_err();
            assert!(message.starts_with(name), "{message}");
        }
    }

    #[test]
    fn what_is_not_built_yet_is_unknown() {
        const RESERVED: &str = "--ndjson --csv --top --min-size --by --reverse --no-mouse -0 --print0 -o -f -c -r \
            --read-only --dry-run --pick --config --no-config --skip-network";
        for word in RESERVED.split_whitespace() {
            assert!(asked(word, &terminal()).unwrap_err().contains("unexpected argument"), "{word}");
        }
    }

    #[test]
    fn a_message_cannot_act_on_the_terminal() {
        let words = ["duke", "--exclude", "\x1b[31m["].map(OsString::from);
        let Err(Refusal::Usage(message)) = request(words, &terminal()) else { panic!("no refusal") };
        assert!(message.contains("\\x1b[31m["), "{message}");
        let words = ["duke", "--sort", "\x1b[31m"].map(OsString::from);
        let Err(Refusal::Usage(message)) = request(words, &terminal()) else { panic!("no refusal") };
        assert!(!message.contains('\x1b'), "{message}");
    }
}
