//! Tests of the translation of ncdu's command lines into duke's.

use super::flags::{FLAGS, PROGRAMS, REFRESH};
use super::*;
use crate::cli::configured::understood;

/// Flags in the help of ncdu 1.18 and 2.8, with values for those that need one.
const KNOWN: [&str; 79] = [
    "-0",
    "-1",
    "-2",
    "-c",
    "-e",
    "-L",
    "-q",
    "-r",
    "-rr",
    "-rrr",
    "-x",
    "-f x",
    "-o x",
    "-O x",
    "-t 2",
    "-X /dev/null",
    "--apparent-size",
    "--color off",
    "--color dark",
    "--color dark-bg",
    "--compress",
    "--no-compress",
    "--compress-level 3",
    "--confirm-delete",
    "--no-confirm-delete",
    "--confirm-quit",
    "--no-confirm-quit",
    "--cross-file-system",
    "--disk-usage",
    "--enable-delete",
    "--disable-delete",
    "--enable-natsort",
    "--disable-natsort",
    "--enable-refresh",
    "--disable-refresh",
    "--enable-shell",
    "--disable-shell",
    "--exclude x",
    "--exclude=x",
    "--exclude-caches",
    "--include-caches",
    "--exclude-from /dev/null",
    "--exclude-kernfs",
    "--include-kernfs",
    "--export-block-size 64",
    "--extended",
    "--no-extended",
    "--fast-ui-updates",
    "--slow-ui-updates",
    "--follow-firmlinks",
    "--follow-symlinks",
    "--no-follow-symlinks",
    "--graph-style hash",
    "--graph-style half-block",
    "--graph-style eighth-block",
    "--group-directories-first",
    "--no-group-directories-first",
    "--ignore-config",
    "--one-file-system",
    "--shared-column off",
    "--shared-column shared",
    "--shared-column unique",
    "--show-graph",
    "--hide-graph",
    "--show-hidden",
    "--hide-hidden",
    "--show-itemcount",
    "--hide-itemcount",
    "--show-mtime",
    "--hide-mtime",
    "--show-percent",
    "--hide-percent",
    "--si",
    "--no-si",
    "--sort disk-usage",
    "--sort apparent-size-asc",
    "--sort itemcount",
    "--threads 2",
    "--sort=name-desc",
];

fn translated(words: &str) -> Result<Translation, String> {
    let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
    translate(&words, &Environment::default()).map_err(UsageError::reason)
}

fn words_of(words: &str) -> String {
    let words = translated(words).unwrap().words;
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_flag_of_ncdu_is_accepted_by_duke_too() {
    for line in KNOWN {
        let Translation { words, .. } = translated(line).unwrap_or_else(|reason| panic!("{line}: {reason}"));
        understood(&[], &words).unwrap_or_else(|error| panic!("{line}: {}", error.reason()));
    }
    for flag in &FLAGS {
        let names = [flag.short.map(|short| format!("-{short}")), Some(format!("--{}", flag.long))];
        let is_known =
            |line: &str| names.iter().flatten().any(|name| line.split([' ', '=']).next() == Some(name));
        assert!(
            KNOWN.iter().any(|line| is_known(line)),
            "{} {:?} is not a flag of ncdu",
            flag.long,
            flag.short
        );
    }
}

#[test]
fn command_lines_of_ncdu_keep_their_meaning() {
    let cases = [
        ("", "--include-kernfs"),
        ("--exclude-kernfs /", "/"),
        ("-x /", "-x /"),
        ("-x --cross-file-system", "--include-kernfs"),
        ("-xeq --exclude a* dir", "-x -e --exclude a* dir"),
        ("-0xo out dir", "-x -q -o out dir"),
        ("-xc dir", "-x dir"),
        ("-cx -o out dir", "-x --compress -o out dir"),
        ("-c --no-compress -xo out", "-x -o out"),
        ("-xO out dir", "-x -O out dir"),
        ("-cxO out dir", "-x -O out dir"),
        ("-xO out --export-block-size 64 dir", "-x --export-block-size 64 -O out dir"),
        ("-xo out --export-block-size 64 dir", "-x -o out dir"),
        ("-o out -- -odd", "--include-kernfs -o out -- -odd"),
        ("dir -x", "-x dir"),
        ("-xO out --compress-level 19 dir", "-x -O out dir"),
        ("-x --sort name", "-x --sort=name --no-reverse"),
        ("-x --sort mtime", "-x --sort=mtime --reverse"),
        ("-x --sort mtime-desc", "-x --sort=mtime --no-reverse"),
        ("-x --sort apparent-size-asc", "-x --sort=size --reverse --apparent-size"),
        ("-x --hide-percent --show-mtime", "-x --columns=bar,count,mtime"),
        ("-x --shared-column shared --hide-graph", "-x --columns=share,count,shared"),
        ("-x --color off", "-x --color=never"),
        ("-rx", "-x --read-only"),
        ("-x --si --no-si", "-x --si --no-si"),
    ];
    for (ncdu, duke) in cases {
        assert_eq!(words_of(ncdu), duke, "{ncdu}");
    }
    let without = |words: &str| translated(words).unwrap().without_keys;
    assert_eq!(without("-r"), [""; 0]);
    assert_eq!(without("-rr"), PROGRAMS);
    assert_eq!(without("-rrr"), [PROGRAMS, REFRESH].concat());
    assert_eq!(without("--disable-shell --enable-shell --disable-refresh"), REFRESH);
    for action in PROGRAMS.iter().chain(REFRESH) {
        assert!(crate::ui::keys::line(action).is_some(), "{action} is not an action");
    }
}

#[test]
fn a_wrong_command_line_is_rejected_in_one_line() {
    for (words, reason) in [
        ("--sort size", "invalid value 'size' for --sort; see duke ncdu --help"),
        ("--sort name-up", "invalid value 'name-up' for --sort; see duke ncdu --help"),
        ("--color blue", "invalid value 'blue' for --color; see duke ncdu --help"),
        ("--graph-style dots", "invalid value 'dots' for --graph-style; see duke ncdu --help"),
        ("--shared-column all", "invalid value 'all' for --shared-column; see duke ncdu --help"),
        ("--compress-level 20", "invalid value '20' for --compress-level; see duke ncdu --help"),
        ("--export-block-size 3", "invalid value '3' for --export-block-size; see duke ncdu --help"),
        ("--export-block-size 16001", "invalid value '16001' for --export-block-size; see duke ncdu --help"),
        ("--no-such", "unexpected argument '--no-such' found"),
        ("-o", "a value is required for '-o <FILE>' but none was supplied"),
    ] {
        let error = translated(words).unwrap_err();
        assert!(error.starts_with(reason) && !error.contains('\n'), "{words}: {error}");
    }
}

#[test]
fn the_configuration_of_ncdu_comes_before_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let environment = || {
        let variable = ("HOME", home.path().as_os_str().to_owned());
        Environment { is_terminal: true, variables: [variable].into() }
    };
    std::fs::create_dir_all(home.path().join(".config/ncdu")).unwrap();
    let write = |text: &str| std::fs::write(home.path().join(".config/ncdu/config"), text).unwrap();
    let of = |words: &[&str]| {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let words = translate(&words, &environment()).map_err(UsageError::reason)?.words;
        Ok::<_, String>(words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>())
    };
    write("# comment\n\n  -x\n--exclude ~/a b \n--exclude=c\n@--no-such\n@--color blue\n--si\n");
    let foreign = format!("{}/a b", home.path().display());
    assert_eq!(of(&["--no-si"]).unwrap(), ["-x", "--exclude", &foreign, "--exclude", "c", "--si", "--no-si"]);
    assert_eq!(of(&["--ignore-config"]).unwrap(), ["--include-kernfs", "--no-config"]);
    for (text, reason) in [
        ("-x\n--no-such\n", "config:2: unexpected argument '--no-such' found"),
        (
            "/home\n",
            "config:1: expected one flag per line, followed by a value only if the flag takes a value (to skip the line, begin it with @)",
        ),
        ("--exclude\n", "config:1: a value is required for '--exclude <PATTERN>'"),
    ] {
        write(text);
        let error = of(&[]).unwrap_err();
        assert!(error.contains(reason) && !error.contains('\n'), "{error}");
    }
}
