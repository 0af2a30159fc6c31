//! Tests of command-line parsing with and without a terminal, and with different environment variables.

use std::path::PathBuf;

use super::*;
use crate::base::format::Units;
use crate::run::print::{Grouping, NcduFormat, Packing, Target};
use crate::source::import::Input;
use crate::table::column::Column;

fn asked(words: &str, environment: &Environment) -> Result<Invocation, String> {
    let words = std::iter::once("duke").chain(words.split_whitespace()).map(OsString::from);
    invocation(words, environment).map_err(UsageError::reason)
}

fn terminal(variables: &[(&'static str, &str)]) -> Environment {
    let variables = variables.iter().map(|(name, value)| (*name, OsString::from(value))).collect();
    Environment { is_terminal: true, variables }
}

fn format(words: &str, environment: &Environment) -> Option<Output> {
    match asked(words, environment).unwrap() {
        Invocation::Browse(_) => None,
        Invocation::Print(job) => Some(job.output),
        _ => panic!("a command was given"),
    }
}

fn browse(words: &str, variables: &[(&'static str, &str)]) -> browse::BrowseJob {
    match asked(words, &terminal(variables)).unwrap() {
        Invocation::Browse(browse) => *browse,
        _ => panic!("a terminal was there"),
    }
}

fn roots(wanted: SourceSpec) -> Vec<PathBuf> {
    match wanted {
        SourceSpec::Paths(roots, _) => roots,
        _ => panic!("paths were given"),
    }
}

fn browsed(words: &str) -> Vec<PathBuf> {
    match browse(words, &[]).subject {
        browse::Subject::Present(wanted) => roots(wanted),
        browse::Subject::Growth { .. } => panic!("diff was not given"),
    }
}

fn scan(words: &str, variables: &[(&'static str, &str)]) -> scan::Options {
    match browse(words, variables).subject {
        browse::Subject::Present(SourceSpec::Paths(_, options)) => options,
        _ => panic!("paths were given"),
    }
}

fn table(depth: usize) -> Output {
    Output::Printed(Format::Table { depth, order: Order::default(), units: Units::Binary })
}

fn json(depth: Option<usize>) -> Output {
    Output::Printed(Format::Json { depth })
}

#[test]
fn snapshots_are_kept_unless_disabled_and_within_the_limits() {
    let home = [("HOME", "/home/me")];
    let usual = browse("", &home).snapshots.unwrap();
    assert_eq!(
        usual,
        crate::source::snapshot_store::RetentionPolicy::new("/home/me/.local/state/duke".into())
    );
    let few = browse("--snapshot-days 7 --snapshot-size 10M", &home).snapshots.unwrap();
    assert_eq!((few.age.as_secs(), few.bytes), (7 * 86_400, 10 << 20));
    let none = browse("--no-snapshots", &home);
    assert!(none.snapshots.is_none() && none.kept.is_some(), "what was kept before can be looked at");
    assert!(browse("", &[]).snapshots.is_none());
    assert!(asked("--snapshot-size lots", &terminal(&home)).is_err());
}

#[test]
fn diff_opens_the_browser_unless_output_is_requested() {
    let asked = |words: &str, environment: &Environment| asked(words, environment).unwrap();
    let is_browser = |words| match asked(words, &terminal(&[])) {
        Invocation::Browse(job) => matches!(job.subject, browse::Subject::Growth { .. }),
        _ => false,
    };
    assert!(is_browser("diff old.json"));
    assert!(is_browser("diff old.json new.json"));
    for words in ["diff --json old.json", "diff -n old.json", "diff --min-change 1M old.json"] {
        assert!(!is_browser(words), "{words}");
    }
    assert!(matches!(asked("diff old.json", &Environment::default()), Invocation::Compare(_)));
}

#[test]
fn arguments_are_consistent() {
    crate::cli::settings::command().debug_assert();
    Cli::definition().debug_assert();
}

#[test]
fn the_browser_opens_on_a_terminal_by_default() {
    assert_eq!(format("", &terminal(&[])), None);
    assert_eq!(format("-x /usr", &terminal(&[("TERM", "xterm")])), None);
    assert_eq!(format("", &Environment::default()), Some(table(1)));
    assert_eq!(format("-n", &terminal(&[])), Some(table(1)));
    assert_eq!(format("-s", &terminal(&[])), Some(table(0)));
    assert_eq!(format("-d 3", &terminal(&[])), Some(table(3)));
    assert_eq!(format("", &terminal(&[("TERM", "dumb")])), Some(table(1)));
}

#[test]
fn commands_are_recognized_only_as_the_first_word() {
    let described = |words| matches!(asked(words, &terminal(&[])), Ok(Invocation::Describe(_)));
    assert!(described("man") && described("completions zsh"));
    assert_eq!(browsed("./man"), [PathBuf::from("./man")]);
    assert_eq!(browsed("-x man"), [PathBuf::from("man")]);
    assert_eq!(browsed("-- man"), [PathBuf::from("man")]);
    assert!(asked("man -x", &terminal(&[])).unwrap_err().contains("unexpected argument '-x'"));
    assert!(asked("completions csh", &terminal(&[])).unwrap_err().contains("invalid value 'csh'"));
}

#[test]
fn json_has_all_levels_by_default() {
    for environment in [terminal(&[]), Environment::default()] {
        assert_eq!(format("--json", &environment), Some(json(None)));
        assert_eq!(format("--json -n -d 2", &environment), Some(json(Some(2))));
        assert_eq!(format("--json -s", &environment), Some(json(Some(0))));
    }
}

#[test]
fn exports_can_be_read_and_written() {
    let inputs = |words| match asked(words, &Environment::default()).unwrap() {
        Invocation::Print(PrintJob { wanted: SourceSpec::Exports(inputs), .. }) => inputs,
        _ => panic!("exports were given"),
    };
    assert_eq!(inputs("-f a -f b"), [Input::File("a".into()), Input::File("b".into())]);
    assert!(matches!(inputs("ssh://me@box/a -e --exclude *.o")[..], [Input::Remote(_)]));
    let written = |words| format(words, &Environment::default());
    let export = |to, packing| Some(Output::Exported { to, format: NcduFormat::Json(packing) });
    let binary = |to| Some(Output::Exported { to, format: NcduFormat::Binary(None) });
    assert_eq!(written("-o a"), export(Target::File("a".into()), Packing::Plain));
    assert_eq!(written("-o a.zst"), export(Target::File("a.zst".into()), Packing::Zstd));
    assert_eq!(written("-o - -c"), export(Target::Standard, Packing::Zstd));
    assert_eq!(written("-O a"), binary(Target::File("a".into())));
    assert_eq!(written("-O -"), binary(Target::Standard));
    assert_eq!(written("--output-binary a.ncdu"), binary(Target::File("a.ncdu".into())));
    assert_eq!(
        written("-O a --export-block-size 4"),
        Some(Output::Exported { to: Target::File("a".into()), format: NcduFormat::Binary(Some(4)) })
    );
    assert_eq!(written("--csv"), Some(Output::Printed(Format::Csv)));
    assert_eq!(format("--ndjson", &terminal(&[])), Some(Output::Printed(Format::JsonLines)));
}

#[test]
fn lists_and_sums_are_printed_instead_of_browsed() {
    let Invocation::Print(job) = asked("--top 3 --by type,owner --min-size 1M", &terminal(&[])).unwrap()
    else {
        panic!("not printed")
    };
    assert_eq!((job.selection.least, job.selection.top), (1 << 20, Some(3)));
    assert_eq!(job.selection.by, [Grouping::Type, Grouping::Owner]);
    // Owners are recorded, because `--by owner` needs them.
    assert!(matches!(job.wanted, SourceSpec::Paths(_, scan::Options { owners: true, .. })));
}

#[test]
fn the_current_directory_is_the_default() {
    let roots = |words| match asked(words, &Environment::default()).unwrap() {
        Invocation::Print(job) => roots(job.wanted),
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
    assert!(scan("--exclude *.o --exclude a").excludes(b"", b"x.o"));
    assert!(scan("--exclude-caches").skip_caches);
    assert!(scan("--skip-network").skip_network && !scan("").skip_network);
    assert!(scan("-x --skip-network").skip_network);
    assert!(scan("-e").owners);
    assert_eq!(browse("-0", &[]).ending, browse::Ending::Nul);
    assert_eq!(
        (browse("", &[]).mouse, browse("--no-mouse", &[]).mouse),
        (MouseCapture::On, MouseCapture::Off)
    );
    assert_eq!(browse("", &[("WT_SESSION", "1")]).tab, TabProgress::On);
    assert_eq!(format("--pick", &Environment::default()), None);
    let browse::BrowseJob { order, units, .. } = browse("-a --si --sort mtime", &[]);
    assert_eq!((order.measure, order.column), (Measure::Apparent, Column::Modified));
    assert_eq!(units, Units::Decimal);
}

#[test]
fn the_last_of_a_repeated_flag_applies() {
    assert_eq!(scan("-x -x -t 2 -t 5", &[]).threads, Some(5));
    assert_eq!(format("-n -n -d 1 -d 3", &terminal(&[])), Some(table(3)));
    assert_eq!(browse("--color never --color always", &[]).theme.colors, Colors::Sixteen);
    let options = scan("--exclude a --exclude b", &[]);
    assert!(options.excludes(b"", b"a") && options.excludes(b"", b"b"));
}

#[test]
fn invalid_command_lines_are_rejected_in_one_line() {
    let cases = [
        ("-t 0", "not a whole number from 1 to 1024"),
        ("-t many", "not a whole number from 1 to 1024"),
        ("-d -1", "negative, too large, or not a whole number"),
        ("--colr x", "unexpected argument '--colr' found; did you mean --color?"),
        ("--jsn", "unexpected argument '--jsn' found; did you mean --json?"),
        (
            "--sort sze",
            "invalid value 'sze' for '--sort <COL>' [possible values: size, count, mtime, name]; did you mean size?",
        ),
        ("--exclud-cahces", "unexpected argument '--exclud-cahces' found; did you mean --exclude-caches?"),
        ("diff --min-chagne 1 x", "unexpected argument '--min-chagne' found; did you mean --min-change?"),
        ("dif a b", "dif: cannot read: no such file or directory; did you mean duke diff?"),
        ("-d x", "negative, too large, or not a whole number"),
        ("--top x", "negative, too large, or not a whole number"),
        ("-s -d 1", "cannot be used with"),
        ("--pick --json", "cannot be used with"),
        ("--sort foo", "[possible values: size, count, mtime, name]"),
        ("--json --csv", "cannot be used with"),
        ("-o x --json", "cannot be used with"),
        ("-o x --pick", "cannot be used with"),
        ("-f x -x", "cannot be used with"),
        ("-f x y", "cannot be used with"),
        ("-f - -f -", "can be read only once"),
        ("-c", "required"),
        ("-O x -c", "cannot be used with"),
        ("-O x -o y", "cannot be used with"),
        ("-O x --json", "cannot be used with"),
        ("-O x.json", ".ncdu: duke -O;"),
        ("-o x.ncdu", ".ncdu: duke -O;"),
        ("-o x a b", "only one root"),
        ("-O x a b", "only one root"),
        ("-o - a", "standard output is a terminal"),
        ("ssh://box/a b", "cannot mix local paths"),
        ("ssh://-box/a", "invalid user or host name"),
        ("rclone:///etc", "no remote"),
        ("rclone://s3:b --exclude x", "do not work with rclone:// paths"),
        ("rclone://s3:b b", "cannot mix local paths"),
        ("--versions", "--versions works only with rclone://"),
        ("--versions rclone://s3:b ssh://box/a", "--versions works only with rclone://"),
        ("--versions -f x", "cannot be used with"),
        ("--uploads", "--uploads works only with rclone://"),
        ("--uploads rclone://s3:b ssh://box/a", "--uploads works only with rclone://"),
        ("--uploads -f x", "cannot be used with"),
        ("--csv --top 3", "work only with tables and --json"),
        ("--ndjson -d 1", "work only with tables and --json"),
        ("-s -o x", "work only with tables and --json"),
        ("--min-size x", "must be a size such as 10k"),
        ("--by type --frees", "--by has no column for --frees; add --top N or --json"),
        ("--by size", "[possible values: type, age, owner, class]"),
        ("diff", "neither XDG_STATE_HOME nor HOME is set"),
        ("diff --list", "neither XDG_STATE_HOME nor HOME is set"),
        ("diff --exclude x/y", "--exclude with a path such as a/b does not work"),
        ("diff --since 3d no/such", "no/such: cannot read: no such file or directory"),
        ("diff --since x", "must be an age such as 3d"),
        ("diff --since 3", "must be an age such as 3d"),
        (
            "diff --since 3d Cargo.toml",
            "--since works only with a directory on this machine, not with Cargo.toml",
        ),
        ("diff --since 3d a b", "cannot be used with"),
        ("diff --list --json", "cannot be used with"),
        ("diff --list a b", "cannot be used with"),
        ("save --list", "neither XDG_STATE_HOME nor HOME is set"),
        ("save --list -o x", "cannot be used with"),
        ("save --list a b", "takes at most one PATH"),
        ("help nope", "invalid value 'nope'"),
        ("--bytes --json", "cannot be used with"),
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
    let Err(UsageError::Usage(message)) = invocation(words, &terminal(&[])) else { panic!("no error") };
    assert!(message.contains("\\x1b[31m["), "{message}");
    let words = ["duke", "--sort", "\x1b[31m"].map(OsString::from);
    let Err(UsageError::Usage(message)) = invocation(words, &terminal(&[])) else { panic!("no error") };
    assert!(!message.contains('\x1b'), "{message}");
}
