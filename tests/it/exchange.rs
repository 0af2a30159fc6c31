//! Tests that run the program to export and import trees: with ncdu, gdu and `DuckDB` if they are installed, with a
//! script in place of ssh, and with full disks.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::json::{Document, Value, parse};
use crate::program::test_dir::TestDir;
use crate::program::{Run, is_installed, program, run, run_in, schema};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const DESCRIPTION: &str = include_str!("../../docs/exchange.md");
const SCHEMA: &str = include_str!("../../docs/schema.json");

/// Creates a directory `t` with files, directories, a hard link, a symbolic link, a FIFO and an unusual name.
fn everything() -> TestDir {
    let temp = TestDir::new();
    temp.file("t/sub/large", 50_000);
    temp.file("t/sub/deep/small", 10);
    temp.directory("t/sub/empty");
    fs::hard_link(temp.join("t/sub/large"), temp.join("t/again")).unwrap();
    symlink("nowhere", temp.join("t/link")).unwrap();
    nix::unistd::mkfifo(&temp.join("t/fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    temp.odd_file(b"t/bad\xff\n\x1b\x7f\"\\,name", "1");
    temp
}

fn export(temp: &TestDir, words: &[&str]) -> Run {
    run_in(temp.path(), words).ended(0)
}

fn bytes(temp: &TestDir, name: &str) -> Vec<u8> {
    fs::read(temp.join(name)).unwrap()
}

fn totals(run: &Run) -> [i128; 3] {
    let document = run.json();
    let totals = document.root().get("totals");
    ["disk", "apparent", "items"].map(|key| totals.get(key).number())
}

/// Returns the sorted lines of an export. Omits the header, and punctuation that depends on the entries' order.
fn lines(export: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = export
        .split(|byte| *byte == b'\n')
        .skip(1)
        .map(|line| line.iter().copied().filter(|byte| !b"],".contains(byte)).collect())
        .filter(|line: &Vec<u8>| !line.is_empty())
        .collect();
    lines.sort();
    lines
}

#[test]
fn an_export_is_read_and_written_unchanged_with_any_compression() {
    let temp = everything();
    for flags in [&["-o", "one"][..], &["-e", "-o", "one"]] {
        export(&temp, &[flags, &["t"]].concat());
        let one = bytes(&temp, "one");
        export(&temp, &["-f", "one", "-o", "two.zst"]);
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&one).unwrap();
        fs::write(temp.join("three.gz"), packer.finish().unwrap()).unwrap();
        for name in ["two.zst", "three.gz"] {
            assert!(bytes(&temp, name) != one);
            export(&temp, &["-f", name, "-o", "four"]);
            assert_eq!(String::from_utf8_lossy(&bytes(&temp, "four")), String::from_utf8_lossy(&one));
        }
        assert_eq!(
            totals(&export(&temp, &["-f", "one", "--json"])),
            totals(&export(&temp, &["--json", "t"]))
        );
    }
    let mode = fs::metadata(temp.join("one")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn names_begin_with_their_file_where_there_are_several() {
    let temp = everything();
    export(&temp, &["-o", "a.json", "t/sub"]);
    export(&temp, &["-o", "b.json", "t"]);
    let both = export(&temp, &["-f", "a.json", "-f", "b.json", "-s"]);
    let sub = fs::canonicalize(temp.join("t/sub")).unwrap();
    assert!(both.text().contains(&format!("  a.json:{}\n", sub.display())), "{}", both.text());
    assert!(both.text().ends_with(" total\n"));
}

#[test]
fn links_are_recognized_only_within_one_host() {
    const TEN_MIB: i128 = 10 << 20;
    let temp = TestDir::new();
    // The files in all three exports have the same device and inode numbers, as on copies of a virtual machine.
    for (name, path) in [("one", "/srv"), ("other", "/srv"), ("home", "/home")] {
        let file = format!(r#"{{"name":"f","dsize":{TEN_MIB},"dev":7,"ino":9,"hlnkc":true,"nlink":2}}"#);
        let text = format!(r#"[1,2,{{"progname":"ncdu"}},[{{"name":"{path}","dev":7}},{file}]]"#);
        fs::write(temp.join(name), text).unwrap();
    }
    let disk = |words: &[&str]| totals(&export(&temp, &[words, &["--json"]].concat()))[0];
    assert_eq!(disk(&["-f", "one"]), TEN_MIB);
    assert_eq!(disk(&["-f", "one", "-f", "other"]), 2 * TEN_MIB);

    // This replacement for ssh prints the file at the requested path, relative to the current directory.
    let path = ssh(&temp, r#"for last; do :; done; eval "set -- $last"; for last; do :; done; cat ".$last""#);
    let remote = |words: &[&str]| {
        let run = run(program().env("PATH", &path).arg("--json").args(words).current_dir(temp.path()));
        totals(&run.ended(0))[0]
    };
    assert_eq!(remote(&["ssh://h1/one", "ssh://h2/other"]), 2 * TEN_MIB);
    assert_eq!(remote(&["ssh://h1/one", "ssh://h1:22/other"]), 2 * TEN_MIB, "maybe another machine");
    assert_eq!(remote(&["ssh://h1/one", "ssh://me@H1/home"]), TEN_MIB, "paths of one machine");
}

#[test]
fn ncdu_and_duke_read_each_other() {
    if !is_installed("ncdu", "-v") {
        return;
    }
    let temp = everything();
    for flags in [&[][..], &["-e"]] {
        let ncdu = |words: &[&str]| {
            let run = run(Command::new("ncdu")
                .args(flags)
                .args(words)
                .current_dir(temp.path())
                .stdin(Stdio::null()));
            assert_eq!(run.code, Some(0), "{}", run.stderr);
        };
        ncdu(&["-o", "theirs", "t"]);
        run(program().args(flags).args(["-o", "ours", "t"]).current_dir(temp.path())).ended(0);
        ncdu(&["-f", "ours", "-o", "ours by them"]);
        let readable = |name| {
            lines(&bytes(&temp, name))
                .iter()
                .map(|line| String::from_utf8_lossy(line).into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(readable("ours by them"), readable("theirs"));
        // duke rewrites both exports, directly and through ncdu's binary format, and ncdu reads the results.
        let duke = |words: &[&str]| drop(run(program().args(words).current_dir(temp.path())).ended(0));
        for name in ["theirs", "ours by them"] {
            duke(&["-f", name, "-O", "binary"]);
            for from in [name, "binary"] {
                duke(&["-f", from, "-o", "again"]);
                ncdu(&["-f", "again", "-o", "again by them"]);
                assert_eq!(readable("again by them"), readable("theirs"), "{from} of {name}");
            }
        }
        let scanned = totals(&export(&temp, &["--json", "t"]));
        assert_eq!(totals(&export(&temp, &["-f", "theirs", "--json"])), scanned);
    }
}

#[test]
fn gdu_and_duke_read_each_other() {
    if !is_installed("gdu", "--version") {
        return;
    }
    let temp = TestDir::new();
    temp.file("t/sub/large", 50_000);
    temp.file("t/other", 9_000);
    let gdu = |words: &[&str]| {
        let run = run(Command::new("gdu").args(words).current_dir(temp.path()).stdin(Stdio::null()));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    };
    gdu(&["-n", "-o", "theirs", "t"]);
    let read = export(&temp, &["-f", "theirs", "--json"]).json();
    let root = read.root().get("roots").elements()[0];
    assert_eq!(root.child("other").get("apparent").number(), 9_000);
    assert_eq!(root.child("sub").child("large").get("apparent").number(), 50_000);
    export(&temp, &["-o", "ours", "t"]);
    // gdu does not show the size of a directory itself, so only the size of a file is checked.
    let shown = gdu(&["-n", "-p", "-a", "-f", "ours"]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("8.8 KiB") && text.contains("other"), "{text}");
    assert!(text.contains("/sub"), "{text}");
}

#[test]
fn a_malformed_export_is_reported_with_its_byte_and_its_beginning_is_shown() {
    let temp = everything();
    export(&temp, &["-o", "whole", "t"]);
    export(&temp, &["-o", "whole.zst", "t"]);
    let whole = bytes(&temp, "whole");
    fs::write(temp.join("cut"), &whole[..whole.len() - 9]).unwrap();
    let cut = run_in(temp.path(), ["-f", "cut", "--json"]).ended(1);
    assert_eq!(cut.stderr, format!("duke: cut: byte {}: unexpected end of input\n", whole.len() - 9));
    assert!(!cut.json().root().get("complete").is_true());
    let packed = bytes(&temp, "whole.zst");
    fs::write(temp.join("cut.zst"), &packed[..packed.len() / 2]).unwrap();
    let cut = run_in(temp.path(), ["-f", "cut.zst", "-n"]).ended(2);
    assert_eq!(cut.stderr, "duke: cut.zst: compressed data is truncated or damaged\n");
    fs::write(temp.join("binary"), b"\xbfncduEX1more").unwrap();
    assert!(run_in(temp.path(), ["-f", "binary", "-n"]).ended(2).stderr.contains("end of the export"));
    for (name, message) in [
        ("missing", "no such file or directory"),
        ("t", "is a directory"),
        ("/dev/null", "/dev/null: the input is empty"),
    ] {
        let run = run_in(temp.path(), ["-f", name, "-n"]).ended(2);
        assert!(run.stderr.contains(message) && run.stderr.lines().count() == 1, "{}", run.stderr);
    }
    let some = run_in(temp.path(), ["-f", "missing", "-f", "whole", "-s"]).ended(1);
    assert!(
        some.text().contains("whole:/") && some.stderr.contains("missing: cannot read: no such"),
        "{}",
        some.stderr
    );
    // A tree from a truncated export cannot be exported, because the new export would look complete.
    fs::write(temp.join("old"), "as it was").unwrap();
    let again = run_in(temp.path(), ["-f", "cut", "-o", "old"]).ended(1);
    assert!(again.stderr.contains("nothing written"), "{}", again.stderr);
    assert_eq!(bytes(&temp, "old"), b"as it was");
}

#[test]
fn a_compression_bomb_is_rejected_before_it_fills_the_memory() {
    let temp = TestDir::new();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(br#"[1,2,{},[{"name":"/r"}"#).unwrap();
    let blanks = vec![b' '; 1 << 20];
    (0..600).for_each(|_| packer.write_all(&blanks).unwrap());
    fs::write(temp.join("bomb"), packer.finish().unwrap()).unwrap();
    let run = run_in(temp.path(), ["-f", "bomb", "-n"]).ended(1);
    assert!(run.stderr.contains("expands to more than 100 times its size"), "{}", run.stderr);
}

#[test]
fn a_full_disk_keeps_the_old_file_and_leaves_no_other() {
    let temp = everything();
    if !Path::new("/dev/full").exists() {
        return crate::support::skip("no /dev/full here");
    }
    for flags in [&["-o", "/dev/full"][..], &["-c", "-o", "/dev/full"]] {
        let full = run_in(temp.path(), [flags, &["t"]].concat()).ended(1);
        assert_eq!(full.stderr, "duke: /dev/full: cannot write: no space left on device\n");
    }
    for words in [["-o", "-"], ["--csv", "--quiet"], ["--ndjson", "--quiet"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let full = run(program().args(words).arg("t").current_dir(temp.path()).stdout(full)).ended(1);
        assert_eq!(full.stderr, "duke: standard output: cannot write: no space left on device\n");
    }
    if !nix::unistd::geteuid().is_root() || cfg!(not(target_os = "linux")) {
        eprintln!("SKIPPED: only root can mount a small file system");
        return;
    }
    let small = temp.directory("small");
    (0..2000).for_each(|n| drop(temp.file(format!("many/a rather long name, number {n}"), 0)));
    let script = "mount -t tmpfs -o size=32k none small && echo old > small/out && \
        { \"$DUKE\" -o small/out many; echo \"code $?\"; cat small/out; ls -A small; }";
    let mut shell = Command::new("unshare");
    shell.args(["-m", "sh", "-c", script]).current_dir(temp.path()).env("DUKE", env!("CARGO_BIN_EXE_duke"));
    let run = run(&mut shell);
    if run.stderr.contains("unshare") || run.stderr.contains("mount:") {
        eprintln!("SKIPPED: {}", run.stderr);
        return;
    }
    assert_eq!(run.text(), "code 1\nold\nout\n", "{}", run.stderr);
    assert_eq!(run.stderr, "duke: small/out: cannot write: no space left on device\n");
    assert!(fs::read_dir(small).unwrap().next().is_none());
}

#[test]
fn only_directories_are_exported_and_only_to_writable_paths() {
    let temp = everything();
    for (path, code) in [("t/again", 2), ("missing", 2)] {
        assert_eq!(run_in(temp.path(), ["-o", "out", path]).ended(code).stdout, b"");
        assert!(!temp.join("out").exists());
    }
    let run = run_in(temp.path(), ["-o", "no/such/place", "t"]).ended(1);
    assert_eq!(run.stderr, "duke: no/such/place: cannot write: no such file or directory\n");
    symlink("target", temp.join("linked")).unwrap();
    fs::write(temp.join("target"), "").unwrap();
    export(&temp, &["-o", "linked", "t"]);
    assert!(temp.join("linked").is_symlink() && bytes(&temp, "target").starts_with(b"[1,2,"));
}

#[test]
fn a_closed_pipe_is_no_error_and_an_interrupt_is_reported() {
    let temp = TestDir::in_memory();
    (0..20_000).for_each(|n| drop(temp.file(format!("t/a rather long name, number {n}"), 0)));
    for (flags, interrupts) in [(["-o", "-"], false), (["-co", "-"], false), (["-o", "-"], true)] {
        let mut child = program()
            .args(flags)
            .arg("t")
            .current_dir(temp.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 10]).unwrap();
        if interrupts {
            kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
            std::io::copy(&mut out, &mut std::io::sink()).unwrap();
        }
        drop(out);
        let output = child.wait_with_output().unwrap();
        let recorded = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(if interrupts { 130 } else { 0 }), "{recorded}");
        assert_eq!(recorded.is_empty(), !interrupts, "{recorded}");
    }
}

fn ssh(temp: &TestDir, script: &str) -> std::ffi::OsString {
    search_path(temp, "ssh", script)
}

/// Returns a search path that begins with a directory containing the shell script `script` as the program `name`.
fn search_path(temp: &TestDir, name: &str, script: &str) -> std::ffi::OsString {
    let bin = temp.directory("bin");
    let path = bin.join(name);
    // The file is written by `sh`, not by this process: a child that another test forks could inherit the open file,
    // and a file that is open for writing cannot be executed.
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{script}\n").as_bytes()).unwrap();
    assert!(writer.wait().unwrap().success());
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_duke"), bin.join("duke")).ok();
    let mut path = bin.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    path
}

#[test]
fn a_remote_path_is_scanned_and_never_interpreted_by_its_shell() {
    let temp = everything();
    let name = "it's $(touch pwned) `touch pwned`; touch pwned\n\"*";
    temp.file(Path::new(name).join("in"), 5000);
    let path = ssh(&temp, r#"printf '%s|' "$1" "$2" >recorded; shift 2; eval "$1""#);
    let word = format!("ssh://me@box{}/{name}", temp.path().display());
    let run = run(program()
        .env("PATH", &path)
        .args(["--json", "--exclude", "x'y", &word])
        .current_dir(temp.path()));
    let run = run.ended(0);
    let root = run.json();
    let root = root.root().get("roots").elements()[0];
    let place_of = fs::canonicalize(temp.join(name)).unwrap();
    assert_eq!(root.get("name").text(), format!("me@box:{}", place_of.display()));
    assert_eq!(root.child("in").get("apparent").number(), 5000);
    assert_eq!(bytes(&temp, "recorded"), b"--|me@box|");
    assert!(!temp.join("pwned").exists());
}

#[test]
fn a_remote_side_of_diff_is_scanned_with_the_same_flags() {
    let temp = everything();
    export(&temp, &["-o", "old", "t"]);
    let path = ssh(&temp, r#"printf '%s' "$3" >recorded; exit 3"#);
    let words = ["diff", "-n", "-x", "--exclude", "*.o", "--skip-network", "old", "ssh://box/t"];
    run(program().env("PATH", path).env("DUKE_THREADS", "3").args(words).current_dir(temp.path())).ended(2);
    let flags = "'-x' '--skip-network' '--threads=3' '--exclude=*.o'";
    assert_eq!(
        String::from_utf8(bytes(&temp, "recorded")).unwrap(),
        format!("duke -q -c -o - {flags} -- '/t'")
    );
}

#[test]
fn the_error_of_ssh_explains_an_empty_export() {
    let temp = TestDir::new();
    let cases = [
        (
            "echo Warning: x >&2; echo ssh: box: no route to host >&2; exit 255",
            "box: ssh: box: no route to host\n",
        ),
        (
            "echo sh: duke: not found >&2; exit 127",
            "box: duke is not installed on that machine, or not in its PATH\n",
        ),
        ("exit 3", "box: ssh exited with code 3\n"),
        ("echo [1,2, ; exit 0", "box: byte 6: unexpected end of input\n"),
    ];
    for (script, message) in cases {
        let path = ssh(&temp, script);
        let run = run(program().env("PATH", path).args(["-n", "ssh://box/x"])).ended(2);
        assert_eq!(run.stderr, format!("duke: {message}"));
    }
    let run = run(program().env("PATH", "").args(["-n", "ssh://box/x"])).ended(2);
    assert_eq!(run.stderr, "duke: box: ssh is not installed, or not in PATH\n");
}

/// Returns the changes printed by `duke diff --json`: path below the root, kind, and difference in disk usage.
fn changes(run: &Run) -> Vec<(String, String, i128)> {
    let document = run.json();
    let changes = document.root().get("changes").elements();
    let change = |change: Value<'_>| {
        let by = change.get("disk_after").number() - change.get("disk_before").number();
        (change.get("path").text().to_owned(), change.get("change").text().to_owned(), by)
    };
    changes.into_iter().map(change).collect()
}

#[test]
fn changes_come_the_largest_first_and_renamed_directories_are_recognised() {
    let temp = TestDir::new();
    let entries =
        |entries: &str| format!(r#"[1,0,{{"timestamp":7}},[{{"name":"/r","dev":1,"ino":2}},{entries}]]"#);
    let old = r#"[{"name":"a","ino":3},{"name":"f","dsize":512000}],[{"name":"b","ino":4},{"name":"g","dsize":1024}],{"name":"h","dsize":2048},{"name":"same","dsize":512},{"name":"u","read_error":true},[{"name":"reused","ino":9},{"name":"x"}]"#;
    let new = r#"{"name":"same","dsize":512},[{"name":"aa","ino":3},{"name":"f","dsize":512000},{"name":"more","dsize":4096}],{"name":"h","dsize":512},{"name":"i","dsize":8192},{"name":"u","dsize":99999},[{"name":"other","ino":9},{"name":"y"}]"#;
    fs::write(temp.join("old"), entries(old)).unwrap();
    fs::write(temp.join("new"), entries(new)).unwrap();
    let found = changes(&run_in(temp.path(), ["diff", "--json", "old", "new"]).ended(1));
    let expected = [
        ("/r", "grown", 8192 + 4096 - 1024 - 1536 + 99_840),
        ("/r/i", "new", 8192),
        ("/r/aa", "renamed", 4096),
        ("/r/aa/more", "new", 4096),
        ("/r/h", "shrunk", -1536),
        ("/r/b", "gone", -1024),
        ("/r/other", "new", 0),
        ("/r/reused", "gone", 0),
    ];
    assert_eq!(found, expected.map(|(path, word, by)| (path.to_owned(), word.to_owned(), by)));
    let large =
        changes(&run_in(temp.path(), ["diff", "--json", "--min-change", "4k", "old", "new"]).ended(1));
    assert_eq!(large.len(), 4);
    let table = run_in(temp.path(), ["diff", "old", "new"]).ended(1);
    assert!(table.text().contains("/r/aa  (was /r/a)\n"), "{}", table.text());
    assert!(table.text().lines().last().unwrap().ends_with("/r"), "{}", table.text());
    let back = changes(&run_in(temp.path(), ["diff", "--json", "new", "old"]).ended(1));
    assert!(back.contains(&("/r/a".to_owned(), "renamed".to_owned(), -4096)), "{back:?}");
}

#[test]
fn an_export_is_compared_with_the_present_directory() {
    let temp = everything();
    export(&temp, &["-o", "old.zst", "t"]);
    assert_eq!(changes(&export(&temp, &["diff", "--json", "old.zst"])), []);
    temp.file("t/sub/new", 100_000);
    let found = changes(&export(&temp, &["diff", "--json", "--min-change", "50k", "old.zst", "t"]));
    assert_eq!(found.last().unwrap().1, "new");
    assert!(found.iter().all(|(_, _, by)| *by >= 100_000), "{found:?}");
    // Errors in either of the two trees are reported.
    let whole = fs::read(temp.join("old.zst")).unwrap();
    fs::write(temp.join("torn.zst"), &whole[..whole.len() / 2]).unwrap();
    for sides in [["torn.zst", "t"], ["t", "torn.zst"]] {
        let run = run_in(temp.path(), ["diff", sides[0], sides[1]]);
        assert!(matches!(run.code, Some(1 | 2)) && run.stderr.contains("torn.zst: "), "{}", run.stderr);
    }
    assert_eq!(run_in(temp.path(), ["diff", "t"]).ended(2).stderr.lines().count(), 1);
    assert_eq!(run_in(temp.path(), ["diff", "missing", "t"]).ended(2).stderr.lines().count(), 1);
}

#[test]
fn an_interrupted_comparison_prints_only_that() {
    let temp = everything();
    let mut child = program()
        .args(["diff", "-n", "-", "t"])
        .current_dir(temp.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // This is more than a pipe holds, so the reader has started to read when the write returns.
    let mut silent = child.stdin.take().unwrap();
    silent.write_all(&vec![b' '; 1 << 20]).unwrap();
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(silent);
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "duke: interrupted; nothing printed\n");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_root_given_twice_counts_once_in_every_report() {
    let temp = everything();
    let once = ["t"].as_slice();
    for several in [
        &["t", "t/"] as &[_],
        &["t/sub", "t"],
        &["t", "t/again"],
        &["t/", "t/sub", "t", "t/again", "t/sub/deep/small"],
    ] {
        let both = |words: &[&str]| {
            let of = |roots: &[&str]| export(&temp, &[words, roots].concat());
            (of(several), of(once))
        };
        let (lists, expected) = both(&["--json", "--top", "99", "--by", "type,owner,age"]);
        let (lists, expected) = (lists.json(), expected.json());
        let names = |output: &Document| -> Vec<String> {
            let files = output.root().get("largest").elements();
            files.iter().map(|file| file.get("path").text().replace("//", "/")).collect()
        };
        assert_eq!(names(&lists), names(&expected), "{several:?}");
        for by in ["type", "owner", "age"] {
            let sums = |output: &Document| -> Vec<(i128, i128)> {
                let rows = output.root().get("by").get(by).elements();
                rows.iter().map(|row| (row.get("disk").number(), row.get("items").number())).collect()
            };
            assert_eq!(sums(&lists), sums(&expected), "{by} of {several:?}");
        }
        for form in ["--ndjson", "--csv"] {
            let (lines, expected) = both(&[form]);
            assert_eq!(
                lines.text().lines().count(),
                expected.text().lines().count(),
                "{form} of {several:?}"
            );
        }
        let scanned = |roots: &[&str]| {
            let report = export(&temp, &[&["df", "--json"], roots].concat()).json();
            let system = report.root().get("filesystems").elements()[0];
            (system.get("scanned").number(), system.get("entries").number())
        };
        assert_eq!(scanned(several), scanned(once), "{several:?}");
        export(&temp, &[&["save", "-q", "-o", "kept.duke"], several].concat());
        let lines = |words: &[&str]| export(&temp, words).text().lines().count();
        assert_eq!(lines(&["--csv", "-f", "kept.duke"]), lines(&["--csv", "t"]), "kept of {several:?}");
        fs::remove_file(temp.join("kept.duke")).unwrap();
    }
    // A root that is a hard link to a file in the first root is an entry of its own, but adds nothing to the sum.
    fs::hard_link(temp.join("t/again"), temp.join("other")).unwrap();
    let lines = export(&temp, &["--ndjson", "t", "other"]);
    assert_eq!(
        (lines.text().lines().last().unwrap().contains("\"other\""), lines.stderr.as_str()),
        (true, "")
    );
    let [sum, total] =
        [&["t", "other"] as &[_], &["t"]].map(|roots| totals(&export(&temp, &[&["--json"], roots].concat())));
    assert_eq!(sum, total);
}

#[test]
fn lists_and_sums_match_the_schema() {
    let temp = everything();
    let schema = parse(SCHEMA.as_bytes()).unwrap();
    let words = ["--json", "--top", "2", "--by", "type,age,owner", "--min-size", "1", "t"];
    let output = export(&temp, &words).json();
    let violations = schema::violations(schema.root(), schema.root(), output.root());
    assert_eq!(violations, Vec::<String>::new());
    let largest = output.root().get("largest").elements();
    assert_eq!(largest.len(), 2);
    // The file's other name is not listed, but the link count includes it.
    assert_eq!(largest[0].get("path").text(), "t/again");
    assert_eq!((largest[0].get("apparent").number(), largest[0].get("links").number()), (50_000, 2));
    assert!(largest[1].get("apparent").number() < 50_000 && largest[1].find("links").is_none());
    let by = output.root().get("by");
    assert_eq!(by.keys(), ["type", "age", "owner"]);
    let owners = by.get("owner").elements();
    assert_eq!(owners[0].get("uid").number(), i128::from(nix::unistd::geteuid().as_raw()));
    assert_eq!(owners[0].get("disk").number(), output.root().get("totals").get("disk").number());
    assert!(output.root().get("roots").elements()[0].find("children").is_none());
    let small = export(&temp, &["--json", "--min-size", "20k", "t"]).json();
    let root = small.root().get("roots").elements()[0];
    let names: Vec<_> =
        root.get("children").elements().iter().map(|child| child.get("name").text()).collect();
    assert_eq!(names, ["sub", "again"]);
    let table = export(&temp, &["--top", "1", "--by", "type", "t"]);
    assert!(
        table.text().starts_with(" 52.0 KiB") || table.text().starts_with(" 48.8 KiB"),
        "{}",
        table.text()
    );
}

#[test]
fn the_table_shows_freed_and_shared_bytes() {
    let temp = TestDir::new();
    fs::create_dir(temp.path().join("t")).unwrap();
    fs::write(temp.path().join("t/linked"), [1; 5000]).unwrap();
    fs::hard_link(temp.path().join("t/linked"), temp.path().join("other")).unwrap();
    let disk = fs::metadata(temp.path().join("other")).unwrap().blocks() * 512;
    let table = export(&temp, &["--frees", "--bytes", "t"]);
    let line = table.text().lines().find(|line| line.ends_with("t/linked")).unwrap().to_owned();
    let fields: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(fields[2..], ["0", &disk.to_string(), "t/linked"], "{line}");
}

#[test]
fn flat_lines_have_the_fields_that_are_described_and_survive_any_name() {
    let temp = everything();
    let rows = DESCRIPTION.split("| field | meaning |\n|---|---|\n").nth(1).unwrap();
    let fields: Vec<&str> = rows
        .lines()
        .take_while(|line| line.starts_with('|'))
        .flat_map(|line| line.split('|').nth(1).unwrap().split('`').skip(1).step_by(2))
        .collect();
    // Only object stores have storage classes.
    let fields: Vec<&str> = fields.into_iter().filter(|field| *field != "storage_class").collect();
    let csv = export(&temp, &["--csv", "--frees", "t"]);
    let mut lines = csv.text().lines();
    assert_eq!(lines.next().unwrap().split(',').collect::<Vec<_>>(), fields);
    assert!(!csv.text().contains(|letter: char| letter.is_control() && letter != '\n'));
    let ndjson = export(&temp, &["--ndjson", "--frees", "t"]);
    assert_eq!(lines.count(), ndjson.text().lines().count());
    let mut sum = 0;
    for line in ndjson.text().lines() {
        let document = parse(line.as_bytes()).unwrap();
        let entry = document.root();
        let places: Vec<_> =
            entry.keys().iter().map(|key| fields.iter().position(|field| field == key)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{line}");
        // Skips the second name of the only file with two names.
        let is_counted = entry.get("path").text() != "t/again";
        sum += if is_counted { entry.get("disk").number() } else { 0 };
    }
    assert_eq!(sum, totals(&export(&temp, &["--json", "t"]))[0]);
    let exact = duke::base::text::base64(b"t/bad\xff\n\x1b\x7f\"\\,name");
    // APFS accepts only names in UTF-8, so on macOS, there is no file with the path in `exact`.
    let has_odd = cfg!(not(target_os = "macos"));
    assert!(
        !has_odd
            || ndjson.text().contains(&format!("\"path_base64\":\"{exact}\"")) && csv.text().contains(&exact)
    );
    // Fields that an export does not record are omitted.
    export(&temp, &["-o", "x", "t"]);
    let imported = export(&temp, &["-f", "x", "--ndjson"]);
    assert!(!imported.text().contains("\"uid\"") && imported.text().contains("\"scanned_at\""));
    // A list need not contain the time of the scan. A snapshot of such a list has no time either.
    std::fs::write(temp.join("list"), "{\"path\":\"/a/b\",\"size\":1}\n").unwrap();
    export(&temp, &["save", "-f", "list", "-o", "list.duke"]);
    for snapshots in [&["-f", "list.duke"][..], &["-f", "list.duke", "-f", "list"]] {
        let flat = export(&temp, &[snapshots, &["--ndjson"]].concat());
        assert!(flat.text().contains("/a/b") && !flat.text().contains("scanned_at"), "{}", flat.text());
    }
}

#[test]
fn duckdb_queries_exports_of_three_machines() {
    let duckdb = Command::new("python3").args(["-c", "import duckdb"]).output();
    if !duckdb.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: Python has no module duckdb");
        return;
    }
    let temp = TestDir::new();
    for (number, host) in ["a", "b", "c"].into_iter().enumerate() {
        temp.file(format!("{host}/film.mkv"), 100_000 * (number + 1));
        temp.file(format!("{host}/notes.txt"), 5_000);
        fs::hard_link(temp.join(format!("{host}/film.mkv")), temp.join(format!("{host}/again.mkv"))).unwrap();
        let lines = export(&temp, &["--ndjson", host]);
        let here = nix::unistd::gethostname().unwrap().into_string().unwrap();
        let there = lines.text().replace(&format!("\"host\":\"{here}\""), &format!("\"host\":\"{host}\""));
        assert!(there.contains(&format!("\"host\":\"{host}\"")));
        fs::write(temp.join(format!("{host}.ndjson")), there).unwrap();
    }
    let recipe = DESCRIPTION.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    fs::write(temp.join("recipe.sql"), recipe).unwrap();
    let ask = "import duckdb; print(duckdb.sql(open('recipe.sql').read().rstrip().rstrip(';')).fetchall())";
    let answer = run(Command::new("python3").args(["-c", ask]).current_dir(temp.path())).ended(0);
    let disk = |name: &str| {
        use std::os::unix::fs::MetadataExt;
        ["a", "b", "c"]
            .map(|host| fs::metadata(temp.join(host).join(name)).unwrap().blocks() * 512)
            .iter()
            .sum::<u64>()
    };
    let uid = nix::unistd::geteuid().as_raw();
    let (films, notes) = (disk("film.mkv"), disk("notes.txt"));
    assert!(answer.text().contains(&format!("({uid}, 'mkv', 3, ")), "{}", answer.text());
    for sum in [films, notes] {
        assert!(answer.text().contains(&sum.to_string()), "{}: {sum}", answer.text());
    }
}

#[test]
fn a_remote_of_rclone_is_listed_by_rclone() {
    let temp = TestDir::new();
    let lines = r#"[
{"Path":"d/a","Name":"a","Size":3000,"ModTime":"2026-11-24T15:46:52.6Z","IsDir":false},
{"Path":"d/$(touch pwned)","Name":"b","Size":4000,"ModTime":"2026-11-24T15:46:52.6Z","IsDir":false}
]"#;
    fs::write(temp.join("lines"), lines).unwrap();
    let path = search_path(&temp, "rclone", r#"printf '%s|' "$@" >recorded; cat lines"#);
    let word = "rclone://--config=x:b; touch pwned";
    let run = run(program().env("PATH", &path).args(["--json", "-q", word]).current_dir(temp.path()));
    let run = run.ended(0);
    let document = run.json();
    let root = document.root().get("roots").elements()[0];
    assert_eq!(root.get("name").text(), "--config=x:b; touch pwned");
    assert_eq!(root.get("apparent").number(), 7000);
    assert_eq!(root.child("d").child("a").get("apparent").number(), 3000);
    let recorded = String::from_utf8(bytes(&temp, "recorded")).unwrap();
    let flags = "lsjson|-R|--fast-list|--no-mimetype|--use-server-modtime|--files-only|";
    assert!(
        recorded.starts_with(flags) && recorded.ends_with("|--|--config=x:b; touch pwned|"),
        "{recorded}"
    );
    assert!(!recorded.contains("versions"), "{recorded}");
    let words = ["--json", "-q", "--versions", word];
    self::run(program().env("PATH", &path).args(words).current_dir(temp.path())).ended(0);
    let recorded = String::from_utf8(bytes(&temp, "recorded")).unwrap();
    assert!(recorded.ends_with("|--s3-versions|--b2-versions|--|--config=x:b; touch pwned|"), "{recorded}");
    assert!(!temp.join("pwned").exists());
}

/// The output and snapshots contain the storage classes, even if two snapshots with different classes are combined.
#[test]
fn objects_have_the_storage_classes_that_rclone_lists() {
    let temp = TestDir::new();
    let lines = |classes: [&str; 2]| {
        let object = |name, class| {
            format!("{{\"Path\":\"d/{name}\",\"Size\":3000,\"IsDir\":false,\"Tier\":\"{class}\"}}")
        };
        let outside = r#"{"Path":"outside","Size":1,"IsDir":false}"#;
        format!("[\n{},\n{},\n{outside}\n]\n", object("a", classes[0]), object("b", classes[1]))
    };
    let path = search_path(&temp, "rclone", "cat lines");
    let duke = |words: &[&str]| {
        run(program().env("PATH", &path).args(words).args(["-q"]).current_dir(temp.path())).ended(0)
    };
    let classes = |run: Run| -> Vec<Vec<String>> {
        let document = run.json();
        let roots = document.root().get("roots").elements();
        let class =
            |root: &Value<'_>, name| root.child("d").child(name).get("storage_class").text().to_owned();
        roots.iter().map(|root| ["a", "b"].map(|name| class(root, name)).to_vec()).collect()
    };
    fs::write(temp.join("lines"), lines(["GLACIER", "STANDARD"])).unwrap();
    assert_eq!(classes(duke(&["--json", "rclone://s3:b"])), [["GLACIER", "STANDARD"]]);
    let run = duke(&["-n", "--by", "class", "rclone://s3:b"]);
    let by = run.text();
    assert!(by.contains("  GLACIER\n") && by.contains("  STANDARD\n") && by.contains("  none\n"), "{by}");
    duke(&["save", "-o", "one.duke", "-f", "lines"]);
    fs::write(temp.join("lines"), lines(["STANDARD", "DEEP_ARCHIVE"])).unwrap();
    duke(&["save", "-o", "two.duke", "-f", "lines"]);
    assert_eq!(classes(duke(&["--json", "-f", "one.duke"])), [["GLACIER", "STANDARD"]]);
    let both = [["GLACIER", "STANDARD"], ["STANDARD", "DEEP_ARCHIVE"]];
    assert_eq!(classes(duke(&["--json", "-f", "one.duke", "-f", "two.duke"])), both);
    duke(&["save", "-o", "both.duke", "-f", "one.duke", "-f", "two.duke"]);
    assert_eq!(classes(duke(&["--json", "-f", "both.duke"])), both);
    let csv = duke(&["--csv", "-f", "one.duke"]);
    assert!(csv.text().lines().next().unwrap().ends_with(",storage_class"), "{}", csv.text());
    let run = duke(&["--ndjson", "-f", "one.duke"]);
    let lines = run.text();
    assert_eq!(lines.matches(r#","storage_class":"GLACIER"}"#).count(), 1, "{lines}");
}

#[test]
fn snapshots_of_remotes_are_saved_and_compared() {
    let temp = TestDir::new();
    let object = |name, size| format!("{{\"Path\":\"d/{name}\",\"Size\":{size},\"IsDir\":false}}");
    fs::write(temp.join("lines"), format!("[\n{},\n{}\n]\n", object("a", 3000), object("b", 1))).unwrap();
    let path = search_path(&temp, "rclone", "cat lines");
    let duke = |words: &[&str]| run(program().env("PATH", &path).args(words).current_dir(temp.path()));
    duke(&["save", "-q", "-o", "store.duke", "rclone://s3:b"]).ended(0);
    let saved = duke(&["--json", "-f", "store.duke"]).ended(0);
    let root = saved.json().root().get("roots").elements()[0].get("name").text().to_owned();
    assert_eq!(root, "s3:b");
    assert_eq!(duke(&["diff", "-nq", "store.duke", "rclone://s3:b"]).ended(0).text().lines().count(), 1);
    fs::write(temp.join("lines"), format!("[\n{},\n{}\n]\n", object("a", 9000), object("b", 1))).unwrap();
    let changed = duke(&["diff", "-nq", "store.duke", "rclone://s3:b"]).ended(0);
    assert!(changed.text().contains("d/a") && !changed.text().contains("d/b"), "{}", changed.text());
    for (words, needs) in [
        (&["save", "rclone://s3:b"][..], "-o is required"),
        (&["save", "-o", "x", "--fs-id", "n", "rclone://s3:b"], "--fs-id works only with local paths"),
        (&["save", "-o", "x", "--exclude", "a", "rclone://s3:b"], "--exclude"),
        (&["save", "-o", "x", "rclone://s3:b", "."], "cannot mix local paths with ssh:// or rclone:// paths"),
    ] {
        let refused = duke(words).ended(2);
        assert!(refused.stderr.contains(needs) && refused.stderr.lines().count() == 1, "{}", refused.stderr);
        assert!(!temp.join("x").exists());
    }
    let fake = ssh(&temp, r#"shift 2; eval "set -- $1"; for last; do :; done; "$DUKE" -o- "$last""#);
    let mut save = program();
    save.env("PATH", fake).env("DUKE", env!("CARGO_BIN_EXE_duke")).current_dir(temp.path());
    let word = format!("ssh://box{}/bin", temp.path().display());
    run(save.args(["save", "-q", "-o", "ssh.duke", &word])).ended(0);
    let saved = duke(&["--json", "-f", "ssh.duke"]).ended(0);
    assert!(saved.text().contains(r#""name":"rclone""#), "{}", saved.text());
}

#[test]
fn unfinished_uploads_are_listed_after_the_objects() {
    let temp = TestDir::new();
    let uploads = r#"{
    "b": [
        {"Initiated": "2026-11-24T08:15:00Z", "Initiator": {"ID": "x"}, "Key": "logs/d/a", "UploadId": "1/2"},
        {"Initiated": "2026-11-24T08:15:00Z", "Owner": null, "Key": "logs/e", "UploadId": "-3"}
    ],
    "c": [], "d": null
}"#;
    fs::write(temp.join("uploads"), uploads).unwrap();
    let list = |objects: &str, end: &str| {
        let script = format!(
            r#"printf '%s|' "$@" >>recorded; echo >>recorded; [ "$1" = lsjson ] || {{ cat uploads; {end} }}; echo '[{objects}'; echo ']'"#
        );
        let path = search_path(&temp, "rclone", &script);
        let words = ["--json", "-q", "--uploads", "rclone://s3:b/logs"];
        run(program().env("PATH", path).args(words).current_dir(temp.path()))
    };
    let object = r#"
{"Path":"d/a","Name":"a","Size":3000,"IsDir":false}"#;
    for (objects, size) in [(object, 3000), ("", 0)] {
        let document = list(objects, "exit;").ended(0).json();
        let root = document.root().get("roots").elements()[0];
        assert_eq!(root.get("apparent").number(), size);
        assert_eq!(root.child("d").child("a (unfinished upload 1").child("2)").get("apparent").number(), 0);
        assert_eq!(root.child("e (unfinished upload -3)").get("mtime").number(), 1_795_508_100);
    }
    let recorded = String::from_utf8(bytes(&temp, "recorded")).unwrap();
    let command = "\nbackend|list-multipart-uploads|--ask-password=false|--log-format=|--|s3:b/logs|\n";
    assert!(recorded.contains(command), "{recorded}");
    // If the uploads cannot be listed, the objects are still shown.
    let run = list(object, "echo 403 AccessDenied >&2; exit 3;");
    assert!(
        run.stderr.ends_with("s3:b/logs: cannot list unfinished uploads: 403 AccessDenied\n"),
        "{}",
        run.stderr
    );
    let document = run.json();
    let root = document.root().get("roots").elements()[0];
    assert_eq!(root.get("apparent").number(), 3000);
    assert_eq!(root.get("errno").number(), nix::errno::Errno::EIO as i128);
    for broken in ["{", r#"{"b":[{"Key":"k"}]}"#, r#"{"b":[{"Key":"../x","UploadId":"i"}]}"#, "{} x"] {
        fs::write(temp.join("uploads"), broken).unwrap();
        let run = list(object, "exit;");
        assert_ne!(run.code, Some(0));
        assert!(run.stderr.contains("s3:b/logs: cannot list unfinished uploads: "), "{}", run.stderr);
        assert_eq!(run.json().root().get("roots").elements()[0].get("apparent").number(), 3000);
    }
}

#[test]
fn a_failing_rclone_leaves_marked_rows_and_its_error() {
    let temp = TestDir::new();
    let line = r#"{"Path":"d/a","Name":"a","Size":3000,"IsDir":false}"#;
    let cases = [
        ("echo NOTICE: x >&2; echo 403 AccessDenied >&2; exit 3", "s3:b: 403 AccessDenied\n"),
        // The error message of an object store can continue in indented lines, which duke does not print.
        (
            r"printf '403 AccessDenied\n\tstatus code: 403, request id: X\n' >&2; exit 3",
            "s3:b: 403 AccessDenied\n",
        ),
        ("exit 1", "s3:b: rclone exited with code 1\n"),
        ("kill -9 $$", "s3:b: rclone was killed by a signal\n"),
    ];
    for (end, message) in cases {
        let path = search_path(&temp, "rclone", &format!("echo '['; echo '{line},'; {end}"));
        let words = ["--json", "-q", "rclone://s3:b"];
        let run = run(program().env("PATH", path).args(words));
        assert_ne!(run.code, Some(0));
        assert!(run.stderr.ends_with(message), "{}", run.stderr);
        let document = run.json();
        let root = document.root().get("roots").elements()[0];
        assert_eq!(root.get("apparent").number(), 3000);
        assert_eq!(root.get("errno").number(), nix::errno::Errno::EIO as i128);
        let path = search_path(&temp, "rclone", end);
        let run = self::run(program().env("PATH", path).args(["-n", "rclone://s3:b"])).ended(2);
        assert_eq!(run.stderr, format!("duke: {message}"));
    }
    let run = run(program().env("PATH", "").args(["-n", "rclone://s3:b"])).ended(2);
    assert_eq!(run.stderr, "duke: s3:b: rclone is not installed, or not in PATH\n");
}

#[test]
fn objects_are_grouped_into_directories_in_any_order() {
    let temp = TestDir::new();
    let mut lines = String::from("[\n");
    // duke collects the entries of a limited number of directories at a time before it adds them to the tree. The list
    // exceeds this limit, and the two entries of each directory are far apart.
    for round in 0..2 {
        for directory in 0..200 {
            let path = format!("{}/{directory}/{round}", directory % 7);
            writeln!(lines, "{{\"Path\":\"{path}\",\"Size\":{},\"IsDir\":false}},", directory + 1).unwrap();
        }
    }
    for path in ["a//b", "a", "a/b", "../x", "./c"] {
        writeln!(lines, "{{\"Path\":\"{path}\",\"Size\":512,\"IsDir\":false}},").unwrap();
    }
    fs::write(temp.join("lines"), lines + "]\n").unwrap();
    let path = search_path(&temp, "rclone", "cat lines");
    let run =
        run(program().env("PATH", path).args(["--json", "-q", "rclone://s3:b"]).current_dir(temp.path()));
    let run = run.ended(1);
    assert_eq!(run.stderr, "duke: s3:b: line 405: the path contains '..'\n");
    let document = run.json();
    let root = document.root().get("roots").elements()[0];
    assert_eq!(root.get("apparent").number(), 2 * (200 * 201 / 2) + 4 * 512);
    // 400 objects in 207 directories; then the directory `a`, two objects `a/b`, one object `a` and one object `c`.
    assert_eq!(root.get("items").number(), 400 + 207 + 1 + 4);
    assert_eq!(root.child("3").child("10").get("apparent").number(), 2 * 11);
}

#[test]
fn an_empty_remote_of_rclone_is_an_empty_directory() {
    let temp = TestDir::new();
    let path = search_path(&temp, "rclone", "printf '[\n]\n'");
    let run = run(program().env("PATH", path).args(["--json", "-q", "rclone://s3:b"])).ended(0);
    let document = run.json();
    let root = document.root().get("roots").elements()[0];
    assert_eq!((root.get("name").text(), root.get("items").number()), ("s3:b", 0));
}
