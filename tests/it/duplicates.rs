//! Tests that run `duke duplicates`: the list, the JSON document, errors and exit codes.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::program::test_dir::TestDir;
use crate::program::{Run, program, run};
use crate::support::{child, skip};

fn duplicates(directory: &Path, words: &[&str]) -> Run {
    run(program().current_dir(directory).arg("duplicates").args(words))
}

/// Creates a folder in which some of the files and directories are copies.
fn some() -> TestDir {
    let temp = TestDir::new();
    for name in ["one/deep/x", "two/deep/x"] {
        temp.file(name, 30_000);
    }
    for name in ["small", "other", "one more"] {
        fs::create_dir_all(temp.path().join("files")).unwrap();
        fs::write(temp.path().join("files").join(name), "the same").unwrap();
    }
    fs::write(temp.path().join("files/different"), "The same").unwrap();
    temp
}

#[test]
fn copies_are_listed_with_their_wasted_bytes() {
    let temp = some();
    let text = duplicates(temp.path(), &["."]).ended(0).text().to_owned();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let expected = [
        "2 directories, each 29.3 KiB in 1 non-empty file",
        "./one/",
        "./two/",
        "3 files, 8 B each",
        "./files/one more",
        "./files/other",
        "./files/small",
        "wasted in 2 groups",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.ends_with(expected), "{line:?} {expected:?}");
    }
}

#[test]
fn json_has_the_copies_and_the_exact_names() {
    let temp = some();
    let odd = temp.path().join(OsStr::from_bytes(b"files/\xff\n"));
    fs::write(&odd, "the same").unwrap();
    fs::hard_link(temp.path().join("files/small"), temp.path().join("files/small again")).unwrap();
    let run = duplicates(temp.path(), &["--json", "."]).ended(0);
    let text = run.text();
    let size = |name: &str| fs::metadata(temp.path().join(name)).unwrap().blocks() * 512;
    let wasted = size("one/deep/x") + 3 * size("files/small");
    for part in [
        "{\"schema\":\"duke-duplicates/1\",\"version\":\"",
        &format!("\"complete\":true,\"wasted\":{wasted},\"bytes_read\":"),
        "\"errors\":[],\n\"skipped\":[],\n\"groups\":[",
        "{\"type\":\"directory\",\"files\":1,\"size\":30000,\"wasted\":",
        "{\"path\":\"./one\",\"disk\":",
        "{\"type\":\"file\",\"size\":8,\"wasted\":",
        "{\"path\":\"./files/\u{fffd}\\n\",\"path_base64\":\"Li9maWxlcy//Cg==\",\"disk\":",
        "\"other_names\":[\n{\"path\":\"./files/small again\"}]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn several_paths_are_compared_with_each_other() {
    let (one, two) = (some(), some());
    let words = [one.path(), two.path()].map(|path| path.to_str().unwrap());
    let text = duplicates(one.path(), &words).ended(0).text().to_owned();

    assert!(
        text.lines().next().unwrap().ends_with("2 directories, each 58.6 KiB in 6 non-empty files"),
        "{text}"
    );
    assert!(words.iter().all(|word| text.contains(&format!("{word}/\n"))), "{text}");
    // A file that is given twice counts as one file.
    let text = duplicates(one.path(), &["files/small", "files/small"]).ended(0).text().to_owned();
    assert!(text.ends_with("No duplicates\n"), "{text}");
    let text = duplicates(one.path(), &["files/small", "files/other"]).ended(0).text().to_owned();
    assert!(text.ends_with("wasted in 1 group\n"), "{text}");
}

#[test]
fn excluded_entries_are_not_compared() {
    let temp = some();
    let text = duplicates(temp.path(), &["--exclude", "o*", "."]).ended(0).text().to_owned();
    assert!(text.ends_with("No duplicates\n"), "{text}");
}

#[test]
fn files_that_were_not_compared_are_named() {
    const NAME: &str = "files_that_were_not_compared_are_named";
    if !child::alone(NAME) {
        return;
    }
    if child::is_root() {
        child::become_nobody();
    }
    let temp = some();
    nix::unistd::mkfifo(&temp.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(temp.path().join("socket")).unwrap();
    let closed = temp.path().join("two/deep/x");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&closed).is_ok() {
        skip(&format!("{NAME}: this user can read every file"));
        return;
    }
    let run = duplicates(temp.path(), &["--json", "."]).ended(1);
    assert!(run.stderr.contains("duke: ./two/deep/x: cannot read: "), "{}", run.stderr);
    assert!(run.stderr.contains("duke: ./pipe: cannot compare: pipe, socket or device\n"), "{}", run.stderr);
    assert!(
        run.stderr.contains("duke: ./socket: cannot compare: pipe, socket or device\n"),
        "{}",
        run.stderr
    );
    let text = run.text();
    assert!(text.contains("{\"path\":\"./pipe\",\"reason\":\"special\"}"), "{text}");
    assert!(text.contains("{\"path\":\"./socket\",\"reason\":\"special\"}"), "{text}");
    assert!(text.contains("{\"path\":\"./two/deep/x\",\"reason\":\"unreadable\",\"error\":"), "{text}");
    assert!(
        !text.contains("\"type\":\"directory\""),
        "a directory with an unreadable file is no copy: {text}"
    );
}

#[test]
fn a_missing_path_is_an_error() {
    let temp = TestDir::new();
    let run = duplicates(temp.path(), &["missing"]).ended(2);
    assert!(run.stderr.starts_with("duke: missing: "), "{}", run.stderr);
    assert_eq!(run.text(), "");
    assert_eq!(duplicates(temp.path(), &["--share", "missing"]).ended(2).text(), "");
}
