//! Tests that run the program on lists: round trips of real directories, lists written by find and du, and the exports,
//! tables and comparisons of a tree that was read from a list.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::test_dir::TestDir;
use crate::program::{Run, program, run, run_in};
use crate::support::fixtures::{self, Fixture};

/// Returns a JSON report without the values that depend on the run or on the file system.
fn report(run: &Run) -> String {
    let is_stable = |line: &&str| !line.starts_with("\"filesystem\"") && !line.contains("elapsed_ms");
    run.text().lines().filter(is_stable).collect::<Vec<_>>().join("\n")
}

/// Writes the output of a program to a file.
fn write_output(temp: &TestDir, name: &str, command: &mut Command) {
    let output = command.current_dir(temp.path()).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    fs::write(temp.join(name), output.stdout).unwrap();
}

fn round_trip(name: &str, fixture: &Fixture) {
    let temp = TestDir::new();
    let path = fixture.path().as_os_str();
    let of_scan = run(program().args(["-e", "--json"]).arg(path)).code;
    let scanned = report(&run(program().args(["-e", "--json"]).arg(path)));
    for (flag, file) in [("--ndjson", "list.ndjson"), ("--csv", "list.csv")] {
        let lines = run(program().arg(flag).arg(path));
        fs::write(temp.join(file), &lines.stdout).unwrap();
        let read = run_in(temp.path(), ["-f", file, "--json"]);
        assert_eq!(read.code, of_scan, "{name}: {}", read.stderr);
        assert_eq!(report(&read), scanned, "{name} {flag}");
        let again = run_in(temp.path(), ["-f", file, flag]);
        assert_eq!(again.stdout, lines.stdout, "{name} {flag}");
    }
}

#[test]
fn every_kind_of_tree_is_written_and_read_unchanged() {
    let fixtures: [(&str, Fixture); 10] = [
        ("empty", fixtures::empty()),
        ("plain", fixtures::plain()),
        ("hard links", fixtures::hard_links()),
        ("symlinks", fixtures::symlinks()),
        ("sparse", fixtures::sparse()),
        ("weird names", fixtures::weird_names()),
        ("crowd", fixtures::crowd(3_000)),
        ("wide", fixtures::wide(300)),
        ("chain", fixtures::chain(300, "directory")),
        ("unreadable", fixtures::unreadable()),
    ];
    for (name, fixture) in &fixtures {
        round_trip(name, fixture);
    }
}

#[test]
fn several_roots_and_hosts_are_written_and_read_unchanged() {
    let temp = TestDir::new();
    temp.file("a/x", 5000);
    temp.file("b/y", 100);
    fs::hard_link(temp.join("a/x"), temp.join("b/z")).unwrap();
    let scanned = report(&run_in(temp.path(), ["-e", "--json", "a", "b", "a/x"]).ended(0));
    fs::write(temp.join("list"), run_in(temp.path(), ["--ndjson", "a", "b"]).ended(0).stdout).unwrap();
    let both = run_in(temp.path(), ["-e", "--json", "a", "b"]).ended(0);
    assert_eq!(report(&run_in(temp.path(), ["-f", "list", "--json"]).ended(0)), report(&both));
    assert!(scanned.len() > report(&both).len());
    // Hard links are recognized across two lists of the same machine.
    for root in ["a", "b"] {
        fs::write(
            temp.join(format!("{root}.ndjson")),
            run_in(temp.path(), ["--ndjson", root]).ended(0).stdout,
        )
        .unwrap();
    }
    let total = |run: &Run| run.json().root().get("totals").get("disk").number();
    let two = run_in(temp.path(), ["-f", "a.ndjson", "-f", "b.ndjson", "--json"]).ended(0);
    assert_eq!(total(&two), total(&both));
    assert!(two.text().contains("\"a.ndjson:a\"") && two.text().contains("\"b.ndjson:b\""), "{}", two.text());
    let other =
        fs::read_to_string(temp.join("b.ndjson")).unwrap().replace("\"host\":\"", "\"host\":\"another-");
    fs::write(temp.join("other.ndjson"), other).unwrap();
    let three = run_in(temp.path(), ["-f", "a.ndjson", "-f", "other.ndjson", "--json"]).ended(0);
    assert!(total(&three) > total(&two));
}

/// Returns a directory with names that contain a tab, a newline, a comma, a quote, or bytes that are not UTF-8.
fn odd() -> TestDir {
    let temp = TestDir::new();
    temp.file("t/sub/large", 50_000);
    temp.file("t/sub/deep/a\tb", 10);
    temp.file("t/new\nline", 1_000);
    temp.odd_file(b"t/bad\xff,\"", "1");
    temp.directory("t/empty");
    temp
}

fn totals(run: &Run) -> [i128; 3] {
    let document = run.json();
    let totals = document.root().get("totals");
    ["disk", "apparent", "items"].map(|key| totals.get(key).number())
}

#[test]
fn listings_of_find_and_du_have_the_totals_of_a_scan() {
    if cfg!(target_os = "macos") {
        return crate::support::skip("find and du are those of BSD here");
    }
    let temp = odd();
    let scanned = totals(&run_in(temp.path(), ["--json", "t"]).ended(0));
    write_output(&temp, "find", Command::new("find").args(["t", "-printf", r"%p\t%s\t%b\t%T@\0"]));
    let found = run_in(temp.path(), ["-f", "find", "--format", "find", "--json"]).ended(0);
    assert_eq!(totals(&found), scanned);
    assert_eq!(found.json().root().get("roots").elements()[0].get("name").text(), "t");
    let deep = found.json();
    let deep = deep.root().get("roots").elements()[0]
        .child("sub")
        .child("deep")
        .child("a\tb")
        .get("apparent")
        .number();
    assert_eq!(deep, 10);
    let part = run_in(temp.path(), ["-f", "find", "--format", "find", "--root", "t/sub", "--json"]).ended(0);
    assert_eq!(totals(&part), totals(&run_in(temp.path(), ["--json", "t/sub"]).ended(0)));

    write_output(&temp, "du", Command::new("du").args(["-ab0", "t"]));
    let du = run_in(temp.path(), ["-f", "du", "--format", "du", "--json"]).ended(0);
    let sum = fs::read(temp.join("du")).unwrap();
    let last = sum.split(|byte| *byte == 0).rev().nth(1).unwrap();
    let expected: i128 = String::from_utf8_lossy(last).split('\t').next().unwrap().parse().unwrap();
    assert_eq!(totals(&du)[1..], [expected, scanned[2]]);
    // In a list without NUL bytes, newlines end the records.
    write_output(&temp, "lines", Command::new("find").args(["t/sub", "-printf", r"%p\t%s\t%b\t%T@\n"]));
    let lines = run_in(temp.path(), ["-f", "lines", "--format", "find", "--json"]).ended(0);
    assert_eq!(totals(&lines), totals(&part));
}

/// Returns a list of the files that [`odd`] creates, as NDJSON.
fn list_of(temp: &TestDir) -> Vec<u8> {
    run_in(temp.path(), ["--ndjson", "t"]).ended(0).stdout
}

#[test]
fn lists_are_compressed_or_piped() {
    let temp = odd();
    let list = list_of(&temp);
    let expected = totals(&run_in(temp.path(), ["--json", "t"]).ended(0));
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&list).unwrap();
    fs::write(temp.join("list.gz"), packer.finish().unwrap()).unwrap();
    let zstd = ruzstd::encoding::compress_to_vec(&*list, ruzstd::encoding::CompressionLevel::Fastest);
    fs::write(temp.join("list.zst"), &zstd).unwrap();
    for file in ["list.gz", "list.zst"] {
        assert_eq!(totals(&run_in(temp.path(), ["-f", file, "--json"]).ended(0)), expected);
    }
    fs::write(temp.join("list"), &list).unwrap();
    let input = fs::File::open(temp.join("list")).unwrap();
    let piped = run(program().args(["-f", "-", "--json"]).stdin(input)).ended(0);
    assert_eq!(totals(&piped), expected);
    // A truncated file is an error, even if entries can be read from the remaining part.
    fs::write(temp.join("cut.zst"), &zstd[..zstd.len() - 4]).unwrap();
    let cut = run_in(temp.path(), ["-f", "cut.zst", "--json"]);
    assert!(matches!(cut.code, Some(1 | 2)) && cut.stderr.starts_with("duke: cut.zst: "), "{}", cut.stderr);
}

#[test]
fn a_list_is_used_like_a_scan() {
    let temp = odd();
    fs::write(temp.join("list"), list_of(&temp)).unwrap();
    let scanned = totals(&run_in(temp.path(), ["--json", "t"]).ended(0));
    // Export the list in ncdu's format, and print tables.
    run_in(temp.path(), ["-f", "list", "-o", "export.json"]).ended(0);
    assert_eq!(totals(&run_in(temp.path(), ["-f", "export.json", "--json"]).ended(0)), scanned);
    assert!(run_in(temp.path(), ["-f", "list", "--top", "1"]).ended(0).text().contains("t/sub/large"));
    run_in(temp.path(), ["-f", "list", "--by", "type,age,owner"]).ended(0);
    // Compare the list with the directory, and with a later list.
    let same = run_in(temp.path(), ["diff", "-n", "list", "t"]).ended(0);
    assert!(!same.text().contains("t/sub/large"), "{}", same.text());
    temp.file("t/sub/more", 100_000);
    fs::write(temp.join("later"), list_of(&temp)).unwrap();
    for new in ["t", "later"] {
        let grown = run_in(temp.path(), ["diff", "-n", "list", new]).ended(0);
        assert!(grown.text().contains("more") && grown.text().contains("new"), "{}", grown.text());
    }
}

#[test]
fn lists_with_settings_are_saved_and_compared() {
    let temp = TestDir::new();
    fs::write(temp.join("one"), "/r/a\t1\t8\t5\0/r/b/c\t2\t8\t5\0").unwrap();
    fs::write(temp.join("two"), "/r/a\t1\t8\t5\0/r/b/c\t2\t808\t5\0").unwrap();
    run_in(temp.path(), ["save", "-f", "one", "--format", "find", "-o", "one.duke"]).ended(0);
    let list = run_in(temp.path(), ["-f", "one", "--format", "find", "--json"]).ended(0);
    let snapshot = run_in(temp.path(), ["-f", "one.duke", "--json"]).ended(0);
    assert_eq!(report(&snapshot), report(&list));
    let words = ["diff", "-n", "--format", "find", "one", "two"];
    let grown = run_in(temp.path(), words).ended(0);
    assert!(grown.text().contains("400.0 KiB") && grown.text().contains("/r/b/c"), "{}", grown.text());
    // `--format` is refused if no list is read. `save` reads a list only with `-o FILE`.
    for words in [
        &["save", "--format", "find", "."][..],
        &["save", "-f", "one", "--format", "find"],
        &["diff", "--format", "find", "-n"],
    ] {
        let run = run_in(temp.path(), words);
        assert_eq!(run.code, Some(2), "{words:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    let snapshot = run_in(temp.path(), ["diff", "-n", "--format", "find", "one.duke", "two"]);
    assert!(snapshot.stderr.contains("this is a snapshot"), "{}", snapshot.stderr);
    // `--columns` selects both the columns to display and the columns of the list being read.
    fs::write(temp.join("three"), "x,r/a,7\n").unwrap();
    let columns = run_in(temp.path(), ["-f", "three", "--columns", "path=2,size=3,share", "--json"]).ended(0);
    assert_eq!(columns.json().root().get("totals").get("apparent").number(), 7);
    let config = temp.join("config.toml");
    fs::write(&config, "columns = [\"path=2\"]\n").unwrap();
    let run = run(program().arg("-n").arg("--config").arg(&config).current_dir(temp.path())).ended(0);
    assert!(run.stderr.contains("FIELD=COLUMN is only allowed on the command line"), "{}", run.stderr);
}

#[test]
fn a_million_shuffled_lines_are_the_tree_that_they_describe() {
    const LINES: usize = 1_000_000;
    const DIRECTORIES: usize = 1_009;
    let temp = TestDir::new();
    let size = |number: usize| number % 5_003;
    let mut sums = vec![0; DIRECTORIES];
    // The stride is coprime to the number of lines, so each number occurs exactly once, far from its neighbors.
    let numbers = (0..LINES).map(|line| line * 618_033 % LINES);
    let mut text = String::from("path,size\n");
    for number in numbers {
        let directory = number % DIRECTORIES;
        sums[directory] += i128::try_from(size(number)).unwrap();
        writeln!(text, "r/{directory}/{number},{}", size(number)).unwrap();
    }
    fs::write(temp.join("list"), text).unwrap();
    let read = run_in(temp.path(), ["-f", "list", "--json", "-d", "1"]).ended(0);
    let expected = i128::try_from(LINES + DIRECTORIES).unwrap();
    assert_eq!(totals(&read)[1..], [sums.iter().sum(), expected]);
    let document = read.json();
    let root = &document.root().get("roots").elements()[0];
    for (directory, sum) in sums.iter().enumerate() {
        assert_eq!(root.child(&directory.to_string()).get("apparent").number(), *sum, "{directory}");
    }
}

#[test]
fn lines_that_cannot_be_read_are_named_and_the_others_are_shown() {
    let temp = TestDir::new();
    let text = format!("path,size\nr/a,1\nr/b,x\nr/\x1b[31m/../c,2\n{}r/d,4\n", "r/e\n".repeat(9));
    fs::write(temp.join("list"), text).unwrap();
    let read = run_in(temp.path(), ["-f", "list", "--json"]).ended(1);
    assert_eq!(read.json().root().get("totals").get("apparent").number(), 5);
    assert!(!read.json().root().get("complete").is_true());
    let expected = "duke: list: line 3: size: not a whole number
duke: list: line 4: '..' is allowed only at the start of a relative path
duke: list: line 5: fewer columns than the header
duke: list: line 6: fewer columns than the header
duke: list: line 7: fewer columns than the header
duke: list: 6 more errors
";
    assert_eq!(read.stderr, expected);
    fs::write(temp.join("paths"), "path,size\nr/\x1b[31m/a,2\nr/\x1b[31m/a,4\nr/\\,1\nr/\\,2\n").unwrap();
    let twice = run_in(temp.path(), ["-f", "paths", "-n"]).ended(1);
    let expected = "duke: paths: r/\\\\: path listed more than once; only one line counts\nduke: paths: r/\\x1b[31m/a: path listed more than once; only one line counts\n";
    assert_eq!(twice.stderr, expected);
    // An incomplete tree is not exported.
    let export = run_in(temp.path(), ["-f", "list", "-o", "out"]).ended(1);
    assert!(
        export.stderr.ends_with("nothing written: not everything could be read\n")
            && !temp.join("out").exists()
    );
    fs::write(temp.join("none"), "path,size\nr/b,x\n").unwrap();
    run_in(temp.path(), ["-f", "none", "-n"]).ended(2);
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let temp = TestDir::new();
    temp.directory("t");
    run_in(temp.path(), ["-o", "export", "t"]).ended(0);
    fs::write(temp.join("list"), "a,1\n").unwrap();
    let cases: [(&[&str], &str); 11] = [
        (
            &["--format", "du", "t"],
            "--format, --fields, --root and --columns FIELD=COLUMN work only with lists of files; give a list with -f FILE, or as OLD or NEW of duke diff",
        ),
        (
            &["--fields", "path=1", "t"],
            "--format, --fields, --root and --columns FIELD=COLUMN work only with lists of files; give a list with -f FILE, or as OLD or NEW of duke diff",
        ),
        (
            &["--root", "/a", "t"],
            "--format, --fields, --root and --columns FIELD=COLUMN work only with lists of files; give a list with -f FILE, or as OLD or NEW of duke diff",
        ),
        (&["-f", "export", "--root", "/a", "-n"], "export: not a list"),
        (&["-f", "list", "-n"], "for example --fields path=1,size=2"),
        (&["-f", "list", "--fields", "path", "-n"], "expected FIELD=COLUMN, such as path=2"),
        (
            &["-f", "list", "--fields", "color=1", "-n"],
            "no such field; the usual ones are path, size, disk, mtime, type",
        ),
        (&["-f", "list", "--fields", "path=0", "-n"], "columns are numbered from 1"),
        (&["-f", "list", "--format", "tar", "-n"], "possible values: du, find, rclone, s3-inventory"),
        (&["-f", "list", "--fields", "path=1", "--root", "", "-n"], "--root: the path is empty"),
        (
            &["-f", "list", "--fields", "path=1", "--root", "a/../b", "-n"],
            "--root: '..' is allowed only at the start",
        ),
    ];
    for (words, message) in cases {
        let run = run_in(temp.path(), words);
        assert_eq!(run.code, Some(2), "{words:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{words:?}: {}", run.stderr);
    }
    let read = run_in(temp.path(), ["-f", "list", "--fields", "path=1,size=2", "--json"]).ended(0);
    assert_eq!(read.json().root().get("totals").get("apparent").number(), 1);
}

#[test]
fn an_interrupted_list_is_partial() {
    let temp = TestDir::new();
    let fifo = temp.join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let child = program()
        .args(["-f", "fifo", "--json"])
        .current_dir(temp.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut writer = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
    // The pipe and the queues hold only a small part of the lines. Once the last line has been written, duke
    // has therefore read the first lines.
    let lines: Vec<String> = (0..200_000).map(|number| format!("r/{number},1\n")).collect();
    writer.write_all(format!("path,size\n{}", lines.concat()).as_bytes()).unwrap();
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report = crate::program::json::parse(&output.stdout).unwrap();
    let items = report.root().get("totals").get("items").number();
    assert!(!report.root().get("complete").is_true() && (30_000..=200_000).contains(&items), "{items}");
    drop(writer);
}

#[test]
fn names_of_files_with_lists_are_safe_to_print() {
    let temp = TestDir::new();
    let name = std::ffi::OsStr::from_bytes(b"li\x1bst\xff");
    fs::write(temp.join(Path::new(name)), "path,size\nr/a,x\n").unwrap();
    let read = run(program().arg("-n").arg("-f").arg(name).current_dir(temp.path())).ended(2);
    assert_eq!(read.stderr, "duke: li\\x1bst\\xff: line 2: size: not a whole number\n");
}
