//! Tests that the examples print the output described in their comments.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::process::Command;

use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;

use crate::program::test_dir::TestDir;
use crate::support::fixtures;

#[allow(dead_code)] // `main` is not called
#[path = "../../examples/du.rs"]
mod du;
#[allow(dead_code)] // `main` is not called
#[path = "../../examples/oldest.rs"]
mod oldest;
#[allow(dead_code)] // `main` is not called
#[path = "../../examples/watch.rs"]
mod watch;

fn sorted_lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    lines.sort();
    lines
}

#[test]
fn the_example_du_prints_the_output_of_du() {
    let fixture = fixtures::plain();
    let mut printed = Vec::new();
    assert!(du::print(vec![fixture.path().to_owned()], &mut printed).unwrap());
    // With `-k`, du prints KiB like the example, even if the environment sets another unit.
    let expected = Command::new("du").arg("-k").arg(fixture.path()).output().unwrap();
    assert!(sorted_lines(&expected.stdout).len() > 2, "{expected:?}");
    assert_eq!(sorted_lines(&printed), sorted_lines(&expected.stdout));
}

#[test]
fn the_report_names_the_oldest_files_first() {
    let temp = TestDir::new();
    fs::create_dir(temp.join("inner")).unwrap();
    for (name, time) in [("new", 3_000), ("inner/oldest\n", 1_000), ("old", 2_000)] {
        fs::write(temp.join(name), "x").unwrap();
        let time = TimeSpec::new(time, 0);
        utimensat(nix::fcntl::AT_FDCWD, &temp.join(name), &time, &time, UtimensatFlags::NoFollowSymlink)
            .unwrap();
    }
    let mut printed = Vec::new();
    oldest::print(vec![temp.path().to_owned()], 2, &mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert!(lines[0].contains(" 1000 ") && lines[0].ends_with("/inner/oldest\\n"), "{printed}");
    assert!(lines[1].contains(" 2000 ") && lines[1].ends_with("/old"), "{printed}");
}

#[test]
fn the_watcher_prints_changes() {
    let temp = TestDir::new();
    for name in ["grows", "stays", "vanishes"] {
        fs::create_dir(temp.join(name)).unwrap();
        fs::write(temp.join(name).join("file"), vec![1; 10_000]).unwrap();
    }
    let before = watch::sizes(temp.path());
    fs::write(temp.join("grows/more"), vec![1; 1 << 20]).unwrap();
    fs::remove_dir_all(temp.join("vanishes")).unwrap();
    let now = watch::sizes(temp.path());
    let mut printed = Vec::new();
    watch::print(&before, &now, &mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let lines: Vec<(&str, &str)> =
        printed.lines().map(|line| line.trim().rsplit_once("  ").unwrap()).collect();
    assert_eq!(lines.iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["grows", "vanishes"]);
    assert!(lines[0].0.starts_with('+') && !lines[1].0.starts_with('+'), "{printed}");
}
