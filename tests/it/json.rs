//! `--json`: the schema, the totals, and the effect of unusual names, a depth limit or an interrupt.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::json::{Document, Value, parse};
use crate::program::test_dir::TestDir;
use crate::program::{program, run_in, schema};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const SCHEMA: &str = include_str!("../../docs/schema.json");
const DESCRIPTION: &str = include_str!("../../docs/json.md");

fn report(directory: &Path, words: &[&str]) -> Document {
    run_in(directory, std::iter::once(&"--json").chain(words)).ended(0).json()
}

fn names(directory: Value<'_>) -> Vec<&str> {
    directory.get("children").elements().iter().map(|child| child.get("name").text()).collect()
}

fn disk(path: &Path) -> i128 {
    i128::from(fs::symlink_metadata(path).unwrap().blocks()) * 512
}

fn length(path: &Path) -> i128 {
    i128::from(fs::symlink_metadata(path).unwrap().len())
}

/// Returns a directory with every kind of entry, except unreadable ones.
fn everything() -> TestDir {
    let temp = TestDir::new();
    temp.file("sub/large", 50_000);
    temp.file("sub/small", 10);
    temp.directory("sub/empty");
    fs::hard_link(temp.join("sub/large"), temp.join("again")).unwrap();
    symlink("nowhere", temp.join("link")).unwrap();
    nix::unistd::mkfifo(&temp.join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    drop(UnixListener::bind(temp.join("socket")).unwrap());
    temp.file("left.o", 1);
    fs::write(temp.join("left.o"), "x").unwrap();
    temp.directory("cache");
    fs::write(temp.join("cache/CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n").unwrap();
    temp.odd_file(b"same\xff", "1");
    temp.odd_file(b"same\xfe", "2");
    fs::write(temp.join("same\u{fffd}"), "3").unwrap();
    temp
}

#[test]
fn the_parser_of_these_tests_is_strict() {
    let good = ["{}", " [ ] ", "[[],{\"a\":[]},-1,0.5,1e9,true,null,\"\\u00e9\\n\"]", "\"\u{2028}\""];
    for text in good {
        assert!(parse(text.as_bytes()).is_ok(), "{text}: {:?}", parse(text.as_bytes()).err());
    }
    let bad = [
        "",
        "[",
        "]",
        "[1",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{,}",
        "{1:2}",
        "[1}",
        "01",
        "1 2",
        "\"\t\"",
        "\"\\x\"",
        "\"\\ud800\"",
        "tru",
        "{\"a\":1,\"a\":2}",
        "[1 2]",
        "{\"a\" 1}",
        "nullx",
    ];
    for text in bad {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
    assert!(parse(b"\"\xff\"").is_err());
}

#[test]
fn the_output_matches_the_schema_and_has_no_other_keys() {
    let temp = everything();
    let schema = parse(SCHEMA.as_bytes()).unwrap();
    let some = ["--top", "3", "--by", "type,age,owner", "-d", "9", "-x", "--frees"];
    let words =
        ["-e", "--exclude", "*.o", "--exclude-caches", ".", "missing", "again"].into_iter().chain(some);
    let output = run_in(temp.path(), std::iter::once("--json").chain(words)).ended(1).json();
    let violations = schema::violations(schema.root(), schema.root(), output.root());
    assert_eq!(violations, Vec::<String>::new());
    let entry = schema::target(schema.root(), "#/$defs/entry").get("properties").keys();
    // The additional keys of mount points and of `duke df` are tested in tests/system/df.rs.
    let mut keys = schema.root().get("properties").keys();
    keys.retain(|key| *key != "filesystems");
    assert_eq!(output.root().keys(), keys);
    let mut met: Vec<&str> = Vec::new();
    let mut waiting = output.root().get("roots").elements();
    while let Some(one) = waiting.pop() {
        let keys = one.keys();
        let places: Vec<_> = keys.iter().map(|key| entry.iter().position(|known| known == key)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{keys:?}");
        met.extend(keys);
        waiting.extend(one.find("children").map(Value::elements).unwrap_or_default());
    }
    // The fixture cannot have the key `recorded`, because only CephFS records the sizes of directories.
    // tests/system/lying/recursive.rs tests it.
    met.push("recorded");
    // Only object stores have storage classes. tests/it/exchange.rs tests them.
    met.push("storage_class");
    let missing: Vec<_> = entry.iter().filter(|key| !met.contains(key)).collect();
    assert!(missing.is_empty(), "the fixture shows no {missing:?}");
}

#[test]
fn the_schema_rejects_invalid_documents() {
    let schema = parse(SCHEMA.as_bytes()).unwrap();
    let entry = schema::target(schema.root(), "#/$defs/entry");
    let wrong = [
        r#"{"name":"x"}"#,
        r#"{"name":"x","type":"file"}"#,
        r#"{"name":"x","type":"folder","error":"e","errno":1}"#,
        r#"{"name":"x","type":"file","disk":1}"#,
        r#"{"name":"x","type":"file","disk":-1,"apparent":1,"mtime":-1}"#,
        r#"{"name":"x","type":"file","disk":1,"apparent":1,"mtime":1,"links":2}"#,
        r#"{"name":"x","type":"file","disk":1,"apparent":1,"mtime":1,"items":1,"shared":0}"#,
        r#"{"name":"x","type":"file","disk":1,"apparent":1,"mtime":1,"excluded":"pattern"}"#,
        r#"{"name":"x","type":"file","error":"e"}"#,
        r#"{"name":"x","type":"directory","disk":1,"apparent":1,"mtime":1,"items":1,"shared":0,"children":[{}]}"#,
    ];
    for text in wrong {
        let value = parse(text.as_bytes()).unwrap();
        assert!(!schema::violations(schema.root(), entry, value.root()).is_empty(), "{text}");
    }
}

/// Returns the keys in the first column of the table under `heading`.
fn described(heading: &str) -> Vec<&'static str> {
    let (_, section) = DESCRIPTION.split_once(&format!("\n## {heading}\n")).expect("the heading is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

#[test]
fn the_description_lists_the_keys_of_the_schema_in_their_order() {
    let schema = parse(SCHEMA.as_bytes()).unwrap();
    let root = schema.root();
    assert_eq!(described("The document"), root.get("properties").keys());
    for (heading, definition) in [
        ("Totals", "totals"),
        ("Errors", "failure"),
        ("File systems", "filesystem"),
        ("Largest files", "large"),
        ("Totals by type, age, owner or class", "sum"),
        ("Entries", "entry"),
    ] {
        let definition = root.get("$defs").get(definition);
        assert_eq!(described(heading), definition.get("properties").keys(), "{heading}");
    }
    let entry = root.get("$defs").get("entry").get("properties");
    for key in ["type", "excluded"] {
        let entries = DESCRIPTION.split_once("## Entries\n").unwrap().1;
        let row = entries.lines().find(|line| line.starts_with(&format!("| `{key}`"))).unwrap();
        for word in entry.get(key).get("enum").elements() {
            assert!(row.contains(&format!("`{}`", word.text())), "{key}: {}", word.text());
        }
    }
}

#[test]
fn the_example_in_the_document_matches_the_schema() {
    let schema = parse(SCHEMA.as_bytes()).unwrap();
    let example = DESCRIPTION.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let example = parse(example.as_bytes()).unwrap();
    assert_eq!(schema::violations(schema.root(), schema.root(), example.root()), Vec::<String>::new());
}

#[test]
fn every_entry_has_its_own_numbers_and_every_directory_its_sum() {
    let temp = everything();
    let output = report(temp.path(), &["."]);
    let root = output.root().get("roots").elements()[0];
    assert_eq!(root.get("name").text(), ".");
    let large = root.child("sub").child("large");
    assert_eq!(large.get("disk").number(), disk(&temp.join("sub/large")));
    assert_eq!(large.get("apparent").number(), 50_000);
    assert_eq!(large.get("links").number(), 2);
    let metadata = fs::metadata(temp.join("again")).unwrap();
    assert_eq!(large.get("inode").number(), i128::from(metadata.ino()));
    assert_eq!(large.get("device").number(), i128::from(metadata.dev()));
    assert_eq!(large.get("mtime").number(), i128::from(metadata.mtime()));
    let sub = root.child("sub");
    let own = ["sub", "sub/large", "sub/small", "sub/empty"].map(|name| temp.join(name));
    assert_eq!(sub.get("disk").number(), own.iter().map(|path| disk(path)).sum::<i128>());
    assert_eq!(sub.get("apparent").number(), own.iter().map(|path| length(path)).sum::<i128>());
    assert_eq!(sub.get("items").number(), 3);
    assert_eq!(sub.child("empty").get("children").elements().len(), 0);
    // The file with two names counts once in the root. The root's shared size is the disk usage of this file.
    assert_eq!(root.get("shared").number(), disk(&temp.join("again")));
    let children = root.get("children").elements();
    let sum: i128 = children.iter().map(|child| child.get("disk").number()).sum();
    let own = disk(temp.path());
    assert_eq!(root.get("disk").number(), own + sum - root.get("shared").number());
    assert_eq!(output.root().get("totals").get("disk").number(), root.get("disk").number());
    let kinds = ["link", "fifo", "socket", "sub"].map(|name| root.child(name).get("type").text());
    assert_eq!(kinds, ["symlink", "fifo", "socket", "directory"]);
}

#[test]
fn children_come_largest_first_and_then_by_name() {
    let temp = TestDir::new();
    for (name, length) in [("b", 1), ("a", 1), ("B", 1), ("large", 90_000), ("larger", 200_000)] {
        temp.file(name, length);
    }
    temp.directory("deep/er");
    temp.file("deep/er/largest", 400_000);
    let output = report(temp.path(), &[]);
    assert_eq!(names(output.root().get("roots").elements()[0]), ["deep", "larger", "large", "B", "a", "b"]);
}

#[test]
fn depth_limits_the_output_and_not_the_totals() {
    let temp = everything();
    let whole = report(temp.path(), &[]);
    for depth in ["0", "1", "2", "9"] {
        let pruned = report(temp.path(), &["-d", depth]);
        let root = pruned.root().get("roots").elements()[0];
        for key in ["disk", "apparent", "items"] {
            let expected = whole.root().get("roots").elements()[0].get(key).number();
            assert_eq!(root.get(key).number(), expected, "{key} at depth {depth}");
        }
        assert_eq!(root.find("children").is_some(), depth != "0");
        if depth == "1" {
            assert!(root.child("sub").find("children").is_none());
            assert_eq!(root.child("sub").get("items").number(), 3);
        }
        if depth == "2" {
            assert!(root.child("sub").child("empty").find("children").is_none());
        }
    }
}

#[test]
fn names_that_are_not_utf8_stay_distinct_and_exact() {
    let temp = everything();
    let output = report(temp.path(), &[]);
    let root = output.root().get("roots").elements()[0];
    let mut same: Vec<_> = root
        .get("children")
        .elements()
        .into_iter()
        .filter(|child| child.get("name").text() == "same\u{fffd}")
        .map(|child| child.find("name_base64").map(Value::text))
        .collect();
    same.sort_unstable();
    let has_odd = temp.odd_file(b"same\xff", "1");
    let odd = [Some("c2FtZf4="), Some("c2FtZf8=")];
    let expected = [None].into_iter().chain(odd.into_iter().filter(|_| has_odd));
    assert_eq!(same, expected.collect::<Vec<_>>());
}

#[test]
fn control_and_direction_characters_are_escaped_and_read_back() {
    let temp = TestDir::new();
    let name = "a\u{1b}[31m\n\u{7f}\u{9b}\u{202e}\u{2028}\"\\";
    temp.file(name, 1);
    let run = run_in(temp.path(), ["--json"]).ended(0);
    let output = run.json();
    assert_eq!(names(output.root().get("roots").elements()[0]), [name]);
    let acts = |char: char| char.is_control() && char != '\n' || ('\u{2028}'..='\u{202e}').contains(&char);
    assert!(!run.text().contains(acts));
}

#[test]
fn a_chain_of_50_000_directories_is_written_whole() {
    const DEPTH: usize = 50_000;
    let temp = TestDir::in_memory();
    temp.chain("d", DEPTH);
    let output = report(temp.path(), &[]);
    let mut at = output.root().get("roots").elements()[0];
    assert_eq!(at.get("items").number(), DEPTH as i128);
    let mut depth = 0;
    while let Some(child) = at.get("children").elements().first().copied() {
        (at, depth) = (child, depth + 1);
    }
    assert_eq!(depth, DEPTH);
}

#[test]
fn a_path_longer_than_the_system_allows_is_walked_and_named() {
    let temp = TestDir::new();
    let name = "x".repeat(250);
    temp.chain(&name, 40);
    let output = report(temp.path(), &["-x"]);
    assert_eq!(output.root().get("roots").elements()[0].get("items").number(), 40);
    assert_eq!(output.root().get("errors").elements().len(), 0);
}

#[test]
fn a_root_is_named_as_given_and_a_link_to_a_directory_is_followed() {
    let temp = everything();
    symlink("sub", temp.join("to")).unwrap();
    let output = report(temp.path(), &["sub", "./sub/", "to", "link", "sub/small"]);
    let roots = output.root().get("roots").elements();
    let all: Vec<_> = roots.iter().map(|root| root.get("name").text()).collect();
    assert_eq!(all, ["sub", "./sub/", "to", "link", "sub/small"]);
    for root in &roots[..3] {
        assert_eq!(root.get("type").text(), "directory");
        assert_eq!(root.get("disk").number(), roots[0].get("disk").number());
        assert_eq!(root.get("children").elements().len(), 3);
    }
    assert_eq!(roots[3].get("type").text(), "symlink");
    assert_eq!(roots[4].get("type").text(), "file");
    assert!(roots[4].find("links").is_none());
    // Roots 0 to 2 are the same directory, which also contains root 4, so these four roots count once. Root 3 is a
    // symbolic link that counts separately.
    let link = disk(&temp.join("link"));
    assert_eq!(output.root().get("totals").get("disk").number(), roots[0].get("disk").number() + link);
    assert_eq!(output.root().get("totals").get("items").number(), 3);
}

#[test]
fn a_root_inside_another_is_shown_and_adds_nothing() {
    let temp = everything();
    for words in [[".", "sub"], ["sub", "."]] {
        let output = report(temp.path(), &words);
        let whole = report(temp.path(), &["."]);
        assert_eq!(
            output.root().get("totals").get("disk").number(),
            whole.root().get("totals").get("disk").number()
        );
        let roots = output.root().get("roots").elements();
        let sub = roots.iter().find(|root| root.get("name").text() == "sub").unwrap();
        assert_eq!(sub.get("items").number(), 3);
        assert_eq!(names(*sub), ["large", "empty", "small"]);
    }
}

#[test]
fn excluded_entries_show_the_reason_and_no_size() {
    let temp = everything();
    let patterns = temp.file("patterns", 0);
    fs::write(&patterns, "*.o \n\nsub/small\t\n").unwrap();
    let output = report(temp.path(), &["-X", "patterns", "--exclude", "fi?o", "--exclude-caches"]);
    let root = output.root().get("roots").elements()[0];
    for (name, reason) in [("left.o", "pattern"), ("fifo", "pattern"), ("cache", "caches")] {
        assert_eq!(root.child(name).get("excluded").text(), reason);
        assert!(root.child(name).find("disk").is_none());
    }
    assert_eq!(root.child("sub").child("small").get("excluded").text(), "pattern");
    assert_eq!(root.child("sub").get("items").number(), 2);
}

#[test]
fn kernel_file_systems_are_shown_and_not_entered() {
    if cfg!(not(target_os = "linux")) || !Path::new("/proc/self").exists() {
        eprintln!("SKIPPED: no /proc here");
        return;
    }
    let output = run_in(Path::new("/"), ["--json", "-d", "1", "/", "--exclude", "[!p]*", "-x"]).json();
    let other = output.root().get("roots").elements()[0].child("proc");
    assert_eq!(other.get("excluded").text(), "other_filesystem");
    let output = run_in(Path::new("/"), ["--json", "-d", "1", "/", "--exclude", "[!p]*"]).json();
    let kernel = output.root().get("roots").elements()[0].child("proc");
    assert_eq!(kernel.get("excluded").text(), "kernel_filesystem");
}

#[test]
fn a_missing_root_is_an_error_besides_the_others() {
    let temp = everything();
    let run = run_in(temp.path(), ["--json", "missing", "sub"]).ended(1);
    let output = run.json();
    let error = output.root().get("errors").elements()[0];
    assert_eq!(error.get("path").text(), "missing");
    assert_eq!(error.get("error").text(), "no such file or directory");
    assert_eq!(error.get("errno").number(), 2);
    let missing = output.root().get("roots").elements()[0];
    assert_eq!(missing.keys(), ["name", "type", "error", "errno"]);
    assert_eq!(run.stderr, "duke: missing: cannot read: no such file or directory\n");
    run_in(temp.path(), ["--json", "missing", "nor", "this"]).ended(2).json();
}

fn start(directory: &Path, words: &[&str]) -> Child {
    let mut command: Command = program();
    command.args(words).current_dir(directory).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn interrupt(child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
}

/// Returns `true` if the process has a handler for SIGINT (proc(5)).
#[cfg(target_os = "linux")]
fn is_prepared(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 << (libc::SIGINT - 1) != 0)
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_scan_prints_partial_results_and_reports_it() {
    let temp = TestDir::in_memory();
    temp.chain("d", 50_000);
    // The signal may arrive after the scan has ended. The output is then either truncated, or complete with exit code
    // 0. In both cases, the test starts the program again.
    for _ in 0..50 {
        let mut child = start(temp.path(), &["--json", "-t", "1"]);
        // Reads on a separate thread, because the program may block until its output is read.
        let mut output = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            output.read_to_end(&mut bytes).map(|_| bytes)
        });
        while !is_prepared(&child) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        interrupt(&child);
        let (status, output) = (child.wait().unwrap(), reader.join().unwrap().unwrap());
        let Ok(document) = parse(&output) else { continue };
        if status.code() == Some(130) {
            assert!(!document.root().get("complete").is_true());
            assert_eq!(document.root().get("roots").elements()[0].get("name").text(), ".");
            return;
        }
    }
    panic!("the scan was never interrupted");
}

/// Ctrl-C interrupts both programs of `duke --json | jq`. duke must not report that its reader has ended.
#[test]
#[cfg(target_os = "linux")]
fn a_reader_interrupted_by_the_same_key_is_no_error() {
    let temp = TestDir::in_memory();
    temp.chain("d", 50_000);
    for _ in 0..50 {
        let mut command = program();
        command.args(["--json", "-t", "1"]).current_dir(temp.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        while !is_prepared(&child) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        match output.status.code() {
            Some(130) => return,
            // The scan was complete before the signal arrived.
            code => assert_eq!(code, Some(0)),
        }
    }
    panic!("the scan was never interrupted");
}

#[test]
fn output_that_has_begun_is_cut_short_by_an_interrupt() {
    let temp = TestDir::new();
    for number in 0..3_000 {
        temp.file(format!("{number}"), 0);
    }
    let mut child = start(temp.path(), &["--json"]);
    let mut first = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    interrupt(&child);
    // The pipe is still open and full, so only the signal can end the program.
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
