//! Tests that run the program: output, messages and exit codes.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::test_dir::TestDir;
use crate::program::{for_anybody, program, run, run_in};

/// Returns the last column of every line.
fn paths(table: &str) -> Vec<&str> {
    table.lines().map(|line| line.split_whitespace().next_back().unwrap()).collect()
}

fn some() -> TestDir {
    let temp = TestDir::new();
    temp.file("small", 10);
    temp.file("large/one", 300_000);
    temp.file("large/two", 100_000);
    temp.file("middle/one", 50_000);
    temp
}

#[test]
fn help_and_version_are_printed() {
    let temp = TestDir::new();
    let short = run_in(temp.path(), ["-h"]).ended(0);
    let long = run_in(temp.path(), ["--help"]).ended(0);
    assert!(short.text().len() < long.text().len());
    for word in ["--json", "--exclude-caches", "-X, --exclude-from <FILE>", "Scan:"] {
        assert!(short.text().contains(word) && long.text().contains(word), "{word}");
    }
    for command in ["df", "diff"] {
        let help = run_in(temp.path(), ["help", command]).ended(0);
        assert_eq!(help.text(), run_in(temp.path(), [command, "--help"]).ended(0).text());
    }
    assert_eq!(run_in(temp.path(), ["help"]).ended(0).text(), long.text());
    for word in ["Environment:", "DUKE_THREADS", "Exit codes:", "130"] {
        assert!(long.text().contains(word), "{word}");
    }
    let version = run_in(temp.path(), ["-V"]).ended(0);
    assert_eq!(version.text(), concat!("duke ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn the_table_has_one_level_largest_first_and_the_total_last() {
    let temp = some();
    let table = run_in(temp.path(), [""; 0]).ended(0);
    assert_eq!(paths(table.text()), ["./large", "./middle", "./small", "."]);
    let widths: Vec<_> = table.text().lines().map(|line| line.rfind("./").or(line.rfind('.'))).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{}", table.text());
    assert!(table.text().lines().last().unwrap().contains("100.0%"));
    assert_eq!(table.stderr, "");
}

#[test]
fn sizes_in_bytes_are_those_of_json() {
    let temp = some();
    let json = run_in(temp.path(), ["--json"]).ended(0).json();
    let total = json.root().get("totals").get("disk").number();
    for words in [&["--bytes"][..], &["--bytes", "-s"], &["--bytes", "--max-depth", "0"]] {
        let table = run_in(temp.path(), words.iter().copied()).ended(0);
        let last = table.text().lines().last().unwrap();
        assert_eq!(last.split_whitespace().next(), Some(total.to_string().as_str()), "{}", table.text());
    }
}

#[test]
fn the_command_line_of_ncdu_is_understood_under_its_name() {
    let temp = some();
    let ncdu = temp.join("ncdu");
    symlink(env!("CARGO_BIN_EXE_duke"), &ncdu).unwrap();
    let as_ncdu = || {
        let mut command = Command::new(&ncdu);
        command.env_clear().current_dir(temp.path());
        command
    };
    temp.file("out", 0);
    let own = run_in(
        temp.path(),
        ["-q", "--include-kernfs", "-o", "out", "--exclude", "ncdu", "--exclude", "out", "."],
    )
    .ended(0);
    let export =
        run(as_ncdu().args(["-0", "--exclude", "ncdu", "--exclude", "out", "-o", "-", "."])).ended(0);
    let items = |bytes: &[u8]| bytes.iter().skip_while(|byte| **byte != b'\n').copied().collect::<Vec<u8>>();
    assert_eq!((own.stderr, export.stderr), (String::new(), String::new()));
    assert_eq!(items(&fs::read(temp.join("out")).unwrap()), items(&export.stdout));
    let words = ["ncdu", "-0o-", "--exclude=ncdu", "--exclude=out"];
    assert_eq!(items(&run_in(temp.path(), words).ended(0).stdout), items(&export.stdout));
    let help = run(as_ncdu().arg("--help")).ended(0);
    assert!(help.text().contains("--group-directories-first"), "{}", help.text());
    assert_eq!(run_in(temp.path(), ["help", "ncdu"]).ended(0).text(), help.text());
    run(as_ncdu().arg("--no-such")).ended(2);
}

#[test]
fn the_directory_with_the_name_of_a_command_is_hinted_at() {
    let temp = TestDir::new();
    temp.directory("man");
    let run = run_in(temp.path(), ["man"]).ended(0);
    assert_eq!(run.stderr, "duke: man is a subcommand; for the directory, use ./man\n");
    assert_eq!(run_in(temp.path(), ["help", "man"]).ended(0).stderr, "");
    assert!(run_in(temp.path(), ["-n", "./man"]).ended(0).text().contains("./man"));
}

#[test]
fn roots_that_count_elsewhere_are_reported() {
    let temp = some();
    let table = run_in(temp.path(), ["-s", ".", "large", "./"]).ended(0);
    assert_eq!(paths(table.text()).len(), 4);
    let notices = "duke: large is inside . and is counted only once\n\
        duke: ./ is the same as . and is counted only once\n";
    assert_eq!(table.stderr, notices);
}

#[test]
fn depth_and_summary_choose_the_levels() {
    let temp = some();
    let deep = run_in(temp.path(), ["-d", "2", "."]).ended(0);
    let expected = ["./large/one", "./large/two", "./large", "./middle/one", "./middle", "./small", "."];
    assert_eq!(paths(deep.text()), expected);
    assert_eq!(paths(run_in(temp.path(), ["-s"]).ended(0).text()), ["."]);
    let several = run_in(temp.path(), ["-s", "small", "large", "middle"]).ended(0);
    assert_eq!(paths(several.text()), ["large", "middle", "small", "total"]);
    let by_name =
        run_in(temp.path(), ["-s", "--sort", "name", "--reverse", "large", "small", "middle"]).ended(0);
    assert_eq!(paths(by_name.text()), ["small", "middle", "large", "total"]);
}

#[test]
fn the_table_is_sorted_as_requested() {
    let temp = some();
    temp.file("aaa", 1);
    for name in ["large", "middle", "small", "aaa"] {
        let time = match name {
            "large" => "200001010000",
            "small" => "200102030406",
            "middle" => "200102030405",
            _ => "200506070809",
        };
        assert!(Command::new("touch").args(["-t", time]).arg(temp.join(name)).status().unwrap().success());
    }
    let order = |column: &str| {
        let table = run_in(temp.path(), ["--sort", column]).ended(0);
        paths(table.text()).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    temp.file("middle/two", 1);
    temp.file("middle/three", 1);
    // `aaa` and `small` have equal sizes, because each uses one block, and are therefore sorted by name.
    assert_eq!(order("size"), ["./large", "./middle", "./aaa", "./small", "."]);
    assert_eq!(order("name"), ["./aaa", "./large", "./middle", "./small", "."]);
    assert_eq!(order("count")[..2], ["./middle", "./large"]);
    assert_eq!(order("mtime")[1..], ["./aaa", "./small", "./large", "."]);
}

#[test]
fn apparent_sizes_are_lengths_and_si_counts_in_thousands() {
    let temp = TestDir::new();
    let file = fs::File::create(temp.join("sparse")).unwrap();
    file.set_len(5_000_000).unwrap();
    let line =
        |words: &[&str]| run_in(temp.path(), words.iter().chain(&["sparse"])).ended(0).text().to_owned();
    assert!(line(&["-a"]).contains("4.8 MiB"));
    assert!(line(&["-a", "--si"]).contains("5.0 MB"));
    assert!(line(&[]).trim_start().starts_with("0   B"));
    temp.file("full.x", 10_000);
    let first = |words: &[&str]| {
        run_in(temp.path(), words).ended(0).text().lines().next().unwrap().trim_start().to_owned()
    };
    assert!(first(&["--top", "1"]).ends_with("full.x"));
    assert!(
        first(&["--top", "1", "-a"]).starts_with("4.8 MiB")
            && first(&["--top", "1", "-a"]).ends_with("sparse")
    );
    assert!(first(&["--by", "type"]).ends_with(" .x"));
    assert!(first(&["--by", "type", "-a"]).starts_with("4.8 MiB"));
    assert!(first(&["--by", "type", "-a", "--min-size", "1M"]).ends_with("no extension"));
}

#[test]
fn the_size_of_a_directory_equals_that_of_du() {
    let temp = some();
    fs::hard_link(temp.join("large/one"), temp.join("middle/again")).unwrap();
    for name in [".", "large", "middle"] {
        let du = Command::new("du").args(["-s", "-k", name]).current_dir(temp.path()).output().unwrap();
        let kibibytes = String::from_utf8(du.stdout).unwrap().split_whitespace().next().unwrap().to_owned();
        let output = run_in(temp.path(), ["--json", "-s", name]).ended(0).json();
        let disk = output.root().get("totals").get("disk").number();
        assert_eq!(disk, kibibytes.parse::<i128>().unwrap() * 1024, "{name}");
    }
}

#[test]
fn a_file_or_a_link_to_one_is_a_root_with_one_line() {
    let temp = some();
    symlink("small", temp.join("link")).unwrap();
    assert_eq!(paths(run_in(temp.path(), ["small"]).ended(0).text()), ["small"]);
    assert_eq!(paths(run_in(temp.path(), ["-x", "link"]).ended(0).text()), ["link"]);
}

#[test]
fn names_cannot_act_on_the_terminal() {
    let temp = TestDir::new();
    temp.file("a\u{1b}[31m\u{202e}\nb", 1);
    let table = run_in(temp.path(), ["", "missing\u{9b}"].iter().skip(1).chain(&["."])).ended(1);
    let acts = |char: char| char.is_control() && char != '\n' || char == '\u{202e}';
    assert!(!table.text().contains(acts) && !table.stderr.contains(acts));
    assert_eq!(table.text().lines().count(), 2, "{}", table.text());
}

#[test]
fn wrong_usage_is_one_line_with_exit_code_2() {
    let temp = TestDir::new();
    temp.directory("folder");
    fs::write(temp.join("bytes"), b"ok\nbad\xff\n").unwrap();
    fs::write(temp.join("glob"), "ok\n\na[b\n").unwrap();
    let ways = "the extension belongs to another format (.json and .zst: duke -o; .ncdu: duke -O; .duke: duke save -o or duke merge -o; .ndjson: duke --ndjson; .csv: duke --csv)\n";
    let (csv, json) = (format!("duke: -o x.csv: {ways}"), format!("duke: save -o x.json: {ways}"));
    let cases: [(&[&str], &str); 13] = [
        (&["-o", "x.csv"], &csv),
        (&["save", "-o", "x.json"], &json),
        (
            &["help", "folder"],
            "duke: invalid value 'folder' for '[SUBCOMMAND]' [possible values: completions, config, df, diff, duplicates, help, man, merge, ncdu, plan, save, subvolumes]\n",
        ),
        (&["--zzz"], "duke: unexpected argument '--zzz' found; see --help\n"),
        (&["--exclude", "a[b"], "duke: pattern 'a[b': unclosed character class; missing ']'\n"),
        (&["-X", "missing"], "duke: missing: cannot read: no such file or directory\n"),
        (&["-X", "folder"], "duke: folder: cannot read: is a directory\n"),
        (&["-X", "bytes"], "duke: bytes: line 2 is not UTF-8\n"),
        (&["-X", "glob"], "duke: glob: line 3: pattern 'a[b': unclosed character class; missing ']'\n"),
        (
            &["duplicates", ".", "ssh://host/srv"],
            "duke: duplicates: works only with paths on this machine, not with ssh://host/srv\n",
        ),
        (&["df", "rclone://"], "duke: df: works only with paths on this machine, not with rclone://\n"),
        (&["-t", "0"], "duke: invalid value '0' for '--threads <N>': not a whole number from 1 to 1024\n"),
        (&["missing"], "duke: missing: cannot read: no such file or directory\n"),
    ];
    for (words, message) in cases {
        let refused = run_in(temp.path(), words).ended(2);
        assert_eq!((refused.stderr.as_str(), refused.text()), (message, ""), "{words:?}");
    }
    let variable = run(program().env("DUKE_THREADS", "x").current_dir(temp.path())).ended(2);
    assert_eq!(variable.stderr, "duke: DUKE_THREADS=x: not a whole number from 1 to 1024\n");
    run(program().env("DUKE_THREADS", "").current_dir(temp.path())).ended(0);
    for words in [vec!["save", "-o", "saved"], vec!["diff", "missing", "."], vec!["df"]] {
        let refused = run(program().env("DUKE_THREADS", "x").args(words).current_dir(temp.path())).ended(2);
        assert_eq!(refused.stderr, variable.stderr);
    }
}

#[test]
fn patterns_can_come_from_standard_input() {
    let temp = some();
    let mut child = program()
        .args(["-X", "-", "-d", "2"])
        .current_dir(temp.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"middle\nlarge/o*\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        paths(std::str::from_utf8(&output.stdout).unwrap()),
        ["./large/two", "./large", "./small", "."]
    );
}

#[test]
fn a_closed_pipe_ends_quietly_with_0() {
    let temp = TestDir::new();
    for number in 0..3_000 {
        temp.file(format!("{number}"), 0);
    }
    for words in [&["--json"][..], &["-n"]] {
        let mut child = program()
            .args(words)
            .current_dir(temp.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn a_full_disk_is_reported_with_exit_code_1() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: no /dev/full here");
        return;
    }
    let temp = some();
    for words in [&["--json"][..], &["-n"], &["--help"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut child = program()
            .args(words)
            .current_dir(temp.path())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{words:?}");
        assert_eq!(message, "duke: standard output: cannot write: no space left on device\n", "{words:?}");
    }
}

/// Returns a command that runs the program without special rights, as the user nobody if the current user is root.
fn ordinary(temp: &TestDir) -> Command {
    if !nix::unistd::geteuid().is_root() {
        return program();
    }
    // The user `nobody` may have no access to the folder that the program was built in, so the program is copied.
    let mut command = Command::new(for_anybody(temp));
    command.uid(65_534).gid(65_534).stdin(Stdio::null());
    command
}

#[test]
fn unreadable_entries_are_named_and_counted_with_exit_code_1() {
    let temp = TestDir::new();
    let tools = TestDir::new();
    for number in 0..8 {
        let locked = temp.file(format!("locked/{number}/inside"), 5_000);
        fs::set_permissions(locked.parent().unwrap(), fs::Permissions::from_mode(0o000)).unwrap();
    }
    temp.file("open", 20_000);
    let run_ordinary = |words: &[&str]| run(ordinary(&tools).args(words).current_dir(temp.path()));
    let table = run_ordinary(&["-n"]).ended(1);
    let lines: Vec<_> = table.stderr.lines().collect();
    assert_eq!(lines.len(), 6, "{}", table.stderr);
    assert_eq!(lines[0], "duke: ./locked/0: cannot read: permission denied");
    assert_eq!(lines[5], "duke: 3 more errors; duke --json lists them all");
    assert_eq!(paths(table.text()), ["./locked", "./open", "."]);
    assert!(table.text().lines().next().unwrap().contains("! ./locked"), "{}", table.text());
    let output = run_ordinary(&["--json", "-q"]).ended(1).json();
    let errors = output.root().get("errors").elements();
    assert_eq!(errors.len(), 8);
    assert_eq!(errors[7].get("path").text(), "./locked/7");
    assert_eq!(output.root().get("totals").get("errors").number(), 8);
    let locked = output.root().get("roots").elements()[0].child("locked").child("3");
    assert_eq!(locked.get("errno").number(), 13);
    assert_eq!(locked.get("error").text(), "permission denied");
    assert_eq!(locked.get("children").elements().len(), 0);
    assert_eq!(
        run_ordinary(&["-n", "locked/3"]).ended(2).stderr,
        "duke: locked/3: cannot read: permission denied\n"
    );
}
