//! Tests that run the program with a configuration: its location, its effect, rejected values and warnings.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::test_dir::TestDir;
use crate::program::{Run, for_anybody, program, run};
use nix::sys::stat::Mode;
use nix::unistd::{geteuid, mkfifo};

/// ID of the user `nobody`. In the tests that use it, duke runs as root, so `nobody` is another user.
const NOBODY: Option<u32> = Some(65_534);

/// Creates a home directory that contains a tree and a configuration file with the contents `text`.
fn home(text: &str) -> TestDir {
    let temp = TestDir::new();
    temp.file("tree/large", 300_000);
    temp.file("tree/a-small.o", 10_000);
    temp.directory(".config/duke");
    fs::write(file(&temp), text).unwrap();
    temp
}

fn file(temp: &TestDir) -> PathBuf {
    temp.join(".config/duke/config.toml")
}

/// Returns the command that runs duke in the directory `tree` of `temp`. The home directory is `temp`.
fn duke(temp: &TestDir, words: &[&str]) -> Command {
    let mut command = program();
    command.env("HOME", temp.path()).current_dir(temp.join("tree")).args(words);
    command
}

fn configured(temp: &TestDir, words: &[&str]) -> Run {
    run(&mut duke(temp, words)).ended(0)
}

/// Returns the last column of every line.
fn names(table: &str) -> Vec<&str> {
    table.lines().map(|line| line.split_whitespace().next_back().unwrap()).collect()
}

#[test]
fn settings_are_defaults_that_flags_override() {
    let temp = home("exclude = ['*.o']\nsi = true\nsort = 'name'\nreverse = true\n");
    assert_eq!(names(configured(&temp, &[]).text()), ["./large", "."]);
    assert!(configured(&temp, &[]).text().contains(" kB "), "{}", configured(&temp, &[]).text());
    assert!(!configured(&temp, &["--no-si"]).text().contains("kB"));
    assert_eq!(names(configured(&temp, &["--no-config"]).text()), ["./large", "./a-small.o", "."]);
    let both = configured(&temp, &["--exclude", "large"]);
    assert_eq!(names(both.text()), ["."], "patterns add up");
    let temp = home("sort = 'name'\nreverse = true\n");
    assert_eq!(names(configured(&temp, &[]).text()), ["./large", "./a-small.o", "."]);
    assert_eq!(names(configured(&temp, &["--no-reverse"]).text()), ["./a-small.o", "./large", "."]);
    assert_eq!(names(configured(&temp, &["--sort", "size"]).text()), ["./a-small.o", "./large", "."]);
}

#[test]
fn typed_words_override_conflicting_settings() {
    let temp = home("include-kernfs = true\ninteractive = false\n");
    assert_eq!(configured(&temp, &["-x"]).stderr, "");
    let temp = home("include-kernfs = true\none-file-system = true\n");
    let warned = configured(&temp, &[]);
    let path = file(&temp).display().to_string();
    assert!(warned.stderr.starts_with(&format!("duke: {path}:2:19: ")), "{}", warned.stderr);
    assert!(warned.stderr.contains("cannot be used with"), "{}", warned.stderr);
}

#[test]
fn flags_win_over_variables_and_variables_over_the_configuration() {
    let temp = home("threads = 3\ncolor = 'always'\nascii = true\n");
    let shown = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = program();
        command.env("HOME", temp.path()).args(["config", "show"]).args(words);
        command.envs(variables.iter().copied());
        run(&mut command).ended(0).text().to_owned()
    };
    let has = |text: &str, line: &str| assert!(text.lines().any(|found| found == line), "{line}: {text}");
    let plain = shown(&[], &[]);
    for line in ["threads = 3", "color = \"always\"", "ascii = true"] {
        has(&plain, line);
    }
    let varied = shown(&[], &[("DUKE_THREADS", "5"), ("NO_COLOR", "1"), ("DUKE_ASCII", "0")]);
    for line in ["threads = 5", "color = \"never\"", "ascii = false"] {
        has(&varied, line);
    }
    has(&shown(&[], &[("NO_COLOR", "1"), ("DUKE_COLOR", "auto")]), "color = \"auto\"");
    // An invalid variable is an error, even if the configuration contains a valid value.
    let wrong = run(duke(&temp, &[]).env("DUKE_THREADS", "x")).ended(2);
    assert_eq!(wrong.stderr, "duke: DUKE_THREADS=x: not a whole number from 1 to 1024\n");
}

#[test]
fn errors_have_a_position_and_the_rest_applies() {
    let text = "threads = 0\nfoo = 1\njson = true\nsi = 'yes'\nsort = true\nthreads2 = 1\n\
        exclude = ['*.o', 'a[b']\ncolor = ['never']\ntheme = 'x'\n[colors]\nbar = 'x'\n[keys]\nmark = 'xx'\nascii = true\n";
    let temp = home(text);
    let path = file(&temp).display().to_string();
    let run = configured(&temp, &[]);
    let lines: Vec<&str> = run.stderr.lines().collect();
    let expected = [
        ("1:11", "invalid value '0' for '--threads <N>': not a whole number from 1 to 1024"),
        ("2:1", "unknown setting 'foo'; 'duke config show' lists all settings"),
        ("3:1", "'json' is only allowed on the command line"),
        ("4:6", "'si' must be true or false"),
        ("5:8", "'sort' must be a string or an integer"),
        ("6:1", "unknown setting 'threads2'; 'duke config show' lists all settings"),
        ("7:11", "pattern 'a[b': unclosed character class; missing ']'"),
        ("8:9", "'color' must be a single value, not a list"),
        ("9:9", "unknown theme; expected one of default, dark, light, color-blind, high-contrast, plain"),
        ("11:7", "'bar': unknown color; use one such as blue, bright-blue, 32, #3a80c4 or terminal"),
        ("13:8", "'xx': unknown key; write keys like k, G, Ctrl-D, Space, PgUp or F5"),
        ("14:1", "unknown command 'ascii'; 'duke config show' lists all commands"),
    ];
    assert_eq!(lines.len(), expected.len(), "{}", run.stderr);
    for (line, (at, reason)) in lines.iter().zip(expected) {
        assert_eq!(*line, format!("duke: {path}:{at}: {reason}"));
    }
    // Warnings do not affect JSON output.
    configured(&temp, &["--json"]).json();
    let wild = home("\"a\\u001b[31m\" = 1\n");
    let message = configured(&wild, &[]).stderr;
    assert!(message.contains("unknown setting 'a\\x1b[31m'") && !message.contains('\x1b'), "{message}");
}

#[test]
fn the_state_folder_follows_the_environment() {
    let temp = home("sort = 'nonsense-of-home'\n");
    temp.directory("xdg/duke");
    fs::write(temp.join("xdg/duke/config.toml"), "sort = 'nonsense-of-xdg'\n").unwrap();
    fs::write(temp.join("named.toml"), "sort = 'nonsense-by-name'\n").unwrap();
    fs::write(temp.join("variable.toml"), "sort = 'nonsense-by-variable'\n").unwrap();
    let (named, variable) = (temp.join("named.toml"), temp.join("variable.toml"));
    let configured = |command: &mut Command| run(command).ended(0).stderr;
    assert!(configured(&mut duke(&temp, &[])).contains("nonsense-of-home"));
    assert!(
        configured(duke(&temp, &[]).env("XDG_CONFIG_HOME", temp.join("xdg"))).contains("nonsense-of-xdg")
    );
    assert!(configured(duke(&temp, &[]).env("XDG_CONFIG_HOME", "../xdg")).contains("nonsense-of-home"));
    assert!(configured(duke(&temp, &[]).env("DUKE_CONFIG", &variable)).contains("nonsense-by-variable"));
    let mut by_name = duke(&temp, &["--config", named.to_str().unwrap()]);
    assert!(configured(by_name.env("DUKE_CONFIG", &variable)).contains("nonsense-by-name"));
    assert_eq!(configured(duke(&temp, &["--no-config"]).env("DUKE_CONFIG", &variable)), "");
    assert_eq!(configured(duke(&temp, &[]).env_remove("HOME")), "");
    assert_eq!(configured(duke(&temp, &[]).env("HOME", temp.join("nowhere"))), "");
    assert_eq!(configured(duke(&temp, &[]).env("HOME", temp.join("tree/large"))), "", "a file is no home");
    // If both flags are given, the last one applies.
    assert_eq!(configured(&mut duke(&temp, &["--config", named.to_str().unwrap(), "--no-config"])), "");
}

#[test]
fn a_file_given_by_the_user_is_read_or_the_program_ends() {
    let temp = home("");
    temp.directory("folder");
    mkfifo(&temp.join("pipe"), Mode::from_bits_truncate(0o644)).unwrap();
    fs::write(temp.join("long"), vec![b'#'; (1 << 20) + 1]).unwrap();
    fs::write(temp.join("longest"), vec![b'#'; 1 << 20]).unwrap();
    let cases = [
        ("folder", "not a regular file"),
        ("pipe", "not a regular file"),
        ("long", "larger than 1 MiB"),
        ("missing", "cannot read: no such file or directory"),
    ];
    for (name, reason) in cases {
        let path = temp.join(name).display().to_string();
        let refused = run(&mut duke(&temp, &["--config", &path])).ended(2);
        assert_eq!((refused.stderr, refused.stdout), (format!("duke: {path}: {reason}\n"), Vec::new()));
        run(duke(&temp, &[]).env("DUKE_CONFIG", &path)).ended(2);
    }
    let device = run(&mut duke(&temp, &["--config", "/dev/zero"])).ended(2);
    assert_eq!(device.stderr, "duke: /dev/zero: not a regular file\n");
    configured(&temp, &["--config", temp.join("longest").to_str().unwrap()]);
}

#[test]
fn a_pipe_as_configuration_is_reported_and_not_waited_for() {
    let temp = home("");
    fs::remove_file(file(&temp)).unwrap();
    mkfifo(&file(&temp), Mode::from_bits_truncate(0o644)).unwrap();
    let run = configured(&temp, &[]);
    assert_eq!(run.stderr, format!("duke: {}: not a regular file; ignored\n", file(&temp).display()));
    assert_eq!(names(run.text()), ["./large", "./a-small.o", "."]);
}

/// Returns `true` if the tests run as root. Otherwise, prints that the calling test is skipped. The callers need root
/// to give files to other users, or to test checks that duke makes only as root.
fn is_root() -> bool {
    if !geteuid().is_root() {
        eprintln!("SKIPPED: only root is careful with what others can write");
    }
    geteuid().is_root()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn root_reads_no_configuration_of_ncdu_that_another_user_can_write() {
    if !is_root() {
        return;
    }
    let temp = home("");
    let path = temp.join(".config/ncdu/config");
    temp.directory(".config/ncdu");
    fs::write(&path, "--nonsense\n").unwrap();
    let mut command = program();
    command.args(["ncdu", "-0", "-o", "-", "."]).env("HOME", temp.path()).env_remove("XDG_CONFIG_HOME");
    command.current_dir(temp.path());
    let trusted = run(&mut command).ended(2).stderr;
    assert!(trusted.contains("config:1: unexpected argument '--nonsense'"), "{trusted}");
    set_mode(&path, 0o666);
    let line = format!(
        "duke: {}: another user can change it, and duke runs as root; use chown root or chmod go-w; ignored\n",
        path.display()
    );
    assert_eq!(run(&mut command).ended(0).stderr, line);
}

#[test]
fn root_reads_nothing_that_another_user_can_write() {
    if !is_root() {
        return;
    }
    let refused = |spoil: &dyn Fn(&TestDir)| {
        let temp = home("sort = 'nonsense'\n");
        spoil(&temp);
        configured(&temp, &[]).stderr.replace(&temp.path().display().to_string(), "HOME")
    };
    let message = |what: &str| {
        format!(
            "duke: HOME/.config/duke/config.toml: another user can change {what}, and duke runs as root; use chown root or chmod go-w; ignored\n"
        )
    };
    assert!(refused(&|_| ()).contains("nonsense"));
    assert_eq!(refused(&|temp| chown(file(temp), NOBODY, None).unwrap()), message("it"));
    assert_eq!(refused(&|temp| set_mode(&file(temp), 0o666)), message("it"));
    assert_eq!(refused(&|temp| set_mode(&temp.join(".config/duke"), 0o777)), message("HOME/.config/duke"));
    assert_eq!(refused(&|temp| chown(temp.join(".config"), NOBODY, None).unwrap()), message("HOME/.config"));
    assert_eq!(refused(&|temp| chown(temp.path(), NOBODY, None).unwrap()), message("HOME"));
    let by_group = |temp: &TestDir, group| {
        chown(file(temp), None, Some(group)).unwrap();
        set_mode(&file(temp), 0o664);
    };
    assert_eq!(refused(&|temp| by_group(temp, 65_534)), message("it"));
    assert!(refused(&|temp| by_group(temp, 0)).contains("nonsense"));
    // In a sticky directory, other users can create entries, but cannot change those of root, so the file is read.
    assert!(refused(&|temp| set_mode(&temp.join(".config/duke"), 0o1777)).contains("nonsense"));
    // The link belongs to another user, who could use it to choose the file that is read.
    assert_eq!(
        refused(&|temp| {
            fs::rename(file(temp), temp.join("elsewhere")).unwrap();
            symlink("../../elsewhere", file(temp)).unwrap();
            nix::unistd::fchownat(
                nix::fcntl::AT_FDCWD,
                &file(temp),
                Some(65_534.into()),
                None,
                nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW,
            )
            .unwrap();
        }),
        message("it")
    );
    // The link belongs to root, but its target is in a directory where other users can write.
    let spoiled = refused(&|temp| {
        temp.directory("open");
        fs::rename(file(temp), temp.join("open/elsewhere")).unwrap();
        symlink("../../open/elsewhere", file(temp)).unwrap();
        set_mode(&temp.join("open"), 0o777);
    });
    assert_eq!(spoiled, message("HOME/open"));
    let temp = home("");
    chown(file(&temp), NOBODY, None).unwrap();
    run(&mut duke(&temp, &["--config", file(&temp).to_str().unwrap()])).ended(2);
}

#[test]
fn users_read_only_their_own_files_or_those_of_root() {
    use std::os::unix::process::CommandExt;
    if !is_root() {
        return;
    }
    let tools = TestDir::new();
    let copy = for_anybody(&tools);
    let configured = |owner: u32| {
        let temp = home("sort = 'nonsense'\n");
        chown(file(&temp), Some(owner), None).unwrap();
        let mut command = Command::new(&copy);
        command.uid(65_534).gid(65_534).env_clear().env("HOME", temp.path()).current_dir(temp.join("tree"));
        run(&mut command).ended(0).stderr
    };
    let temp = home("sort = 'nonsense'\n");
    let at_home = |file_mode: u32, folder_mode: u32| {
        set_mode(&file(&temp), file_mode);
        set_mode(&temp.join(".config/duke"), folder_mode);
        let mut command = Command::new(&copy);
        command.uid(65_534).gid(65_534).env_clear().env("HOME", temp.path()).current_dir(temp.join("tree"));
        run(&mut command).ended(0).stderr
    };
    assert!(at_home(0o600, 0o755).ends_with("config.toml: cannot read: permission denied; ignored\n"));
    assert_eq!(at_home(0o644, 0o700), "", "a file in a closed home is ignored silently");
    assert!(configured(65_534).contains("nonsense") && configured(0).contains("nonsense"));
    assert!(configured(1).ends_with("config.toml: belongs to another user; ignored\n"), "{}", configured(1));
}

#[test]
fn config_show_prints_an_equivalent_configuration() {
    let temp = home(
        "exclude = ['*.o', \"a\\\"\\\\\\u001b\"]\nthreads = 2\nextended = true\ncolumns = ['bar', 'mtime']\ntheme = 'high-contrast'\n\
         [colors]\nbar = '#3A80c4'\nfaint = 244\ncode = 'bright blue'\nplain = 'terminal'\n\
         [keys]\nmark = ['x', 'Ins']\nrescan = []\nup = ['Up', 'K']\nbars = '\"'\n",
    );
    let shown = configured(&temp, &["config", "show"]);
    assert_eq!(shown.stderr, "");
    for line in [
        "threads = 2",
        "extended = true",
        "columns = [\"bar\", \"mtime\"]",
        "theme = \"high-contrast\"",
        "bar = \"#3a80c4\"",
        "# warning = COLOR",
    ] {
        assert!(shown.text().lines().any(|shown| shown == line), "{line}: {}", shown.text());
    }
    assert!(shown.text().contains("\nmark = [\"x\", \"Ins\"]  # "), "{}", shown.text());
    assert!(!shown.text().contains('\x1b'));
    fs::write(file(&temp), shown.text()).unwrap();
    let again = configured(&temp, &["config", "show"]);
    assert_eq!((again.text(), again.stderr.as_str()), (shown.text(), ""));
    // The output can also be read back if the configuration is empty and the environment contains settings.
    let temp = home("");
    let shown = run(duke(&temp, &["config", "show"]).env("DUKE_THREADS", "7").env("NO_COLOR", "1")).ended(0);
    fs::write(file(&temp), shown.text()).unwrap();
    let again = configured(&temp, &["config", "show"]);
    assert_eq!((again.text(), again.stderr.as_str()), (shown.text(), ""));
}

/// Lines of ncdu's configuration, each with the equivalent lines of duke's configuration.
const NCDU_SETTINGS: [(&str, &str); 27] = [
    ("-x", "one-file-system = true"),
    ("-e", "extended = true"),
    ("-L", "follow-symlinks = true"),
    ("-t 3", "threads = 3"),
    ("-0", "quiet = true"),
    ("--exclude=*.iso", "exclude = [\"*.iso\"]"),
    ("--exclude ~/big files", "exclude = [\"HOME/big files\"]"),
    ("--exclude-from ~/patterns", "exclude = [\"*.bak\", \"old\"]"),
    ("--exclude-caches", "exclude-caches = true"),
    ("--include-kernfs", "include-kernfs = true"),
    ("--si", "si = true"),
    ("--apparent-size", "apparent-size = true"),
    ("--hide-hidden", "hidden = false"),
    ("--hide-graph", "columns = [\"share\", \"count\"]"),
    ("--show-mtime", "columns = [\"share\", \"bar\", \"count\", \"mtime\"]"),
    ("--shared-column=unique", "columns = [\"share\", \"bar\", \"count\", \"shared\"]"),
    ("--sort name-desc", "sort = \"name\"\nreverse = true"),
    ("--sort=mtime", "sort = \"mtime\"\nreverse = true"),
    ("--group-directories-first", "directories-first = true"),
    ("--confirm-quit", "confirm-quit = true"),
    ("--no-confirm-delete", "select-yes = true"),
    ("--color off", "color = \"never\""),
    ("-r", "read-only = true"),
    ("--disable-delete", "read-only = true"),
    ("--disable-shell", "[keys]\nshell = []\nview-file = []\nopen-in-app = []"),
    ("--disable-refresh", "[keys]\nrescan = []\nrescan-root = []"),
    ("@-x", "one-file-system = true"),
];

/// Lines of ncdu's configuration that have no effect in duke: comments, defaults, settings that duke does not need, and
/// invalid lines. The invalid lines begin with `@`, so ncdu ignores their errors.
const NCDU_WITHOUT_EFFECT: [&str; 17] = [
    "# a comment",
    "",
    "--cross-file-system",
    "--exclude-kernfs",
    "--no-follow-symlinks",
    "--slow-ui-updates",
    "--fast-ui-updates",
    "--enable-natsort",
    "--disable-natsort",
    "--graph-style=eighth-block",
    "--compress-level 4",
    "--compress",
    "--export-block-size 64",
    "@--no-such-flag",
    "@--color blue",
    "@--sort",
    "@/home",
];

#[test]
fn every_setting_of_ncdu_is_imported_and_loads() {
    let temp = home("");
    temp.directory(".config/ncdu");
    fs::write(temp.join("patterns"), "*.bak\nold\n").unwrap();
    let folder = temp.path().display().to_string();
    let import = |text: &str| {
        fs::write(temp.join(".config/ncdu/config"), text).unwrap();
        configured(&temp, &["config", "import-ncdu"]).text().to_owned()
    };
    let wanted = |line: &str| line.replace("HOME", &folder);
    for (ncdu, duke) in NCDU_SETTINGS {
        let text = import(ncdu);
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>().join("\n").trim(), wanted(duke), "{ncdu}");
    }
    for line in NCDU_WITHOUT_EFFECT {
        assert_eq!(import(line).lines().count(), 1, "{line}");
    }
    // `--include-kernfs` conflicts with `-x`. All other settings together cause no warning.
    let lines: Vec<&str> = NCDU_SETTINGS.iter().map(|(ncdu, _)| *ncdu).chain(NCDU_WITHOUT_EFFECT).collect();
    let text = import(&lines.join("\n").replace("--include-kernfs\n", ""));
    fs::write(file(&temp), &text).unwrap();
    let shown = configured(&temp, &["config", "show"]);
    assert_eq!(shown.stderr, "");
    // Lines of key bindings end with a comment, which the test removes.
    let shown: Vec<&str> = shown.text().lines().filter_map(|line| line.split("  # ").next()).collect();
    for line in text.lines().filter(|line| line.contains(" = ")) {
        assert!(shown.contains(&line), "{line} is not in force: {shown:#?}");
    }
    let list = configured(&temp, &["-n"]);
    assert_eq!(list.stderr, "");
    assert!(list.text().contains("300.0 kB"), "{}", list.text());
}

#[test]
fn an_invalid_setting_of_ncdu_is_not_imported() {
    let temp = home("");
    temp.directory(".config/ncdu");
    for (line, reason) in [
        ("--no-such-flag", "unexpected argument '--no-such-flag' found"),
        ("--graph-style dots", "invalid value 'dots' for --graph-style"),
        ("--exclude-from ~/none", "none: cannot read: no such file or directory"),
    ] {
        fs::write(temp.join(".config/ncdu/config"), format!("--si\n{line}\n")).unwrap();
        let run = run(&mut duke(&temp, &["config", "import-ncdu"])).ended(2);
        assert!(run.stdout.is_empty() && run.stderr.contains(reason), "{line}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

#[test]
fn config_path_prints_the_location() {
    let temp = home("");
    let expected = file(&temp).display().to_string() + "\n";
    assert_eq!(configured(&temp, &["config", "path"]).text(), expected);
    assert_eq!(configured(&temp, &["config", "path", "--config", "x"]).text(), "x\n");
    let none = run(&mut duke(&temp, &["config", "path", "--no-config"])).ended(2);
    assert_eq!(
        none.stderr,
        "duke: no configuration: --no-config is given, or neither XDG_CONFIG_HOME nor HOME is set to an absolute path\n"
    );
    run(&mut duke(&temp, &["config"])).ended(2);
    run(&mut duke(&temp, &["config", "edit"])).ended(2);
    assert!(configured(&temp, &["config", "--help"]).text().contains("duke config"));
    // Only the first word can be a subcommand, and only if it contains no slash.
    temp.file("tree/config/inside", 1);
    assert_eq!(names(configured(&temp, &["./config"]).text()), ["./config/inside", "./config"]);
    assert_eq!(names(configured(&temp, &["-n", "config"]).text()), ["config/inside", "config"]);
}

#[test]
fn every_setting_role_and_key_is_documented() {
    const DOCUMENT: &str = include_str!("../../docs/config.md");
    let temp = home("");
    let shown = configured(&temp, &["config", "show"]).text().to_owned();
    // Lines with `(cannot be changed)` show keys that cannot be changed. These keys are not settings.
    let settable = shown.lines().filter(|line| !line.ends_with("(cannot be changed)"));
    let names = settable.filter_map(|line| line.trim_start_matches("# ").split_once(" = "));
    let mut count = 0;
    for name in names.map(|(name, _)| name) {
        count += 1;
        assert!(DOCUMENT.lines().any(|line| line.starts_with(&format!("| `{name}` | "))), "{name}");
    }
    assert!(count > 80, "{count}");
}

#[test]
fn every_flag_is_a_setting_or_documented_as_none() {
    const DOCUMENT: &str = include_str!("../../docs/config.md");
    let temp = home("");
    let help = configured(&temp, &["-h"]).text().to_owned();
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.map(|line| {
        let flags = line.split_whitespace().take_while(|word| word.starts_with('-'));
        flags.last().unwrap().trim_end_matches(',').to_owned()
    });
    let names: Vec<String> = names.collect();
    for name in &names {
        let long = name.strip_prefix("--").unwrap_or(name);
        let row = format!("| `{}` | ", long.strip_prefix("no-").unwrap_or(long));
        let is_setting = DOCUMENT.lines().any(|line| line.starts_with(&row));
        let (_, rest) = DOCUMENT.split_once("is for the command line only").unwrap();
        let is_none = rest.split("\n\n").next().unwrap().contains(&format!("`{name}`"));
        assert!(is_setting || is_none, "{name}");
    }
    assert!(names.len() > 30, "{names:?}");
}
